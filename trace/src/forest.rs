//! The loops of a method, one in the other.

use spl_graph::Graph;

/// A loop, or none.
type Place = Option<u32>;

/// Which loops each block lies in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Forest {
    /// For each loop its head and the loop around it, which has a lower place.
    loops: Vec<(u32, Place)>,
    /// For each loop the number of loops that it lies in, itself included.
    depths: Vec<u32>,
    /// For each block its innermost loop.
    of_block: Vec<Place>,
}

impl Forest {
    /// The loops of a graph.
    pub(crate) fn of(graph: &Graph<'_>) -> Self {
        let loops = graph.loops.iter().map(|one| (one.head as u32, one.parent.map(|parent| parent as u32)));
        let of_block = graph.blocks.iter().map(|block| block.in_loop.map(|place| place as u32));
        Self::new(loops.collect(), of_block.collect())
    }

    pub(crate) fn new(loops: Vec<(u32, Place)>, of_block: Vec<Place>) -> Self {
        let mut depths: Vec<u32> = Vec::with_capacity(loops.len());
        for (_, parent) in &loops {
            let around = parent.and_then(|parent| depths.get(parent as usize)).copied().unwrap_or(0);
            depths.push(around + 1);
        }
        Self { loops, depths, of_block }
    }

    /// The innermost loop of a block.
    #[inline]
    pub(crate) fn innermost(&self, block: u32) -> Place {
        self.of_block.get(block as usize).copied().flatten()
    }

    /// The loop around a loop.
    pub(crate) fn around(&self, place: u32) -> Place {
        self.loops.get(place as usize).and_then(|(_, parent)| *parent)
    }

    /// The head of a loop.
    pub(crate) fn head(&self, place: u32) -> Option<u32> {
        self.loops.get(place as usize).map(|(head, _)| *head)
    }

    /// Whether a loop is another one or lies in it.
    pub(crate) fn is_in(&self, mut inner: u32, outer: u32) -> bool {
        let depth = self.depths.get(outer as usize).copied().unwrap_or(0);
        while inner != outer && self.depths.get(inner as usize).is_some_and(|inner| *inner > depth) {
            match self.around(inner) {
                Some(around) => inner = around,
                None => return false,
            }
        }
        inner == outer
    }
}
