//! The call graph as icicles: each call hangs below its caller and is as wide as the instructions that it runs.

use crate::callgraph::{CallGraph, Tree, whole};

/// A tree of calls, to be drawn.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Icicles {
    /// Instructions of all methods.
    pub all: u64,
    /// Calls by place: a caller before its callees, the widest of these first.
    pub calls: Vec<Icicle>,
    /// Instructions of calls that have no place in it.
    pub left_out: u64,
}

/// The calls of a method on one way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Icicle {
    /// The method.
    pub method: String,
    /// Number of calls above it.
    pub depth: usize,
    /// Its left end, instructions from the left end of the tree on.
    pub begin: f64,
    /// Number of calls, by averages.
    pub calls: f64,
    /// Instructions of its own.
    pub own: f64,
    /// Instructions with all that it calls.
    pub total: f64,
}

/// The icicles of a call graph: at most this number of calls, those with most work, and at most this deep.
#[must_use]
pub fn icicles(graph: &CallGraph, most: usize, deepest: usize) -> Icicles {
    let tree = Tree::of(graph, most, deepest);
    let mut totals: Vec<f64> = tree.nodes.iter().map(|node| node.own + node.left_out).collect();
    // A node has a greater number than its parent.
    for (number, node) in tree.nodes.iter().enumerate().rev() {
        totals[number] += node.children.iter().map(|child| totals[*child]).sum::<f64>();
    }
    let mut found = Icicles { all: graph.all, ..Icicles::default() };
    found.left_out = whole(tree.left_out.values().sum());
    let mut next = vec![(0, 0.0)];
    while let Some((number, begin)) = next.pop() {
        let node = &tree.nodes[number];
        if let Some(method) = node.method.map(|at| &graph.nodes[at]) {
            found.calls.push(Icicle {
                method: method.name.clone(),
                depth: node.depth - 1,
                begin,
                calls: node.part * method.entered,
                own: node.own,
                total: totals[number],
            });
        }
        let mut at = begin;
        let mut below = Vec::new();
        for child in &node.children {
            below.push((*child, at));
            at += totals[*child];
        }
        next.extend(below.into_iter().rev());
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::call_graph;

    fn rows(found: &Icicles) -> Vec<(&str, usize, f64, f64, f64, f64)> {
        let row = |one: &'_ Icicle| (one.depth, one.begin, one.calls, one.own, one.total);
        found
            .calls
            .iter()
            .map(|one| {
                let (depth, begin, calls, own, total) = row(one);
                (&*one.method, depth, begin, calls, own, total)
            })
            .collect()
    }

    #[test]
    fn calls_hang_below_their_callers_by_width() {
        // `main` calls `a` once and `c` 3 times, `a` calls `c` once; another call of `c` comes from outside.
        let methods = [("main", 1, 10), ("a", 1, 20), ("c", 5, 500)];
        let graph = call_graph(&methods, &[(0, 1, 1), (0, 2, 3), (1, 2, 1)]);
        let found = icicles(&graph, 100, 10);
        let expected = [
            ("main", 0, 0.0, 1.0, 10.0, 430.0),
            ("c", 1, 0.0, 3.0, 300.0, 300.0),
            ("a", 1, 300.0, 1.0, 20.0, 120.0),
            ("c", 2, 300.0, 1.0, 100.0, 100.0),
            ("c", 0, 430.0, 1.0, 100.0, 100.0),
        ];
        assert_eq!((rows(&found), found.all, found.left_out), (expected.to_vec(), 530, 0));
    }

    #[test]
    fn what_is_left_out_keeps_its_width() {
        let names: Vec<String> = (0..1000).map(|at| format!("m{at}")).collect();
        let methods: Vec<_> = names.iter().map(|name| (&**name, 1, 1)).collect();
        let calls: Vec<_> = (1..methods.len()).map(|at| (at - 1, at, 1)).collect();
        let graph = call_graph(&methods, &calls);
        let found = icicles(&graph, 100, 10);
        assert_eq!((found.calls.len(), found.left_out), (10, 990));
        assert_eq!(found.calls.iter().map(|one| one.total).collect::<Vec<_>>()[..2], [1000.0, 999.0]);
        let found = icicles(&graph, 4, 10);
        assert_eq!((found.calls.len(), found.left_out), (4, 996));
        assert_eq!(icicles(&CallGraph::default(), 4, 10), Icicles::default());
    }
}
