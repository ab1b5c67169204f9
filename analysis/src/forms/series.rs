//! Metrics over time as a table, JSON, XML, and pictures of one line.

use super::figure::{Number, exact, number, rounded};
use crate::amount::Figure;
use crate::choice::cutoff;
use crate::series::{OfMetric, Point, Series};
use serde::Serialize;
use spl_graph::forms::field;
use std::fmt::Write;

/// Column heads.
const HEAD: &str = "interval,from_ms,to_ms,ended_by,space,id,category,name,kind,variant,threshold,unit,value,least,most,exactness\n";
/// Most columns of a picture.
const WIDEST: usize = 60;
/// Heights of a column.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// A line for each interval, space and metric.
#[must_use]
pub fn series_csv(series: &Series) -> String {
    let mut out = HEAD.to_owned();
    for (at, span) in series.spans.iter().enumerate() {
        for space in &series.spaces {
            for one in &space.metrics {
                let Some(point) = one.points.get(at) else { continue };
                let (metric, threshold) = (one.metric, cutoff(one.metric, one.settings));
                let [value, least, most] = figures(point);
                // A `String` takes everything.
                let _ = writeln!(
                    out,
                    "{},{},{},{},{},{},{},{},{},{},{},{},{value},{least},{most},{}",
                    at + 1,
                    span.from_ms,
                    span.to_ms,
                    span.ended_by(),
                    field(&space.name),
                    metric.id,
                    metric.category,
                    metric.name,
                    metric.kind.name(),
                    one.settings.variant.unwrap_or_default(),
                    threshold.map_or_else(String::new, |cutoff| cutoff.value().to_string()),
                    field(metric.unit.name()),
                    point.exactness.name(),
                );
            }
        }
    }
    out
}

/// Its value, if it is one, and its bounds; empty without a value.
fn figures(point: &Point) -> [String; 3] {
    match point.found.map(|found| found.map(exact)) {
        None => [const { String::new() }; 3],
        Some([least, most]) if least == most => [least.clone(), least, most],
        Some([least, most]) => [String::new(), least, most],
    }
}

#[derive(Serialize)]
struct Document<'s> {
    every: &'s str,
    joined: u32,
    intervals: Vec<Interval>,
    spaces: Vec<Space<'s>>,
    reasons: &'s [String],
}

#[derive(Serialize)]
struct Interval {
    from_ms: u64,
    to_ms: u64,
    ended_by: &'static str,
}

#[derive(Serialize)]
struct Space<'s> {
    name: &'s str,
    metrics: Vec<Row>,
}

#[derive(Serialize)]
struct Row {
    id: &'static str,
    category: &'static str,
    name: &'static str,
    kind: &'static str,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    variant: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    threshold: Option<f64>,
    least: Vec<Option<Number>>,
    most: Vec<Option<Number>>,
    exactness: Vec<&'static str>,
}

/// The series as a part of a JSON document (`docs/schema/metrics-1.json`).
#[must_use]
pub fn series_json(series: &Series) -> impl Serialize + '_ {
    let bound = |one: &OfMetric, place: usize| {
        one.points.iter().map(|point| point.found.map(|found| number(found[place]))).collect()
    };
    let row = |one: &OfMetric| Row {
        id: one.metric.id,
        category: one.metric.category,
        name: one.metric.name,
        kind: one.metric.kind.name(),
        unit: one.metric.unit.name(),
        variant: one.settings.variant,
        threshold: cutoff(one.metric, one.settings).map(|cutoff| cutoff.value()),
        least: bound(one, 0),
        most: bound(one, 1),
        exactness: one.points.iter().map(|point| point.exactness.name()).collect(),
    };
    Document {
        every: &series.every,
        joined: series.joined,
        intervals: series
            .spans
            .iter()
            .map(|span| Interval { from_ms: span.from_ms, to_ms: span.to_ms, ended_by: span.ended_by() })
            .collect(),
        spaces: series
            .spaces
            .iter()
            .map(|space| Space { name: &space.name, metrics: space.metrics.iter().map(row).collect() })
            .collect(),
        reasons: &series.reasons,
    }
}

/// The series as an element of XML.
pub(super) fn add_xml(out: &mut String, series: &Series, escaped: fn(&str) -> String) {
    // A `String` takes everything.
    let _ = writeln!(out, " <series every=\"{}\" joined=\"{}\">", escaped(&series.every), series.joined);
    for span in &series.spans {
        let (from, to, by) = (span.from_ms, span.to_ms, span.ended_by());
        let _ = writeln!(out, "  <interval from_ms=\"{from}\" to_ms=\"{to}\" ended_by=\"{by}\"/>");
    }
    for space in &series.spaces {
        for one in &space.metrics {
            let _ = writeln!(
                out,
                "  <continuous sample-space=\"{}\" category=\"{}\" metric=\"{}\" kind=\"{}\" type=\"{}\">",
                escaped(&space.name),
                one.metric.category,
                one.metric.name,
                one.metric.kind.name(),
                one.metric.unit.xml_type(),
            );
            for point in &one.points {
                let [value, least, most] = figures(point);
                let exactness = point.exactness.name();
                let _ = match (value.is_empty(), least.is_empty()) {
                    (true, true) => writeln!(out, "   <point exactness=\"{exactness}\"/>"),
                    (true, false) => {
                        writeln!(
                            out,
                            "   <point exactness=\"{exactness}\" least=\"{least}\" most=\"{most}\"/>"
                        )
                    }
                    (false, _) => writeln!(out, "   <point exactness=\"{exactness}\">{value}</point>"),
                };
            }
            out.push_str("  </continuous>\n");
        }
    }
    out.push_str(" </series>\n");
}

/// A picture of each metric that is not the same in all intervals, with its least and its greatest value.
#[must_use]
pub fn series_text(series: &Series) -> String {
    let mut out = String::new();
    let intervals = series.spans.len();
    let s = if intervals == 1 { "" } else { "s" };
    // A `String` takes everything.
    let _ = writeln!(out, "over time, {intervals} interval{s} of {}:", series.every);
    if series.joined > 1 {
        let _ = writeln!(out, "  there were too many: {} are joined to one", series.joined);
    }
    for space in &series.spaces {
        let changing: Vec<&OfMetric> = space.metrics.iter().filter(|one| changes(&one.points)).collect();
        if changing.is_empty() {
            continue;
        }
        let _ = writeln!(out, "{}, over time:", space.name);
        let name = |one: &OfMetric| one.metric.full_name();
        let width = changing.iter().map(|one| name(one).len()).max().unwrap_or(0);
        for one in changing {
            let [least, most] = range(&one.points);
            let unit = one.metric.unit;
            let (least, most) = (rounded(least, unit), rounded(most, unit));
            let _ = writeln!(out, "  {:width$} {} {least} to {most}", name(one), picture(&one.points));
        }
    }
    out
}

fn changes(points: &[Point]) -> bool {
    let mut all = points.iter().map(|point| point.found);
    let first = all.next();
    all.any(|one| Some(one) != first)
}

/// The least and the greatest figure.
fn range(points: &[Point]) -> [Figure; 2] {
    let all = || points.iter().filter_map(|point| point.found);
    let least = all().map(|[least, _]| least).min_by(|one, other| one.value().total_cmp(&other.value()));
    let most = all().map(|[_, most]| most).max_by(|one, other| one.value().total_cmp(&other.value()));
    [least, most].map(|one| one.unwrap_or(Figure::Whole(0)))
}

/// A column for each point, or for some that follow each other; a space without a value. The highest column is the greatest value, and there is
/// none below 0.
fn picture(points: &[Point]) -> String {
    let in_column = points.len().div_ceil(WIDEST).max(1);
    let mean = |some: &[Point]| {
        let known: Vec<f64> = some.iter().filter_map(Point::middle).collect();
        (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
    };
    let columns: Vec<Option<f64>> = points.chunks(in_column).map(mean).collect();
    let most = columns.iter().flatten().copied().fold(0.0, f64::max);
    let height = |value: f64| {
        let eighths = if most > 0.0 { value / most * 8.0 } else { 0.0 };
        // Each eighth has a character; 0 has the lowest, too.
        HEIGHTS[(eighths.ceil().clamp(1.0, 8.0) as usize) - 1]
    };
    columns.into_iter().map(|column| column.map_or(' ', height)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluate::Exactness;

    fn points(all: &[Option<u64>]) -> Vec<Point> {
        let found = |one: &u64| [Figure::Whole(*one), Figure::Whole(*one)];
        all.iter().map(|one| Point { found: one.as_ref().map(found), exactness: Exactness::Exact }).collect()
    }

    #[test]
    fn a_picture_has_a_column_for_each_point() {
        assert_eq!(picture(&points(&[Some(0), Some(1), None, Some(4), Some(8)])), "▁▁ ▄█");
        assert_eq!(picture(&points(&[Some(0), Some(0)])), "▁▁");
        let many: Vec<Option<u64>> = (0..121).map(Some).collect();
        let drawn = picture(&points(&many));
        assert!(drawn.chars().count() == 41 && drawn.starts_with('▁') && drawn.ends_with('█'), "{drawn}");
    }

    #[test]
    fn only_what_changes_is_drawn() {
        assert!(!changes(&points(&[Some(3), Some(3)])) && !changes(&points(&[])));
        assert!(changes(&points(&[Some(3), None])) && changes(&points(&[Some(3), Some(4)])));
        let [least, most] = range(&points(&[Some(3), None, Some(1)]));
        assert_eq!((least, most), (Figure::Whole(1), Figure::Whole(3)));
    }
}
