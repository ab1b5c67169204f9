//! Size of the code that was loaded, run, and run most.

use crate::amount::{Amount, Bounds};
use crate::hot::Weights;
use crate::metric::{Kind, Metric, Need, Reading, Settings, Unit};
use crate::reasons::LEFT;

const SIZE: Metric = Metric {
    id: "-",
    category: "size",
    name: "",
    kind: Kind::Value,
    unit: Unit::Count,
    text: "",
    needs: &[Need::Blocks, Need::Files],
    variants: &[],
    read: None,
};

/// The metrics.
pub const METRICS: &[Metric] = &[
    Metric {
        id: "M6",
        name: "loadedClasses",
        text: "Classes with code that were loaded, as base.classes.",
        needs: &[Need::Loads],
        read: Some(|tally, _| Reading::One(Amount::count(Bounds::exact(tally.classes)))),
        ..SIZE
    },
    Metric {
        id: "M7",
        name: "loadedMethods",
        text: "Methods of these classes, abstract and native ones too.",
        needs: &[Need::Loads],
        read: Some(|tally, _| Reading::One(Amount::count(Bounds::exact(tally.methods)))),
        ..SIZE
    },
    Metric {
        id: "M8",
        name: "load",
        text: "Instructions of these methods.",
        needs: &[Need::Files],
        read: Some(|tally, _| Reading::One(Amount::count(Bounds::exact(tally.load)))),
        ..SIZE
    },
    Metric {
        id: "M9",
        name: "run",
        text: "Instructions that were executed at least once.",
        read: Some(|tally, _| Reading::One(Amount::count(tally.run).because(LEFT))),
        ..SIZE
    },
    Metric {
        id: "M10",
        name: "hot",
        text: "Least number of instructions that make up 90% of all executions.",
        read: Some(|tally, settings| hot(&tally.instructions, settings)),
        ..SIZE
    },
    Metric {
        id: "M11",
        name: "hot",
        kind: Kind::Percentile,
        unit: Unit::Percent,
        text: "size.hot.value as a share of size.run.value.",
        read: Some(|tally, settings| hot_share(&tally.instructions, settings)),
        ..SIZE
    },
    Metric {
        id: "M12",
        name: "hotMethods",
        text: "Least number of methods whose own instructions make up 90% of all executions.",
        read: Some(|tally, settings| hot(&tally.of_methods, settings)),
        ..SIZE
    },
    Metric {
        id: "M13",
        name: "hotMethods",
        kind: Kind::Percentile,
        unit: Unit::Percent,
        text: "size.hotMethods.value as a share of the methods that ran.",
        read: Some(|tally, settings| hot_share(&tally.of_methods, settings)),
        ..SIZE
    },
    Metric {
        id: "M14",
        name: "hotClasses",
        text: "Least number of classes whose own instructions make up 90% of all executions. Classes of one name with different class files \
               are several.",
        read: Some(|tally, settings| hot(&tally.of_classes, settings)),
        ..SIZE
    },
    Metric {
        id: "M15",
        name: "hotClasses",
        kind: Kind::Percentile,
        unit: Unit::Percent,
        text: "size.hotClasses.value as a share of the classes that ran.",
        read: Some(|tally, settings| hot_share(&tally.of_classes, settings)),
        ..SIZE
    },
    Metric {
        id: "M16",
        name: "deadCode",
        text: "Loaded instructions that were not executed: size.load.value without size.run.value.",
        read: Some(|tally, _| Reading::One(Amount::count(tally.run.missing_to(tally.load)).because(LEFT))),
        ..SIZE
    },
    Metric {
        id: "M17",
        name: "codeCoverage",
        unit: Unit::Percent,
        text: "size.run.value as a share of size.load.value.",
        read: Some(|tally, _| {
            Reading::One(Amount::part(tally.run, Bounds::exact(tally.load), 100.0).because(LEFT))
        }),
        ..SIZE
    },
];

/// The number of things that carry most of the weight.
fn hot(weights: &Weights, settings: &Settings) -> Reading {
    if weights.things().most == 0 {
        return Reading::One(Amount::none("nothing ran"));
    }
    Reading::One(Amount::count(weights.hot(settings.cutoff)).because(LEFT))
}

/// The number of hot things as a share of the things that have some weight.
pub(super) fn hot_share(weights: &Weights, settings: &Settings) -> Reading {
    Reading::One(Amount::part(weights.hot(settings.cutoff), weights.things(), 100.0).because(LEFT))
}
