//! A method of the page: its graph, its blocks, its callers and callees.

use super::paths::paths;
use crate::figure::{count, counted};
use crate::graph::{Counted, Link, blocks, bytecode, figure, largest, source};
use maud::{Markup, html};

/// Callers and callees that are listed; more are counted.
const MOST_LINKS: usize = 20;

/// The section of a method, by its place among the drawn ones.
pub(super) fn section(place: usize, method: &Counted, is_cover: bool) -> Markup {
    let id = format!("m{place}");
    html! {
        section.method id=(id) data-calls=(method.calls) {
            h3 { (method.name) }
            p.quiet { (counted(method.calls, "call", "calls")) ". " a href="#methods" { "All methods" } }
            div.both {
                (figure(&id, method, largest(method)))
                div {
                    (source(&id, method))
                    details open { summary { "Blocks (" (method.blocks.len()) ")" } (blocks(&id, method)) }
                    (bytecode(&id, method))
                }
            }
            (paths(method))
            (links("Called from", "Caller", "Its block", &method.callers, is_cover))
            (links("Calls", "Callee", "Block", &method.callees, is_cover))
        }
    }
}

fn links(title: &str, method: &str, block: &str, all: &[Link], is_cover: bool) -> Markup {
    let times = |link: &Link| match (is_cover, link.count) {
        (true, (0, _)) => "perhaps".to_owned(),
        (true, _) => "yes".to_owned(),
        (false, (least, most)) if least == most => count(most),
        (false, (least, most)) => format!("{} to {}", count(least), count(most)),
    };
    let has_answers = all.iter().any(|link| !link.answer.is_empty());
    html! {
        @if !all.is_empty() {
            details {
                summary { (title) " (" (all.len()) ")" }
                div.scroll tabindex="0" role="region" aria-label=(title) {
                    table {
                        thead { tr { th { (method) } th.n { (block) } th.n { "Calls" } @if has_answers { th { "Answer" } th { "Receivers" } } } }
                        tbody {
                            @for link in all.iter().take(MOST_LINKS) {
                                tr {
                                    td.wide { (link.method) } td.n { (link.block) } td.n { (times(link)) }
                                    @if has_answers { td { (link.answer) } td.wide { (link.receivers) } } }
                            }
                        }
                    }
                    @if all.len() > MOST_LINKS { p.quiet { (all.len() - MOST_LINKS) " more: " code { (if has_answers { "arcs.csv" } else { "calls.csv" }) } " has all." } }
                }
            }
        }
    }
}
