//! The lines about why a claim fails.

use super::shown::number;
use super::why::{Failed, Found, Place};
use crate::progress::Progress;
use spl_model::one_line;
use spl_profile::TELLING;
use spl_report::figure;

/// Most differences, and most calls of methods that were not counted, that are shown.
const SHOWN: usize = 3;

/// Smallest share of a cause that is shown.
const SMALLEST: f64 = 0.01;
/// Smallest number of exceptions in a call that is shown: one takes about a thousand times as long as an instruction.
const OFTEN: f64 = 0.01;

pub use super::shown::plural;

/// Prints what was found about a claim.
pub fn say(found: &Found, progress: &Progress) {
    progress.note(&format!("why {} fails:", one_line(&found.of.claim)));
    lines(found).iter().for_each(|line| progress.note(&format!("  {line}")));
}

/// The lines of a claim, without its head.
pub fn lines(found: &Found) -> Vec<String> {
    let of = &found.of;
    let Some(bytecodes) = found.bytecodes else {
        return vec![format!("nothing found: {} was not called while it was counted", one_line(&of.slow))];
    };
    let mut lines = Vec::new();
    let is_more = match (&of.quick, found.bytecodes_of_other) {
        (Some(quick), None) => {
            return vec![format!("nothing found: {} was not called while it was counted", one_line(quick))];
        }
        (Some(quick), Some(other)) => {
            let ratio = bytecodes / other.max(1.0);
            let times =
                of.figure.parse::<f64>().ok().map(|times| if times < 1.0 { 1.0 / times } else { times });
            let times = times.map_or_else(String::new, |times| {
                format!("; it takes {} times as long", figure::plain(&figure::quotient(times)))
            });
            lines.push(format!(
                "a call of {} runs {} bytecodes with all that was counted below it, one of {} {}: {} times as many{times}",
                one_line(&of.slow),
                about(bytecodes),
                one_line(quick),
                about(other),
                figure::plain(&figure::quotient(ratio)),
            ));
            ratio >= TELLING
        }
        (None, _) => {
            lines.push(format!(
                "a call of {} runs {} bytecodes with all that was counted below it",
                one_line(&of.slow),
                about(bytecodes)
            ));
            true
        }
    };
    lines.extend(exceptions(found));
    if is_more {
        let shown = found.causes.iter().take(SHOWN).filter(|cause| cause.share >= SMALLEST);
        lines.extend((1..).zip(shown).map(|(rank, place)| self::place(rank, place, of)));
    } else {
        let nothing = if lines.len() > 1 { "nothing more" } else { "nothing" };
        lines.push(format!(
            "{nothing} found in the code that ran: look at waiting, locks, memory, native methods"
        ));
        if !found.shared.is_empty() {
            let shown = found.shared.iter().take(SHOWN).map(|name| one_line(name));
            lines.push(format!(
                "both call {}, which may do more for one of the two: only the average of their calls is known",
                shown.collect::<Vec<_>>().join(", ")
            ));
        }
    }
    let unseen = found.unseen.iter().take(SHOWN);
    lines.extend(unseen.map(|one| {
        let other =
            of.quick.as_ref().map_or_else(String::new, |_| format!(" against {}", rate(one.calls_of_other)));
        format!("not counted: {}, called {} a call{other}", one_line(&one.method), times(one.calls))
    }));
    lines
}

/// The exceptions, where more of them are caught.
fn exceptions(found: &Found) -> Option<String> {
    let (caught, other) = (found.caught?, found.caught_of_other.unwrap_or(0.0));
    let against = if found.of.quick.is_some() { format!(" against {}", rate(other)) } else { String::new() };
    (caught >= OFTEN && caught > other * TELLING)
        .then(|| format!("exceptions: {} caught a call{against}", rate(caught)))
}

fn place(rank: usize, place: &Place, of: &Failed) -> String {
    let (lines, run) = match place.lines {
        Some((first, last)) if first == last => (format!("; most in line {first}"), "runs"),
        Some((first, last)) => (format!("; most in lines {first} to {last}"), "run"),
        None => (place.block.map_or_else(String::new, |block| format!("; most in block {block}")), "runs"),
    };
    let of_last = place.path.last().map_or_else(String::new, |last| format!(" of {}", one_line(last)));
    let runs = place.runs.filter(|_| !lines.is_empty());
    let runs = runs.map_or_else(String::new, |runs| format!("{of_last}, which {run} {} a call", times(runs)));
    let has_other = of.quick.is_some();
    let against = |figure: String| if has_other { format!(" against {figure}") } else { String::new() };
    let [bytecodes, of_other] = place.bytecodes.map(about);
    let what = match place.path.first() {
        None => format!("the code of {} itself", one_line(&of.slow)),
        Some(callee) => {
            let [calls, of_other] = place.calls;
            let line = place.line.map_or_else(String::new, |line| format!(" in line {line}"));
            format!("{} is called {}{}{line}", one_line(callee), times(calls), against(rate(of_other)))
        }
    };
    format!(
        "{rank}. {} of {}: {what}: {bytecodes} bytecodes{}{lines}{runs}",
        figure::plain(&figure::percent(place.share)),
        if has_other { "the difference" } else { "it" },
        against(of_other),
    )
}

/// A number of times in words.
fn times(value: f64) -> String {
    if rate(value) == "1" { "once".to_owned() } else { format!("{} times", rate(value)) }
}

/// A number of instructions, whole.
fn about(value: f64) -> String {
    number(value.round() as u64)
}

/// A number of times, with three significant digits below 1000.
fn rate(value: f64) -> String {
    if value >= 1000.0 { about(value) } else { figure::plain(&figure::digits(value)) }
}
