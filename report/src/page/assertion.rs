//! Assertions of the full language.

use super::{Page, badge, scrolling, sizes};
use crate::figure::{count, p_value, percent, time};
use crate::words::{Badge, why_not};
use maud::{Markup, html};
use spl_records::AssertionRecord;
use spl_records::context::Asserting;
use spl_verdict::Part;

/// Comparisons of one assertion that are listed.
const PARTS: usize = 200;
/// Assertions that are shown.
const ASSERTIONS: usize = 1000;

/// The verdicts.
pub fn badges(page: &Page<'_>) -> impl Iterator<Item = Badge> {
    (0..page.facts.context.assertions.len())
        .map(|index| record(page, index).map_or(Badge::NotEvaluated, badge_of))
}

fn record<'a>(page: &Page<'a>, index: usize) -> Option<&'a AssertionRecord> {
    page.facts.assertions.iter().find(|record| record.asserted.assertion == index)
}

fn badge_of(record: &AssertionRecord) -> Badge {
    let asserted = &record.asserted;
    match asserted.basis {
        Some(basis) => Badge::of_basis(basis),
        None if asserted.parts.iter().all(|part| part.judged.is_err()) => Badge::NotEvaluated,
        None => Badge::of_truth(asserted.truth),
    }
}

/// All assertions.
pub fn section(page: &Page<'_>) -> Markup {
    let assertions = &page.facts.context.assertions;
    if assertions.is_empty() {
        return html! {};
    }
    html! {
        section aria-labelledby="assertions" {
            h2 #assertions { "Assertions" }
            @for (index, asserting) in assertions.iter().enumerate().take(ASSERTIONS) {
                (one(index, asserting, record(page, index)))
            }
            @if assertions.len() > ASSERTIONS {
                p { "And " (count((assertions.len() - ASSERTIONS) as u64)) " more, in " code { "assertions.jsonl" } "." }
            }
        }
    }
}

fn one(index: usize, asserting: &Asserting, record: Option<&AssertionRecord>) -> Markup {
    html! {
        details.claim #{ "a" (index + 1) } {
            summary { span.head { (badge(record.map_or(Badge::NotEvaluated, badge_of))) span.formula { (asserting.title) } } }
            div.body {
                p.full { code { (asserting.text) } " (line " (asserting.line) " of the task file)" }
                @match record {
                    Some(record) => (judged(record)),
                    None => p { "There is no result: the measurement ended before. Let the program run longer." },
                }
            }
        }
    }
}

fn judged(record: &AssertionRecord) -> Markup {
    let asserted = &record.asserted;
    html! {
        p { (badge_of(record).meaning())
            " p-value for it " (p_value(asserted.evidence.p_true)) ", against it " (p_value(asserted.evidence.p_false))
            "; one of them has to be under " (percent(asserted.level)) " for an answer."
            @if asserted.leftover { " Judged with fewer measurements than were asked for." }
            @if asserted.drops > 0 { " " (count(asserted.drops)) " measurements were lost." }
        }
        (scrolling("Comparisons of this assertion", html! { table {
            thead { tr { th { "Comparison" } th { "Sizes" } th { "It is" } th.n { "Left" } th.n { "Right" } th.n { "p for" } th.n { "p against" } th.n { "Calls" } } }
            tbody { @for part in asserted.parts.iter().take(PARTS) { (row(record, part)) } }
        } }))
        @if asserted.parts.len() > PARTS { p { "And " (count((asserted.parts.len() - PARTS) as u64)) " more." } }
        @for gap in asserted.gaps.iter().filter(|_| asserted.parts.is_empty()) { p { (why_not(gap)) " (" (gap) ")" } }
    }
}

fn row(record: &AssertionRecord, part: &Part) -> Markup {
    let text = record.relations.get(part.relation).map_or("?", String::as_str);
    html! {
        tr {
            td { code { (text) } } td { (sizes(&part.bucket)) }
            @match &part.judged {
                Ok(judged) => {
                    td { (match judged.evidence.truth(record.asserted.level) {
                        spl_verdict::Truth::True => "true",
                        spl_verdict::Truth::False => "false",
                        spl_verdict::Truth::Undecided => "undecided",
                    }) }
                    td.n { (time(judged.left_ns)) } td.n { (time(judged.right_ns)) }
                    td.n { (p_value(judged.evidence.p_true)) } td.n { (p_value(judged.evidence.p_false)) }
                    td.n { (count(judged.n_right.map_or(judged.n_left, |right| right.min(judged.n_left)))) }
                }
                Err(why) => td colspan="6" { (why) },
            }
        }
    }
}
