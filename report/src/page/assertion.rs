//! Assertions of the full language: the verdict of each, the figures of its comparisons, and the calls behind
//! them.

mod charts;

use super::asserted::Shown;
use super::parts::{Page, badge, scrolling, sizes};
use crate::figure::{count, counted, p_equation, percent, time};
use crate::words::Badge;
use charts::found;
use maud::{Markup, html};
use spl_records::AssertionRecord;
use spl_records::context::Relating;
use spl_verdict::{Judged, Part, Truth};

/// Most comparisons of one assertion that are listed.
const PARTS: usize = 200;
/// Most assertions that are shown.
const ASSERTIONS: usize = 1000;
/// Number of assertions and comparisons up to which all are open at the start.
const OPEN: usize = 3;

impl Shown<'_> {
    /// Advice for the operator; `None` for an assertion that holds.
    pub fn advice(&self, page: &Page<'_>) -> Option<String> {
        let Some(record) = self.record else {
            return Some("This claim has no result: the run did not come to its end.".to_owned());
        };
        let badge = self.badge();
        if matches!(badge, Badge::Proved | Badge::NotRefuted) {
            return None;
        }
        let judged: Vec<(&Part, &Judged)> = record
            .asserted
            .parts
            .iter()
            .filter_map(|part| Some((part, part.judged.as_ref().ok()?)))
            .collect();
        if judged.is_empty() {
            return Some(self.reasons(page).join(" "));
        }
        let of = |truth| {
            judged.iter().find(|(_, judged)| judged.evidence.truth(record.asserted.level) == truth).copied()
        };
        let (part, judged) = match badge {
            Badge::Refuted => of(Truth::False).or_else(|| of(Truth::Undecided)),
            Badge::NotProved | Badge::Undecided | Badge::NotEvaluated | Badge::NotRefuted | Badge::Proved => {
                of(Truth::Undecided).or_else(|| of(Truth::False))
            }
        }?;
        let found = self.relation(part).map_or_else(
            || format!("{} against {}", time(judged.left_ns), time(judged.right_ns)),
            |relation| found(page, relation, judged),
        );
        if badge == Badge::Refuted {
            return Some(format!("{found}: find out why, or change the claim if that is as it should be."));
        }
        // Judgement by windows names the missing data.
        let missing = self.open().map(|open| page.why_not(open, &self.asserting.methods));
        let few =
            || self.relation(part).and_then(|relation| too_few(relation, judged, record.asserted.level));
        let missing = missing.or_else(few).unwrap_or_else(|| {
            "That is too near, or too little, for a decision: let the program run longer (max-method-measurements), or assert \
             something with more room."
                .to_owned()
        });
        Some(format!("{found}. {missing}"))
    }

    /// Reasons without any judgement, each once, with remedies.
    fn reasons(&self, page: &Page<'_>) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for gap in self.record.iter().flat_map(|record| &record.asserted.gaps) {
            let text = page.why_not(gap, &self.asserting.methods);
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts
    }
}

/// Message that a high percentile has too few calls: if each of n calls is below it with probability q, all
/// of them are with probability q to the power of n.
fn too_few(relation: &Relating, judged: &Judged, level: f64) -> Option<String> {
    let side = |share: Option<f64>, n: Option<u64>| Some((share?, n?));
    let left = side(relation.left.share, Some(judged.n_left));
    let right = side(relation.right.and_then(|right| right.share), judged.n_right);
    let needed = |share: f64| level.ln() / share.max(1.0 - share).ln();
    let few = [left, right].into_iter().flatten().find(|(share, n)| (*n as f64) < needed(*share))?;
    Some(format!(
        "{} say nothing of a {}: at least {} are needed (min-method-measurements and max-method-measurements).",
        counted(few.1, "call", "calls"),
        crate::words::statistic(Some(few.0)),
        count(needed(few.0).ceil() as u64)
    ))
}

/// All assertions.
pub fn section(page: &Page<'_>) -> Markup {
    if page.assertions.is_empty() {
        return html! {};
    }
    let mut ordered: Vec<&Shown<'_>> = page.assertions.iter().collect();
    ordered.sort_by_key(|shown| shown.badge());
    let are_few = page.claims.len() + ordered.len() <= OPEN;
    html! {
        section aria-labelledby="assertions" {
            h2 #assertions { "Assertions" }
            p.lead { "Each line says what is asserted and how it came out, what fails first." @if !are_few { " Open one to see why." } }
            @for shown in ordered.iter().take(ASSERTIONS) { (one(page, shown, are_few)) }
            @if ordered.len() > ASSERTIONS {
                p { "And " (count((ordered.len() - ASSERTIONS) as u64)) " more, in " code { "assertions.jsonl" } "." }
            }
        }
    }
}

fn one(page: &Page<'_>, shown: &Shown<'_>, is_open: bool) -> Markup {
    html! {
        details.claim #{ "a" (shown.number) } data-badge=(shown.badge().class()) open[is_open] {
            summary {
                span.head { (badge(shown.badge())) span.formula { (shown.asserting.title) } }
                (figures(shown))
            }
            div.body {
                p.full { code { (shown.asserting.text) } " (line " (shown.asserting.line) " of the task file)" }
                @match shown.record {
                    Some(record) => (judged(page, shown, record)),
                    None => p { "There is no result: the run did not come to its end." },
                }
            }
        }
    }
}

/// The figures of an assertion that is one comparison in one bucket.
fn figures(shown: &Shown<'_>) -> Markup {
    let Some(record) = shown.record else { return html! {} };
    let [Part { judged: Ok(judged), .. }] = &record.asserted.parts[..] else { return html! {} };
    let [relation] = &shown.asserting.relations[..] else { return html! {} };
    html! {
        span.ratio { span.figures {
            b { (time(judged.left_ns)) } ", " (if relation.right.is_some() { "against" } else { "limit" }) " " (time(judged.right_ns))
        } }
    }
}

fn judged(page: &Page<'_>, shown: &Shown<'_>, record: &AssertionRecord) -> Markup {
    let asserted = &record.asserted;
    let has_figures = asserted.parts.iter().any(|part| part.judged.is_ok());
    html! {
        dl.facts {
            div { dt { "Why" } dd {
                @if has_figures { p { (why(shown, record)) } }
                @for reason in shown.reasons(page) { p { (reason) } }
            } }
            @if has_figures {
                div { dt { "p-values" } dd { p {
                    (p_equation(asserted.evidence.p_true)) " for it, " (p_equation(asserted.evidence.p_false)) " against it; one of them has to be under "
                    (percent(asserted.level)) " for an answer."
                } } }
            }
            @if let Some(advice) = shown.advice(page).filter(|_| has_figures) { div { dt { "What to do" } dd { p { (advice) } } } }
        }
        @if has_figures {
            (scrolling("Comparisons of this assertion", html! { table {
                thead { tr { th { "Comparison" } th { "Sizes" } th { "It is" } th.n { "Left" } th.n { "Right" } th.n { "For it" } th.n { "Against it" } th.n { "Calls" } } }
                tbody { @for part in asserted.parts.iter().take(PARTS) { (row(page, shown, record, part)) } }
            } }))
            @if asserted.parts.len() > PARTS { p { "And " (count((asserted.parts.len() - PARTS) as u64)) " more." } }
        }
        @let charted = shown.charted();
        @for part in &charted { (charts::of_part(page, shown, record, part)) }
        @let judged = asserted.parts.iter().filter(|part| part.judged.is_ok()).count();
        @if judged > charted.len() && !charted.is_empty() {
            p.note { "Charts are of " (counted(charted.len() as u64, "comparison", "comparisons")) " of " (count(judged as u64)) ", what fails first." }
        }
    }
}

/// The verdict in a sentence.
fn why(shown: &Shown<'_>, record: &AssertionRecord) -> String {
    let asserted = &record.asserted;
    let mut text = shown.badge().meaning().to_owned();
    if asserted.leftover {
        text.push_str(" This claim was judged at the end with the measurements that there were.");
    }
    if asserted.drops > 0 {
        let lost = counted(asserted.drops, "measurement was", "measurements were");
        text.push_str(&format!(" {lost} lost."));
    }
    text
}

fn row(page: &Page<'_>, shown: &Shown<'_>, record: &AssertionRecord, part: &Part) -> Markup {
    let text = record.relations.get(part.relation).map_or("?", String::as_str);
    html! {
        tr {
            td { code { (text) } @if let Some(instance) = &part.instance { " in " (instance) } } td { (sizes(page, &part.bucket)) }
            @match &part.judged {
                Ok(judged) => {
                    td { (match judged.evidence.truth(record.asserted.level) {
                        Truth::True => "true",
                        Truth::False => "false",
                        Truth::Undecided => "undecided",
                    }) }
                    td.n { (time(judged.left_ns)) } td.n { (time(judged.right_ns)) }
                    td.n { (p_equation(judged.evidence.p_true)) } td.n { (p_equation(judged.evidence.p_false)) }
                    td.n { (count(judged.n_left)) @if let Some(right) = judged.n_right { " and " (count(right)) } }
                }
                Err(why) => td colspan="6" { (page.why_not(why, &shown.asserting.methods)) },
            }
        }
    }
}
