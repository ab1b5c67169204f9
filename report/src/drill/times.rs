//! The table of times of a drill that adds them up.

use super::facts::{TimedMethod, Times};
use crate::figure::{count, counted};
use maud::{Markup, html};

/// Lines of the table; the file has the others.
const MOST_LINES: usize = 1_000;
/// Width and height of a bar, pixels.
const WIDE: f64 = 120.0;
const HIGH: u32 = 10;

/// The methods with their times, those with most own time first.
pub(super) fn section(times: &Times) -> Markup {
    let largest = times.methods.iter().map(|one| one.total_ns).max().unwrap_or(0);
    let [inside, outside] = times.probe_ps.map(|ps| format!("{:.1}", ps as f64 / 1000.0));
    let untimed = times.methods.iter().fold(0_u64, |sum, one| sum.saturating_add(one.untimed));
    html! {
        section id="methods" {
            h2 { "Times" }
            @if times.methods.is_empty() { p { "No call of a method ended." } }
            @else {
                p { "Total is the time of a method's calls with all that they call, own is what remains without the calls of measured methods. "
                    "Times are those of the clock: waiting is part of them. A call within another call of the same method is part of that one's total." }
                p.quiet { "The cost of probes is estimated, taken out of total, own and callees, and in columns of its own: what was measured is the sum. "
                    "A probe takes " (inside) " ns within the time of its method and " (outside) " ns in that of the caller. "
                    "Of methods of a few nanoseconds the rest is an estimate." }
                @if untimed > 0 {
                    p { b { (counted(untimed, "call was", "calls were")) " not timed:" } " of virtual threads, of threads after the 256th, or too deep. "
                        "No figure has these calls." }
                }
                ul.bars-key { li { (bar(1.0, 0.0)) " own" } li { (bar(0.0, 1.0)) " callees" } }
                div.scroll tabindex="0" role="region" aria-label="Times of methods" {
                    table.times {
                        thead { tr { th { "Method" } th.n { "Calls" } th.n { "Total ms" } th.n { "Own ms" } th.n { "Callees ms" } th { "Own and callees" }
                            th.n { "Own ns a call" } th.n { "Probes in total ms" } th.n { "Probes in own ms" } th { "Complete" } } }
                        tbody { @for one in times.methods.iter().take(MOST_LINES) { (line(one, largest)) } }
                    }
                }
                @if times.methods.len() > MOST_LINES {
                    p.quiet { (count((times.methods.len() - MOST_LINES) as u64)) " more: " code { "times.csv" } " has all." }
                }
            }
        }
    }
}

fn line(one: &TimedMethod, largest: u64) -> Markup {
    let part = |ns: u64| if largest == 0 { 0.0 } else { ns as f64 / largest as f64 };
    let callees = one.total_ns.saturating_sub(one.own_ns);
    html! {
        tr {
            td.wide { (one.method) }
            td.n { (count(one.calls)) }
            td.n { (ms(one.total_ns)) }
            td.n { (ms(one.own_ns)) }
            td.n { (ms(callees)) }
            td { (bar(part(one.own_ns.min(one.total_ns)), part(callees))) }
            td.n { (one.own_ns.checked_div(one.calls).map_or_else(|| "–".to_owned(), count)) }
            td.n { (ms(one.probes_in_total_ns)) }
            td.n { (ms(one.probes_in_own_ns)) }
            td {
                @if one.doubt.is_empty() { "yes" } @else { "no: " (one.doubt) }
                @if one.untimed > 0 { " (" (counted(one.untimed, "call", "calls")) " not timed)" }
            }
        }
    }
}

/// Two parts of a whole, next to each other.
fn bar(own: f64, callees: f64) -> Markup {
    let wide = |part: f64| format!("{:.1}", part * WIDE);
    html! {
        svg.bar width=(WIDE) height=(HIGH) aria-hidden="true" {
            rect.own width=(wide(own)) height=(HIGH) {}
            rect.callees x=(wide(own)) width=(wide(callees)) height=(HIGH) {}
        }
    }
}

/// Milliseconds with two decimal places.
fn ms(ns: u64) -> String {
    let hundredths = (u128::from(ns) + 5000) / 10_000;
    format!("{}.{:02}", count(u64::try_from(hundredths / 100).unwrap_or(u64::MAX)), hundredths % 100)
}
