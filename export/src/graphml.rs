//! The call graph as GraphML (<http://graphml.graphdrawing.org>), for tools that lay out and query graphs.

use crate::callgraph::{CallGraph, whole};
use spl_graph::forms::attribute;
use std::fmt::Write;

const START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n";
/// Name, type and owner of each value.
const KEYS: [(&str, &str, &str); 13] = [
    ("name", "string", "node"),
    ("source", "string", "node"),
    ("first_line", "int", "node"),
    ("calls", "long", "node"),
    ("calls_from_outside", "long", "node"),
    ("bytecodes", "long", "node"),
    ("bytecodes_with_callees", "long", "node"),
    ("calls_of_uncounted", "long", "node"),
    ("line", "int", "edge"),
    ("instruction", "string", "edge"),
    ("made", "long", "edge"),
    ("is_unsure", "boolean", "edge"),
    ("is_recursion", "boolean", "edge"),
];

/// The document: a node for each method that ran, and an edge for its calls of another one in a line.
#[must_use]
pub fn graphml(graph: &CallGraph) -> String {
    let mut out = START.to_owned();
    // A `String` takes everything.
    for (name, kind, owner) in KEYS {
        let _ = writeln!(out, r#"  <key id="{name}" for="{owner}" attr.name="{name}" attr.type="{kind}"/>"#);
    }
    out.push_str("  <graph id=\"calls\" edgedefault=\"directed\">\n");
    for (number, node) in graph.nodes.iter().enumerate() {
        let _ = writeln!(out, "    <node id=\"n{number}\">");
        text(&mut out, "name", &node.name);
        if let Some(source) = &node.source {
            text(&mut out, "source", source);
        }
        if node.line > 0 {
            data(&mut out, "first_line", u64::from(node.line));
        }
        let uncounted = node.unseen.iter().fold(0, |sum: u64, one| sum.saturating_add(one.calls));
        data(&mut out, "calls", node.calls);
        data(&mut out, "calls_from_outside", node.outside);
        data(&mut out, "bytecodes", node.own);
        data(&mut out, "bytecodes_with_callees", whole(node.total));
        data(&mut out, "calls_of_uncounted", uncounted);
        out.push_str("    </node>\n");
    }
    for (number, node) in graph.nodes.iter().enumerate() {
        for edge in &node.edges {
            let _ = writeln!(out, "    <edge source=\"n{number}\" target=\"n{}\">", edge.callee);
            if edge.line > 0 {
                data(&mut out, "line", u64::from(edge.line));
            }
            text(&mut out, "instruction", edge.kind.instruction());
            data(&mut out, "made", edge.calls);
            text(&mut out, "is_unsure", if edge.is_unsure { "true" } else { "false" });
            text(&mut out, "is_recursion", if edge.is_back { "true" } else { "false" });
            out.push_str("    </edge>\n");
        }
    }
    out.push_str("  </graph>\n</graphml>\n");
    out
}

fn text(out: &mut String, key: &str, value: &str) {
    out.push_str(&format!("      <data key=\"{key}\">{}</data>\n", attribute(value)));
}

/// A number that fits into the type `long`.
fn data(out: &mut String, key: &str, value: u64) {
    text(out, key, &value.min(i64::MAX.unsigned_abs()).to_string());
}
