//! The reasons why a claim fails, in words.

use crate::figure::{count, digits, percent, quotient};
use spl_model::one_line;
use spl_records::{Conclusion, Why, WhyCause, WhyEvent, WhyExtra};

/// Most causes, and most calls of methods that were not counted, that are shown.
const SHOWN: usize = 3;

/// Constructor that does nothing, and is called for each object.
const CONSTRUCTOR: &str = "java/lang/Object.<init>()V";
/// Smallest share of a cause that is shown.
const SMALLEST: f64 = 0.01;
/// Quotient of the shares of two causes up to which they are equals.
const EQUAL: f64 = 1.2;
/// Power of the size from which on it is said how a cause of a bound grows: more than the size itself.
const STEEP: f64 = 1.5;

/// Sentences about the reasons of a claim, without the claim itself.
#[must_use]
pub fn why(found: &Why) -> Vec<String> {
    let missing = if found.bytecodes.is_none() { Some(&found.slow) } else { found.quick.as_ref() };
    if let (Conclusion::NotCalled, Some(missing)) = (found.conclusion, missing) {
        return vec![format!("nothing found: {} was not called while it was counted", one_line(missing))];
    }
    let slow = format!(
        "a call of {} runs {} bytecodes with all that was counted below it",
        one_line(&found.slow),
        about(found.bytecodes.unwrap_or_default())
    );
    let mut lines = vec![slow];
    let ratio = found.bytecodes.zip(found.bytecodes_of_other).map(|(slow, other)| slow / other.max(1.0));
    if let (Some(quick), Some(other), Some(ratio)) = (&found.quick, found.bytecodes_of_other, ratio) {
        let times = found
            .times
            .map_or_else(String::new, |times| format!("; it takes {} times as long", quotient(times)));
        let (quick, other) = (one_line(quick), about(other));
        lines[0].push_str(&format!(", one of {quick} {other}: {} times as many{times}", quotient(ratio)));
    }
    let rest = "waiting, locks, memory or native methods";
    match found.conclusion {
        Conclusion::Nothing => lines.push(format!("nothing found in the code that ran: look at {rest}")),
        Conclusion::Unknown => lines.push("cannot tell why".to_owned()),
        Conclusion::Partly => lines.push(format!(
            "what was found explains only a part of {}: the rest is in {rest}, or not seen",
            found.times.map_or_else(|| found.figure.clone(), |times| format!("{} times", quotient(times)))
        )),
        Conclusion::Found | Conclusion::NotCalled => {}
    }
    lines.extend(ranked(found));
    lines.extend(found.doubts.iter().map(|doubt| format!("but {}", one_line(doubt))));
    let unseen = found.unseen.iter().filter(|one| one.method != CONSTRUCTOR).take(SHOWN);
    lines.extend(unseen.map(|one| {
        let other = found
            .quick
            .as_ref()
            .map_or_else(String::new, |_| format!(" against {}", rate(one.calls_of_other)));
        format!("not counted: {}, called {} a call{other}", one_line(&one.method), times(one.calls))
    }));
    lines
}

/// Causes and costly events by their shares, the greatest first.
fn ranked(found: &Why) -> Vec<String> {
    let causes = found.causes.iter().map(|cause| (cause.share, cause.outgrows, place(cause, found)));
    let extras = found.extras.iter().map(|extra| (extra.share, None, event(extra, found)));
    let mut all: Vec<_> = causes.chain(extras).filter(|(share, ..)| *share >= SMALLEST).collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    // A cause that grows where the other side does not comes first among its equals.
    if let Some(place) = all.iter().position(|(_, outgrows, _)| outgrows.is_some()) {
        let equals = all[..place].iter().rev().take_while(|(share, ..)| *share <= all[place].0 * EQUAL);
        let first = place - equals.count();
        all[first..=place].rotate_right(1);
    }
    let all = (1..).zip(all).take(SHOWN);
    all.map(|(rank, (share, _, text))| format!("{rank}. {} of {text}", percent(share))).collect()
}

/// How a cause grows with the workload size, if that is a finding.
fn growth(cause: &WhyCause, of: &Why) -> String {
    let Some(grown) = &cause.growth else { return String::new() };
    let against = match (&of.quick, cause.outgrows) {
        (Some(quick), Some(power)) => {
            format!("; nothing in a call of {} grows with more than power {}", one_line(quick), tenths(power))
        }
        (None, _) if grown.power >= STEEP => String::new(),
        _ => return String::new(),
    };
    let error = if grown.error < 0.05 { String::new() } else { format!(" ± {}", tenths(grown.error)) };
    let ([small, large], [few, many]) = (grown.sizes.map(about), grown.figures.map(rate));
    format!(
        "; it grows with the size of the arguments, power {}{error}: {few} runs a call at size {small}, {many} at size {large}{against}",
        tenths(grown.power)
    )
}

/// A power with one digit behind the point.
fn tenths(power: f64) -> String {
    // Without the sign of a negative zero.
    format!("{:.1}", (power * 10.0).round() / 10.0 + 0.0)
}

fn event(extra: &WhyExtra, of: &Why) -> String {
    let what = match extra.kind {
        WhyEvent::Caught => "exceptions caught",
        WhyEvent::Made => "objects made",
        WhyEvent::Locked => "monitors entered",
        WhyEvent::Joined => "strings joined with +",
        WhyEvent::Many => "calls at places that reach more than two methods",
    };
    let [count, of_other] = extra.counts.map(rate);
    let against = of.quick.iter().map(|_| format!(" against {of_other}")).collect::<String>();
    let line = match (extra.lines, extra.block) {
        (Some((first, last)), _) if first == last => format!("line {first} of "),
        (Some((first, last)), _) => format!("lines {first} to {last} of "),
        (None, Some(block)) => format!("block {block} of "),
        (None, None) => String::new(),
    };
    format!(
        "{}, by an estimate: {what}: {count}{against}; most in {line}{}",
        whole(of),
        one_line(&extra.method)
    )
}

/// The figure that shares are of.
fn whole(of: &Why) -> &'static str {
    if of.quick.is_some() { "the difference" } else { "it" }
}

fn place(place: &WhyCause, of: &Why) -> String {
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
    let growth = growth(place, of);
    format!("{}: {what}: {bytecodes} bytecodes{}{lines}{runs}{growth}", whole(of), against(of_other))
}

/// A number of times in words.
fn times(value: f64) -> String {
    if rate(value) == "1" { "once".to_owned() } else { format!("{} times", rate(value)) }
}

/// A number of instructions, whole.
fn about(value: f64) -> String {
    count(value.round() as u64)
}

/// A number of times, with three significant digits below 1000.
fn rate(value: f64) -> String {
    if value >= 1000.0 { about(value) } else { digits(value) }
}
