//! Comparisons: those with charts one after the other, the rest in a table.

use super::parts::{Looked, Page, Shown, badge, dots, scrolling, sizes};
use crate::chart::{Ink, distribution, series};
use crate::doubt::{Reliability, Weight};
use crate::facts::Call;
use crate::figure::{count, counted, digits, odds, p_value, percent, quotient, time};
use crate::judged::{Chosen, Judged};
use crate::words::{Badge, Claim, explain, unscaled};
use maud::{Markup, html};
use spl_model::Bucket;
use spl_verdict::{Evaluation, NotEvaluated, Ratio, Side, Verdict};
use std::collections::BTreeSet;

/// Number of comparisons up to which all are open at the start.
const OPEN: usize = 3;

/// All comparisons.
pub fn results(page: &Page<'_>) -> Markup {
    if page.claims.is_empty() {
        return html! {};
    }
    let mut ordered: Vec<&Shown<'_>> = page.claims.iter().collect();
    ordered.sort_by_key(|shown| shown.badge());
    let (full, rest): (Vec<_>, Vec<_>) = ordered.into_iter().partition(|shown| shown.in_full);
    html! {
        section #results aria-labelledby="comparisons" {
            h2 #comparisons { "Comparisons" }
            p.lead { "Each line says what is asserted and how it came out, what fails first." @if page.claims.len() > OPEN { " Open one to see why." } }
            @for shown in &full { (in_full(page, shown)) }
            @if !rest.is_empty() {
                details.more {
                    summary { "The other " (counted(rest.len() as u64, "comparison", "comparisons")) ", without charts" }
                    p { "Claims that need attention come first and have charts; there is room for "
                        (count(crate::SHOWN as u64)) ". " code { "spl eval --json" } " has the figures of all." }
                    (scrolling("Other comparisons", table(page, &rest)))
                }
            }
        }
    }
}

fn table(page: &Page<'_>, rest: &[&Shown<'_>]) -> Markup {
    html! {
        table {
            thead { tr { th { "No." } th { "Assertion" } th { "Verdict" } th.n { "Ratio" } th { "Sizes" } th.n { "p" } th.n { "Calls" } } }
            tbody {
                @for shown in rest {
                    @let claim = page.claim(shown);
                    @for looked in &shown.results {
                        tr data-badge=(Badge::of(looked.evaluation).class()) {
                            td { (shown.number) } td { (claim.formula()) } td { (badge(Badge::of(looked.evaluation))) }
                            td.n { (ratio_text(&claim, looked.evaluation)) } td { (sizes(page, &looked.evaluation.bucket)) }
                            td.n { @if let Ok(verdict) = &looked.evaluation.verdict { (p_value(verdict.p_value)) } }
                            td.n { (count(looked.evaluation.n_smaller())) }
                        }
                    }
                    @if shown.results.is_empty() {
                        tr data-badge=(Badge::NotEvaluated.class()) { td { (shown.number) } td { (claim.formula()) } td { (badge(Badge::NotEvaluated)) } td {} td {} td {} td {} }
                    }
                }
            }
        }
    }
}

fn ratio_text(claim: &Claim<'_>, evaluation: &Evaluation) -> String {
    evaluation.ratio().map_or_else(|| "–".to_owned(), |ratio| quotient(claim.ratio(ratio).0))
}

fn in_full(page: &Page<'_>, shown: &Shown<'_>) -> Markup {
    let claim = page.claim(shown);
    let first = shown.results.iter().min_by_key(|looked| Badge::of(looked.evaluation));
    html! {
        details.claim #{ "c" (shown.number) } data-badge=(shown.badge().class()) open[page.claims.len() <= OPEN] {
            summary {
                span.head { (badge(shown.badge())) span.formula { (claim.formula()) } }
                @if let Some(looked) = first {
                    @if let Some(ratio) = looked.evaluation.ratio() { (bar(&claim, ratio, shown.reliability())) }
                }
            }
            div.body {
                p.sentence { "Asserted: " (claim.sentence()) "." }
                p.full { code { (full_text(page, shown)) } " (line " (shown.asked.line) " of the task file"
                    @if shown.asked.left_factor != 1.0 || shown.asked.right_factor != 1.0 { "; in parentheses what multiplies the left and the right side" } ")" }
                @for looked in &shown.results { (result(page, shown, &claim, looked)) }
                @if shown.results.is_empty() {
                    p { "There is no result: the run did not come to its end." }
                }
                @let decided = shown.results.iter().any(|looked| looked.evaluation.verdict.is_ok());
                // A method without samples is already the reason.
                @let lacks = shown.results.iter().any(|looked| matches!(looked.evaluation.verdict, Err(NotEvaluated::Lacking(_) | NotEvaluated::NotMeasured(_))));
                @if let Some(missing) = page.facts.missing.get(&(shown.number - 1)).filter(|_| !decided && !lacks && Chosen::of(&page.facts.context) != Chosen::Windows) {
                    p { "What is missing: " (missing) "." }
                }
                (buckets(page, shown, &claim))
            }
        }
    }
}

/// The comparison as in the task file, with full names.
fn full_text(page: &Page<'_>, shown: &Shown<'_>) -> String {
    let name =
        |method: usize| page.facts.context.methods.get(method).map_or("?", |facts| facts.method.as_str());
    let asked = shown.asked;
    let factors = if asked.left_factor == 1.0 && asked.right_factor == 1.0 {
        String::new()
    } else {
        format!(" ({}, {})", asked.left_factor, asked.right_factor)
    };
    format!("{} {}{factors} {}", name(asked.left), asked.sign, name(asked.right))
}

/// The ratio with its interval and the limit, as a small picture and in figures.
fn bar(claim: &Claim<'_>, ratio: &Ratio, reliability: Option<Reliability>) -> Markup {
    let (value, low, high) = claim.ratio(ratio);
    // Logarithmic, with the limit in the middle: half and twice are equally far.
    let reach = [value, low, high].iter().map(|at| (at / claim.limit).ln().abs()).fold(0.3, f64::max) * 1.15;
    let place = |at: f64| 100.0 + 96.0 * (at / claim.limit).ln() / reach;
    let [value_at, low_at, high_at] = [value, low, high].map(|at| format!("{:.1}", place(at)));
    html! {
        span.ratio {
            span.figures { b { (quotient(value)) "×" } " [" (quotient(low)) ", " (quotient(high)) "], limit " (digits(claim.limit)) "×"
                @if let Some(reliability) = reliability { ", reliability " (reliability.word()) }
            }
            svg viewBox="0 0 200 20" role="img" aria-label={ "ratio " (quotient(value)) ", interval " (quotient(low)) " to " (quotient(high)) ", limit " (digits(claim.limit)) } {
                line.ground x1="0" x2="200" y1="10" y2="10" {}
                line.limit x1="100" x2="100" y1="1" y2="19" {}
                line.interval x1=(low_at) x2=(high_at) y1="10" y2="10" {}
                circle.value cx=(value_at) cy="10" r="4.5" {}
            }
        }
    }
}

fn result(page: &Page<'_>, shown: &Shown<'_>, claim: &Claim<'_>, looked: &Looked<'_>) -> Markup {
    let evaluation = looked.evaluation;
    let was_compared = was_compared(evaluation);
    html! {
        article.result {
            h3 { (badge(Badge::of(evaluation))) @if was_compared { " " (sizes(page, &evaluation.bucket)) } }
            dl.facts {
                div { dt { "Why" } dd {
                    @match &evaluation.verdict {
                        Ok(_) => @for text in explain(claim, evaluation, &page.facts.context) { p { (text) } },
                        Err(why) => p { (page.why_not(why, &[shown.asked.left, shown.asked.right])) },
                    }
                } }
                @if let Ok(verdict) = &evaluation.verdict { (verdict_facts(claim, evaluation, verdict)) }
                @if let Some(ratio) = &evaluation.so_far { div { dt { "Ratio so far" } dd { p { (ratio_facts(claim, ratio)) "." } } } }
                @if let Some(reliability) = looked.reliability() {
                    div { dt { "Reliability" } dd {
                        p { b { (reliability.word()) } ": " (reliability.meaning(&looked.doubts)) "."
                            @if !looked.doubts.is_empty() { (room(claim, evaluation)) }
                        }
                        @if !looked.doubts.is_empty() {
                            ul.doubts { @for doubt in &looked.doubts {
                                li { b { (doubt.seen) } ". " (doubt.meaning) @if doubt.weight == Weight::Serious { " " em { "Serious." } } }
                            } }
                        }
                        ul.doubts.known { @for text in known(page, shown, claim, looked) { li { (text) } } }
                    } }
                }
                @if was_compared { div { dt { "Sizes" } dd { p {
                    @let (n_first, n_second) = claim.in_order(evaluation.n_left, evaluation.n_right);
                    "Compared were calls of " b { (sizes(page, &evaluation.bucket)) } ": " (count(n_first)) " of "
                    (claim.subject) " and " (count(n_second)) " of " (claim.object) "."
                    @if evaluation.leftover { " Judged at the end of the measurement, not because enough were there." }
                } } } }
                div { dt { "Cost" } dd { p { (cost(page, shown)) } } }
            }
            @if was_compared && shown.in_full { (charts(page, shown, claim, looked)) }
        }
    }
}

/// Whether calls of both sides were compared, with or without a decision.
fn was_compared(evaluation: &Evaluation) -> bool {
    match &evaluation.verdict {
        Ok(_) => true,
        Err(NotEvaluated::Undecided { windows } | NotEvaluated::Open { windows, .. }) => *windows > 0,
        Err(_) => false,
    }
}

fn verdict_facts(claim: &Claim<'_>, evaluation: &Evaluation, verdict: &Verdict) -> Markup {
    let [subject, object] = claim.sides(verdict);
    let row = |name: &str, side: &Side| {
        html! { tr { th scope="row" { (name) } td.n data-name="Calls" { (count(side.n)) }
        @for (name, figure) in [("Average", side.mean_ns), ("Median", side.median_ns), ("Std. deviation", side.sd_ns)] { td.n data-name=(name) { (time(unscaled(side, figure))) } } } }
    };
    html! {
        @if let Some(ratio) = &verdict.ratio {
            @let (_, low, high) = claim.ratio(ratio);
            @let medians = unscaled(subject, subject.median_ns) / unscaled(object, object.median_ns);
            div { dt { "Ratio" } dd { p {
                (ratio_facts(claim, ratio))
                ". By medians, which rare long calls do not move: " (quotient(medians)) "."
                @if low <= 1.0 && 1.0 <= high { " Which of both is faster the measurements do not tell: 1 lies within the interval." }
            } } }
        }
        div { dt { "p-value" } dd { p { (p_value(verdict.p_value)) " (" (odds(verdict.p_value)) ")" @if evaluation.drops > 0 { ", " (count(evaluation.drops)) " measurements lost" } } } }
        div { dt { "Times" } dd { (scrolling("Times of both sides", html! { table.stacked {
            thead { tr { th { "Method" } th.n { "Calls" } th.n { "Average" } th.n { "Median" } th.n { "Std. deviation" } } }
            tbody { (row(claim.subject, subject)) (row(claim.object, object)) }
        } })) } }
    }
}

fn ratio_facts(claim: &Claim<'_>, ratio: &Ratio) -> Markup {
    let (value, low, high) = claim.ratio(ratio);
    html! {
        b { (quotient(value)) } " (" (percent(ratio.confidence)) " interval " (quotient(low)) " to " (quotient(high))
        "), limit " (digits(claim.limit))
    }
}

/// Distance from the interval to the limit, which readers need to weigh doubts about a ratio.
fn room(claim: &Claim<'_>, evaluation: &Evaluation) -> String {
    let ratio = evaluation.verdict.as_ref().ok().and_then(|verdict| verdict.ratio.as_ref());
    let Some((_, low, high)) = ratio.map(|ratio| claim.ratio(ratio)) else { return String::new() };
    let (end, limit) = (if high < claim.limit { high } else { low }, claim.limit);
    if low <= limit && limit <= high {
        " The limit lies within the interval.".to_owned()
    } else {
        format!(
            " The end of the interval nearest to the limit is {}, and the limit {}: between them is a factor of {} in which doubts about the ratio do not change the verdict.",
            quotient(end),
            digits(limit),
            quotient((limit / end).max(end / limit))
        )
    }
}

/// Facts about the compared calls, apart from doubts.
fn known(page: &Page<'_>, shown: &Shown<'_>, claim: &Claim<'_>, looked: &Looked<'_>) -> Vec<Markup> {
    let (judged, context) = (&looked.judged, &page.facts.context);
    let mut known = Vec::new();
    if judged.exact {
        known.push(html! { (left_out(page, shown, claim, judged)) });
        if judged.gc > 0 {
            let are = if judged.gc == 1 { "call" } else { "calls" };
            known.push(html! { (count(judged.gc)) " compared " (are) " overlapped a garbage collection; discard-disturbed = 1 leaves such calls out." });
        }
    }
    let of = |method: usize| {
        let calls = page.facts.calls(method);
        let (warm_up, disturbed) = page.facts.discarded(calls);
        format!(
            "{} of {} calls of {}",
            count(warm_up + disturbed),
            count(calls.measured()),
            page.names.get(method)
        )
    };
    let (first, second) = claim.in_order(shown.asked.left, shown.asked.right);
    known.push(html! { "Discarded as warm-up or disturbed: " (of(first)) ", " (of(second)) " (" a href="#methods" { "Methods" } ")." });
    let empty_ns =
        context.programs.last().and_then(|program| program.probe_empty_ps).map(|ps| ps as f64 / 1000.0);
    if let Some(empty_ns) = empty_ns.filter(|_| Chosen::of(context) == Chosen::Windows) {
        known.push(html! { "An empty method would show " (time(empty_ns)) ": this cost of the probe is in \
        each time, and is taken out of the ratio." });
    }
    if context.scale.is_none() {
        known.push(html! { "Sizes were not looked at (argument-size = nocheck): one side may have had more work in a call than the other." });
    }
    known
}

/// Undisturbed calls that were not compared, and the ratio with them.
fn left_out(page: &Page<'_>, shown: &Shown<'_>, claim: &Claim<'_>, judged: &Judged) -> String {
    let compared = [judged.left_ns.len(), judged.right_ns.len()].map(|n| n as u64);
    let [left, right] = judged.kept;
    if compared == [left.calls, right.calls] {
        return "Every call of these sizes that was not discarded was compared.".to_owned();
    }
    let side = |index: usize, method: usize| {
        let all = judged.kept[index].calls;
        format!(
            "{} of {} of {}",
            count(all.saturating_sub(compared[index])),
            count(all),
            page.names.get(method)
        )
    };
    let (first, second) = claim.in_order(side(0, shown.asked.left), side(1, shown.asked.right));
    let why = match Chosen::of(&page.facts.context) {
        Chosen::First => "they came when enough were there",
        Chosen::Pairs => "they found no partner in their window, or came when enough were there",
        Chosen::Windows => "the other side was not called in their window, or they came when it was decided",
    };
    let (subject, object) = claim.in_order(left.mean_ns, right.mean_ns);
    format!(
        "Left out of the calls of these sizes that were not discarded: {first}, {second}; {why}. With them the ratio would be {}.",
        quotient(subject / object)
    )
}

fn cost(page: &Page<'_>, shown: &Shown<'_>) -> String {
    let sides = BTreeSet::from([shown.asked.left, shown.asked.right]);
    let calls: u64 = sides.iter().map(|method| page.facts.calls(*method).measured()).sum();
    let ns: f64 = sides.iter().filter_map(|method| super::method::cost_ns(page, *method)).sum();
    let probes = if ns > 0.0 {
        format!(", about {} of the program's CPU time in probes", time(ns))
    } else {
        String::new()
    };
    let other = |one: &&Shown<'_>| {
        one.number != shown.number && (sides.contains(&one.asked.left) || sides.contains(&one.asked.right))
    };
    let others = page.claims.iter().filter(other).count() as u64;
    let overlap = if others > 0 {
        format!(
            " {} also of one of these methods, and its calls are counted there too: these costs overlap.",
            counted(others, "other comparison is", "other comparisons are")
        )
    } else {
        String::new()
    };
    format!(
        "To find this out, {} of both methods{probes}.{overlap} Changes of classes are in the cost of the whole run only.",
        counted(calls, "call was measured", "calls were measured")
    )
}

/// The charts, with the subject first as in the sentence.
fn charts(page: &Page<'_>, shown: &Shown<'_>, claim: &Claim<'_>, looked: &Looked<'_>) -> Markup {
    let judged = &looked.judged;
    if judged.left_ns.is_empty() || judged.right_ns.is_empty() {
        return html! { p.note { "There are no charts: the measurement files have no calls of these sizes." } };
    }
    let (first, second) = claim.in_order(
        (shown.asked.left, shown.asked.left_factor, &judged.left_ns),
        (shown.asked.right, shown.asked.right_factor, &judged.right_ns),
    );
    let side = |ink, (method, factor, times): (usize, f64, &Vec<u64>)| {
        let mut ascending_ns: Vec<f64> = times.iter().map(|&ns| ns as f64 * factor).collect();
        ascending_ns.sort_by(f64::total_cmp);
        let mean_ns = ascending_ns.iter().sum::<f64>() / ascending_ns.len() as f64;
        distribution::Side {
            ink,
            name: scaled_name(page, method, factor),
            factor,
            ascending_ns,
            figure_ns: mean_ns,
        }
    };
    let sides = [side(Ink::Left, first), side(Ink::Right, second)];
    let bucket = &looked.evaluation.bucket;
    let chosen = Chosen::of(&page.facts.context);
    let calls = |method: usize| -> Vec<&Call> {
        page.facts.calls(method).calls.iter().filter(|call| chosen.is_of(call, bucket)).collect()
    };
    let all = [calls(first.0), calls(second.0)];
    let first_ns = all.iter().flatten().map(|call| call.start_ns).min().unwrap_or(0);
    let over_time = [dots(&sides[0], &all[0], first_ns), dots(&sides[1], &all[1], first_ns)];
    let in_order = |&(window, quotient): &(u64, f64)| (window, claim.in_order(quotient, quotient.recip()).0);
    let look = distribution::Look { detail: page.detail, ..distribution::Look::default() };
    let quotients: Vec<(u64, f64)> = judged.quotients.iter().map(in_order).collect();
    html! {
        p.note {
            @if sides.iter().any(|side| side.factor != 1.0) { "In the charts times are multiplied by the constants of the comparison, so that the limit is where both are equal. " }
            @if !judged.exact { "The charts show all calls of these sizes that count, not exactly the calls \
                that the verdict rests on." }
        }
        div.charts {
            @for chart in distribution::charts(&sides, &look) { (chart) }
            (series::calls(&over_time, None, page.detail))
            @if quotients.len() > 1 { (series::windows(&quotients, [&sides[0].name, &sides[1].name], page.detail)) }
        }
    }
}

/// A method with the constant of its times.
pub fn scaled_name(page: &Page<'_>, method: usize, factor: f64) -> String {
    let name = page.names.get(method);
    if factor == 1.0 { name.to_owned() } else { format!("{} × {name}", digits(factor)) }
}

/// Buckets that each side filled, and the reason where buckets are not compared.
fn buckets(page: &Page<'_>, shown: &Shown<'_>, claim: &Claim<'_>) -> Markup {
    let (first, second) = claim.in_order(shown.asked.left, shown.asked.right);
    let (left, right) = (page.facts.calls(first), page.facts.calls(second));
    let all: BTreeSet<&Bucket> = left.buckets.keys().chain(right.buckets.keys()).collect();
    if all.is_empty() {
        return html! {};
    }
    if all.len() < 2 && shown.results.iter().any(|looked| looked.evaluation.verdict.is_ok()) {
        return html! {};
    }
    let by_windows = Chosen::of(&page.facts.context) == Chosen::Windows;
    let needed = if by_windows { 1 } else { page.facts.context.min_samples };
    let is_compared = shown.results.iter().any(|looked| was_compared(looked.evaluation));
    let compared = shown.results.iter().filter(|looked| was_compared(looked.evaluation));
    let judged: BTreeSet<&Bucket> = compared.map(|looked| &looked.evaluation.bucket).collect();
    let state = |bucket: &Bucket, left: u64, right: u64| {
        if judged.contains(bucket) || (by_windows && is_compared && left.min(right) > 0) {
            "compared".to_owned()
        } else if left.min(right) == 0 {
            "one side has no call of these sizes".to_owned()
        } else if left.min(right) < needed {
            format!("waits for {} more", count(needed - left.min(right)))
        } else {
            "full, but other sizes decided first".to_owned()
        }
    };
    html! {
        h4 { "Sizes that were called" }
        (scrolling("Sizes that were called", html! { table {
            thead { tr { th { "Sizes" } th.n { (claim.subject) } th.n { (claim.object) } th { "State" } } }
            tbody { @for bucket in all.iter().take(60) {
                @let (n_left, n_right) = (left.buckets.get(*bucket).copied().unwrap_or(0), right.buckets.get(*bucket).copied().unwrap_or(0));
                tr { td { (sizes(page, bucket)) } td.n { (count(n_left)) } td.n { (count(n_right)) } td { (state(bucket, n_left, n_right)) } }
            } }
        } }))
        @if all.len() > 60 { p.note { "And " (counted(all.len() as u64 - 60, "more bucket", "more buckets")) "." } }
        @if by_windows && page.facts.context.scale.is_some() {
            p.note { "Calls are compared with calls of similar sizes; the verdict is of all together." }
        } @else if !by_windows { p.note {
            @if page.facts.context.scale.is_some() { "Only calls of similar sizes are compared; a" } @else { "A" }
            " verdict needs " (count(needed)) " calls of the same sizes on each side."
        } }
    }
}
