//! The profile format of Valgrind's callgrind (Valgrind's manual, "Callgrind Format Specification", version 1), for KCachegrind and
//! `callgrind_annotate`.

use crate::callgraph::{CallGraph, Node, whole};
use spl_model::one_line;
use std::collections::HashMap;
use std::fmt::Write;

/// Lines that say the meaning of the figures.
const NOTES: [&str; 4] = [
    "Bytecodes: instructions of bytecode that were run, counted by block; not times",
    "calls of methods by an interface, and of those with several implementations, are shared out by the calls of each implementation",
    "the inclusive cost of a call is the average over all callers of the called method",
    "a call that leads back into a method that is running already (recursion) has the inclusive cost 0",
];
/// The file of code that names none, as callgrind itself writes it.
const NO_FILE: &str = "???";

/// The document. `command` is what was run.
#[must_use]
pub fn callgrind(graph: &CallGraph, command: &str) -> String {
    let mut out = format!(
        "# callgrind format\nversion: 1\ncreator: spl {}\ncmd: {}\n",
        env!("CARGO_PKG_VERSION"),
        one_line(command)
    );
    for note in NOTES {
        out.push_str(&format!("desc: Note: {note}\n"));
    }
    out.push_str(&format!("positions: line\nevents: Bytecodes\nsummary: {}\n", graph.all));
    let (mut files, mut names) = (Names::default(), Names::default());
    for node in &graph.nodes {
        write_method(&mut out, graph, node, &mut files, &mut names);
    }
    out.push_str(&format!("\ntotals: {}\n", graph.all));
    out
}

// A `String` takes everything, so no result of `write!` is looked at below.

fn write_method<'g>(
    out: &mut String,
    graph: &'g CallGraph,
    node: &'g Node,
    files: &mut Names<'g>,
    names: &mut Names<'g>,
) {
    let _ = writeln!(out, "\nfl={}\nfn={}", files.short(file(node)), names.short(&node.name));
    for (line, cost) in &node.lines {
        let _ = writeln!(out, "{line} {cost}");
    }
    for edge in &node.edges {
        let Some(callee) = graph.nodes.get(edge.callee) else { continue };
        let _ = writeln!(
            out,
            "cfl={}\ncfn={}\ncalls={} {}\n{} {}",
            files.short(file(callee)),
            names.short(&callee.name),
            edge.calls,
            callee.line,
            edge.line,
            whole(edge.cost),
        );
    }
}

fn file(node: &Node) -> &str {
    node.source.as_deref().unwrap_or(NO_FILE)
}

/// Numbers of names that were written before.
#[derive(Default)]
struct Names<'g>(HashMap<&'g str, usize>);

impl<'g> Names<'g> {
    /// A name at its first place with a number, and then the number alone.
    fn short(&mut self, name: &'g str) -> String {
        let next = self.0.len() + 1;
        match self.0.get(name) {
            Some(number) => format!("({number})"),
            None => {
                self.0.insert(name, next);
                format!("({next}) {name}")
            }
        }
    }
}
