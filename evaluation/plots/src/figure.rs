//! Contents of a chart.

use serde::Deserialize;

/// One chart.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Name of its file.
    pub file: String,
    /// Its title, above it.
    pub title: String,
    /// From left to right.
    pub x: Axis,
    /// From bottom to top.
    pub y: Axis,
    /// Its series, in the order of the legend.
    pub lines: Vec<Line>,
    /// Moments on the x axis that are marked by an upright line.
    #[serde(default)]
    pub marks: Vec<f64>,
}

/// An axis of a chart.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its quantity, with the unit.
    pub label: String,
    /// Whether equal distances are equal ratios.
    #[serde(default)]
    pub log: bool,
    /// Where it begins, when not at 0 (or the power of ten below the least value).
    #[serde(default)]
    pub start: Option<f64>,
    /// Where it ends, when not at the largest value.
    #[serde(default)]
    pub end: Option<f64>,
    /// Labels at 1, 2, 3, … in place of numbers, where each is a thing of its own.
    #[serde(default)]
    pub names: Vec<String>,
}

/// One row of points.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// Its text in the legend.
    pub name: String,
    /// How it is drawn.
    #[serde(default)]
    pub kind: Kind,
    /// Pairs of x and y.
    pub points: Vec<(f64, f64)>,
}

/// How points are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Joined by straight lines.
    #[default]
    Line,
    /// Each value holds until the next.
    Steps,
    /// Each by itself.
    Dots,
    /// Joined by straight lines, each point marked.
    Dotted,
}
