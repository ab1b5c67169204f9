//! Calls whose receiver chooses the method: `invokevirtual` and `invokeinterface`, where they reached a method.

use crate::amount::{Amount, Bounds};
use crate::bins::Bin;
use crate::chosen::{Arity, Chosen};
use crate::group::Group;
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::{FIRSTS, LEFT, TURNS, UNSEEN};

const POLYMORPHISM: Metric = Metric {
    id: "-",
    category: "polymorphism",
    name: "",
    kind: Kind::Value,
    unit: Unit::Ratio,
    text: "",
    needs: &[Need::Blocks, Need::Arcs],
    variants: &[],
    read: None,
};

/// The metrics.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "M31",
        name: "calls",
        unit: Unit::Count,
        text: "Calls by `invokevirtual` and `invokeinterface` that reached a method; a call without a receiver is not one.",
        read: Some(|tally, _| Reading::One(Amount::count(tally.chosen.calls).because(LEFT))),
        ..POLYMORPHISM
    },
    Metric {
        id: "M32",
        name: "callSites",
        unit: Unit::Count,
        text: "Places in the code that made such a call.",
        read: Some(|tally, _| Reading::One(Amount::count(tally.chosen.sites).because(LEFT))),
        ..POLYMORPHISM
    },
    Metric {
        id: "M33",
        name: "invokeDensity",
        unit: Unit::Density,
        text: "Such calls for each 1,000 executed instructions.",
        read: Some(|tally, _| {
            let calls = tally.chosen.calls;
            Reading::One(Amount::ratio(calls, tally.executed, 1000.0).because(LEFT))
        }),
        ..POLYMORPHISM
    },
    Metric {
        id: "M34",
        name: "receiverArity",
        kind: Kind::Bin,
        text: "Places by the number of their receivers' classes: 1, 2, 3 or more. Classes of one name that several loaders have are \
               several; their methods are one.",
        read: Some(|tally, _| sites(&tally.chosen, &tally.chosen.receivers)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M35",
        name: "targetArity",
        kind: Kind::Bin,
        text: "Places by the number of the methods that receivers chose.",
        read: Some(|tally, _| sites(&tally.chosen, &tally.chosen.targets)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M36",
        name: "receiverArityCalls",
        kind: Kind::Bin,
        text: "Calls by the number of classes among the receivers of their place.",
        read: Some(|tally, _| calls(&tally.chosen, &tally.chosen.receivers)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M37",
        name: "targetArityCalls",
        kind: Kind::Bin,
        text: "Calls by the number of methods that the receivers of their place chose.",
        read: Some(|tally, _| calls(&tally.chosen, &tally.chosen.targets)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M38",
        name: "receiverPolyDensity",
        text: "Share of places with two classes of receivers or more.",
        read: Some(|tally, _| poly(tally.chosen.receivers.sites, tally.chosen.sites)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M39",
        name: "targetPolyDensity",
        text: "Share of places with two chosen methods or more.",
        read: Some(|tally, _| poly(tally.chosen.targets.sites, tally.chosen.sites)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M40",
        name: "receiverPolyDensityCalls",
        text: "Share of calls from places with two classes of receivers or more.",
        read: Some(|tally, _| poly(tally.chosen.receivers.calls, tally.chosen.calls)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M41",
        name: "targetPolyDensityCalls",
        text: "Share of calls from places with two chosen methods or more.",
        read: Some(|tally, _| poly(tally.chosen.targets.calls, tally.chosen.calls)),
        ..POLYMORPHISM
    },
    Metric {
        id: "M42",
        name: "receiverCacheMissRate",
        text: "Share of calls whose receiver is of another class than that of the call before, at the same place and in the same thread (of a \
               virtual thread: its carrier); the first call of each thread is one. *J takes the threads of a place together.",
        read: Some(|tally, _| {
            Reading::One(Amount::part(tally.chosen.receiver_misses, tally.chosen.calls, 1.0).because(FIRSTS))
        }),
        ..POLYMORPHISM
    },
    Metric {
        id: "M43",
        name: "targetCacheMissRate",
        text: "Share of calls that reached another method than the call before, at the same place and in the same thread (of a virtual \
               thread: its carrier); the first call of each thread is one.",
        read: Some(|tally, _| {
            Reading::One(Amount::part(tally.chosen.target_misses, tally.chosen.calls, 1.0).because(TURNS))
        }),
        ..POLYMORPHISM
    },
    Metric {
        name: "indyCalls",
        unit: Unit::Count,
        text: "Executions of `invokedynamic`, which are not among the calls above.",
        needs: &[Need::Blocks, Need::Files],
        read: Some(|tally, _| Reading::One(Amount::count(tally.of(Group::Dynamic)).because(LEFT))),
        ..POLYMORPHISM
    },
    Metric {
        name: "indySites",
        unit: Unit::Count,
        text: "`invokedynamic` instructions that were executed.",
        needs: &[Need::Blocks, Need::Files],
        read: Some(|tally, _| Reading::One(Amount::count(tally.run(Group::Dynamic)).because(LEFT))),
        ..POLYMORPHISM
    },
];

/// The bins: one, two, three and more.
const BINS: [Bin; 3] =
    [Bin { low: 1, high: Some(1) }, Bin { low: 2, high: Some(2) }, Bin { low: 3, high: None }];

fn bins(parts: [Bounds; 3], all: Bounds) -> Reading {
    let amounts = parts.into_iter().map(|part| Amount::part(part, all, 1.0).because(UNSEEN));
    Reading::Bins(BINS.into_iter().zip(amounts).collect())
}

fn sites(chosen: &Chosen, arity: &Arity) -> Reading {
    bins(arity.sites, chosen.sites)
}

fn calls(chosen: &Chosen, arity: &Arity) -> Reading {
    bins(arity.calls, chosen.calls)
}

/// The share of what is not in the first bin.
fn poly(bins: [Bounds; 3], all: Bounds) -> Reading {
    let [one, two, three] = bins;
    let several = two.plus(three);
    // A place that may be in either of these bins counts once.
    let most = several.most.min(all.most.saturating_sub(one.least));
    let least = several.least.max(all.least.saturating_sub(one.most));
    Reading::One(Amount::part(Bounds { least: least.min(most), most }, all, 1.0).because(UNSEEN))
}
