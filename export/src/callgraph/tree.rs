//! The call graph as a tree from the methods that are called from outside, by averages. Places with most work go first, until there
//! are enough; what is left out keeps its sum.

use super::graph::CallGraph;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BinaryHeap};

/// A tree of calls. The first node stands for the outside.
#[derive(Debug)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Branch>,
    /// Methods that are called where the tree ends, with the instructions of these calls.
    pub(crate) left_out: BTreeMap<usize, f64>,
    /// Number of those places.
    pub(crate) places: usize,
}

/// The calls of a method on one way.
#[derive(Debug)]
pub(crate) struct Branch {
    /// `None` is the outside.
    pub(crate) method: Option<usize>,
    /// Instructions of its own.
    pub(crate) own: f64,
    /// Numbers of the nodes below it, those with most instructions first.
    pub(crate) children: Vec<usize>,
    /// Instructions of what it calls and the tree leaves out.
    pub(crate) left_out: f64,
    /// The part of the method's calls that these are.
    pub(crate) part: f64,
    pub(crate) depth: usize,
    /// Number of callees that have a node.
    done: usize,
}

/// The next callee of a node, by its instructions.
struct Next {
    cost: f64,
    node: usize,
}

impl Ord for Next {
    /// Of two with the same cost the earlier node goes first.
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then_with(|| other.node.cmp(&self.node))
    }
}

impl PartialOrd for Next {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Next {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Next {}

impl Tree {
    /// A tree of at most this number of nodes, and of calls from a root to a node.
    pub(crate) fn of(graph: &CallGraph, most: usize, deepest: usize) -> Self {
        let callees = Callees::of(graph);
        let top = Branch::new(None, 0.0, 1.0, 0);
        let mut tree = Self { nodes: vec![top], left_out: BTreeMap::new(), places: 0 };
        let mut next: BinaryHeap<Next> = callees.next(&tree.nodes, 0).into_iter().collect();
        while tree.nodes.len() <= most {
            let Some(Next { node, .. }) = next.pop() else { break };
            let number = tree.nodes.len();
            let parent = &mut tree.nodes[node];
            let (method, calls) = callees.of_node(parent.method)[parent.done];
            let part = parent.part * calls / graph.nodes[method].entered;
            let depth = parent.depth + 1;
            parent.done += 1;
            parent.children.push(number);
            tree.nodes.push(Branch::new(Some(method), part * graph.nodes[method].own as f64, part, depth));
            next.extend(callees.next(&tree.nodes, node));
            if depth < deepest {
                next.extend(callees.next(&tree.nodes, number));
            }
        }
        tree.leave_out(&callees);
        tree
    }

    /// Adds up what has no node.
    fn leave_out(&mut self, callees: &Callees<'_>) {
        for node in &mut self.nodes {
            for (method, calls) in &callees.of_node(node.method)[node.done..] {
                let cost = node.part * callees.cost(*method, *calls);
                node.left_out += cost;
                *self.left_out.entry(*method).or_default() += cost;
                self.places += 1;
            }
        }
    }
}

impl Branch {
    fn new(method: Option<usize>, own: f64, part: f64, depth: usize) -> Self {
        Self { method, own, children: Vec::new(), left_out: 0.0, part, depth, done: 0 }
    }
}

/// The callees of each method with the number of calls; callees with most instructions come first.
struct Callees<'g> {
    graph: &'g CallGraph,
    of: Vec<Vec<(usize, f64)>>,
    roots: Vec<(usize, f64)>,
}

impl<'g> Callees<'g> {
    fn of(graph: &'g CallGraph) -> Self {
        let mut callees = Self { graph, of: Vec::new(), roots: Vec::new() };
        for node in &graph.nodes {
            let mut calls: BTreeMap<usize, f64> = BTreeMap::new();
            for edge in node.edges.iter().filter(|edge| !edge.is_back) {
                *calls.entry(edge.callee).or_default() += edge.calls as f64;
            }
            callees.of.push(callees.sorted(calls.into_iter().collect()));
        }
        let outside = graph.nodes.iter().enumerate().filter(|(_, node)| node.outside > 0);
        callees.roots = callees.sorted(outside.map(|(at, node)| (at, node.outside as f64)).collect());
        callees
    }

    fn sorted(&self, mut calls: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
        calls.sort_by(|one, other| self.cost(other.0, other.1).total_cmp(&self.cost(one.0, one.1)));
        calls
    }

    fn of_node(&self, method: Option<usize>) -> &[(usize, f64)] {
        method.map_or(&self.roots, |at| &self.of[at])
    }

    /// Instructions of these calls of a method.
    fn cost(&self, method: usize, calls: f64) -> f64 {
        let node = &self.graph.nodes[method];
        calls / node.entered * node.total
    }

    /// The next callee of a node that has none in the tree.
    fn next(&self, nodes: &[Branch], node: usize) -> Option<Next> {
        let of = &nodes[node];
        let (method, calls) = self.of_node(of.method).get(of.done)?;
        Some(Next { cost: of.part * self.cost(*method, *calls), node })
    }
}
