//! Locks and threads.

use super::size::hot_share;
use crate::amount::{Amount, Bounds};
use crate::group::Group;
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::LEFT;

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
        text: "Times that a thread had to wait for a monitor, for each 1,000 executed instructions.",
        needs: &[Need::Blocks, Need::Contention],
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
        text: "Share of these places which make 90% of the waits.",
        needs: &[Need::Contention],
        ..CONCURRENCY
    },
    Metric { id: "M56", name: "startedThreads", text: "Threads that were started.", ..CONCURRENCY },
    Metric {
        id: "M57",
        name: "maxOverlappingThreads",
        text: "Most threads that lived at once.",
        ..CONCURRENCY
    },
    Metric {
        id: "M58",
        name: "maxContention",
        text: "Most threads that waited for one monitor at once.",
        needs: &[Need::Contention],
        ..CONCURRENCY
    },
    Metric { id: "M59", name: "threadDensity", text: "Most threads that could run at once.", ..CONCURRENCY },
    Metric {
        id: "M60",
        name: "threadDensity",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Time by the number of threads that can run.",
        ..CONCURRENCY
    },
    Metric {
        id: "M61",
        name: "parks",
        text: "Calls of LockSupport.park, by which java.util.concurrent waits.",
        ..CONCURRENCY
    },
];
