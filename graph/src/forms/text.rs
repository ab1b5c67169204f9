//! A line for the method, one for each block, one for each handler.

use super::names::{called, caught, made, method_name, ranges};
use crate::block::{Block, Exit};
use crate::edge::{Edge, EdgeKind};
use crate::graph::Graph;
use std::fmt::Write;

/// The graph for people:
///
/// ```text
/// Foo.foo()V  30 bytes, 6 blocks, 7 edges, 1 loop
/// block 3  14..22  5 bytecodes  line 4  calls Foo.a()V, Foo.b(I)V  -> 4   loop 0  can throw
/// ```
///
/// A block's numbers are the offsets of its first and its last instruction. Edges are named by the block that
/// they lead to, edges of exceptions after `catch`.
#[must_use]
pub fn text(graph: &Graph<'_>) -> String {
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let mut out = format!(
        "{}  {} bytes, {}, {}, {}\n",
        method_name(graph),
        graph.code_bytes,
        counted(graph.blocks.len(), "block"),
        counted(graph.edges.len(), "edge"),
        counted(graph.loops.len(), "loop"),
    );
    for (number, block) in graph.blocks.iter().enumerate() {
        let parts = [
            format!(
                "block {number}  {}..{}  {}",
                block.first,
                block.last,
                counted(block.metrics.bytecodes as usize, "bytecode")
            ),
            lines(block),
            list("calls ", block.calls.iter().map(called)),
            list("makes ", block.allocations.iter().map(made)),
            list("-> ", graph.edges_of(number).iter().filter_map(way)),
            list("catch -> ", graph.edges_of(number).iter().filter_map(|edge| exception(graph, edge))),
        ];
        let said: Vec<_> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let marks = marks(graph, number, block);
        let gap = if marks.is_empty() { "" } else { "   " };
        // A `String` takes everything.
        let _ = writeln!(out, "{}{gap}{}", said.join("  "), marks.join("  "));
    }
    for (place, handler) in (0..=u16::MAX).zip(&graph.handlers) {
        let (start, end, target) = (handler.start, handler.end, handler.target);
        let _ = writeln!(out, "handler {place}  {start}..<{end}  -> {target}  {}", caught(graph, place));
    }
    out
}

fn lines(block: &Block<'_>) -> String {
    match &block.lines[..] {
        [] => String::new(),
        [line] => format!("line {line}"),
        lines => format!("lines {}", ranges(lines)),
    }
}

fn list(before: &str, items: impl Iterator<Item = String>) -> String {
    let items: Vec<_> = items.collect();
    if items.is_empty() { String::new() } else { format!("{before}{}", items.join(", ")) }
}

fn way(edge: &Edge) -> Option<String> {
    let to = edge.to;
    match &edge.kind {
        EdgeKind::FallThrough => Some(to.to_string()),
        EdgeKind::Taken => Some(format!("{to} taken")),
        EdgeKind::Switch { cases, is_default } => {
            let cases = cases.iter().map(i32::to_string).chain(is_default.then(|| "default".to_owned()));
            Some(format!("{to} on {}", cases.collect::<Vec<_>>().join(" ")))
        }
        EdgeKind::Exception { .. } => None,
    }
}

fn exception(graph: &Graph<'_>, edge: &Edge) -> Option<String> {
    let EdgeKind::Exception { handlers } = &edge.kind else { return None };
    let mut classes: Vec<_> = handlers.iter().map(|place| caught(graph, *place)).collect();
    classes.dedup();
    Some(format!("{} on {}", edge.to, classes.join(" ")))
}

fn marks(graph: &Graph<'_>, number: usize, block: &Block<'_>) -> Vec<String> {
    let mut marks = Vec::new();
    if let Some((place, one)) = block.in_loop.and_then(|place| Some((place, graph.loops.get(place)?))) {
        let head = if one.head == number { "head of loop" } else { "loop" };
        let depth = if one.depth > 1 { format!(" depth {}", one.depth) } else { String::new() };
        let entries = if one.is_reducible { "" } else { " with several entries" };
        let kind = if one.by_exception { " by exception" } else { "" };
        marks.push(format!("{head} {place}{depth}{entries}{kind}"));
    }
    match block.exit {
        Some(Exit::Return) => marks.push("returns".to_owned()),
        Some(Exit::Throw) => marks.push("throws".to_owned()),
        None => {}
    }
    if block.throws.is_some() && block.exit != Some(Exit::Throw) {
        marks.push("can throw".to_owned());
    }
    if block.is_dead {
        marks.push("dead".to_owned());
    }
    marks
}
