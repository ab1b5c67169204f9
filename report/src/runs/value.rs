//! Values in the form of the pages.

use super::facts::{Bounds, MetricValue};
use crate::figure::{count, digits};

/// A value with its bounds; `~` marks one of a part.
pub(super) fn shown(value: &MetricValue) -> String {
    let mark = if value.is_partial { "~" } else { "" };
    value.bounds.map_or_else(|| "N/A".to_owned(), |bounds| format!("{mark}{}", range(bounds)))
}

/// Bounds as one number or two.
pub(super) fn range(bounds: Bounds) -> String {
    let [least, most] = [bounds.least, bounds.most].map(|value| number(value, bounds.is_count));
    if least == most { least } else { format!("{least} to {most}") }
}

/// A number; counts have all their digits.
pub(super) fn number(value: f64, is_count: bool) -> String {
    match is_count && value.abs() < 9e15 {
        true if value < 0.0 => format!("−{}", count(-value as u64)),
        true => count(value as u64),
        false => digits(value),
    }
}
