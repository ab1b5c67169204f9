//! How the times of a comparison's sides are spread: density, distribution, histogram.

use super::{Axis, Ink, Mark, Scale, figure, times_name};
use crate::figure::{count, tick, time};
use crate::shape::{self, steps};
use maud::Markup;

/// Points of a distribution's curve.
const POINTS: usize = 400;
/// Labels on an axis of times.
const TIMES: usize = 6;

/// One side: what it is called and its times, nanoseconds, ascending.
pub struct Side {
    pub ink: Ink,
    pub name: String,
    /// The comparison's constant, by which the times were multiplied.
    pub factor: f64,
    pub ascending_ns: Vec<f64>,
    /// What the verdict compares: the average, or a percentile; nanoseconds.
    pub figure_ns: f64,
}

/// What the verdict looks at.
#[derive(Clone, Debug)]
pub struct Look {
    /// What the sides' figures are, in the plural.
    pub figures: String,
    /// Percentiles that are compared, as parts of the calls.
    pub shares: Vec<f64>,
    /// The fixed time that a figure is compared with, nanoseconds, if it is near enough to be seen.
    pub bound_ns: Option<f64>,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            figures: "the averages, which the verdict compares".to_owned(),
            shares: Vec::new(),
            bound_ns: None,
        }
    }
}

/// The three charts.
pub fn charts(sides: &[Side], look: &Look) -> [Markup; 3] {
    let times = sides.iter().flat_map(|side| side.ascending_ns.iter().copied());
    let axis = shape::Axis::of(times.chain(look.bound_ns));
    let placed: Vec<Vec<f64>> =
        sides.iter().map(|side| side.ascending_ns.iter().map(|ns| axis.at(*ns)).collect()).collect();
    [
        density(sides, &placed, axis, look),
        distribution(sides, &placed, axis, look),
        histogram(sides, &placed, axis, look),
    ]
}

fn legend(sides: &[Side], look: &Look) -> Vec<(Ink, String)> {
    let limit = look.bound_ns.map(|bound| (Ink::Limit, format!("limit {}", time(bound))));
    sides.iter().map(|side| (side.ink, side.name.clone())).chain(limit).collect()
}

/// The limit, across the chart.
fn limit(axis: shape::Axis, look: &Look) -> Option<Mark> {
    look.bound_ns.map(|bound| Mark::Upright(Ink::Limit, axis.at(bound)))
}

fn name(sides: &[Side], axis: shape::Axis) -> String {
    times_name("time of a call", sides.iter().map(|side| side.factor), axis.logarithmic)
}

pub(super) fn scale(axis: shape::Axis) -> Scale {
    if axis.logarithmic { Scale::LogNs } else { Scale::Ns }
}

fn times<'a>(name: &'a str, axis: shape::Axis, label: &'a dyn Fn(f64) -> String) -> Axis<'a> {
    Axis { name, range: axis.range, ticks: axis.ticks(TIMES), label, scale: scale(axis) }
}

fn density(sides: &[Side], placed: &[Vec<f64>], axis: shape::Axis, look: &Look) -> Markup {
    let label = |at: f64| tick(axis.ns(at));
    let curves: Vec<_> = placed.iter().map(|at| shape::density(at, axis.range)).collect();
    let top = curves.iter().flatten().map(|(_, y)| *y).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // How high a density is depends on the axis; that it is twice as high says something.
    let relative = |curve: &Vec<(f64, f64)>| curve.iter().map(|(x, y)| (*x, y / top)).collect();
    let mut marks: Vec<_> =
        sides.iter().zip(&curves).map(|(side, curve)| Mark::Area(side.ink, relative(curve))).collect();
    marks.extend(sides.iter().map(|side| Mark::Upright(side.ink, axis.at(side.figure_ns))));
    marks.extend(limit(axis, look));
    let share = |at: f64| format!("{:.0}%", at * 100.0);
    let y = Axis {
        name: "how common",
        range: (0.0, 1.08),
        ticks: vec![0.0, 0.5, 1.0],
        label: &share,
        scale: Scale::Share,
    };
    figure(
        "Density",
        &format!(
            "The higher the curve, the more calls took about that long (100%: the most common time). Upright: {}{}.",
            look.figures,
            if look.bound_ns.is_some() { ", and the limit" } else { "" }
        ),
        &legend(sides, look),
        [times(&name(sides, axis), axis, &label), y],
        &marks,
    )
}

fn distribution(sides: &[Side], placed: &[Vec<f64>], axis: shape::Axis, look: &Look) -> Markup {
    let label = |at: f64| tick(axis.ns(at));
    let curve = |(side, at): (&Side, &Vec<f64>)| Mark::Line(side.ink, shape::distribution(at, POINTS));
    let mut marks: Vec<_> = sides.iter().zip(placed).map(curve).collect();
    marks.extend(look.shares.iter().map(|share| Mark::Level(Ink::Text, *share)));
    marks.extend(limit(axis, look));
    let share = |at: f64| format!("{:.0}%", at * 100.0);
    let y = Axis {
        name: "share of calls",
        range: (0.0, 1.03),
        ticks: vec![0.0, 0.25, 0.5, 0.75, 1.0],
        label: &share,
        scale: Scale::Share,
    };
    figure(
        "Cumulative distribution (ECDF)",
        &format!(
            "How many of the calls took at most that long: where the curve crosses 50% is the median. {}",
            if !look.shares.is_empty() {
                "The level line is at the share of calls that the verdict asks for: where the curve crosses it, the figure that \
                 is compared is read below."
            } else if sides.len() < 2 {
                "The steeper it is, the more alike are the calls."
            } else if sides.iter().any(|side| side.factor != 1.0) {
                "Because of the constants the first curve, where it is more to the left, is within the limit; it need not be faster."
            } else {
                "The curve more to the left is the faster one."
            }
        ),
        &legend(sides, look),
        [times(&name(sides, axis), axis, &label), y],
        &marks,
    )
}

fn histogram(sides: &[Side], placed: &[Vec<f64>], axis: shape::Axis, look: &Look) -> Markup {
    let label = |at: f64| tick(axis.ns(at));
    let (low, high) = axis.range;
    let counts: Vec<_> = placed.iter().map(|at| shape::histogram(at, axis.range)).collect();
    let width = (high - low) / shape::BARS as f64;
    let parts = sides.len().max(1) as f64;
    let bars = |(index, counts): (usize, &Vec<u64>)| {
        let bar = |(bar, count): (usize, &u64)| {
            // Side by side: one colour over another would look like a third.
            let from = low + width * (bar as f64 + index as f64 / parts);
            (from, from + width / parts, *count as f64)
        };
        Mark::Bars(sides[index].ink, counts.iter().enumerate().map(bar).collect())
    };
    let mut marks: Vec<_> = counts.iter().enumerate().map(bars).collect();
    marks.extend(limit(axis, look));
    let most = counts.iter().flatten().copied().max().unwrap_or(1).max(1) as f64;
    let number = |at: f64| count(at as u64);
    let y = Axis {
        name: "calls",
        range: (0.0, most * 1.08),
        ticks: steps(0.0, most, 5),
        label: &number,
        scale: Scale::Count,
    };
    figure(
        "Histogram",
        "Calls counted by how long they took: two humps mean two kinds of calls.",
        &legend(sides, look),
        [times(&name(sides, axis), axis, &label), y],
        &marks,
    )
}
