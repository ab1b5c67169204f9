//! The file format of speedscope (<https://www.speedscope.app/file-format-schema.json>): the calls as a tree, with bytecodes for time.

use crate::callgraph::{CallGraph, Tree, whole};
use spl_model::{one_line, plain_json};
use std::collections::BTreeMap;

/// Address of the schema, which the file names.
const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";
/// Name of the frames for what the tree leaves out.
const LEFT_OUT: &str = "(left out)";
/// Most methods that a message names.
const NAMED: usize = 3;

/// Most nodes of a tree: what a browser shows without waiting.
const MOST_NODES: usize = 20_000;
/// Most calls from a root to a node.
const DEEPEST: usize = 250;

/// A file of speedscope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Speedscope {
    /// The document.
    pub text: String,
    /// A sentence about the calls that the tree leaves out; `None` if it is complete.
    pub left_out: Option<String>,
}

/// The document. `command` is what was run.
#[must_use]
pub fn speedscope(graph: &CallGraph, command: &str) -> Speedscope {
    with_nodes(graph, command, MOST_NODES)
}

fn with_nodes(graph: &CallGraph, command: &str, most: usize) -> Speedscope {
    let tree = Tree::of(graph, most, DEEPEST);
    let left_out = left_out(graph, &tree);
    let mut writer = Writer { tree: &tree, frames: BTreeMap::new(), order: Vec::new(), events: Vec::new() };
    let mut at = 0.0;
    for root in tree.nodes.first().map_or(&[][..], |top| &top.children) {
        at = writer.node(*root, at);
    }
    if let Some(top) = tree.nodes.first().filter(|top| top.left_out > 0.0) {
        writer.left_out(at, top.left_out);
    }
    // Each end is a rounded sum; the last one is that of all.
    let last = graph.all as f64;
    let events = writer.events.iter().map(|event| {
        format!(
            "{{\"type\":\"{}\",\"frame\":{},\"at\":{}}}",
            event.kind,
            event.frame,
            whole(event.at.min(last))
        )
    });
    let events = events.collect::<Vec<_>>().join(",\n");
    let frames = writer.order.iter().map(|frame| frame_of(graph, *frame));
    let frames = frames.collect::<Vec<_>>().join(",\n");
    let kept = left_out.as_ref().map_or_else(String::new, |said| format!("; {said}"));
    let text = format!(
        "{{\"$schema\":\"{SCHEMA}\",\"exporter\":\"spl {}\",\"name\":{},\"activeProfileIndex\":0,\n\
         \"shared\":{{\"frames\":[\n{frames}\n]}},\n\
         \"profiles\":[{{\"type\":\"evented\",\"name\":{},\"unit\":\"none\",\"startValue\":0,\"endValue\":{},\"events\":[\n\
         {events}\n]}}]}}\n",
        env!("CARGO_PKG_VERSION"),
        json(command),
        json(&format!("bytecodes, calls by averages{kept}")),
        graph.all,
    );
    Speedscope { text, left_out }
}

/// A sentence about the calls that the tree leaves out: their number, their bytecodes, and the methods with most bytecodes.
fn left_out(graph: &CallGraph, tree: &Tree) -> Option<String> {
    if tree.left_out.is_empty() {
        return None;
    }
    let mut methods: Vec<(usize, f64)> = tree.left_out.iter().map(|(at, cost)| (*at, *cost)).collect();
    methods.sort_by(|one, other| other.1.total_cmp(&one.1));
    let all: f64 = methods.iter().map(|(_, cost)| cost).sum();
    let named = methods.iter().take(NAMED).map(|(at, _)| graph.nodes[*at].name.clone());
    let mut named: Vec<String> = named.collect();
    if let Some(more) = methods.len().checked_sub(NAMED).filter(|more| *more > 0) {
        named.push(format!("{more} more"));
    }
    Some(format!(
        "the tree is too large: it leaves out {} of {} bytecodes ({:.2}%), in {} places that call {}",
        whole(all),
        graph.all,
        100.0 * all / graph.all.max(1) as f64,
        tree.places,
        named.join(", ")
    ))
}

/// A frame of the document; `None` is that of what is left out.
fn frame_of(graph: &CallGraph, frame: Option<usize>) -> String {
    let Some(node) = frame.map(|at| &graph.nodes[at]) else {
        return format!("{{\"name\":{}}}", json(LEFT_OUT));
    };
    let file = node.source.as_ref().map_or_else(String::new, |file| format!(",\"file\":{}", json(file)));
    let line = if node.line > 0 { format!(",\"line\":{}", node.line) } else { String::new() };
    format!("{{\"name\":{}{file}{line}}}", json(&node.name))
}

/// A string of JSON.
fn json(text: &str) -> String {
    plain_json(&serde_json::Value::from(one_line(text)).to_string())
}

struct Event {
    kind: char,
    frame: usize,
    at: f64,
}

struct Writer<'t> {
    tree: &'t Tree,
    /// Number of each frame that was written.
    frames: BTreeMap<Option<usize>, usize>,
    order: Vec<Option<usize>>,
    events: Vec<Event>,
}

impl Writer<'_> {
    /// Opens and closes a node of the tree with all below it; gives the place behind it. As deep as the tree, which is bounded.
    fn node(&mut self, number: usize, begin: f64) -> f64 {
        let node = &self.tree.nodes[number];
        let frame = self.frame(node.method);
        self.events.push(Event { kind: 'O', frame, at: begin });
        let mut at = begin + node.own;
        for child in &node.children {
            at = self.node(*child, at);
        }
        if node.left_out > 0.0 {
            at = self.left_out(at, node.left_out);
        }
        self.events.push(Event { kind: 'C', frame, at });
        at
    }

    fn left_out(&mut self, begin: f64, cost: f64) -> f64 {
        let frame = self.frame(None);
        let end = begin + cost;
        self.events.push(Event { kind: 'O', frame, at: begin });
        self.events.push(Event { kind: 'C', frame, at: end });
        end
    }

    fn frame(&mut self, method: Option<usize>) -> usize {
        let next = self.order.len();
        let number = *self.frames.entry(method).or_insert(next);
        if number == next {
            self.order.push(method);
        }
        number
    }
}

#[cfg(test)]
mod tests;
