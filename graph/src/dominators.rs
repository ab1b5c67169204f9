//! Which block each path to a block passes.

use crate::search::Search;

/// The immediate dominator of each node; `None` for node 0 and for nodes that no path leads to.
///
/// After Lengauer and Tarjan, *A fast algorithm for finding dominators in a flowgraph* (1979), the simple
/// version: it takes O(E log V) for every graph. Iterating over the graph until nothing changes (Cooper,
/// Harvey, Kennedy 2001) is shorter, and quadratic for a long row of conditions with one common target.
pub(crate) fn dominators(search: &Search) -> Vec<Option<usize>> {
    let count = search.nodes.len();
    let mut forest =
        Forest { above: vec![None; count], best: (0..count).collect(), semi: (0..count).collect() };
    let mut waiting = vec![Vec::new(); count];
    let mut found = vec![0; count];
    for number in (1..count).rev() {
        for &from in &search.predecessors[number] {
            let best = forest.best_above(from);
            forest.semi[number] = forest.semi[number].min(forest.semi[best]);
        }
        let parent = search.parents[number];
        waiting[forest.semi[number]].push(number);
        forest.above[number] = Some(parent);
        for waits in std::mem::take(&mut waiting[parent]) {
            let best = forest.best_above(waits);
            found[waits] = if forest.semi[best] < forest.semi[waits] { best } else { parent };
        }
    }
    let mut dominators = vec![None; search.numbers.len()];
    for number in 1..count {
        if found[number] != forest.semi[number] {
            found[number] = found[found[number]];
        }
        dominators[search.nodes[number]] = Some(search.nodes[found[number]]);
    }
    dominators
}

struct Forest {
    /// The next number towards the root of each tree; `None` for roots.
    above: Vec<Option<usize>>,
    /// For each number: the one with the least semidominator on the path to the number that it was last
    /// compressed to.
    best: Vec<usize>,
    semi: Vec<usize>,
}

impl Forest {
    /// The number of the least semidominator on the way from `number` to below its root.
    fn best_above(&mut self, number: usize) -> usize {
        let mut way = Vec::new();
        let mut at = number;
        while let Some(above) = self.above[at] {
            way.push(at);
            at = above;
        }
        // The last one of the way stands right below the root `at`, and stays there.
        let mut upper = way.pop();
        while let (Some(above), Some(one)) = (upper, way.pop()) {
            if self.semi[self.best[above]] < self.semi[self.best[one]] {
                self.best[one] = self.best[above];
            }
            self.above[one] = Some(at);
            upper = Some(one);
        }
        self.best[number]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{graphs, reached};
    use proptest::prelude::*;

    #[test]
    fn both_ways_of_a_condition_meet_under_it() {
        let dominators = |graph: &[Vec<usize>]| dominators(&Search::new(graph));
        assert_eq!(dominators(&[vec![1, 2], vec![3], vec![3], vec![]]), [None, Some(0), Some(0), Some(0)]);
        assert_eq!(dominators(&[vec![1], vec![2], vec![1], vec![2]]), [None, Some(0), Some(1), None]);
    }

    proptest! {
        /// A dominator is a node without which the other cannot be reached; the immediate one is dominated by all others.
        #[test]
        fn what_dominates_is_what_cannot_be_left_out(graph in graphs()) {
            let found = dominators(&Search::new(&graph));
            let all = reached(&graph, None);
            let without: Vec<_> = (0..graph.len()).map(|node| reached(&graph, Some(node))).collect();
            for node in 0..graph.len() {
                let mut above = Vec::new();
                let mut at = found[node];
                while let Some(next) = at {
                    above.push(next);
                    at = found[next];
                }
                above.sort_unstable();
                let expected = (0..graph.len()).filter(|&one| all[node] && one != node && !without[one][node]);
                prop_assert_eq!(above, expected.collect::<Vec<_>>());
            }
        }
    }
}
