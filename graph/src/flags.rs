//! Where flags go, so that they tell which blocks were run and which edges were taken at least once; and back from the flags.
//!
//! Counts follow from other counts by differences. Flags do not, so each block has one. An edge has one only where the flags of its two
//! blocks do not tell: where its target can be reached in another way, and its block can be left in another way. So has a return from a
//! block that can throw. As with counts, an activation that
//! ends with the JVM in a block that cannot throw is taken to have left it.

use crate::block::Exit;
use crate::counters::Place;
use crate::graph::Graph;

/// The flags of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flags {
    places: Vec<Place>,
    /// For each edge, the flag that tells whether it was taken; `None` for exceptions, and in dead blocks.
    edges: Vec<Option<usize>>,
    /// For each block, its flag; `None` for a dead one.
    blocks: Vec<Option<usize>>,
    /// For each block, the flag of its return; `None` for a block that does not return, or that cannot throw.
    returns: Vec<Option<usize>>,
}

/// Blocks that were run and edges that were taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Covered {
    /// Whether each block was run; its first instruction at least.
    pub blocks: Vec<bool>,
    /// Whether each edge was taken; `None` for exceptions, and in dead blocks.
    pub edges: Vec<Option<bool>>,
    /// Whether a block that can throw has returned; `None` for other blocks.
    pub returned: Vec<Option<bool>>,
}

impl Flags {
    /// The flags of a method.
    #[must_use]
    pub fn of(graph: &Graph<'_>) -> Self {
        let mut places = Vec::new();
        let mut flag = |place| {
            places.push(place);
            places.len() - 1
        };
        let blocks: Vec<Option<usize>> = (0..graph.blocks.len())
            .map(|block| (!graph.blocks[block].is_dead).then(|| flag(Place::Head(block))))
            .collect();
        let mut ways_in = vec![0_u32; graph.blocks.len()];
        if let Some(first) = ways_in.first_mut() {
            // A call.
            *first += 1;
        }
        for edge in graph.edges.iter().filter(|edge| !graph.blocks[edge.from].is_dead) {
            ways_in[edge.to] += 1;
        }
        let edge = |(place, edge): (usize, &crate::edge::Edge)| {
            let from = &graph.blocks[edge.from];
            if edge.kind.is_exception() || from.is_dead {
                return None;
            }
            let ways_out = graph.edges_of(edge.from).iter().filter(|edge| !edge.kind.is_exception()).count();
            if ways_in[edge.to] == 1 {
                blocks[edge.to]
            } else if ways_out == 1 && from.throws.is_none() {
                blocks[edge.from]
            } else {
                Some(flag(Place::Edge(place)))
            }
        };
        let edges = graph.edges.iter().enumerate().map(edge).collect();
        let returns = graph.blocks.iter().enumerate().map(|(number, block)| {
            let is_own = !block.is_dead && block.exit == Some(Exit::Return) && block.throws.is_some();
            is_own.then(|| {
                places.push(Place::Return(number));
                places.len() - 1
            })
        });
        let returns = returns.collect();
        Self { places, edges, blocks, returns }
    }

    /// Where the flags go, in their order. The first is that of the first block.
    pub fn places(&self) -> impl ExactSizeIterator<Item = Place> + '_ {
        self.places.iter().copied()
    }

    /// The blocks and edges that the flags tell of; `None` if their number is not that of the [`places`](Self::places).
    #[must_use]
    pub fn solve(&self, flags: &[bool]) -> Option<Covered> {
        (flags.len() == self.places.len()).then(|| Covered {
            blocks: self.blocks.iter().map(|flag| flag.is_some_and(|flag| flags[flag])).collect(),
            edges: self.edges.iter().map(|flag| flag.map(|flag| flags[flag])).collect(),
            returned: self.returns.iter().map(|flag| flag.map(|flag| flags[flag])).collect(),
        })
    }
}
