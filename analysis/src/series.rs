//! Metrics over time: the values of each interval of a drill. A metric of an interval is the same function of the counts of the interval.

use crate::amount::Figure;
use crate::evaluate::{Exactness, Value, Values};
use crate::metric::{Kind, Metric, Need, Settings};

/// Scalar metrics of the intervals of a drill.
#[derive(Clone, Debug, Default)]
pub struct Series {
    /// The trigger that ends an interval, as it was asked for.
    pub every: String,
    /// Intervals that were asked for in one of these, as too many were joined; 1 if none were.
    pub joined: u32,
    /// The intervals, in their order.
    pub spans: Vec<Span>,
    /// The spaces with their metrics.
    pub spaces: Vec<OfSpace>,
    /// Why points are not exact, each once.
    pub reasons: Vec<String>,
}

/// The time of an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Milliseconds from the beginning of the drill to that of the interval.
    pub from_ms: u64,
    /// Milliseconds from the beginning of the drill to its end.
    pub to_ms: u64,
    /// Whether the drill ended it, and not the trigger.
    pub is_last: bool,
}

/// The metrics of a space.
#[derive(Clone, Debug)]
pub struct OfSpace {
    /// The name of the space.
    pub name: String,
    /// The metrics, in the order of the table.
    pub metrics: Vec<OfMetric>,
}

/// A metric with a point for each interval.
#[derive(Clone, Debug)]
pub struct OfMetric {
    /// The metric.
    pub metric: &'static Metric,
    /// Its options.
    pub settings: Settings,
    /// Its points.
    pub points: Vec<Point>,
}

/// The value of an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Its bounds; none for 0/0.
    pub found: Option<[Figure; 2]>,
    /// Its certainty.
    pub exactness: Exactness,
}

impl Metric {
    /// Whether an interval has a value of it: a single number that counts of what ran are needed for.
    #[must_use]
    pub fn has_series(&self) -> bool {
        matches!(self.kind, Kind::Value | Kind::Percentile | Kind::Continuous)
            && self.read.is_some()
            && self.needs.contains(&Need::Blocks)
            && self.is_of_drill()
    }
}

impl Series {
    /// Adds the values of the interval that follows.
    pub fn add(&mut self, span: Span, values: &Values) {
        for (place, of_space) in values.spaces.iter().enumerate() {
            let measured = of_space.metrics.iter().filter(|one| one.metric.has_series());
            let points = measured.filter_map(|one| Some((one, one.values.first()?)));
            if self.spaces.len() == place {
                let of = |(one, _): (&crate::Measured, &Value)| OfMetric {
                    metric: one.metric,
                    settings: one.settings,
                    points: Vec::new(),
                };
                let metrics = points.clone().map(of).collect();
                self.spaces.push(OfSpace { name: of_space.name.clone(), metrics });
            }
            let Some(space) = self.spaces.get_mut(place) else { continue };
            for (to, (_, value)) in space.metrics.iter_mut().zip(points) {
                to.points.push(Point { found: value.found, exactness: value.exactness });
                for reason in &value.reasons {
                    if !self.reasons.contains(reason) {
                        self.reasons.push(reason.clone());
                    }
                }
            }
        }
        self.spans.push(span);
    }
}

impl Span {
    /// The word for its end.
    #[must_use]
    pub fn ended_by(&self) -> &'static str {
        if self.is_last { "end" } else { "trigger" }
    }
}

impl Point {
    /// A number for a picture: the middle of its bounds.
    #[must_use]
    pub fn middle(&self) -> Option<f64> {
        self.found.map(|[least, most]| f64::midpoint(least.value(), most.value()))
    }
}
