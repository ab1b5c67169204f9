//! Number of measured methods over time (thesis figures 4.5 and 4.7).

use super::{Axis, Ink, Mark, Scale, figure};
use crate::facts::Decisions;
use crate::figure::{count, digits};
use crate::shape::{steps, thinned};
use maud::Markup;

/// Most steps that are drawn.
const STEPS: usize = 700;

/// The chart; `unit` names the counted items.
pub fn chart(decisions: &Decisions, unit: &str) -> Markup {
    let steps_drawn = thinned(&decisions.steps, STEPS, |step| f64::from(step.measured));
    let seconds = |ns: u64| ns as f64 / 1e9;
    let start = steps_drawn.first().map_or(0.0, |step| seconds(step.at_ns));
    let end = steps_drawn.last().map_or(1.0, |step| seconds(step.at_ns)).max(start + 0.001);
    let stairs = |height: &dyn Fn(usize) -> u32| {
        let mut points: Vec<(f64, f64)> = Vec::new();
        for (index, step) in steps_drawn.iter().enumerate() {
            let at = seconds(step.at_ns);
            points.extend(points.last().map(|last| (at, last.1)));
            points.push((at, f64::from(height(index))));
        }
        points
    };
    let most = steps_drawn
        .iter()
        .map(|step| step.measured.max(step.unfinished).max(step.optimal))
        .max()
        .unwrap_or(1);
    let changes = decisions.changes_ns.iter().map(|ns| (seconds(*ns), 0.0)).collect::<Vec<_>>();
    let number = |at: f64| count(at as u64);
    let name = format!("number of {unit}");
    let label = |at: f64| digits(at);
    figure(
        "Measured at once",
        "The scheduler adds what it measures while calls come slowly and takes away when they come fast. Rings on the ground: \
         classes were changed to put probes in or out.",
        &[
            (Ink::Text, format!("{unit} not finished")),
            (Ink::Right, "best number for this load".to_owned()),
            (Ink::Left, "measured".to_owned()),
            (Ink::Change, "classes changed".to_owned()),
        ],
        [
            Axis {
                name: "seconds since the controller began",
                range: (start, end + (end - start) * 0.02),
                ticks: steps(start, end, 6),
                label: &label,
                scale: Scale::Seconds,
            },
            Axis {
                name: &name,
                range: (0.0, f64::from(most) * 1.1),
                ticks: steps(0.0, f64::from(most), 5)
                    .into_iter()
                    .filter(|tick| tick.fract() == 0.0)
                    .collect(),
                label: &number,
                scale: Scale::Count,
            },
        ],
        &[
            Mark::Area(Ink::Text, stairs(&|index| steps_drawn[index].unfinished)),
            Mark::Wide(Ink::Right, stairs(&|index| steps_drawn[index].optimal)),
            Mark::Line(Ink::Left, stairs(&|index| steps_drawn[index].measured)),
            Mark::Rings(Ink::Change, thinned(&changes, 200, |_| 0.0)),
        ],
    )
}
