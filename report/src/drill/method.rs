//! A method of the page: its graph, its blocks, its callers and callees.

use super::facts::{Counted, Link};
use super::heat::{self, picture};
use crate::figure::count;
use maud::{Markup, PreEscaped, html};
use spl_draw::svg::{Choices, element};

/// Callers and callees that are listed; more are counted.
const MOST_LINKS: usize = 20;

/// The section of a method, by its place among the drawn ones.
pub(super) fn section(place: usize, method: &Counted, is_cover: bool) -> Markup {
    let id = format!("m{place}");
    let drawn = element(
        &picture(method, &id, is_cover),
        Choices { has_both: true, ..Choices::default() },
        &format!("{id}g"),
        &format!("Control flow of {}", method.name),
    );
    html! {
        section.method id=(id) data-calls=(method.calls) {
            h3 { (method.name) }
            p.quiet { (count(method.calls)) " calls. " a href="#methods" { "All methods" } }
            div.both {
                figure {
                    div.tools hidden {
                        button type="button" data-do="in" { "Zoom in" }
                        button type="button" data-do="out" { "Zoom out" }
                        button type="button" data-do="reset" { "Reset" }
                        button type="button" data-do="flip" aria-pressed="false" { "Left to right" }
                        button type="button" data-do="straight" aria-pressed="false" { "Straight lines" }
                        label { "Hide what is rarer than " input type="range" min="0" max="12" value="0"; " " output {} }
                    }
                    div.graph tabindex="0" role="region" aria-label={ "Graph of " (method.name) } {
                        @match &drawn {
                            Ok(svg) => (PreEscaped(svg)),
                            Err(error) => p { (error) },
                        }
                    }
                    p.figures role="status" {}
                }
                (blocks(&id, method, is_cover))
            }
            (links("Called from", "Caller", "Its block", &method.callers, is_cover))
            (links("Calls", "Callee", "Block", &method.callees, is_cover))
        }
    }
}

/// The table of the blocks, which says all that the graph shows.
fn blocks(id: &str, method: &Counted, is_cover: bool) -> Markup {
    let ways = |from: usize| {
        let edges =
            method.picture.arrows.iter().zip(&method.edges).filter(move |(arrow, _)| arrow.from == from);
        let way = move |(arrow, of): (&spl_draw::Arrow, &Option<u64>)| match of {
            None => format!("{} (exception)", arrow.to),
            Some(of) if is_cover => format!("{} ({})", arrow.to, if *of > 0 { "taken" } else { "never" }),
            Some(of) => format!("{} ({})", arrow.to, count(*of)),
        };
        edges.map(way).collect::<Vec<_>>()
    };
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Blocks of " (method.name) } {
            table {
                thead { tr { th { "Block" } th { "Lines" } th.n { "Bytecodes" } th.n { "Runs" } th.n { "Gone" } th { "Leads to" } th { "Calls" } } }
                tbody {
                    @for (number, block) in method.blocks.iter().enumerate() {
                        tr id={ (id) "r" (number) } {
                            th scope="row" { a href={ "#" (id) "b" (number) } { (number) } }
                            td { (block.lines) }
                            td.n { (block.bytecodes) }
                            td.n { (if is_cover || block.count == 0 { heat::runs(block.count, is_cover) } else { count(block.count) }) }
                            td.n { @if let Some(gone) = block.gone { (count(gone)) } }
                            td { @for (place, way) in ways(number).into_iter().enumerate() { @if place > 0 { ", " } span.way { (way) } } }
                            td.wide { (block.calls.join(", ")) }
                        }
                    }
                }
            }
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
    html! {
        @if !all.is_empty() {
            details {
                summary { (title) " (" (all.len()) ")" }
                div.scroll tabindex="0" role="region" aria-label=(title) {
                    table {
                        thead { tr { th { (method) } th.n { (block) } th.n { "Calls" } } }
                        tbody {
                            @for link in all.iter().take(MOST_LINKS) {
                                tr { td.wide { (link.method) } td.n { (link.block) } td.n { (times(link)) } }
                            }
                        }
                    }
                    @if all.len() > MOST_LINKS { p.quiet { (all.len() - MOST_LINKS) " more: " code { "calls.csv" } " has all." } }
                }
            }
        }
    }
}
