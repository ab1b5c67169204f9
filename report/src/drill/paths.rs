//! Paths of a method on the page: a table, through which a script steps and lights each path in the graph.

use crate::figure::count;
use crate::graph::{Counted, CountedPath};
use maud::{Markup, html};

pub(crate) const SCRIPT: &str = include_str!("paths.js");
pub(crate) const SCRIPT_HASH: &str = "'sha256-EdwxuuSujVLx9wYJlr9HnESahD8C4wZp1jwNKnznKc4='";
/// Most paths of a method on the page; `paths.csv` has more.
pub const MOST_PATHS: usize = 100;

/// The most frequent paths of a method; nothing if paths were not counted.
pub(super) fn paths(method: &Counted) -> Markup {
    let Some(all) = &method.paths else { return html! {} };
    html! {
        details.paths open {
            summary { "Paths (" (count(all.ran as u64)) " ran)" }
            p.steps hidden {
                button type="button" data-step="back" { "Previous path" } " "
                button type="button" data-step="next" { "Next path" } " "
                button type="button" data-step="all" { "All paths" }
            }
            p.step role="status" {}
            @if all.left > 0 {
                p.quiet { (count(all.left)) " did not end: an exception left them, or they had not ended with the JVM." }
            }
            div.scroll tabindex="0" role="region" aria-label={ "Paths of " (method.name) } {
                table {
                    thead { tr { th.n { "Times" } th.n { "Share" } th { "Begins" } th { "Blocks" } th { "Ends" } th.n { "Bytecodes" } } }
                    tbody { @for path in &all.first { (line(path, all.ended)) } }
                }
            }
            @if all.ran > all.first.len() {
                p.quiet { (count((all.ran - all.first.len()) as u64)) " more are rarer: " code { "paths.csv" } " has them." }
            }
        }
    }
}

fn line(path: &CountedPath, ended: u64) -> Markup {
    let text = |all: &[usize]| all.iter().map(usize::to_string).collect::<Vec<_>>().join(" ");
    let tenths = u128::from(path.count) * 1000 / u128::from(ended.max(1));
    html! {
        tr data-b=(text(&path.blocks)) data-e=(text(&path.edges)) {
            td.n { (count(path.count)) }
            td.n { (format!("{}.{}%", tenths / 10, tenths % 10)) }
            td { (path.begin) }
            td.wide { (text(&path.blocks)) }
            td { (path.end) }
            td.n { (path.bytecodes) }
        }
    }
}
