//! Methods: the measured calls of each, and their cost.

use super::parts::{Page, scrolling};
use crate::chart::{Ink, distribution};
use crate::facts::{Calls, SHOWN_METHODS};
use crate::figure::{count, counted, time};
use crate::shape::quantile;
use maud::{Markup, html};
use spl_records::context::MethodFacts;

/// Most methods that are listed.
const LISTED: usize = 500;

/// Cost of the probes of a method's measured calls, nanoseconds, where the agent measured the cost of one.
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
            p.lead { "Of the measured calls of a method, the counted ones are left without the discarded \
                ones, the ones without a partner and the ones that were not needed any more. Times are those of all calls that were not discarded; a comparison takes some of them only. p99: of 100 calls 99 take at most that long." }
            (scrolling("Methods", html! { table.methods.stacked {
                thead { tr {
                    th { "Method" } th.n { "Average" } th.n { "Median" } th.n { "p99" }
                    th.n { "Measured" } th.n { "−\u{a0}Warm-up" } th.n { "−\u{a0}Disturbed" } th.n { "−\u{a0}No partner" } th.n { "−\u{a0}Not needed" } th.n { "=\u{a0}Count" }
                    th.n { "Cost" }
                } }
                tbody { @for (index, facts) in methods.iter().enumerate().take(LISTED) { (row(page, index, facts)) } }
            } }))
            (charts(page))
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

/// Spread of each method's times in a run without claims; in other runs the claims have charts.
fn charts(page: &Page<'_>) -> Markup {
    if !page.claims.is_empty() || !page.assertions.is_empty() {
        return html! {};
    }
    let side = |index: usize| {
        let mut ascending_ns: Vec<f64> =
            page.facts.calls(index).kept_ns.iter().map(|&ns| ns as f64).collect();
        ascending_ns.sort_by(f64::total_cmp);
        let figure_ns = ascending_ns.iter().sum::<f64>() / ascending_ns.len() as f64;
        distribution::Side {
            ink: Ink::Left,
            name: page.names.get(index).to_owned(),
            factor: 1.0,
            ascending_ns,
            figure_ns,
        }
    };
    let sides = (0..page.facts.context.methods.len()).map(side).filter(|side| side.ascending_ns.len() > 1);
    let look = distribution::Look {
        figures: "the average".to_owned(),
        detail: page.detail,
        ..distribution::Look::default()
    };
    html! {
        @for side in sides.take(SHOWN_METHODS) {
            details.claim {
                summary { span.head { span.formula { (side.name) } } span.ratio { span.figures { "average " b { (time(side.figure_ns)) } } } }
                div.body { div.charts { @for chart in distribution::charts(&[side], &look) { (chart) } } }
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
    let remarks = remarks(calls, facts);
    let cell = |name: &str, content: Markup| html! { td.n data-name=(name) { (content) } };
    let figure = |at: f64| html! { @if ascending.is_empty() { "–" } @else { (time(at)) } };
    html! {
        tr.remarked[!remarks.is_empty()] {
            th scope="row" title=(facts.method) { (page.names.get(index)) }
            (cell("Average", figure(figures[0]))) (cell("Median", figure(figures[1]))) (cell("p99", figure(figures[2])))
            (cell("Measured", html! { (count(calls.measured())) }))
            (cell("− Warm-up", html! { (count(warm_up)) })) (cell("− Disturbed", html! { (count(disturbed)) }))
            (cell("− No partner", html! { (known(surplus)) })) (cell("− Not needed", html! { (known(not_needed)) }))
            (cell("= Count", html! { b { (count(kept)) } }))
            (cell("Cost", html! { @match cost_ns(page, index) { Some(ns) => (time(ns)), None => "–" } }))
        }
        @if !remarks.is_empty() { tr { td.remark colspan="11" { (remarks) } } }
    }
}

/// Remarks on a method's calls; empty for most methods.
fn remarks(calls: &Calls, facts: &MethodFacts) -> String {
    let lack = facts.lack.as_ref().map(ToString::to_string);
    let mut remarks: Vec<String> = facts.remark.clone().or(lack).into_iter().collect();
    if calls.threw > 0 {
        remarks.push(format!("{} ended by an exception", count(calls.threw)));
    }
    if calls.gc > 0 {
        let kept = counted(calls.gc, "call that was not discarded", "calls that were not discarded");
        remarks.push(format!("{kept} overlapped a garbage collection"));
    }
    if let Some(counts) = &facts.counts {
        if counts.dropped > 0 {
            remarks.push(format!("{} more were lost on the way", count(counts.dropped)));
        }
        if counts.every > 1 {
            remarks.push(format!("one call in {} was taken at the end", count(counts.every.into())));
        }
        if !counts.finished {
            remarks.push("not finished".to_owned());
        }
    }
    remarks.join("; ")
}
