//! Locks and threads.

use super::size::hot_share;
use crate::amount::{Amount, Bounds};
use crate::bins::Bin;
use crate::group::Group;
use crate::heard::{OfSpace, RUNNABLE};
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::{LEFT, LOOKED, NO_PARKS, UNFOLLOWED, UNHEARD};
use crate::tally::Tally;

const CONCURRENCY: Metric = Metric {
    id: "-",
    category: "concurrency",
    name: "",
    kind: Kind::Value,
    unit: Unit::Count,
    text: "",
    needs: &[Need::Threads],
    variants: &[],
    read: None,
};

/// A value of what was heard.
fn heard(tally: &Tally, of: impl FnOnce(&OfSpace) -> Amount) -> Amount {
    tally.heard.as_ref().map_or_else(|| Amount::none(UNHEARD), of)
}

/// The metrics.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "M52",
        name: "lockDensity",
        unit: Unit::Density,
        text: "Executions of `monitorenter` and entries of synchronized methods with code, for each 1,000 executed instructions. Locks of \
               java.util.concurrent and entries of native synchronized methods do not count.",
        needs: &[Need::Blocks, Need::Files],
        variants: &[("bytecode", "Executions of `monitorenter` only.")],
        read: Some(|tally, settings| {
            let entered = match settings.variant {
                Some(_) => tally.of(Group::Monitor),
                None => tally.of(Group::Monitor).plus(Bounds::exact(tally.synchronized)),
            };
            Reading::One(Amount::ratio(entered, tally.executed, 1000.0).because(LEFT))
        }),
        ..CONCURRENCY
    },
    Metric {
        id: "M53",
        name: "contendedLockDensity",
        unit: Unit::Density,
        text: "Times that a thread had to wait for a monitor in a method of the space, for each 1,000 executed instructions. After \
               `Object.wait` a thread may wait again, in that method.",
        needs: &[Need::Blocks, Need::Contention],
        read: Some(|tally, _| {
            Reading::One(heard(tally, |of| {
                let amount = Amount::ratio(of.waits, tally.executed, 1000.0).because(LEFT);
                match &of.placeless {
                    Some(why) => amount.with_reason(why),
                    None => amount,
                }
            }))
        }),
        ..CONCURRENCY
    },
    Metric {
        id: "M54",
        name: "lock",
        kind: Kind::Percentile,
        unit: Unit::Percent,
        text: "Share of the executed places that lock which make 90% of the lock operations. A place is a `monitorenter` \
               or a synchronized method.",
        needs: &[Need::Blocks, Need::Files],
        read: Some(|tally, settings| hot_share(&tally.locks, settings)),
        ..CONCURRENCY
    },
    Metric {
        id: "M55",
        name: "contendedLock",
        kind: Kind::Percentile,
        unit: Unit::Percent,
        text: "Share of the places where threads had to wait for monitors which make 90% of these waits.",
        needs: &[Need::Contention],
        read: Some(|tally, settings| match &tally.heard {
            Some(of) => match (hot_share(&of.places, settings), &of.placeless) {
                (Reading::One(amount), Some(why)) => Reading::One(amount.with_reason(why)),
                (reading, _) => reading,
            },
            None => Reading::One(Amount::none(UNHEARD)),
        }),
        ..CONCURRENCY
    },
    Metric {
        id: "M56",
        name: "startedThreads",
        text: "Threads that were started, in the thread group `main` or within it, without virtual ones. The JVM's, in each space.",
        read: Some(|tally, _| Reading::One(heard(tally, |of| Amount::count(Bounds::exact(of.jvm.started))))),
        ..CONCURRENCY
    },
    Metric {
        id: "M57",
        name: "maxOverlappingThreads",
        text: "Most of these threads that lived at once. A thread that lived when the drill began counts too.",
        read: Some(|tally, _| {
            Reading::One(heard(tally, |of| Amount::count(Bounds::exact(of.jvm.most_live))))
        }),
        ..CONCURRENCY
    },
    Metric {
        id: "M58",
        name: "maxContention",
        text: "Most threads that waited for one monitor at once. The JVM's, in each space.",
        needs: &[Need::Contention],
        read: Some(|tally, _| {
            Reading::One(heard(tally, |of| {
                let most = of.jvm.most_waiting.saturating_add(of.jvm.unfollowed);
                Amount::count(Bounds::new(of.jvm.most_waiting, most)).because(UNFOLLOWED)
            }))
        }),
        ..CONCURRENCY
    },
    Metric {
        id: "M59",
        name: "threadDensity",
        text: "Most threads that could run at once: runnable, and not in native code. The JVM's, in each space.",
        read: Some(|tally, _| {
            Reading::One(heard(tally, |of| {
                let most = of.jvm.most_live.max(of.jvm.most_runnable);
                Amount::sampled_count(Bounds::new(of.jvm.most_runnable, most)).with_reason(LOOKED)
            }))
        }),
        ..CONCURRENCY
    },
    Metric {
        id: "M60",
        name: "threadDensity",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Time by the number of threads that could run. The JVM's, in each space.",
        read: Some(|tally, _| {
            let bin = |threads: usize| {
                let low = threads as u64;
                let high = (threads + 1 < RUNNABLE).then_some(low);
                (Bin { low, high }, heard(tally, |of| of.jvm.share_of_looks(threads)))
            };
            Reading::Bins((0..RUNNABLE).map(bin).collect())
        }),
        ..CONCURRENCY
    },
    Metric {
        id: "M61",
        name: "parks",
        text: "Calls of the methods `park` of LockSupport, by which java.util.concurrent waits. They are methods of the JDK, so `--jdk` counts them.",
        needs: &[Need::Blocks],
        read: Some(|tally, _| {
            let [methods, entries] = tally.parks;
            Reading::One(match methods {
                0 => Amount::none(NO_PARKS),
                _ => Amount::count(Bounds::exact(entries)),
            })
        }),
        ..CONCURRENCY
    },
];
