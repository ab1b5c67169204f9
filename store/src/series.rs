//! Metrics over time as they are kept: the points of each metric, in as many intervals as there is room for.

use crate::metric::{Metric, Named};
use crate::number::{Number, short};
use serde::Deserialize;
use std::cmp::Ordering;
use std::collections::BTreeSet;

/// Most points of a run. Neighbours of a longer series are joined.
const MOST_POINTS: usize = 100_000;

/// The metrics of a run over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The intervals, in their order.
    pub spans: Vec<Span>,
    /// The metrics of each space.
    pub lines: Vec<Line>,
}

/// An interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Its beginning, milliseconds of the drill.
    pub from_ms: u64,
    /// Its end, milliseconds of the drill.
    pub to_ms: u64,
    /// Intervals of the drill that it stands for.
    pub joined: u64,
}

/// A metric of a space, with a point for each interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Name of the space.
    pub space: String,
    /// The metric.
    pub metric: Metric,
    /// Its points.
    pub points: Vec<Point>,
}

/// The value of an interval, or the least and the greatest of several that are joined.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Bounds; none for 0/0.
    pub bounds: Option<[Number; 2]>,
    /// The word for its certainty.
    pub exactness: String,
}

/// A series as `metrics.json` has it.
#[derive(Deserialize)]
pub(crate) struct Document {
    intervals: Vec<Interval>,
    spaces: Vec<Space>,
}

#[derive(Deserialize)]
struct Interval {
    from_ms: u64,
    to_ms: u64,
}

#[derive(Deserialize)]
struct Space {
    name: String,
    metrics: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(flatten)]
    metric: Named,
    least: Vec<Option<serde_json::Number>>,
    most: Vec<Option<serde_json::Number>>,
    exactness: Vec<String>,
}

impl Document {
    /// The series, with as many points as are kept.
    ///
    /// # Errors
    /// When a metric has not a point for each interval, or is there twice.
    pub(crate) fn series(&self) -> Result<Series, String> {
        let span = |one: &Interval| Span { from_ms: one.from_ms, to_ms: one.to_ms, joined: 1 };
        let mut series = Series { spans: self.intervals.iter().map(span).collect(), lines: Vec::new() };
        let mut seen = BTreeSet::new();
        for space in &self.spaces {
            for row in &space.metrics {
                let line = row.line(&space.name);
                let name = line.metric.full_name();
                let lengths = [row.least.len(), row.most.len(), row.exactness.len()];
                if lengths.iter().any(|length| *length != series.spans.len()) {
                    return Err(format!(
                        "{name} has not a point for each of {} intervals",
                        series.spans.len()
                    ));
                }
                if !seen.insert((line.space.clone(), line.metric.key())) {
                    return Err(format!("{name} is there twice over time for the space {}", line.space));
                }
                series.lines.push(line);
            }
        }
        Ok(series.joined(MOST_POINTS))
    }
}

impl Row {
    fn line(&self, space: &str) -> Line {
        let number = |one: &Option<serde_json::Number>| one.as_ref().and_then(Number::of);
        let points = self.least.iter().zip(&self.most).zip(&self.exactness);
        let point = |((least, most), exactness): ((_, _), &String)| Point {
            bounds: number(least).zip(number(most)).map(|(least, most)| [least, most]),
            exactness: short(exactness),
        };
        Line { space: short(space), metric: self.metric.metric(), points: points.map(point).collect() }
    }
}

impl Series {
    /// With at most this number of points, if need be with neighbours joined.
    fn joined(self, most: usize) -> Self {
        let steps = (most / self.lines.len().max(1)).max(1);
        let by = self.spans.len().div_ceil(steps);
        if by <= 1 {
            return self;
        }
        let span = |some: &[Span]| {
            let (first, last) = (some.first()?, some.last()?);
            let joined = some.iter().map(|one| one.joined).sum();
            Some(Span { from_ms: first.from_ms, to_ms: last.to_ms, joined })
        };
        let spans = self.spans.chunks(by).filter_map(span).collect();
        let line = |line: Line| Line { points: line.points.chunks(by).map(Point::of).collect(), ..line };
        Self { spans, lines: self.lines.into_iter().map(line).collect() }
    }
}

impl Point {
    /// The range of several points.
    fn of(some: &[Self]) -> Self {
        let bounds = || some.iter().filter_map(|point| point.bounds);
        let less = |one: &Number, other: &Number| one.value().total_cmp(&other.value());
        let least = bounds().map(|[least, _]| least).min_by(less);
        let most = bounds().map(|[_, most]| most).max_by(less);
        let range = least.zip(most).map(|(least, most)| [least, most]);
        let is_partial = some.iter().any(|point| point.exactness == "partial");
        let is_one = range.is_none_or(|[least, most]| less(&least, &most) == Ordering::Equal);
        let exactness = match (is_partial, is_one) {
            (true, _) => "partial",
            (false, true) => "exact",
            (false, false) => "bounded",
        };
        Self { bounds: range, exactness: exactness.to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(values: &[Option<i64>]) -> Line {
        let point = |value: &Option<i64>| Point {
            bounds: value.map(|value| [Number::Whole(value); 2]),
            exactness: "exact".to_owned(),
        };
        Line {
            space: "app".to_owned(),
            metric: Metric::default(),
            points: values.iter().map(point).collect(),
        }
    }

    #[test]
    fn a_long_series_keeps_its_range_and_its_time() {
        let spans = (0..5).map(|at| Span { from_ms: 100 * at, to_ms: 100 * at + 100, joined: 1 }).collect();
        let lines = vec![line(&[Some(3), Some(1), None, None, Some(9)]), line(&[Some(2); 5])];
        let series = Series { spans, lines };
        assert_eq!(series.clone().joined(10), series);
        let joined = series.joined(6);
        let times: Vec<_> = joined.spans.iter().map(|one| (one.from_ms, one.to_ms, one.joined)).collect();
        assert_eq!(times, [(0, 200, 2), (200, 400, 2), (400, 500, 1)]);
        let [first, second] = &joined.lines[..] else { panic!("{joined:?}") };
        let bounds: Vec<_> = first.points.iter().map(|point| point.bounds).collect();
        assert_eq!(bounds, [Some([Number::Whole(1), Number::Whole(3)]), None, Some([Number::Whole(9); 2])]);
        assert_eq!([&first.points[0].exactness, &first.points[1].exactness], ["bounded", "exact"]);
        assert!(second.points.iter().all(|point| point.exactness == "exact"));
    }
}
