//! A table of blocks.

use super::names::{method_name, ranges};
use crate::graph::Graph;
use crate::metrics::EXTRA_NAMES;
use std::fmt::Write;

/// The line of column heads. `m1` to `m19` are the metrics of JBInsTrace in their order ([`NAMES`](crate::NAMES)).
#[must_use]
pub fn csv_head() -> String {
    let numbered = (1..=19).map(|number| format!("m{number}")).collect::<Vec<_>>().join(",");
    format!("method,block,first,last,lines,dead,throws_at,exit,depth,{numbered},{}\n", EXTRA_NAMES.join(","))
}

/// A line for each block: its method, its number, the offsets of its first and last instruction, its source lines, whether no path leads
/// to it (0 or 1), the offset of its first instruction that can throw or nothing, `return` or `throw` or nothing, how many loops it
/// lies in, and what is counted of it.
#[must_use]
pub fn csv(graph: &Graph<'_>) -> String {
    let method = field(&method_name(graph));
    let mut out = String::new();
    for (number, block) in graph.blocks.iter().enumerate() {
        let depth = block.in_loop.and_then(|place| graph.loops.get(place)).map_or(0, |one| one.depth);
        let throws = block.throws.map_or_else(String::new, |at| at.to_string());
        let exit = block.exit.map_or("", |exit| exit.name());
        // A `String` takes everything.
        let _ = write!(
            out,
            "{method},{number},{},{},{},{},{throws},{exit},{depth}",
            block.first,
            block.last,
            ranges(&block.lines),
            u8::from(block.is_dead),
        );
        for count in block.metrics.vector().into_iter().chain(block.metrics.extra()) {
            let _ = write!(out, ",{count}");
        }
        out.push('\n');
    }
    out
}

/// A field of a table (RFC 4180): in quotes where it has what separates fields.
#[must_use]
pub fn field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}
