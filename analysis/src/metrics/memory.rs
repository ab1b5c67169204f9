//! Objects that are made.

use super::size::hot_share;
use crate::amount::{Amount, Bounds};
use crate::bins::Bin;
use crate::lifetimes::Lifetimes;
use crate::metric::{Kind, Metric, Need, Reading, Settings, Unit};
use crate::reasons::{ARRAYS, LEFT, SEVERAL, UNHEARD};
use crate::tally::Tally;
use spl_model::arena::SIZE_LIMITS;

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
        text: "Allocated bytes for each 1,000 executed instructions, as base.bytes.",
        read: Some(density),
        ..MEMORY
    },
    Metric {
        id: "M45",
        name: "byteAllocationDensity",
        kind: Kind::Continuous,
        text: "Allocated bytes for each 1,000 executed instructions, as a series: `spl metrics --every` has a value for each interval. The value of \
               the whole is that of M44.",
        read: Some(density),
        ..MEMORY
    },
    Metric {
        id: "M46",
        name: "objectAllocationDensity",
        text: "Objects and arrays that instructions made, for each 1,000 executed instructions, as base.objects.",
        needs: &[Need::Blocks],
        read: Some(|tally, _| {
            // An instruction that makes arrays of arrays makes more than one.
            let many = tally.inner_arrays > 0;
            let density = if many { Amount::ratio } else { Amount::part };
            let amount = density(tally.objects, tally.executed, 1000.0).because(LEFT);
            Reading::One(if tally.nested_arrays.most == 0 { amount } else { amount.at_least(ARRAYS) })
        }),
        ..MEMORY
    },
    Metric {
        id: "M47",
        name: "averageObjectSize",
        unit: Unit::Bytes,
        text: "Bytes of an object on average.",
        read: Some(|tally, _| Reading::One(Amount::ratio(tally.bytes, sized(tally), 1.0).because(SEVERAL))),
        ..MEMORY
    },
    Metric {
        id: "M48",
        name: "objectSize",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Objects by their sizes in bytes, as shares of all. With the JVM's usual headers the bins are an object without fields, and such \
               an object with 8, 16, 24, 32, 64, 128 and 384 bytes more, and all larger ones.",
        read: Some(by_size),
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
        text: "Allocated bytes by the number of collections that began until their object was gone, from samples of the allocated objects. An object \
               that was there at the end counts in the collections that it has seen; what outlived all of them is in no bin. A collection is a pause \
               that JVM TI tells, of which ZGC and Shenandoah have several in a cycle. The JVM's, in each space.",
        needs: &[Need::Lifetimes],
        read: Some(|tally, _| {
            let Some(heard) = tally.heard.as_ref().map(|of| &of.jvm) else {
                return Reading::Bins(Lifetimes::without(&Amount::none(UNHEARD)));
            };
            let none = || {
                let none = Amount::none("no sampled objects were followed");
                heard.without_lifetimes.iter().fold(none, |none, why| none.with_reason(why))
            };
            let bins = heard.lifetimes.as_ref().map(Lifetimes::amounts);
            Reading::Bins(bins.unwrap_or_else(|| Lifetimes::without(&none())))
        }),
        ..MEMORY
    },
    Metric {
        id: "M51",
        name: "allocationSites",
        kind: Kind::Percentile,
        unit: Unit::Percent,
        text: "Share of the places that make objects which make 90% of the bytes.",
        read: Some(|tally, settings| hot_share(&tally.allocated, settings)),
        ..MEMORY
    },
];

fn density(tally: &Tally, _: &Settings) -> Reading {
    Reading::One(Amount::ratio(tally.bytes, tally.executed, 1000.0).because(SEVERAL))
}

/// The objects whose sizes are known.
fn sized(tally: &Tally) -> Bounds {
    tally.objects.without(tally.unsized_objects)
}

fn by_size(tally: &Tally, _: &Settings) -> Reading {
    let lows = [0].into_iter().chain(SIZE_LIMITS.iter().map(|limit| limit + 1));
    let highs = SIZE_LIMITS.iter().map(|limit| Some(*limit)).chain([None]);
    let bins = lows.zip(highs).zip(tally.sized).map(|((low, high), objects)| {
        let share = Amount::share(objects, sized(tally), 1.0).because(SEVERAL);
        (Bin { low, high }, share)
    });
    Reading::Bins(bins.collect())
}
