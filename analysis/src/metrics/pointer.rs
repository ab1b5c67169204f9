//! Accesses to fields.

use super::data::density;
use crate::amount::Amount;
use crate::group::Group;
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::LEFT;

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
        text: "Places that hold references, by the number of objects that they refer to.",
        needs: &[Need::Heap],
        ..POINTER
    },
    Metric {
        id: "M30",
        name: "pointedBy",
        kind: Kind::Bin,
        unit: Unit::Ratio,
        text: "Objects, by the number of references to them.",
        needs: &[Need::Heap],
        ..POINTER
    },
];
