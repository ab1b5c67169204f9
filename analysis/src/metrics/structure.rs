//! Branches of the control flow.

use crate::amount::{Amount, Bounds};
use crate::group::Group;
use crate::metric::{Kind, Metric, Need, Reading, Unit};
use crate::reasons::{LEFT, NO_ORDER, UNSEEN};

const STRUCTURE: Metric = Metric {
    id: "-",
    category: "structure",
    name: "",
    kind: Kind::Value,
    unit: Unit::Ratio,
    text: "",
    needs: &[Need::Blocks, Need::Files],
    variants: &[],
    read: None,
};

/// The metrics.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "M18",
        name: "controlDensity",
        text: "Instructions that change the control flow, as a share of all that were executed at least once: conditions, switches, \
               `invokevirtual` and `invokeinterface`.",
        read: Some(|tally, _| {
            Reading::One(Amount::share(tally.run(Group::Control), tally.run, 1.0).because(LEFT))
        }),
        ..STRUCTURE
    },
    Metric {
        id: "M19",
        name: "changingControlDensity",
        text: "Share of such instructions that went two ways at least: other branches, or other methods.",
        needs: &[Need::Blocks, Need::Files, Need::Arcs],
        read: Some(|tally, _| Reading::One(Amount::part(tally.changing, tally.run, 1.0).because(UNSEEN))),
        ..STRUCTURE
    },
    Metric {
        id: "M20",
        name: "changingControlRate",
        text: "Times that such an instruction went another way than the time before, as a share of its executions.",
        needs: &[Need::Blocks, Need::Arcs],
        read: Some(|_, _| Reading::One(Amount::none(NO_ORDER))),
        ..STRUCTURE
    },
    Metric {
        name: "blockSize",
        text: "Instructions for each executed block.",
        read: Some(|tally, _| {
            Reading::One(Amount::ratio(tally.executed, Bounds::exact(tally.blocks), 1.0).because(LEFT))
        }),
        ..STRUCTURE
    },
];
