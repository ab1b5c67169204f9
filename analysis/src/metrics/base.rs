//! Totals of the run: instructions, methods, classes, objects.

use crate::amount::{Amount, Bounds};
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::{ARRAYS, LEFT, MAYBE_NATIVE, SEVERAL};

const BASE: Metric = Metric {
    id: "-",
    category: "base",
    name: "",
    kind: Kind::Value,
    unit: Unit::Count,
    text: "",
    needs: &[Need::Blocks],
    variants: &[],
    read: None,
};

/// The metrics.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "M1",
        name: "instructions",
        text: "Executed instructions of bytecode. An instruction counts when it starts, so also when it throws; one under `wide` is one.",
        read: Some(|tally, _| Reading::One(Amount::count(tally.executed).because(LEFT))),
        ..BASE
    },
    Metric {
        id: "M2",
        name: "methods",
        text: "Entries of methods with code, each time they are called.",
        read: Some(|tally, _| Reading::One(Amount::count(Bounds::exact(tally.entries)))),
        ..BASE
    },
    Metric {
        name: "nativeMethods",
        text: "Calls of native methods by bytecode, counted at the calls.",
        needs: &[Need::Blocks, Need::Arcs],
        read: Some(|tally, _| {
            let natives = tally.natives;
            let most = natives.most.saturating_add(tally.unseen);
            Reading::One(Amount::count(Bounds::new(natives.least, most)).because(MAYBE_NATIVE))
        }),
        ..BASE
    },
    Metric {
        id: "M3",
        name: "classes",
        text: "Classes with code that were loaded. Each name and class file counts once, and arrays and hidden classes do not.",
        needs: &[Need::Loads],
        read: Some(|tally, _| Reading::One(Amount::count(Bounds::exact(tally.classes)))),
        ..BASE
    },
    Metric {
        id: "M4",
        name: "objects",
        text: "Objects and arrays that instructions made, counted where they are made. Each array within an array of `multianewarray` \
               counts, too, where sizes of objects are known; objects of native methods and of reflection do not.",
        read: Some(|tally, _| {
            let amount = Amount::count(tally.objects).because(LEFT);
            Reading::One(if tally.nested_arrays.most == 0 { amount } else { amount.at_least(ARRAYS) })
        }),
        ..BASE
    },
    Metric {
        id: "M5",
        name: "bytes",
        unit: Unit::Bytes,
        text: "Bytes of these objects, as the JVM rounds them.",
        needs: &[Need::Blocks, Need::Sizes],
        read: Some(|tally, _| Reading::One(Amount::count(tally.bytes).because(SEVERAL))),
        ..BASE
    },
];
