//! Spread of the times of a comparison's sides: density, distribution, histogram.

use super::detail::{Detail, FULL};
use super::{Axis, Ink, Mark, Scale, figure, times_name};
use crate::figure::{count, counted, tick, time};
use crate::shape::{self, steps};
use maud::Markup;

/// Shares of the calls whose times stay points of a distribution's curve, however coarse it is.
const KEPT: [f64; 7] = [0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999];
/// Labels on an axis of times.
const TIMES: usize = 6;

/// One side: its name and its times, nanoseconds, ascending.
pub struct Side {
    pub ink: Ink,
    pub name: String,
    /// The comparison's constant, by which the times were multiplied.
    pub factor: f64,
    pub ascending_ns: Vec<f64>,
    /// The compared figure: the average, or a percentile; nanoseconds.
    pub figure_ns: f64,
}

/// Figures that the verdict compares.
#[derive(Clone, Debug)]
pub struct Look {
    /// Name of the sides' figures, in the plural.
    pub figures: String,
    /// Compared percentiles, as shares of the calls.
    pub shares: Vec<f64>,
    /// The fixed time that a figure is compared with, nanoseconds, if it is near enough to be drawn.
    pub bound_ns: Option<f64>,
    /// How finely the charts are drawn.
    pub detail: Detail,
    /// Text about calls that are not drawn, set by the charts.
    pub beyond: String,
}

impl Default for Look {
    fn default() -> Self {
        Self {
            figures: "the averages, which the verdict compares".to_owned(),
            shares: Vec::new(),
            bound_ns: None,
            detail: FULL,
            beyond: String::new(),
        }
    }
}

/// The three charts.
pub fn charts(sides: &[Side], look: &Look) -> [Markup; 3] {
    let end_ns = end_ns(sides, look);
    let figures = sides.iter().map(|side| side.figure_ns);
    let times = sides.iter().flat_map(|side| side.ascending_ns.iter().copied());
    let axis = shape::Axis::of(times.filter(|ns| *ns <= end_ns).chain(figures).chain(look.bound_ns));
    let beyond = beyond(sides, end_ns);
    let look = &Look { beyond, ..look.clone() };
    let placed: Vec<Vec<f64>> =
        sides.iter().map(|side| side.ascending_ns.iter().map(|ns| axis.at(*ns)).collect()).collect();
    [
        density(sides, &placed, axis, look),
        distribution(sides, &placed, axis, look),
        histogram(sides, &placed, axis, look),
    ]
}

/// End of the charts, nanoseconds: a very long tail would leave no room for nearly all calls.
fn end_ns(sides: &[Side], look: &Look) -> f64 {
    const NEARLY_ALL: f64 = 0.99;
    const ROOM: f64 = 2.0;
    const FAR: f64 = 4.0;
    let quantiles = |side: &Side| {
        let shares = look.shares.iter().copied().chain([NEARLY_ALL]);
        shares.map(|share| shape::quantile(&side.ascending_ns, share)).fold(side.figure_ns, f64::max)
    };
    let end = sides.iter().map(quantiles).chain(look.bound_ns).fold(0.0, f64::max) * ROOM;
    let longest = sides.iter().filter_map(|side| side.ascending_ns.last().copied()).fold(0.0, f64::max);
    if longest > end * FAR { end } else { longest }
}

/// Text about the calls that are longer than the end of the charts.
fn beyond(sides: &[Side], end_ns: f64) -> String {
    let longer = |side: &Side| {
        let number = side.ascending_ns.len() - side.ascending_ns.partition_point(|ns| *ns <= end_ns);
        let longest = side.ascending_ns.last().filter(|_| number > 0)?;
        Some(format!(
            " Not drawn: {} of {}, up to {}.",
            counted(number as u64, "call", "calls"),
            side.name,
            time(*longest)
        ))
    };
    sides.iter().filter_map(longer).collect()
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
    let curves: Vec<_> = placed.iter().map(|at| shape::density(at, axis.range, look.detail.curve)).collect();
    let top = curves.iter().flatten().map(|(_, y)| *y).fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    // The height of a density depends on the axis; only heights relative to each other have a meaning.
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
            "The higher the curve, the more calls took about that long (100%: the most common time). Upright: {}{}.{}",
            look.figures,
            if look.bound_ns.is_some() { ", and the limit" } else { "" },
            look.beyond
        ),
        &legend(sides, look),
        [times(&name(sides, axis), axis, &label), y],
        &marks,
    )
}

fn distribution(sides: &[Side], placed: &[Vec<f64>], axis: shape::Axis, look: &Look) -> Markup {
    let label = |at: f64| tick(axis.ns(at));
    let steps = look.detail.steps;
    let kept = if steps < FULL.steps { &KEPT[..] } else { &[] };
    let curve = |(side, at): (&Side, &Vec<f64>)| {
        Mark::Line(side.ink, shape::distribution(at, steps, kept, axis.range.1))
    };
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
            "Share of the calls that took at most this time; the curve crosses 50% at the median. {}{}",
            if !look.shares.is_empty() {
                "The level line is at the share of calls that the verdict asks for: where the curve crosses it, the figure that \
                 is compared is read below."
            } else if sides.len() < 2 {
                "The steeper it is, the more alike are the calls."
            } else if sides.iter().any(|side| side.factor != 1.0) {
                "Because of the constants the first curve, where it is more to the left, is within the limit; it need not be faster."
            } else {
                "The curve more to the left is the faster one."
            },
            look.beyond
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
            // Bars stand side by side: two colours on top of each other would look like a third.
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
        &format!("Calls counted by how long they took: two humps mean two kinds of calls.{}", look.beyond),
        &legend(sides, look),
        [times(&name(sides, axis), axis, &label), y],
        &marks,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(ascending_ns: Vec<f64>) -> Side {
        let figure_ns = ascending_ns.iter().sum::<f64>() / ascending_ns.len() as f64;
        Side { ink: Ink::Left, name: "f".to_owned(), factor: 1.0, ascending_ns, figure_ns }
    }

    #[test]
    fn a_long_tail_leaves_the_bulk_its_room_and_is_said() {
        let times = |longest: &[f64]| (100..1100).map(f64::from).chain(longest.iter().copied()).collect();
        let drawn = |longest: &[f64]| {
            charts(&[side(times(longest))], &Look::default()).map(|chart| chart.into_string())
        };
        for chart in drawn(&[1e6, 5e6]) {
            assert!(chart.contains("Not drawn: 2 calls of f, up to 5.00\u{202f}ms."), "{chart}");
            let end: f64 =
                chart.split("data-x=\"").nth(1).unwrap().split(['"', ' ']).nth(4).unwrap().parse().unwrap();
            assert!(end < 1e5_f64.log10(), "{end}");
        }
        // All calls are drawn.
        assert!(drawn(&[5000.0]).iter().all(|chart| !chart.contains("Not drawn")));
    }
}
