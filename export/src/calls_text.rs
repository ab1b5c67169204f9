//! The call graph as text: a block for each method with its callers above it and its callees below, as gprof prints it.

use crate::callgraph::{CallGraph, Edge, whole};
use std::fmt::Write;

/// The text; methods with most work come first.
#[must_use]
pub fn calls_text(graph: &CallGraph) -> String {
    let mut order: Vec<usize> = (0..graph.nodes.len()).collect();
    order.sort_by(|one, other| graph.nodes[*other].total.total_cmp(&graph.nodes[*one].total));
    let mut places = vec![0; order.len()];
    order.iter().enumerate().for_each(|(place, at)| places[*at] = place + 1);
    let mut out = format!(
        "{} bytecodes in {} methods. The bytecodes of a call are those with all that it calls, on average over all its callers;\n\
         ~ marks calls that may have reached another implementation, and recursion is part of the call that began it.\n",
        graph.all,
        graph.nodes.len()
    );
    let callers = graph.callers();
    let write = Writer { graph, places: &places };
    for at in order {
        write.block(&mut out, at, &callers[at]);
    }
    out
}

struct Writer<'g> {
    graph: &'g CallGraph,
    /// Place of each method in the text, from 1.
    places: &'g [usize],
}

// A `String` takes everything, so no result of `write!` is looked at below.

impl Writer<'_> {
    fn block(&self, out: &mut String, at: usize, callers: &[(usize, &Edge)]) {
        let node = &self.graph.nodes[at];
        let share = 100.0 * node.total / (self.graph.all.max(1)) as f64;
        let _ = writeln!(
            out,
            "\n[{}] {share:.1}% {}: {} calls, {} bytecodes of its own, {} with callees",
            self.places[at],
            node.name,
            node.calls,
            node.own,
            whole(node.total)
        );
        let mut callers = callers.to_vec();
        callers.sort_by_key(|(_, edge)| std::cmp::Reverse((whole(edge.cost), edge.calls)));
        for (caller, edge) in callers {
            self.call(out, "from", caller, edge);
        }
        if node.outside > 0 {
            let _ = writeln!(out, "    from {:>12} calls by what was not counted", node.outside);
        }
        let mut edges: Vec<&Edge> = node.edges.iter().collect();
        edges.sort_by_key(|edge| std::cmp::Reverse((whole(edge.cost), edge.calls)));
        for edge in edges {
            self.call(out, "to", edge.callee, edge);
        }
        for one in &node.unseen {
            let line = line(one.line);
            let _ = writeln!(out, "    to   {:>12} calls{line} of {}: not counted", one.calls, one.name);
        }
    }

    /// The line of a call by or of another method.
    fn call(&self, out: &mut String, way: &str, other: usize, edge: &Edge) {
        let mark = if edge.is_unsure { "~" } else { "" };
        let cost =
            if edge.is_back { "recursion".to_owned() } else { format!("{} bytecodes", whole(edge.cost)) };
        let _ = writeln!(
            out,
            "    {way:<4} {:>12} calls{}, {cost}: {} [{}]",
            format!("{mark}{}", edge.calls),
            line(edge.line),
            self.graph.nodes[other].name,
            self.places[other]
        );
    }
}

fn line(line: u16) -> String {
    if line > 0 { format!(" in line {line}") } else { String::new() }
}
