//! Methods: what was measured of each, and what that cost.

use super::{Page, scrolling};
use crate::figure::{count, time};
use crate::shape::quantile;
use maud::{Markup, html};
use spl_records::context::MethodFacts;

/// Methods that are listed.
const LISTED: usize = 500;

/// What the probes of a method's measured calls cost, nanoseconds, where the agent found out what one costs.
pub fn cost_ns(page: &Page<'_>, method: usize) -> Option<f64> {
    let probe_ps = page.facts.context.programs.last()?.probe_cost_ps?;
    Some(page.facts.calls(method).measured() as f64 * probe_ps as f64 / 1000.0)
}

/// All methods.
pub fn section(page: &Page<'_>) -> Markup {
    let methods = &page.facts.context.methods;
    html! {
        section aria-labelledby="methods" {
            h2 #methods { "Methods" }
            p.lead { "Of the measured calls of a method, those that count are left when the discarded ones, those without a partner and those that were not needed any more are taken away. Times are those of all calls that were not discarded; a comparison takes some of them only. p99: of 100 calls 99 take at most that long." }
            (scrolling("Methods", html! { table.methods {
                thead { tr {
                    th { "Method" } th.n { "Measured" } th.n { "− Warm-up" } th.n { "− Disturbed" } th.n { "− No partner" } th.n { "− Not needed" } th.n { "= Count" }
                    th.n { "Average" } th.n { "Median" } th.n { "p99" } th.n { "Cost" } th { "Remarks" }
                } }
                tbody { @for (index, facts) in methods.iter().enumerate().take(LISTED) { (row(page, index, facts)) } }
            } }))
            @if methods.len() > LISTED { p { "And " (count((methods.len() - LISTED) as u64)) " more; their calls are in the measurement files." } }
            p.note {
                "Warm-up: calls that ran before the JVM had compiled the method again after its probes went in, and those soon after (warm-up-calls, warm-up-time). Disturbed: "
                "a garbage collection or one of our own changes of classes fell into the call; such calls are discarded with discard-disturbed = 1, else they count. "
                "No partner: in a shared window the other side was called less often. Not needed: came when all that is asserted of the method was decided, or was in a "
                "window that was still open then. "
                "Cost: measured calls times the cost of a probe, as measured in this program at its start; without what finding sizes takes."
            }
        }
    }
}

fn row(page: &Page<'_>, index: usize, facts: &MethodFacts) -> Markup {
    let calls = page.facts.calls(index);
    let mut ascending: Vec<f64> = calls.kept_ns.iter().map(|&ns| ns as f64).collect();
    ascending.sort_by(f64::total_cmp);
    let mean = ascending.iter().sum::<f64>() / ascending.len() as f64;
    let figures = [mean, quantile(&ascending, 0.5), quantile(&ascending, 0.99)];
    let counts = facts.counts.as_ref();
    let (warm_up, disturbed) = page.facts.discarded(calls);
    let not_discarded = calls.kept_ns.len() as u64;
    let kept = counts.map_or(not_discarded, |counts| counts.kept);
    let surplus = counts.map(|counts| counts.surplus);
    let not_needed = surplus.map(|surplus| not_discarded.saturating_sub(kept.saturating_add(surplus)));
    let known = |number: Option<u64>| number.map_or_else(|| "–".to_owned(), count);
    html! {
        tr {
            th scope="row" title=(facts.method) { (page.names.get(index)) }
            td.n { (count(calls.measured())) } td.n { (count(warm_up)) } td.n { (count(disturbed)) }
            td.n { (known(surplus)) } td.n { (known(not_needed)) } td.n { b { (count(kept)) } }
            @for figure in figures { td.n { @if ascending.is_empty() { "–" } @else { (time(figure)) } } }
            td.n { @match cost_ns(page, index) { Some(ns) => (time(ns)), None => "–" } }
            td.remark {
                @if let Some(remark) = &facts.remark { (remark) ". " }
                @if calls.threw > 0 { (count(calls.threw)) " ended by an exception. " }
                @if calls.gc > 0 { (count(calls.gc)) " that were not discarded overlapped a garbage collection. " }
                @if let Some(counts) = counts.filter(|counts| counts.dropped > 0) { (count(counts.dropped)) " more were lost on the way. " }
                @if let Some(counts) = counts.filter(|counts| counts.every > 1) { "One call in " (count(counts.every.into())) " was taken at the end. " }
                @if let Some(counts) = counts { @if !counts.finished { "Not finished. " } }
            }
        }
    }
}
