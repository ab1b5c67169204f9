//! Why claims fail, where that was looked for: reasons in words, and next to them the graphs of the methods that causes stand in.

use super::parts::Page;
use crate::facts::Reasons;
use crate::figure::digits;
use crate::graph::{BlockCounts, Counted, Unit, blocks, figure, hatch, key, largest};
use crate::measures::{HEADS, rows};
use crate::why::why;
use maud::{Markup, html};
use spl_draw::{Arrow, Block, Picture};
use spl_model::one_line;
use spl_records::{GraphPair, MethodGraph, Why, WhyGraphs};

/// The reasons of each claim that fails; nothing where nobody looked for them.
pub fn section(page: &Page<'_>) -> Markup {
    let Reasons { found, graphs, faults } = &page.facts.why;
    if found.is_none() && faults.is_empty() {
        return html! {};
    }
    let claims = found.as_ref().map_or(&[][..], |file| &file.claims);
    let has_graphs = graphs.as_ref().is_some_and(|graphs| !graphs.claims.is_empty());
    html! {
        section aria-labelledby="why" {
            h2 #why { "Why claims fail" }
            p.lead {
                "After the measurement, the instructions of bytecode were counted that these methods and the methods below them run, \
                 for a short time. Figures are of one call, on average. Instructions are not times: a cause that runs few of them is \
                 not found."
            }
            @for fault in faults { p.problem { (fault) } }
            @if has_graphs {
                (hatch())
                details { summary { "How to read the graphs" } (key("the largest of both sides")) }
            }
            @for (place, one) in claims.iter().enumerate() {
                details open {
                    summary { code { (one.claim) } @if one.is_undecided { " is undecided: its times so far speak against it" } }
                    ul { @for line in why(one) { li { (line) } } }
                    (table(one))
                    (of_claim(place, one, graphs.as_ref()))
                }
            }
        }
    }
}

/// The metrics that differ between both sides.
fn table(why: &Why) -> Markup {
    let rows = rows(why);
    if rows.is_empty() {
        return html! {};
    }
    html! {
        div.scroll tabindex="0" role="region" aria-label="Metrics of a call" {
            table {
                thead { tr { @for head in HEADS { th scope="col" { (head) } } } }
                tbody {
                    @for [name, slow, other, ratio, certainty] in rows {
                        tr { th scope="row" { (name) } td.n { (slow) } td.n { (other) } td.n { (ratio) } td { (certainty) } }
                    }
                }
            }
        }
    }
}

/// The graphs of a claim; without them the reason, where it has causes.
fn of_claim(place: usize, why: &Why, graphs: Option<&WhyGraphs>) -> Markup {
    let has_causes = !why.causes.is_empty() || !why.extras.is_empty();
    let Some(graphs) = graphs.filter(|_| has_causes) else { return html! {} };
    let Some(found) = graphs.of(why) else {
        return html! {
            p.note { "No graphs: a run keeps those of the first claims, at most " (WhyGraphs::MOST_GRAPHS) " graphs in all." }
        };
    };
    html! {
        @for (number, pair) in found.pairs.iter().enumerate() { (sides(&format!("w{place}p{number}"), pair)) }
    }
}

/// The slow side and the quick side of a cause, with one scale of colours.
fn sides(id: &str, pair: &GraphPair) -> Markup {
    let sides = [Some(("s", &pair.slow)), pair.quick.as_ref().map(|quick| ("q", quick))];
    let sides: Vec<(&str, &MethodGraph, Counted)> =
        sides.into_iter().flatten().map(|(name, graph)| (name, graph, counted(graph))).collect();
    let largest = sides.iter().map(|(_, _, method)| largest(method)).fold(0.0, f64::max);
    html! {
        div.sides {
            @for (name, graph, method) in &sides {
                @let id = format!("{id}{name}");
                section.method.(name) id=(id) data-calls=(graph.roots) {
                    h3 { (if *name == "s" { "Slow: " } else { "Quick: " }) code { (method.name) } }
                    p.quiet { (within(graph)) }
                    @if method.blocks.is_empty() {
                        p.note { "Not drawn: it has " (graph.size) " blocks, and at most " (WhyGraphs::MOST_BLOCKS) " are drawn. "
                            code { "spl cfg --as svg" } " draws it, without counts." }
                    } @else {
                        (figure(&id, method, largest))
                        details { summary { "Table of the blocks" } (blocks(&id, method)) }
                    }
                }
            }
        }
    }
}

/// A sentence about the calls that the figures belong to.
fn within(graph: &MethodGraph) -> String {
    let times = match &*digits(graph.calls as f64 / graph.roots) {
        "1" => "once".to_owned(),
        times => format!("{times} times"),
    };
    let root = one_line(&graph.root);
    let callers = if graph.is_apart { "" } else { "; averages over all callers" };
    if graph.method == graph.root {
        format!("Figures are of one call{callers}.")
    } else {
        format!("Called {times} in a call of {root}. Figures are of a call of {root}{callers}.")
    }
}

/// The graph, to be drawn.
fn counted(graph: &MethodGraph) -> Counted {
    let block = |one: &spl_records::GraphBlock| Block {
        text: one.text.clone(),
        title: one.title.clone(),
        classes: if one.is_dead { "dead" } else { "" }.to_owned(),
        is_double: !one.calls.is_empty(),
        is_exit: one.is_exit,
        ..Block::default()
    };
    let counts = |one: &spl_records::GraphBlock| BlockCounts {
        lines: one.lines.clone(),
        bytecodes: one.bytecodes,
        count: one.runs,
        gone: one.gone,
        calls: one.calls.clone(),
    };
    let arrow = |one: &spl_records::GraphEdge| Arrow {
        from: one.from,
        to: one.to,
        is_dashed: one.is_exception,
        title: one.title.clone(),
        ..Arrow::default()
    };
    Counted {
        name: one_line(&graph.method),
        calls: graph.calls,
        unit: Unit::PerCall(graph.roots),
        picture: Picture {
            blocks: graph.blocks.iter().map(block).collect(),
            arrows: graph.edges.iter().map(arrow).collect(),
        },
        blocks: graph.blocks.iter().map(counts).collect(),
        edges: graph.edges.iter().map(|one| one.taken).collect(),
        marked: graph.causes.clone(),
        ..Counted::default()
    }
}
