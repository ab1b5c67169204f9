//! Calls whose receiver chooses the method: what they entered.

use super::facts::{DrillFacts, MOST_SITES, Site};
use crate::figure::{count, counted, percent};
use maud::{Markup, html};

/// Most methods and classes of a site that are listed.
const MOST_ENTERED: usize = 12;

/// The sites, those with most methods and classes first; nothing where arcs did not count.
pub(super) fn section(facts: &DrillFacts) -> Markup {
    let Some(all) = &facts.sites else { return html! {} };
    let [mono, bi, mega] = all.kinds.map(|kind| count(kind as u64));
    let count_all = all.kinds.iter().sum::<usize>();
    html! {
        section id="polymorphic" {
            h2 { "Polymorphic calls" }
            @if count_all == 0 { p { "No call whose receiver chooses the method entered a counted method." } }
            @else {
                p { "Of " (counted(count_all as u64, "call", "calls")) " in the code whose receiver chooses the method, " (mono)
                    " had receivers of one class (monomorphic), " (bi) " of two (bimorphic), " (mega) " of more (megamorphic)." }
                p.quiet { "Changes are the times that the receiver's class was not that of the call before, from the same place in the same thread. "
                    "Shares are of all calls at the place." }
                div.scroll tabindex="0" role="region" aria-label="Polymorphic calls" {
                    table.sites {
                        thead { tr { th { "Place, and what it entered" } th { "Receivers" } th.n { "Calls" } th.n { "Share" } th.n { "Changes" } } }
                        @for site in &all.listed { tbody { (lines(site)) } }
                    }
                }
                @if count_all > all.listed.len() {
                    p.quiet { (count((count_all - all.listed.len()) as u64)) " more, with fewer methods or calls; at most " (MOST_SITES)
                        " are listed here, and " code { "receivers.csv" } " has all." }
                }
            }
        }
    }
}

fn lines(site: &Site) -> Markup {
    let share =
        |calls: u64| if site.calls == 0 { String::new() } else { percent(calls as f64 / site.calls as f64) };
    html! {
        tr.site {
            th.wide scope="rowgroup" {
                @match site.drawn {
                    Some(place) => a href={ "#m" (place) "r" (site.block) } { (site.method) },
                    None => (site.method),
                }
                @if let Some(line) = site.line { ", line " (line) } @else { ", block " (site.block) }
                " calls " (site.callee)
            }
            td { b { (kind(site)) } ", " (counted(site.classes as u64, "class", "classes")) ", " (counted(site.methods as u64, "method", "methods")) }
            td.n { (count(site.calls)) }
            td.n {}
            td.n { (count(site.changes)) }
        }
        @for answer in site.answers.iter().take(MOST_ENTERED) {
            tr {
                td.wide.in { @if answer.what != "entered" { (answer.what) @if !answer.method.is_empty() { ": " } } (answer.method) }
                td.wide { (answer.receivers) }
                td.n { (count(answer.calls)) }
                td.n { @if answer.is_among { (share(answer.calls)) } @else { "not among" } }
                td.n {}
            }
        }
        @if site.answers.len() > MOST_ENTERED {
            tr { td.in colspan="5" { (site.answers.len() - MOST_ENTERED) " more: " code { "arcs.csv" } " has all." } }
        }
    }
}

fn kind(site: &Site) -> &'static str {
    match site.classes {
        0 | 1 => "monomorphic",
        2 => "bimorphic",
        _ => "megamorphic",
    }
}
