//! Times of a comparison's sides over the run.

use super::detail::Detail;
use super::distribution::scale;
use super::{Axis, Ink, Mark, Scale, figure, times_name};
use crate::figure::{digits, tick, time};
use crate::shape::{self, steps, thinned};
use maud::Markup;

/// Largest quotient that is drawn, as a power of two; more extreme ones are drawn at the edge.
const FARTHEST: f64 = 6.0;

/// A call of one side: seconds since the first, time in nanoseconds.
pub type Dot = (f64, f64);

/// The calls of a side.
pub struct Side {
    pub ink: Ink,
    pub name: String,
    /// The comparison's constant, by which the times were multiplied.
    pub factor: f64,
    /// Calls that were not discarded.
    pub kept: Vec<Dot>,
    pub discarded: Vec<Dot>,
    /// Calls, kept or not, that a garbage collection overlapped.
    pub gc: Vec<Dot>,
}

/// Calls over time; `bound_ns` is the fixed time that they are compared with, nanoseconds. Of more dots of a colour than
/// `detail` has, the lowest and the highest of neighbours are drawn.
pub fn calls(sides: &[Side], bound_ns: Option<f64>, detail: Detail) -> Markup {
    let all = || sides.iter().flat_map(|side| side.kept.iter().chain(&side.discarded));
    let axis = shape::Axis::of(all().map(|dot| dot.1).chain(bound_ns));
    let last = all().map(|dot| dot.0).fold(0.0, f64::max).max(1e-6);
    let place = |dots: &[Dot], most: usize| {
        let dots: Vec<Dot> = dots.iter().map(|(at, ns)| (*at, axis.at(*ns))).collect();
        thinned(&dots, most, |dot| dot.1)
    };
    let mut marks = Vec::new();
    for side in sides {
        marks.push(Mark::Rings(Ink::Discarded, place(&side.discarded, detail.rings)));
    }
    marks.extend(sides.iter().map(|side| Mark::Dots(side.ink, place(&side.kept, detail.dots))));
    marks.extend(sides.iter().map(|side| Mark::Rings(Ink::Gc, place(&side.gc, detail.rings))));
    marks.extend(bound_ns.map(|bound| Mark::Level(Ink::Limit, axis.at(bound))));
    let mut legend: Vec<_> = sides.iter().map(|side| (side.ink, side.name.clone())).collect();
    if sides.iter().any(|side| !side.discarded.is_empty()) {
        legend.push((Ink::Discarded, "discarded (warm-up or disturbed)".to_owned()));
    }
    if sides.iter().any(|side| !side.gc.is_empty()) {
        legend.push((Ink::Gc, "during a garbage collection".to_owned()));
    }
    legend.extend(bound_ns.map(|bound| (Ink::Limit, format!("limit {}", time(bound)))));
    let label = |at: f64| tick(axis.ns(at));
    let seconds = |at: f64| digits(at);
    figure(
        "Time series",
        "Each dot is a call, from the first on; a level that changes along the way means that later calls are not like \
         earlier ones. Of many dots the extremes are drawn.",
        &legend,
        [
            Axis {
                name: "seconds since the first call",
                range: (0.0, last * 1.02),
                ticks: steps(0.0, last, 6),
                label: &seconds,
                scale: Scale::Seconds,
            },
            Axis {
                name: &times_name("time", sides.iter().map(|side| side.factor), axis.logarithmic),
                range: axis.range,
                ticks: axis.ticks(5),
                label: &label,
                scale: scale(axis),
            },
        ],
        &marks,
    )
}

/// The quotient of both sides' mean times in each window, each multiplied by its constant, so that the limit
/// is at 1.
pub fn windows(quotients: &[(u64, f64)], names: [&str; 2], detail: Detail) -> Markup {
    let place =
        |(window, quotient): &(u64, f64)| (*window as f64, quotient.log2().clamp(-FARTHEST, FARTHEST));
    let dots: Vec<Dot> = quotients.iter().map(place).collect();
    let reach = dots.iter().map(|dot| dot.1.abs()).fold(1.0, f64::max).ceil();
    let first = quotients.first().map_or(0.0, |one| one.0 as f64);
    let last = quotients.last().map_or(1.0, |one| one.0 as f64).max(first + 1.0);
    let label = |at: f64| digits(2_f64.powf(at));
    let number = |at: f64| digits(at);
    let ticks = steps(-reach, reach, 6).into_iter().filter(|tick| tick.fract() == 0.0).collect();
    figure(
        "Pairs by window",
        "In each sampling window both sides took turns under the same load. Each dot is one window: the first's average \
         there divided by the second's, as in the legend. Below the line the first was within the limit, above it took longer.",
        &[(Ink::Text, format!("{} : {}", names[0], names[1])), (Ink::Limit, "limit".to_owned())],
        [
            Axis {
                name: "window",
                range: (first - 0.5, last + 0.5),
                ticks: steps(first, last, 6).into_iter().filter(|tick| tick.fract() == 0.0).collect(),
                label: &number,
                scale: Scale::Count,
            },
            Axis {
                name: "quotient, 1 at the limit (logarithmic)",
                range: (-reach - 0.2, reach + 0.2),
                ticks,
                label: &label,
                scale: Scale::LogQuotient,
            },
        ],
        &[Mark::Level(Ink::Limit, 0.0), Mark::Dots(Ink::Text, thinned(&dots, detail.dots, |dot| dot.1))],
    )
}
