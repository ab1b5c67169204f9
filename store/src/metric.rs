//! A metric as it is kept.

use crate::number::short;
use serde::Deserialize;

/// A metric with its options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Metric {
    /// Number in the literature's order.
    pub number: String,
    /// Its group.
    pub category: String,
    /// Its name in the group.
    pub name: String,
    /// The form of its value.
    pub kind: String,
    /// Its unit.
    pub unit: String,
    /// The chosen definition; empty for the usual one.
    pub variant: String,
    /// Share of the weight that counts as most; empty for other metrics.
    pub threshold: String,
}

impl Metric {
    /// Its name with group and kind.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{}.{}.{}", self.category, self.name, self.kind)
    }

    /// The texts that tell it from others.
    pub(crate) fn key(&self) -> [String; 3] {
        [self.full_name(), self.variant.clone(), self.threshold.clone()]
    }
}

/// A metric as a document has it.
#[derive(Deserialize)]
pub(crate) struct Named {
    id: String,
    category: String,
    name: String,
    kind: String,
    unit: String,
    variant: Option<String>,
    threshold: Option<f64>,
}

impl Named {
    /// As it is kept.
    pub(crate) fn metric(&self) -> Metric {
        Metric {
            number: short(&self.id),
            category: short(&self.category),
            name: short(&self.name),
            kind: short(&self.kind),
            unit: short(&self.unit),
            variant: self.variant.as_deref().map(short).unwrap_or_default(),
            threshold: self.threshold.map(|share| share.to_string()).unwrap_or_default(),
        }
    }
}
