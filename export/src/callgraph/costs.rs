//! The cost of calls with all that they call.
//!
//! A method's counts are known for all its calls together, so its cost is spread evenly over them, as gprof does (Graham, Kessler,
//! McKusick 1982). Recursion is folded: a call that leads back to a method on the way to it costs nothing, and what it runs belongs to
//! the call by which the recursion was entered. So the costs of all calls from outside make all instructions that were run.

use super::graph::{CallGraph, Edge};

/// Finds which calls lead back, and the costs of all.
pub(super) fn add_up(graph: &mut CallGraph) {
    let mut incoming = vec![0_u64; graph.nodes.len()];
    for edge in graph.nodes.iter().flat_map(|node| &node.edges) {
        incoming[edge.callee] = incoming[edge.callee].saturating_add(edge.calls);
    }
    for (node, incoming) in graph.nodes.iter_mut().zip(&incoming) {
        node.outside = node.calls.saturating_sub(*incoming);
    }
    let order = fold(graph, &incoming);
    for node in &mut graph.nodes {
        node.entered = node.outside as f64;
    }
    for at in 0..graph.nodes.len() {
        let ahead: Vec<(usize, u64)> = ahead(&graph.nodes[at].edges).collect();
        ahead.into_iter().for_each(|(callee, calls)| graph.nodes[callee].entered += calls as f64);
    }
    // Counts that are not exact may leave a method without a call that enters it.
    for node in graph.nodes.iter_mut().filter(|node| node.entered < 1.0) {
        node.outside = node.calls.max(1);
        node.entered = node.outside as f64;
    }
    for at in order {
        let mut edges = std::mem::take(&mut graph.nodes[at].edges);
        for edge in edges.iter_mut().filter(|edge| !edge.is_back) {
            let callee = &graph.nodes[edge.callee];
            edge.cost = edge.calls as f64 / callee.entered * callee.total;
        }
        let node = &mut graph.nodes[at];
        node.total = node.own as f64 + edges.iter().map(|edge| edge.cost).sum::<f64>();
        node.edges = edges;
    }
}

/// The called methods and the number of calls, without recursion.
fn ahead(edges: &[Edge]) -> impl Iterator<Item = (usize, u64)> {
    edges.iter().filter(|edge| !edge.is_back).map(|edge| (edge.callee, edge.calls))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    New,
    On,
    Done,
}

/// Marks the calls that lead back. Gives the methods in an order in which callees come before their callers.
fn fold(graph: &mut CallGraph, incoming: &[u64]) -> Vec<usize> {
    let mut starts: Vec<usize> = (0..graph.nodes.len()).collect();
    let rank = |at: &usize| (incoming[*at] > 0, u64::MAX - graph.nodes[*at].outside);
    // Methods that are only called from outside come first, then the others by their calls from outside.
    starts.sort_by_key(rank);
    let (mut ways, mut order) = (vec![Way::New; graph.nodes.len()], Vec::new());
    for start in starts {
        if ways[start] != Way::New {
            continue;
        }
        ways[start] = Way::On;
        // Each method on the way, with the number of its next call.
        let mut path = vec![(start, 0)];
        while let Some((at, next)) = path.last_mut() {
            let (at, here) = (*at, *next);
            *next += 1;
            let Some(edge) = graph.nodes[at].edges.get_mut(here) else {
                ways[at] = Way::Done;
                order.push(at);
                path.pop();
                continue;
            };
            let callee = edge.callee;
            match ways[callee] {
                Way::On => edge.is_back = true,
                Way::New => {
                    ways[callee] = Way::On;
                    path.push((callee, 0));
                }
                Way::Done => {}
            }
        }
    }
    order
}
