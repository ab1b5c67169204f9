//! The call tree as icicles: a box for each call, below its caller, as wide as the instructions that it runs.

use super::facts::{DEEPEST, DrillFacts, MOST_CALLS, Tree, TreeCall};
use crate::figure::{count, digits, percent};
use crate::graph::step;
use crate::icicle;
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Width of the drawing, and height of a box with its distance, pixels.
const WIDTH: f64 = 1200.0;
const HIGH: f64 = 22.0;
/// Distance between boxes, pixels.
const GAP: f64 = 1.0;
/// Narrowest box that is drawn.
const NARROWEST: f64 = 1.0;

/// The tree with the table that says the same; nothing without calls.
pub(super) fn section(facts: &DrillFacts) -> Markup {
    let tree = &facts.tree;
    if tree.calls.is_empty() || tree.all == 0 {
        return html! {};
    }
    let mut places = BTreeMap::new();
    for method in &facts.methods {
        if let Some(place) = method.drawn {
            places.entry(&*method.name).or_insert(place);
        }
    }
    html! {
        section id="calls" {
            h2 { "Calls" }
            p { "Each box is the calls of a method on one way, below the method that makes them. Its width is the share of all instructions that it "
                "runs with what it calls, its colour the logarithm of its own instructions. A box leads to the graph of its method, if there is one." }
            p.quiet { "The number of calls is counted; what a call runs is the average over all calls of its method, from all callers. "
                "Calls by an interface are shared out, and recursion is part of the call that began it. "
                @if tree.left_out > 0 {
                    (share(tree.left_out as f64, tree)) " of all instructions have no box: the tree has at most " (MOST_CALLS)
                    " calls, those with most instructions, " (DEEPEST) " below each other. " code { "spl export --as speedscope" } " has more."
                } }
            div.scroll.icicles tabindex="0" role="region" aria-label="Tree of calls" { (drawing(tree, &places)) }
            details {
                summary { "Table of the calls (" (tree.calls.len()) ")" }
                (table(tree, &places))
            }
        }
    }
}

/// Instructions as a share of all.
fn share(of: f64, tree: &Tree) -> String {
    percent(of / tree.all as f64)
}

fn drawing(tree: &Tree, places: &BTreeMap<&str, usize>) -> Markup {
    let scale = WIDTH / tree.all as f64;
    let deepest = tree.calls.iter().map(|one| one.depth).max().unwrap_or(0);
    let high = (deepest + 1) as f64 * HIGH;
    let most = tree.calls.iter().map(|one| one.own).fold(0.0, f64::max);
    let shown = tree.calls.iter().filter(|one| one.total * scale >= NARROWEST);
    html! {
        svg width=(WIDTH) height=(high) viewBox={ "0 0 " (WIDTH) " " (high) } role="group" aria-label="Calls, each below its caller" {
            @for one in shown {
                @let wide = one.total * scale;
                @let drawn = cell(one, wide, scale, most, tree);
                @match places.get(&*one.method) {
                    Some(place) => a href={ "#m" (place) } { (drawn) },
                    None => (drawn),
                }
            }
        }
    }
}

/// The box of a call.
fn cell(one: &TreeCall, wide: f64, scale: f64, most: f64, tree: &Tree) -> Markup {
    let at = format!("translate({:.1} {:.1})", one.begin * scale, one.depth as f64 * HIGH);
    html! {
        g class={ "b h" (step(one.own, most)) } transform=(at) {
            title { (one.method) ": " (share(one.total, tree)) "; " (figures(one)) }
            rect width={ (format!("{:.1}", (wide - GAP).max(GAP))) } height={ (HIGH - GAP) } rx="2" {}
            (icicle::name(&one.method, wide))
        }
    }
}

/// The figures of a call in words.
fn figures(one: &TreeCall) -> String {
    let whole = |of: f64| count(of.round() as u64);
    let calls = match &*digits(one.calls) {
        "1" => "1 call".to_owned(),
        calls => format!("{calls} calls"),
    };
    format!("{calls}, {} bytecodes, {} of its own", whole(one.total), whole(one.own))
}

fn table(tree: &Tree, places: &BTreeMap<&str, usize>) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Table of the calls" {
            table {
                thead { tr { th.n { "Depth" } th { "Method" } th.n { "Share" } th.n { "Calls" } th.n { "Bytecodes" } th.n { "Own" } } }
                tbody {
                    @for one in &tree.calls {
                        tr {
                            td.n { (one.depth + 1) }
                            td.wide {
                                @match places.get(&*one.method) {
                                    Some(place) => a href={ "#m" (place) } { (one.method) },
                                    None => (one.method),
                                }
                            }
                            td.n { (share(one.total, tree)) }
                            td.n { (digits(one.calls)) }
                            td.n { (count(one.total.round() as u64)) }
                            td.n { (count(one.own.round() as u64)) }
                        }
                    }
                }
            }
        }
    }
}
