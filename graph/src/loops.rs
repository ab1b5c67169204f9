//! Loops, one in the other.

use crate::search::Search;

/// A loop: blocks that can be run again and again, entered at its head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Its head; where it is entered in several places, the one that a depth-first search meets first.
    pub head: usize,
    /// The loop that it lies in, by its place among those of the graph.
    pub parent: Option<usize>,
    /// Number of loops that it lies in, itself included.
    pub depth: u32,
    /// Its blocks, those of the loops in it included.
    pub blocks: u32,
    /// Whether every path into it leads through its head, which is then a natural loop. Compilers of Java write no others; those of
    /// other languages and tools that hide what a program does write some.
    pub is_reducible: bool,
    /// Whether only exceptions lead back to the head. Compilers write such a loop of one block for
    /// `synchronized`: its handler covers itself.
    pub by_exception: bool,
}

/// The loops of a graph, outer ones before inner ones, and the innermost loop of each node.
///
/// After Havlak, *Nesting of reducible and irreducible loops* (1997). A list is gone through again for each irreducible loop that it
/// is carried out of.
pub(crate) fn loops(search: &Search) -> (Vec<Loop>, Vec<Option<usize>>) {
    let mut finding = Finding::new(search);
    for number in (0..search.nodes.len()).rev() {
        finding.collect(number);
    }
    finding.in_order()
}

struct Finding<'s> {
    search: &'s Search,
    /// Of each number those with an edge to it that does not lead back.
    entries: Vec<Vec<usize>>,
    /// The head of the innermost loop around each number that is not that head itself.
    heads: Vec<Option<usize>>,
    /// Union-find: the head of the outermost loop so far.
    outer: Vec<usize>,
    /// Which number last took this one as a part of its loop, and which as an entry of it.
    taken: Vec<Option<usize>>,
    entered: Vec<Option<usize>>,
    /// Whether a number is the head of a loop; whether of a reducible one.
    found: Vec<Option<bool>>,
}

impl<'s> Finding<'s> {
    fn new(search: &'s Search) -> Self {
        let count = search.nodes.len();
        let entries = |(number, from): (usize, &Vec<usize>)| {
            from.iter().copied().filter(|&from| !search.is_above(number, from)).collect()
        };
        Self {
            search,
            entries: search.predecessors.iter().enumerate().map(entries).collect(),
            heads: vec![None; count],
            outer: (0..count).collect(),
            taken: vec![None; count],
            entered: vec![None; count],
            found: vec![None; count],
        }
    }

    fn outermost(&mut self, number: usize) -> usize {
        let mut at = number;
        while self.outer[at] != at {
            self.outer[at] = self.outer[self.outer[at]];
            at = self.outer[at];
        }
        at
    }

    /// Finds the loop whose head is `head`, if there is one. Those of higher numbers have been found.
    fn collect(&mut self, head: usize) {
        let search = self.search;
        let mut body = Vec::new();
        for &from in search.predecessors[head].iter().filter(|from| search.is_above(head, **from)) {
            self.found[head] = Some(true);
            self.take(from, head, &mut body);
        }
        let mut next = 0;
        while let Some(&number) = body.get(next) {
            next += 1;
            for from in std::mem::take(&mut self.entries[number]) {
                let outer = self.outermost(from);
                if search.is_above(head, outer) {
                    self.take(outer, head, &mut body);
                } else {
                    self.found[head] = Some(false);
                    if self.entered[outer].replace(head) != Some(head) {
                        self.entries[head].push(outer);
                    }
                }
            }
        }
        for number in body {
            self.heads[number] = Some(head);
            self.outer[number] = head;
        }
    }

    fn take(&mut self, number: usize, head: usize, body: &mut Vec<usize>) {
        let number = self.outermost(number);
        if number != head && self.taken[number].replace(head) != Some(head) {
            body.push(number);
        }
    }

    fn in_order(self) -> (Vec<Loop>, Vec<Option<usize>>) {
        let mut loops: Vec<Loop> = Vec::new();
        let mut places = vec![None; self.heads.len()];
        let mut innermost = vec![None; self.search.numbers.len()];
        for (number, &node) in self.search.nodes.iter().enumerate() {
            // The head of a loop is met before all that is in it.
            let around = self.heads[number].and_then(|head| places[head]);
            innermost[node] = around;
            if let Some(is_reducible) = self.found[number] {
                let depth =
                    around.and_then(|place: usize| loops.get(place)).map_or(0, |outer| outer.depth) + 1;
                innermost[node] = Some(loops.len());
                places[number] = Some(loops.len());
                loops.push(Loop {
                    head: node,
                    parent: around,
                    depth,
                    blocks: 0,
                    is_reducible,
                    by_exception: false,
                });
            }
        }
        for place in innermost.iter().copied().flatten() {
            loops[place].blocks += 1;
        }
        for place in (0..loops.len()).rev() {
            if let Some(parent) = loops[place].parent {
                loops[parent].blocks += loops[place].blocks;
            }
        }
        (loops, innermost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::graphs;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    /// The nodes that can be reached from `node` by at least one edge among `nodes`.
    fn reached(graph: &[Vec<usize>], node: usize, nodes: &BTreeSet<usize>) -> BTreeSet<usize> {
        let mut reached = BTreeSet::new();
        let mut open = graph[node].clone();
        while let Some(next) = open.pop() {
            if nodes.contains(&next) && reached.insert(next) {
                open.extend(&graph[next]);
            }
        }
        reached
    }

    /// Havlak's definition by itself: what lies on a common cycle is a loop, its head was met first, and what lies on a common cycle
    /// without the head is a loop in it.
    fn defined(
        graph: &[Vec<usize>],
        search: &Search,
        nodes: &BTreeSet<usize>,
        found: &mut BTreeSet<(usize, Vec<usize>)>,
    ) {
        let reached_from: Vec<_> = (0..graph.len())
            .map(|node| if nodes.contains(&node) { reached(graph, node, nodes) } else { BTreeSet::new() })
            .collect();
        for &node in nodes {
            let on_cycle: BTreeSet<usize> = reached_from[node]
                .iter()
                .copied()
                .filter(|other| reached_from[*other].contains(&node))
                .collect();
            let first = on_cycle.iter().copied().min_by_key(|node| search.numbers[*node]);
            if first == Some(node) {
                found.insert((node, on_cycle.iter().copied().collect()));
                defined(graph, search, &on_cycle.into_iter().filter(|other| *other != node).collect(), found);
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2000) })]

        #[test]
        fn loops_are_the_cycles_and_the_cycles_in_them(graph in graphs()) {
            let search = Search::new(&graph);
            let (loops, innermost) = loops(&search);
            let mut bodies = vec![Vec::new(); loops.len()];
            for (node, place) in innermost.iter().enumerate() {
                let mut at = *place;
                while let Some(one) = at {
                    bodies[one].push(node);
                    at = loops[one].parent;
                }
            }
            let found: BTreeSet<_> = loops.iter().zip(bodies).map(|(one, body)| (one.head, body)).collect();
            let mut expected = BTreeSet::new();
            defined(&graph, &search, &search.nodes.iter().copied().collect(), &mut expected);
            prop_assert_eq!(found, expected);
        }
    }
}
