//! Objects that are made.

use crate::amount::{Amount, Bounds};
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::{ARRAYS, LEFT, UNHEARD};

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
        text: "Used bytes of the heap at the first look after a collection, on average: live objects, garbage that it did not find, and what \
               was allocated meanwhile. The JVM's, in each space.",
        needs: &[Need::Collections],
        variants: &[("most", "The most at one look.")],
        read: Some(|tally, settings| {
            let Some(heard) = tally.heard.as_ref().map(|of| &of.jvm) else {
                return Reading::One(Amount::none(UNHEARD));
            };
            if heard.memory_looks == 0 {
                return Reading::One(Amount::none("there was no collection, or no look after it"));
            }
            let bytes = heard.used_bytes[usize::from(settings.variant.is_some())];
            let looks = format!("sampled: looks {}, collections {}", heard.memory_looks, heard.collections);
            Reading::One(Amount::sampled_count(Bounds::exact(bytes)).with_reason(&looks))
        }),
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
