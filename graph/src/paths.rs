//! Numbers for the paths of a method: which blocks ran one after the other, after Ball and Larus, *Efficient path profiling* (1996).
//!
//! A path begins at the entry, at a handler, or behind a cut, and ends at a return, an `athrow` or the next cut. Edges that lead back
//! are cut, and edges to handlers, so a method has a last path. Numbers are dense, from 0 on. Code on few edges adds up the number of
//! the path in a local variable, *the register*, which is known where the path ends. An exception, or the end of the JVM, leaves a path
//! unfinished, and no end is passed.
//!
//! Cuts and numbers are a function of the graph and of [`Cuts`]. Time and memory are bounded by the size of the code.

mod network;
mod steps;
mod types;

use crate::counters::Place;
use crate::graph::Graph;
use network::{Network, Numbered, Out, Start};
use std::collections::BTreeMap;
pub use types::{Begin, Cuts, End, Ended, Path, Register, Step};

/// The paths of a method.
#[derive(Clone, Debug)]
pub struct Paths {
    network: Network,
    numbered: Numbered,
    steps: BTreeMap<Place, Step>,
    /// The number to add to the register at the beginning of each part, to have the path's number if its first ways follow.
    missing: Vec<i32>,
}

impl Paths {
    /// The paths of a method. Dead blocks have none.
    #[must_use]
    pub fn of(graph: &Graph<'_>, cuts: Cuts) -> Self {
        let mut network = Network::of(graph, cuts);
        network.cut(cuts.most);
        let numbered = network.numbered();
        let (steps, missing) = steps::steps(graph, &network, &numbered, cuts.keeps);
        Self { network, numbered, steps, missing }
    }

    /// Number of the paths. Their numbers are 0 to this one less 1.
    #[must_use]
    pub fn count(&self) -> u32 {
        u32::try_from(self.numbered.count).unwrap_or(u32::MAX)
    }

    /// The steps at the places of the method: at its entry, on edges, before the first instruction of blocks that begin a
    /// handler, before returns and `athrow`s, and with cuts at calls before each call.
    #[must_use]
    pub fn steps(&self) -> &BTreeMap<Place, Step> {
        &self.steps
    }

    /// Whether the steps use the register. If not, each path is known by its end alone.
    #[must_use]
    pub fn has_register(&self) -> bool {
        self.steps.values().any(|step| step.register.is_some())
    }

    /// Where paths begin, each with the numbers of its paths. The entry is the first, unless its block begins a handler, too.
    pub fn begins(&self) -> impl Iterator<Item = (Begin, std::ops::Range<u32>)> + '_ {
        let first = |start: &Start| u32::try_from(start.first).unwrap_or(u32::MAX);
        let ends = self.numbered.starts.iter().skip(1).map(first).chain([self.count()]);
        self.numbered.starts.iter().zip(ends).map(move |(start, end)| (self.begin(start), first(start)..end))
    }

    /// The path with a number; `None` where there is none.
    #[must_use]
    pub fn path(&self, number: u32) -> Option<Path> {
        let number = u64::from(number);
        if number >= self.numbered.count {
            return None;
        }
        let place = self.numbered.starts.partition_point(|start| start.first <= number).checked_sub(1)?;
        let start = self.numbered.starts.get(place)?;
        let mut left = number - start.first;
        let mut at = start.part;
        let mut path = (vec![self.network.parts[at].block], Vec::new());
        loop {
            let part = &self.network.parts[at];
            let mut next = None;
            for way in &part.ways {
                let to = self.network.goes_on(way);
                let ways = to.map_or(1, |to| self.numbered.from[to]);
                if left < ways {
                    next = Some((way, to));
                    break;
                }
                left -= ways;
            }
            let (way, to) = next?;
            match (to, way.out) {
                (Some(to), Out::Edge(edge)) => {
                    path.0.push(self.network.parts[to].block);
                    path.1.push(edge);
                    at = to;
                }
                _ => {
                    let end = self.end(way.out, way.to);
                    return Some(Path { begin: self.begin(start), blocks: path.0, edges: path.1, end });
                }
            }
        }
    }

    /// The path that has come to a block with this value of the register, up to this block. The register has to be kept everywhere, see
    /// [`Cuts::keeps`]. With cuts at calls, `behind` is the offset of the last call before that belongs to the block.
    #[must_use]
    pub fn prefix(&self, block: usize, behind: Option<u32>, register: i32) -> Option<(Begin, Vec<usize>)> {
        let part = self.network.parts.iter().position(|part| (part.block, part.behind) == (block, behind))?;
        let number = register.wrapping_add(*self.missing.get(part)?) as u32;
        let mut path = self.path(number)?;
        let end = path.blocks.iter().position(|one| *one == block)?;
        path.blocks.truncate(end + 1);
        Some((path.begin, path.blocks))
    }

    fn begin(&self, start: &Start) -> Begin {
        let part = &self.network.parts[start.part];
        match part.behind {
            _ if start.is_entry => Begin::Entry,
            Some(at) => Begin::Call(at),
            None if part.handles => Begin::Handler(part.block),
            None if part.is_head => Begin::Loop(part.block),
            None => Begin::Merge(part.block),
        }
    }

    fn end(&self, out: Out, to: Option<usize>) -> End {
        let to = to.map(|to| &self.network.parts[to]);
        match out {
            Out::Return(block) => End::Return(block),
            Out::Throw(block) => End::Throw(block),
            Out::Call(at) => End::Call(at),
            Out::Edge(edge) if to.is_some_and(|to| to.handles) => End::Handler(edge),
            Out::Edge(edge) if to.is_some_and(|to| to.is_head) => End::Loop(edge),
            Out::Edge(edge) => End::Merge(edge),
        }
    }
}
