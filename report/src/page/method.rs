//! Methods: what was measured of each, and what that cost.

use super::{Page, scrolling};
use crate::facts::Calls;
use crate::figure::{count, time};
use crate::shape::quantile;
use maud::{Markup, html};
use spl_records::context::{Counts, MethodFacts};

/// Methods that are listed.
const LISTED: usize = 500;

/// What the probes of a method's measured calls cost, nanoseconds, where the agent found out what one costs.
pub fn cost_ns(page: &Page<'_>, method: usize) -> Option<f64> {
    let probe_ps = page.facts.context.programs.last()?.probe_cost_ps?;
    let calls = page.facts.methods.get(method)?;
    Some((calls.kept_ns.len() as u64 + calls.warm_up + calls.disturbed) as f64 * probe_ps as f64 / 1000.0)
}

/// All methods.
pub fn section(page: &Page<'_>) -> Markup {
    let methods = &page.facts.context.methods;
    html! {
        section aria-labelledby="methods" {
            h2 #methods { "Methods" }
            p.lead { "Times are those of single calls, warm-up left out. p99: of 100 calls 99 take at most that long." }
            (scrolling("Methods", html! { table.methods {
                thead { tr {
                    th { "Method" } th.n { "Calls that count" } th.n { "Average" } th.n { "Median" } th.n { "p99" }
                    th.n { "Discarded: warm-up" } th.n { "disturbed" } th.n { "No partner" } th.n { "Late" } th.n { "Lost" } th.n { "Cost" } th { "Remarks" }
                } }
                tbody { @for (index, facts) in methods.iter().enumerate().take(LISTED) { (row(page, index, facts)) } }
            } }))
            @if methods.len() > LISTED { p { "And " (count((methods.len() - LISTED) as u64)) " more; their calls are in the measurement files." } }
            p.note {
                "Warm-up: calls that ran before the JVM had compiled the method again after its probes went in. Disturbed: a garbage collection or one of our own "
                "changes of classes fell into the call. No partner: in a shared window the other side was called less often. Late: came after the method was finished. "
                "Cost: measured calls times the cost of a probe, as measured in this program at its start; without what finding sizes takes."
            }
        }
    }
}

fn row(page: &Page<'_>, index: usize, facts: &MethodFacts) -> Markup {
    let none = Calls::default();
    let calls = page.facts.methods.get(index).unwrap_or(&none);
    let mut ascending: Vec<f64> = calls.kept_ns.iter().map(|&ns| ns as f64).collect();
    ascending.sort_by(f64::total_cmp);
    let mean = ascending.iter().sum::<f64>() / ascending.len() as f64;
    let figures = [mean, quantile(&ascending, 0.5), quantile(&ascending, 0.99)];
    let counts = facts.counts.as_ref();
    let kept = counts.map_or(calls.kept_ns.len() as u64, |counts| counts.kept);
    let known =
        |part: fn(&Counts) -> u64| counts.map_or_else(|| "–".to_owned(), |counts| count(part(counts)));
    html! {
        tr {
            th scope="row" title=(facts.method) { (page.names.get(index)) }
            td.n { (count(kept)) }
            @for figure in figures { td.n { @if ascending.is_empty() { "–" } @else { (time(figure)) } } }
            td.n { (count(calls.warm_up)) } td.n { (count(calls.disturbed)) }
            td.n { (known(|counts| counts.surplus)) } td.n { (known(|counts| counts.late)) } td.n { (known(|counts| counts.dropped)) }
            td.n { @match cost_ns(page, index) { Some(ns) => (time(ns)), None => "–" } }
            td.remark {
                @if let Some(remark) = &facts.remark { (remark) ". " }
                @if calls.threw > 0 { (count(calls.threw)) " ended by an exception. " }
                @if calls.gc > 0 { (count(calls.gc)) " that count overlapped a garbage collection. " }
                @if let Some(counts) = counts.filter(|counts| counts.every > 1) { "One call in " (count(counts.every.into())) " was taken at the end. " }
                @if let Some(counts) = counts { @if !counts.finished { "Not finished. " } }
            }
        }
    }
}
