//! Figures as text.

use crate::amount::Figure;
use crate::metric::Unit;
use serde::Serialize;

/// A number of JSON.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Number {
    Whole(u64),
    Ratio(f64),
}

/// A figure as JSON has it.
pub fn number(figure: Figure) -> Number {
    match figure {
        Figure::Whole(count) => Number::Whole(count),
        Figure::Ratio(value) => Number::Ratio(value),
    }
}

/// All digits of a figure.
pub fn exact(figure: Figure) -> String {
    match figure {
        Figure::Whole(count) => count.to_string(),
        Figure::Ratio(value) => value.to_string(),
    }
}

/// A figure for people.
pub fn rounded(figure: Figure, unit: Unit) -> String {
    match (figure, unit) {
        (Figure::Whole(count), _) => count.to_string(),
        (Figure::Ratio(value), Unit::Percent) => format!("{value:.1}%"),
        (Figure::Ratio(value), Unit::Ratio) => format!("{value:.4}"),
        (Figure::Ratio(value), Unit::Count | Unit::Density | Unit::Bytes) => format!("{value:.2}"),
    }
}
