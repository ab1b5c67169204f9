//! Where counters go, so that few of them tell how often every edge of a method was taken; and back from their values.
//!
//! Flow is conserved: as many activations leave a block as enter it. So edges on a spanning tree need no counter (Knuth 1973; Ball and
//! Larus 1994). The network has two nodes more than the method has blocks: *outside* the method, and *gone*, where an activation goes that leaves a
//! block by none of its edges: by an exception, or because it ends there with the JVM. No instruction could count that, so all these ways are
//! in the tree and are solved for; those by an `athrow` behind other instructions that can throw count apart, which costs nothing until something is thrown. A handler's block has one node more in front of it, which counts all that begins to run it.

use crate::block::Exit;
use crate::edge::EdgeKind;
use crate::graph::Graph;
use crate::often::Often;
use crate::tree::Tree;
use std::collections::BTreeSet;

/// A place in a method's code that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// The start of the method, before anything that leads back to it.
    Entry,
    /// On an edge, by its place among those of the graph.
    Edge(usize),
    /// Before the first instruction of a block; each way to the block passes here.
    Head(usize),
    /// Before the return that a block ends with.
    Return(usize),
    /// Before the `athrow` that a block ends with.
    Throw(usize),
    /// Before the call at this offset.
    Call(u32),
}

/// The counters of a method, and what follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    /// Number of the method's blocks.
    blocks: usize,
    /// Number of its edges.
    edges: usize,
    /// Number of the network's nodes.
    nodes: usize,
    ways: Vec<Way>,
    /// The ways with a counter, by their places in `ways`, and where each counter stands.
    counted: Vec<(usize, Place)>,
    /// The others, each with the node that knows it once the ones before it are known.
    solved: Vec<(usize, usize)>,
}

/// The counts of a method that follow from its counters. While activations run, a count may be off by their number; a negative count is
/// such a one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Runs of each block, counted at its beginning.
    pub blocks: Vec<i64>,
    /// Counts of edges, in the graph's order; `None` for exceptions, of which only `gone` and `caught` are known, and in dead blocks.
    pub edges: Vec<Option<i64>>,
    /// For each block, the activations that left it neither by an edge nor by a return.
    pub gone: Vec<i64>,
    /// For each block that ends with an `athrow` and can throw before it, the activations that reached the `athrow`, which are among those gone.
    pub thrown: Vec<Option<i64>>,
    /// For each block that begins a handler, the exceptions that led to it.
    pub caught: Vec<Option<i64>>,
    /// Activations that an exception ended, or that had not ended with the JVM.
    pub left: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    At(Place),
    /// From a block to *gone*.
    Gone(usize),
    /// From *gone* to a handler's block.
    Caught(usize),
    /// From *gone* to outside.
    Left,
}

/// An edge of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    from: usize,
    to: usize,
    kind: Kind,
}

impl Counters {
    /// The counters of a method. Dead blocks have none.
    #[must_use]
    pub fn of(graph: &Graph<'_>) -> Self {
        let network = Network::of(graph);
        let mut tree = Tree::new(network.nodes);
        let mut in_tree = vec![false; network.ways.len()];
        for place in network.by_weight(graph) {
            let way = &network.ways[place];
            in_tree[place] = tree.connects(way.from, way.to);
        }
        // All other ways are in the tree, where they come first.
        let counted = network.ways.iter().enumerate().filter(|(place, _)| !in_tree[*place]);
        let counted = counted.filter_map(|(place, way)| match way.kind {
            Kind::At(at) => Some((place, at)),
            Kind::Gone(_) | Kind::Caught(_) | Kind::Left => None,
        });
        let counted = counted.collect();
        let solved = order(&network, &in_tree);
        let (blocks, edges) = (graph.blocks.len(), graph.edges.len());
        Self { blocks, edges, nodes: network.nodes, ways: network.ways, counted, solved }
    }

    /// Where the counters go, in their order. The first is the method's entry.
    pub fn places(&self) -> impl ExactSizeIterator<Item = Place> + '_ {
        self.counted.iter().map(|(_, place)| *place)
    }

    /// The counts that follow from the counters' values; `None` if their number is not that of the
    /// [`places`](Self::places).
    #[must_use]
    pub fn solve(&self, values: &[u64]) -> Option<Counts> {
        if values.len() != self.counted.len() {
            return None;
        }
        let mut known = vec![0_i64; self.ways.len()];
        // For each node, the sum of the known ways into it less that of the known ways out of it.
        let mut balance = vec![0_i64; self.nodes];
        let mut set = |way: usize, count: i64, balance: &mut Vec<i64>| {
            known[way] = count;
            let Way { from, to, .. } = self.ways[way];
            balance[from] = balance[from].wrapping_sub(count);
            balance[to] = balance[to].wrapping_add(count);
        };
        for (&(way, _), &value) in self.counted.iter().zip(values) {
            set(way, value as i64, &mut balance);
        }
        for &(way, node) in &self.solved {
            let missing = balance[node];
            let leaves = self.ways[way].from == node;
            set(way, if leaves { missing } else { missing.wrapping_neg() }, &mut balance);
        }
        Some(self.counts(&known))
    }

    fn counts(&self, known: &[i64]) -> Counts {
        let mut counts = Counts {
            blocks: vec![0; self.blocks],
            edges: vec![None; self.edges],
            gone: vec![0; self.blocks],
            thrown: vec![None; self.blocks],
            caught: vec![None; self.blocks],
            left: 0,
        };
        for (way, &count) in self.ways.iter().zip(known) {
            if way.to < self.blocks {
                counts.blocks[way.to] = counts.blocks[way.to].wrapping_add(count);
            }
            match way.kind {
                Kind::At(Place::Edge(edge)) => counts.edges[edge] = Some(count),
                Kind::At(Place::Entry | Place::Head(_) | Place::Return(_) | Place::Call(_)) => {}
                Kind::At(Place::Throw(block)) => {
                    counts.thrown[block] = Some(count);
                    counts.gone[block] = counts.gone[block].wrapping_add(count);
                }
                Kind::Gone(block) => counts.gone[block] = counts.gone[block].wrapping_add(count),
                Kind::Caught(block) => counts.caught[block] = Some(count),
                Kind::Left => counts.left = count,
            }
        }
        counts
    }
}

/// The ways between blocks, *outside* and *gone*.
struct Network {
    nodes: usize,
    ways: Vec<Way>,
}

impl Network {
    fn of(graph: &Graph<'_>) -> Self {
        let blocks = graph.blocks.len();
        let (outside, gone) = (blocks, blocks + 1);
        let handlers: BTreeSet<usize> = graph
            .handlers
            .iter()
            .map(|handler| handler.target)
            .filter(|&target| !graph.blocks[target].is_dead)
            .collect();
        let handlers: Vec<usize> = handlers.into_iter().collect();
        // The node that all ways to a block lead to.
        let front = |block: usize| match handlers.binary_search(&block) {
            Ok(place) => blocks + 2 + place,
            Err(_) => block,
        };
        let at = |from, to, place| Way { from, to, kind: Kind::At(place) };
        let mut ways = vec![at(outside, front(0), Place::Entry)];
        let mut throws = false;
        for (number, block) in graph.blocks.iter().enumerate().filter(|(_, block)| !block.is_dead) {
            for place in block.edges.clone() {
                let edge = &graph.edges[place];
                if !edge.kind.is_exception() {
                    ways.push(at(number, front(edge.to), Place::Edge(place)));
                }
            }
            if block.exit == Some(Exit::Return) {
                ways.push(at(number, outside, Place::Return(number)));
            }
            if block.throws.is_some() {
                throws = true;
                ways.push(Way { from: number, to: gone, kind: Kind::Gone(number) });
                // Next to a way of the tree: this one always counts.
                if block.counts_athrow() {
                    ways.push(at(number, gone, Place::Throw(number)));
                }
            }
        }
        for &block in &handlers {
            ways.push(at(front(block), block, Place::Head(block)));
            ways.push(Way { from: gone, to: front(block), kind: Kind::Caught(block) });
        }
        if throws {
            ways.push(Way { from: gone, to: outside, kind: Kind::Left });
        }
        Self { nodes: blocks + 2 + handlers.len(), ways }
    }

    /// The ways that may be in the tree, those first that should be. The entry is left out: its counter
    /// costs little more than finding the counters' address, which each call has to do anyway.
    fn by_weight(&self, graph: &Graph<'_>) -> Vec<usize> {
        let often = Often::guess(graph);
        let weight = |way: &Way| match way.kind {
            Kind::Gone(_) | Kind::Caught(_) | Kind::Left => (u64::MAX, false),
            Kind::At(Place::Entry) => (often.blocks[0], false),
            Kind::At(Place::Head(block) | Place::Return(block) | Place::Throw(block)) => {
                (often.blocks[block], false)
            }
            // No counter stands there.
            Kind::At(Place::Call(_)) => (0, false),
            // A counter where a condition jumps takes more code than one where it falls through.
            Kind::At(Place::Edge(edge)) => {
                (often.edges[edge], graph.edges[edge].kind != EdgeKind::FallThrough)
            }
        };
        let mut order: Vec<usize> = (1..self.ways.len()).collect();
        // A stable sort: of two alike the first in the code is in the tree.
        order.sort_by_key(|&way| std::cmp::Reverse(weight(&self.ways[way])));
        order
    }
}

/// The ways of the tree from its leaves on, each with the node at which it is the only one that is not known yet.
fn order(network: &Network, in_tree: &[bool]) -> Vec<(usize, usize)> {
    let mut of_node: Vec<Vec<usize>> = vec![Vec::new(); network.nodes];
    for (place, way) in network.ways.iter().enumerate().filter(|(place, _)| in_tree[*place]) {
        of_node[way.from].push(place);
        of_node[way.to].push(place);
    }
    let mut open: Vec<usize> = of_node.iter().map(Vec::len).collect();
    let mut is_known = vec![false; network.ways.len()];
    let mut leaves: Vec<usize> = (0..network.nodes).filter(|&node| open[node] == 1).collect();
    let mut order = Vec::new();
    while let Some(node) = leaves.pop() {
        let Some(&way) = of_node[node].iter().find(|&&way| !is_known[way]) else { continue };
        is_known[way] = true;
        order.push((way, node));
        let Way { from, to, .. } = network.ways[way];
        let other = if from == node { to } else { from };
        open[other] -= 1;
        if open[other] == 1 {
            leaves.push(other);
        }
    }
    order
}
