//! Comparisons of metrics, which counts decide.

use super::{Node, Percent};
use crate::Sign;
use std::fmt;

/// Two sides and the sign between them; one of them is a metric at least.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricRelation {
    /// Before the sign.
    pub left: Node<MetricSide>,
    /// The sign between the sides.
    pub sign: Node<Sign>,
    /// After the sign.
    pub right: Node<MetricSide>,
    /// Largest difference of equal sides; only with `=`.
    pub within: Option<Node<Percent>>,
}

impl MetricRelation {
    /// The metrics on its sides.
    pub fn metrics(&self) -> impl Iterator<Item = &MetricTerm> {
        [&self.left.value, &self.right.value].into_iter().filter_map(|side| match side {
            MetricSide::Metric(metric) => Some(&**metric),
            MetricSide::Number(_) => None,
        })
    }
}

impl fmt::Display for MetricRelation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.left, self.sign, self.right)?;
        self.within.iter().try_for_each(|tolerance| write!(f, " within {tolerance}"))
    }
}

/// One side of a comparison of metrics.
#[derive(Clone, Debug, PartialEq)]
pub enum MetricSide {
    /// The value of a metric.
    Metric(Box<MetricTerm>),
    /// A fixed number.
    Number(Number),
}

impl fmt::Display for MetricSide {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric(metric) => metric.fmt(f),
            Self::Number(number) => number.fmt(f),
        }
    }
}

/// A fixed number, 0 or more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// As it is written.
    pub amount: f64,
    /// Whether `%` follows it.
    pub in_percent: bool,
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.amount, if self.in_percent { "%" } else { "" })
    }
}

/// The value of a metric: `2 * metric(size.run, com.shop.Parser)`.
#[derive(Clone, Debug, PartialEq)]
pub struct MetricTerm {
    /// Factor of the value; finite and positive.
    pub factor: Option<Node<f64>>,
    /// The metric.
    pub name: Node<MetricName>,
    /// The classes and methods that it is a metric of.
    pub space: Node<SpaceTerm>,
}

impl fmt::Display for MetricTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.factor.iter().try_for_each(|factor| write!(f, "{factor} * "))?;
        write!(f, "metric({}, {})", self.name, self.space)
    }
}

/// The name of a metric as it is written: `polymorphism.targetArity[3+]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricName {
    /// Group and name, with or without its kind, or its number.
    pub path: String,
    /// The key of one of several values.
    pub key: Option<String>,
}

impl fmt::Display for MetricName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        self.key.iter().try_for_each(|key| write!(f, "[{key}]"))
    }
}

/// The classes and methods that a metric is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpaceTerm {
    /// All that ran.
    Whole,
    /// All classes but the library's.
    App,
    /// The library's classes.
    Lib,
    /// A class, methods by a pattern, or the name that a `let` gave to a method.
    Methods(String),
}

impl SpaceTerm {
    /// The space that a text means; any text but three words names methods.
    #[must_use]
    pub fn of(text: &str) -> Self {
        match text {
            "whole" => Self::Whole,
            "app" => Self::App,
            "lib" => Self::Lib,
            methods => Self::Methods(methods.to_owned()),
        }
    }
}

impl fmt::Display for SpaceTerm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Whole => "whole",
            Self::App => "app",
            Self::Lib => "lib",
            Self::Methods(text) => text,
        })
    }
}
