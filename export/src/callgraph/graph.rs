//! The call graph of a drill.

use spl_graph::CallKind;
use std::collections::BTreeMap;

/// The methods that ran, with their calls.
#[derive(Clone, Debug, Default)]
pub struct CallGraph {
    /// By name.
    pub(crate) nodes: Vec<Node>,
    /// Instructions of bytecode that all of them ran.
    pub(crate) all: u64,
}

/// A method that ran.
#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    /// As in a task file, on one line.
    pub(crate) name: String,
    /// Path of its source file; `None` where the class file does not name it.
    pub(crate) source: Option<String>,
    /// Source line of its first instruction; 0 where the class file has none.
    pub(crate) line: u16,
    pub(crate) calls: u64,
    /// Calls that no counted method is known to have made.
    pub(crate) outside: u64,
    /// Instructions of its own code that were run, at most.
    pub(crate) own: u64,
    /// These instructions by source line; line 0 where the class file has none.
    pub(crate) lines: BTreeMap<u16, u64>,
    /// Its calls of counted methods, by line.
    pub(crate) edges: Vec<Edge>,
    /// Its calls of others.
    pub(crate) unseen: Vec<Unseen>,
    /// Instructions of all its calls, with what they call.
    pub(crate) total: f64,
    /// Number of its calls, without recursion: `total` is spread over these.
    pub(crate) entered: f64,
}

/// The calls of a counted method in a line of another one.
#[derive(Clone, Debug)]
pub(crate) struct Edge {
    /// Number of the called method.
    pub(crate) callee: usize,
    /// 0 where the class file has none.
    pub(crate) line: u16,
    pub(crate) kind: CallKind,
    pub(crate) calls: u64,
    /// Whether these calls may have reached others instead.
    pub(crate) is_unsure: bool,
    /// Whether they lead back to a method that is on its way to them: recursion.
    pub(crate) is_back: bool,
    /// Instructions of these calls with all that they call, on average over all callers; 0 for recursion.
    pub(crate) cost: f64,
}

/// Calls of a method that was not counted, or of which it is not known which counted one they reached.
#[derive(Clone, Debug)]
pub(crate) struct Unseen {
    /// As the class file names it, on one line.
    pub(crate) name: String,
    pub(crate) line: u16,
    pub(crate) calls: u64,
}

impl CallGraph {
    /// Number of methods.
    #[must_use]
    pub fn methods(&self) -> usize {
        self.nodes.len()
    }

    /// For each method the calls of it: the number of the caller, and the edge.
    pub(crate) fn callers(&self) -> Vec<Vec<(usize, &Edge)>> {
        let mut callers = vec![Vec::new(); self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            for edge in &node.edges {
                callers[edge.callee].push((number, edge));
            }
        }
        callers
    }
}

/// Instructions as a whole number.
pub(crate) fn whole(instructions: f64) -> u64 {
    // A cast of a float stays within the limits of the integer.
    instructions.round() as u64
}
