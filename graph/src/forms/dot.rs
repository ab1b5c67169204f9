//! Graphviz's language, to be drawn by `dot`.

use super::names::{called, caught, method_name, ranges};
use crate::edge::{Edge, EdgeKind};
use crate::graph::Graph;
use std::fmt::Write;

/// Cases of a switch that an edge's label names; more are counted.
const SHOWN_CASES: usize = 8;
/// Calls that a block's label names; more are counted.
const SHOWN_CALLS: usize = 8;

/// The graph in the language of Graphviz: a box for each block, dashed edges for exceptions, dashed boxes for blocks that no path leads
/// to, double borders for blocks that leave the method.
#[must_use]
pub fn dot(graph: &Graph<'_>) -> String {
    let mut out = format!("digraph {} {{\n  node [shape=box];\n", quoted(&method_name(graph)));
    for (number, block) in graph.blocks.iter().enumerate() {
        let mut label = format!("block {number}\n{}..{}", block.first, block.last);
        if !block.lines.is_empty() {
            // A `String` takes everything.
            let _ = write!(label, "\nline {}", ranges(&block.lines));
        }
        for call in block.calls.iter().take(SHOWN_CALLS) {
            let _ = write!(label, "\n{}", called(call));
        }
        if let Some(more) = block.calls.len().checked_sub(SHOWN_CALLS).filter(|more| *more > 0) {
            let _ = write!(label, "\n{more} calls more");
        }
        let dead = if block.is_dead { ", style=dashed" } else { "" };
        let exit = if block.exit.is_some() { ", peripheries=2" } else { "" };
        let _ = writeln!(out, "  {number} [label={}{dead}{exit}];", quoted(&label));
    }
    for edge in &graph.edges {
        let style = if edge.kind.is_exception() { ", style=dashed" } else { "" };
        let _ = writeln!(
            out,
            "  {} -> {} [label={}{style}];",
            edge.from,
            edge.to,
            quoted(&edge_label(graph, edge))
        );
    }
    out + "}\n"
}

/// The label of an edge: cases of a switch, caught classes, `taken`.
#[must_use]
pub fn edge_label(graph: &Graph<'_>, edge: &Edge) -> String {
    match &edge.kind {
        EdgeKind::FallThrough => String::new(),
        EdgeKind::Taken => "taken".to_owned(),
        EdgeKind::Switch { cases, is_default } => {
            let shown = cases.iter().take(SHOWN_CASES).map(i32::to_string);
            let more = cases.len().checked_sub(SHOWN_CASES).filter(|more| *more > 0);
            let more = more.map(|more| format!("and {more} more"));
            let default = is_default.then(|| "default".to_owned());
            shown.chain(more).chain(default).collect::<Vec<_>>().join(" ")
        }
        EdgeKind::Exception { handlers } => {
            let mut classes: Vec<_> = handlers.iter().map(|place| caught(graph, *place)).collect();
            classes.dedup();
            classes.join(" ")
        }
    }
}

/// A string of the language: only quotes need a backslash, and a backslash is one for labels.
///
/// ```
/// assert_eq!(spl_graph::forms::quoted("a\"b\\\nc"), r#""a\"b\\\nc""#);
/// ```
#[must_use]
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n"))
}
