//! Objects that are made.

use crate::amount::Amount;
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::{ARRAYS, LEFT};

const MEMORY: Metric = Metric {
    id: "-",
    category: "memory",
    name: "",
    kind: Kind::Value,
    unit: Unit::Density,
    text: "",
    needs: &[Need::Blocks, Need::Sizes],
    variants: &[],
    read: None,
};

/// The metrics.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "M44",
        name: "byteAllocationDensity",
        text: "Allocated bytes for each 1,000 executed instructions.",
        ..MEMORY
    },
    Metric {
        id: "M45",
        name: "byteAllocationDensity",
        kind: Kind::Continuous,
        text: "Allocated bytes for each 1,000 executed instructions, as a series.",
        needs: &[Need::Sizes, Need::Order],
        ..MEMORY
    },
    Metric {
        id: "M46",
        name: "objectAllocationDensity",
        text: "Objects and arrays that instructions made, for each 1,000 executed instructions, as base.objects.",
        needs: &[Need::Blocks],
        read: Some(|tally, _| {
            let mut amount = Amount::part(tally.objects, tally.executed, 1000.0).because(LEFT);
            if tally.nested_arrays.most > 0 {
                amount.reasons.push(ARRAYS.to_owned());
            }
            Reading::One(amount)
        }),
        ..MEMORY
    },
    Metric {
        id: "M47",
        name: "averageObjectSize",
        unit: Unit::Bytes,
        text: "Bytes of an object on average.",
        ..MEMORY
    },
    Metric {
        id: "M48",
        name: "objectSize",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Objects by size.",
        ..MEMORY
    },
    Metric {
        id: "M49",
        name: "liveness",
        unit: Unit::Bytes,
        text: "Bytes of live objects after each collection: average and maximum.",
        needs: &[Need::Heap],
        ..MEMORY
    },
    Metric {
        id: "M50",
        name: "lifetime",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Objects by the bytes that were allocated in their life.",
        needs: &[Need::Heap],
        ..MEMORY
    },
    Metric {
        id: "M51",
        name: "allocationSites",
        kind: Kind::Percentile,
        unit: Unit::Percent,
        text: "Share of the places that make objects which make 90% of the bytes.",
        ..MEMORY
    },
];
