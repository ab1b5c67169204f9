//! The instances of a program that were measured at once: how they differ, and which one does.

use super::parts::{Page, scrolling};
use crate::figure::{count, percent, quotient, time};
use maud::{Markup, html};
use spl_records::{OfClaim, OfInstance};

/// A table for each claim that was judged over several instances; nothing where one program after the other
/// was measured.
pub fn section(page: &Page<'_>) -> Markup {
    let Some(file) = &page.facts.instances else { return html! {} };
    html! {
        section aria-labelledby="instances" {
            h2 #instances { "Instances" }
            @match &file.instances[..] {
                [] => { p.lead { "No instance had a window." } }
                [one] => { p.lead {
                    "All of this is about one instance, " (one) ". Another one may differ from it, and by how much is not in these results."
                } }
                all => { p.lead {
                    (count(all.len() as u64)) " instances of the program were measured. Verdicts are about the mean of their ratios: \
                     each instance counts once, however many calls it has. A claim with "
                    code { "for all instances" } " or " code { "for some instance" } " is about each of them."
                } }
            }
            @for claim in &file.claims { (of_claim(claim)) }
        }
    }
}

fn of_claim(claim: &OfClaim) -> Markup {
    html! {
        details open {
            summary { "Claim " (claim.number) ": " code { (claim.text) } }
            @for text in &claim.odd { p { b { (text) } "." } }
            @if let Some((between, spread)) = claim.between.zip(claim.spread) {
                p {
                    "The instances' ratios differ by about " (percent(spread)) " (standard deviation) beyond the error of each one's own \
                     figures: variance " (format!("{between:.2e}")) " of the ratio's logarithm."
                    @if claim.odd.is_empty() { " " (nobody(claim)) }
                }
            } @else if claim.odd.is_empty() { p { (nobody(claim)) } }
            (scrolling("Instances", html! { table {
                thead { tr { th { "Instance" } th.n { "Windows" } th.n { "Ratio" } th { "Interval" } th.n { "Left" } th.n { "Right" } th { "" } } }
                tbody { @for one in &claim.instances { (row(one)) } }
            } }))
        }
    }
}

/// Sentence for a claim of which no instance is named.
fn nobody(claim: &OfClaim) -> &'static str {
    // With two or three others, hardly any difference is beyond theirs.
    const FEW: usize = 4;
    if claim.instances.len() <= FEW {
        "Fewer than five instances hardly show which of them is the odd one: compare their figures."
    } else {
        "No single one stands out."
    }
}

fn row(one: &OfInstance) -> Markup {
    let end = |end: Option<f64>| end.map_or_else(|| "–".to_owned(), quotient);
    let is_odd = one.odd_ratio.is_some() || one.odd_speed.is_some();
    html! {
        tr.changed[is_odd] {
            th scope="row" { (one.name) }
            td.n { (count(one.windows)) }
            td.n { (quotient(one.ratio)) }
            td { (end(one.low)) " to " (end(one.high)) }
            td.n { (time(one.left_ns)) }
            td.n { (time(one.right_ns)) }
            td { @if is_odd { small.mark { "differs" } } }
        }
    }
}
