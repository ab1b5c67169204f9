//! A graph on a page, the key to its signs, and the table that says the same.

use super::facts::{Counted, Unit};
use super::heat::{figures, picture, runs};
use maud::{Markup, PreEscaped, html};
use spl_draw::svg::{Choices, element};

/// The drawing with its tools, which the script shows. `id` is that of the section around it, `largest` the end of its scale.
pub(crate) fn figure(id: &str, method: &Counted, largest: f64) -> Markup {
    let drawn = element(
        &picture(method, id, largest),
        Choices { has_both: true, ..Choices::default() },
        &format!("{id}g"),
        &format!("Control flow of {}", method.name),
    );
    html! {
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
    }
}

/// The table of the blocks, which says all that the graph shows.
pub(crate) fn blocks(id: &str, method: &Counted) -> Markup {
    let unit = method.unit;
    let ways = |from: usize| {
        let edges =
            method.picture.arrows.iter().zip(&method.edges).filter(move |(arrow, _)| arrow.from == from);
        let way = move |(arrow, of): (&spl_draw::Arrow, &Option<u64>)| match of {
            None => format!("{} (exception)", arrow.to),
            Some(of) if unit == Unit::Flags => {
                format!("{} ({})", arrow.to, if *of > 0 { "taken" } else { "never" })
            }
            Some(of) => format!("{} ({})", arrow.to, figures(*of, unit)),
        };
        edges.map(way).collect::<Vec<_>>()
    };
    let is_word = |of: u64| unit == Unit::Flags || of == 0;
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Blocks of " (method.name) } {
            table {
                thead { tr { th { "Block" } th { "Lines" } th.n { "Bytecodes" } th.n { "Runs" } th.n { "Gone" } th { "Leads to" } th { "Calls" } } }
                tbody {
                    @for (number, block) in method.blocks.iter().enumerate() {
                        tr id={ (id) "r" (number) } {
                            th scope="row" {
                                a href={ "#" (id) "b" (number) } { (number) }
                                @if method.marked.contains(&number) { " (cause)" }
                            }
                            td { (block.lines) }
                            td.n {
                                @if method.code.has(number) { a href={ "#" (id) "c" (number) } { (block.bytecodes) } } @else { (block.bytecodes) }
                            }
                            td.n { (if is_word(block.count) { runs(block.count, unit) } else { figures(block.count, unit) }) }
                            td.n { @if let Some(gone) = block.gone { (figures(gone, unit)) } }
                            td { @for (place, way) in ways(number).into_iter().enumerate() { @if place > 0 { ", " } span.way { (way) } } }
                            td.wide { (block.calls.join(", ")) }
                        }
                    }
                }
            }
        }
    }
}

/// The hatch of blocks that never ran, which a page with graphs has once, where it is always shown.
pub(crate) fn hatch() -> Markup {
    html! {
        svg.defs aria-hidden="true" width="0" height="0" { defs {
            pattern id="never" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)" {
                rect.plain width="7" height="7" {}
                path.hatch d="M0 0V7" {}
            }
        } }
    }
}

/// The key to colours and lines. `scale` says what the colours are of.
pub(crate) fn key(scale: &str) -> Markup {
    html! {
        p { "Each box is a block. Its colour is the logarithm of its count, in seven steps up to " (scale) ":" }
        ul.scale {
            li.k0 { "never run, hatched" }
            @for step in 1..=7 { li class={ "k" (step) } { (step) } }
        }
        p.quiet { "A double border marks calls, round corners a return, a dashed line an exception, which has no count of its own. "
            "The thickness of a line is the logarithm of its count. Lines to the same block may join. "
            span.keys hidden { "Keys in a graph: arrows move it, + and - zoom, 0 resets, f turns it, s makes lines straight. Enter on a block "
                "shows its figures, arrows lead to the next block. Zoom by wheel after a click into the graph, or with Ctrl." } }
    }
}
