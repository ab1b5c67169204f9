//! The call graph in Graphviz's language, to be drawn by `dot`.

use crate::callgraph::{CallGraph, whole};
use spl_graph::forms::quoted;
use std::fmt::Write;

/// The graph: a box for each method that ran, an edge for its calls of another one in a line. Edges are dashed where the calls may have
/// reached others instead, and grey where they are recursion.
#[must_use]
pub fn calls_dot(graph: &CallGraph) -> String {
    let mut out = "digraph calls {\n  node [shape=box];\n".to_owned();
    // A `String` takes everything.
    for (number, node) in graph.nodes.iter().enumerate() {
        let label = format!(
            "{}\ncalls {}\nbytecodes {}\nwith callees {}",
            node.name,
            node.calls,
            node.own,
            whole(node.total)
        );
        let _ = writeln!(out, "  {number} [label={}];", quoted(&label));
    }
    for (number, node) in graph.nodes.iter().enumerate() {
        for edge in &node.edges {
            let line = if edge.line > 0 { format!("line {}\n", edge.line) } else { String::new() };
            let label = quoted(&format!("{line}{}\n{}", edge.kind.instruction(), edge.calls));
            let style = if edge.is_unsure { ", style=dashed" } else { "" };
            let colour = if edge.is_back { ", color=gray" } else { "" };
            let _ = writeln!(out, "  {number} -> {} [label={label}{style}{colour}];", edge.callee);
        }
    }
    out + "}\n"
}
