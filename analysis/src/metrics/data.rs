//! Work with arrays and with floating point.

use crate::amount::Amount;
use crate::group::Group;
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::LEFT;
use crate::tally::Tally;

const DATA: Metric = Metric {
    id: "-",
    category: "data",
    name: "",
    kind: Kind::Value,
    unit: Unit::Density,
    text: "",
    needs: &[Need::Blocks, Need::Files],
    variants: &[],
    read: None,
};

/// The metrics.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "M21",
        name: "arrayDensity",
        text: "Loads and stores of array elements, `arraylength`, and what makes arrays.",
        variants: &[("access", "Loads and stores of array elements only.")],
        read: Some(|tally, settings| match settings.variant {
            Some(_) => density(tally, Group::ArrayAccess),
            None => density(tally, Group::Array),
        }),
        ..DATA
    },
    Metric {
        id: "M22",
        name: "charArrayDensity",
        text: "Loads and stores of elements of `char[]`.",
        read: Some(|tally, _| density(tally, Group::CharArray)),
        ..DATA
    },
    Metric {
        id: "M23",
        name: "numArrayDensity",
        text: "Loads and stores of elements of arrays of other numbers, and of `boolean[]`.",
        read: Some(|tally, _| density(tally, Group::NumberArray)),
        ..DATA
    },
    Metric {
        id: "M24",
        name: "refArrayDensity",
        text: "Loads and stores of elements of arrays of references.",
        read: Some(|tally, _| density(tally, Group::ReferenceArray)),
        ..DATA
    },
    Metric {
        id: "M25",
        name: "floatDensity",
        text: "Instructions of floating point: arithmetic, comparisons, conversions from it, constants `fconst` and `dconst`, local variables, \
               returns, and elements and fields of type float or double.",
        variants: &[("all", "Also conversions of whole numbers to it, and constants of the pool.")],
        read: Some(|tally, settings| match settings.variant {
            Some(_) => density(tally, Group::FloatAll),
            None => density(tally, Group::Float),
        }),
        ..DATA
    },
];

/// Executed instructions of a group for each 1,000.
pub(super) fn density(tally: &Tally, group: Group) -> Reading {
    Reading::One(Amount::share(tally.of(group), tally.executed, 1000.0).because(LEFT))
}
