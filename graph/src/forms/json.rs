//! The document `docs/schema/cfg-1.json`.

use super::names::method_name;
use crate::block::Block;
use crate::edge::{Edge, EdgeKind};
use crate::graph::Graph;
use crate::metrics::{EXTRA_NAMES, NAMES};
use spl_classfile::mutf8;
use spl_model::plain_json;
use std::fmt::Display;

/// One document for all these graphs, and for methods that have none: each with its name and the reason.
#[must_use]
pub fn json(graphs: &[Graph<'_>], refused: &[(String, String)]) -> String {
    let methods: Vec<_> = graphs.iter().map(json_method).collect();
    json_start().to_owned() + &methods.join(",") + &json_end(refused)
}

/// The beginning of the document, for callers that write it in parts: methods follow, with commas between
/// them.
#[must_use]
pub fn json_start() -> &'static str {
    "{\"schema\":\"spl.cfg/1\",\"methods\":["
}

/// One method of the document.
#[must_use]
pub fn json_method(graph: &Graph<'_>) -> String {
    plain_json(&method(graph))
}

/// The end of the document.
#[must_use]
pub fn json_end(refused: &[(String, String)]) -> String {
    let why = |(name, why): &(String, String)| object(&[("method", string(name)), ("why", string(why))]);
    let refused = array(refused.iter().map(why));
    plain_json(&format!("],\"refused\":{refused}}}\n"))
}

fn method(graph: &Graph<'_>) -> String {
    let handlers = graph.handlers.iter().map(|handler| {
        object(&[
            ("start", handler.start.to_string()),
            ("end", handler.end.to_string()),
            ("target", handler.target.to_string()),
            ("catches", handler.catches.map_or_else(null, name)),
        ])
    });
    let loops = graph.loops.iter().map(|one| {
        object(&[
            ("head", one.head.to_string()),
            ("parent", optional(one.parent)),
            ("depth", one.depth.to_string()),
            ("blocks", one.blocks.to_string()),
            ("reducible", one.is_reducible.to_string()),
            ("by_exception", one.by_exception.to_string()),
        ])
    });
    object(&[
        ("method", string(&method_name(graph))),
        ("code_bytes", graph.code_bytes.to_string()),
        ("blocks", array(graph.blocks.iter().map(block))),
        ("edges", array(graph.edges.iter().map(edge))),
        ("handlers", array(handlers)),
        ("loops", array(loops)),
    ])
}

fn block(block: &Block<'_>) -> String {
    let calls = block.calls.iter().map(|call| {
        object(&[
            ("at", call.at.to_string()),
            ("instruction", string(call.kind.instruction())),
            ("class", if call.target.class.is_empty() { null() } else { name(call.target.class) }),
            ("name", name(call.target.name)),
            ("descriptor", name(call.target.descriptor)),
        ])
    });
    let allocations = block.allocations.iter().map(|made| {
        object(&[
            ("at", made.at.to_string()),
            ("instruction", string(made.instruction())),
            ("class", name(made.class)),
        ])
    });
    let stretches = block.stretches.iter().map(|stretch| {
        object(&[
            ("start", stretch.start.to_string()),
            ("end", stretch.end.to_string()),
            ("handlers", array(stretch.handlers.iter())),
        ])
    });
    let counts = NAMES.iter().copied().zip(block.metrics.vector());
    let counts = counts.chain(EXTRA_NAMES.iter().copied().zip(block.metrics.extra()));
    let metrics: Vec<_> = counts.map(|(name, count)| (name, count.to_string())).collect();
    object(&[
        ("first", block.first.to_string()),
        ("last", block.last.to_string()),
        ("end", block.end.to_string()),
        ("lines", array(block.lines.iter())),
        ("dead", block.is_dead.to_string()),
        ("exit", block.exit.map_or_else(null, |exit| string(exit.name()))),
        ("throws", optional(block.throws)),
        ("dominator", optional(block.dominator)),
        ("loop", optional(block.in_loop)),
        ("calls", array(calls)),
        ("allocations", array(allocations)),
        ("stretches", array(stretches)),
        ("metrics", object(&metrics)),
    ])
}

fn edge(edge: &Edge) -> String {
    let mut fields = vec![
        ("from", edge.from.to_string()),
        ("to", edge.to.to_string()),
        ("kind", string(edge.kind.name())),
    ];
    match &edge.kind {
        EdgeKind::FallThrough | EdgeKind::Taken => {}
        EdgeKind::Switch { cases, is_default } => {
            fields.extend([("cases", array(cases.iter())), ("default", is_default.to_string())]);
        }
        EdgeKind::Exception { handlers } => fields.push(("handlers", array(handlers.iter()))),
    }
    object(&fields)
}

fn object(fields: &[(&str, String)]) -> String {
    let fields = fields.iter().map(|(name, value)| format!("\"{name}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

fn array(items: impl Iterator<Item = impl Display>) -> String {
    format!("[{}]", items.map(|item| item.to_string()).collect::<Vec<_>>().join(","))
}

fn optional(value: Option<impl Display>) -> String {
    value.map_or_else(null, |value| value.to_string())
}

fn null() -> String {
    "null".to_owned()
}

fn name(bytes: &[u8]) -> String {
    string(&mutf8::decode(bytes))
}

/// A string (RFC 8259, section 7).
fn string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            _ if c.is_control() => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            _ => out.push(c),
        }
    }
    out + "\""
}
