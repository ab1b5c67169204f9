//! Accesses to fields.

use super::data::density;
use crate::amount::Amount;
use crate::group::Group;
use crate::heap::{self, Heap, Numbers};
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::{LEFT, UNWALKED};
use crate::tally::Tally;

const POINTER: Metric = Metric {
    id: "-",
    category: "pointer",
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
        id: "M26",
        name: "fieldAccessDensity",
        text: "Reads and writes of fields, static ones too.",
        read: Some(|tally, _| density(tally, Group::Field)),
        ..POINTER
    },
    Metric {
        id: "M27",
        name: "refFieldAccessDensity",
        text: "Reads and writes of fields whose type is a class or an array.",
        read: Some(|tally, _| density(tally, Group::ReferenceField)),
        ..POINTER
    },
    Metric {
        id: "M28",
        name: "nonrefFieldAccessDensity",
        text: "Reads and writes of all other fields.",
        read: Some(|tally, _| {
            let others = tally.of(Group::Field).without(tally.of(Group::ReferenceField));
            Reading::One(Amount::share(others, tally.executed, 1000.0).because(LEFT))
        }),
        ..POINTER
    },
    Metric {
        id: "M29",
        name: "pointsTo",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Places of a class that hold references, by the number of objects that they refer to in the heap at the end of the drill. A place is a field, \
               with all objects of the class, a static field, or the elements of all arrays of a class; it counts where the class has an object or the \
               field is static. Reachable objects count, and arrays go with their elements' class.",
        needs: &[Need::Heap],
        read: Some(|tally, _| in_heap(tally, |heap| &heap.places)),
        ..POINTER
    },
    Metric {
        id: "M30",
        name: "pointedBy",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Objects of a class that can be reached at the end of the drill, by the number of references to them from fields and elements of arrays.",
        needs: &[Need::Heap],
        read: Some(|tally, _| in_heap(tally, |heap| &heap.objects)),
        ..POINTER
    },
];

/// The shares of numbers in the heap.
fn in_heap(tally: &Tally, numbers: impl Fn(&Heap) -> &Numbers) -> Reading {
    let heard = tally.heard.as_ref();
    let why = || heard.and_then(|of| of.jvm.without_heap.as_deref()).unwrap_or(UNWALKED);
    Reading::Bins(match heard.and_then(|of| of.heap.as_ref()) {
        Some(heap) => heap::shares(numbers(heap)),
        None => heap::without(&Amount::none(why())),
    })
}
