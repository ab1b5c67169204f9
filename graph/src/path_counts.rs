//! Where the counters of a method's paths go, and what follows from their values.
//!
//! The first counter is the entry's. In front of the paths stand either the counters of edges, from which all blocks follow exactly, or one
//! counter for each block that begins a handler. So the numbers of paths that began at each place and that were left
//! there are known. Counts of blocks follow from the paths, except the blocks of paths that were left.

use crate::block::Exit;
use crate::counters::{Counters, Counts, Place};
use crate::graph::Graph;
use crate::paths::{Begin, Cuts, End, Path, Paths, Step};
use std::collections::{BTreeMap, BTreeSet};

/// Number of paths above which a method is cut where ways meet.
pub const MOST_PATHS: u32 = 4096;

/// The counters of a method's paths.
#[derive(Clone, Debug)]
pub struct PathCounters {
    paths: Paths,
    /// The counters of edges, if they are there.
    edges: Option<Counters>,
    /// Places of the counters in front of those of the paths.
    places: Vec<Place>,
    /// Whether each call runs the only path to its end, so that the entry counts it.
    is_entry_alone: bool,
}

/// Counts of a method's paths, and what follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathCounts {
    /// The paths that ran, by their numbers, each with its count.
    pub ran: Vec<(u32, u64)>,
    /// Places where paths began that did not end, each with their number: an exception left them, or they had not ended with the JVM.
    pub unfinished: Vec<(Begin, i64)>,
    /// Counts of blocks and edges. Where they are not exact, the blocks of unfinished paths are missing, except those in which such a
    /// path must have begun.
    pub counts: Counts,
    /// Whether these counts are exact.
    pub is_exact: bool,
}

impl PathCounters {
    /// The counters of a method's paths; with those of its edges, if `edges` is set.
    #[must_use]
    pub fn of(graph: &Graph<'_>, edges: bool) -> Self {
        let cuts = Cuts { calls: false, loop_heads: false, most: MOST_PATHS, keeps: false };
        let paths = Paths::of(graph, cuts);
        let edges = edges.then(|| Counters::of(graph));
        let places = match &edges {
            Some(counters) => counters.places().collect(),
            None => {
                let handlers: BTreeSet<usize> = graph.handlers.iter().map(|one| one.target).collect();
                let heads = handlers.into_iter().filter(|block| !graph.blocks[*block].is_dead);
                std::iter::once(Place::Entry).chain(heads.map(Place::Head)).collect()
            }
        };
        let throws = graph.blocks.iter().any(|block| !block.is_dead && block.throws.is_some());
        let is_entry_alone = paths.count() == 1 && !throws && graph.handlers.is_empty();
        Self { paths, edges, places, is_entry_alone }
    }

    /// The paths.
    #[must_use]
    pub fn paths(&self) -> &Paths {
        &self.paths
    }

    /// Places of the counters in front of those of the paths, in their order. The first is the method's entry.
    #[must_use]
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// The steps that count the paths. The counter of path 0 follows those of the [`places`](Self::places).
    #[must_use]
    pub fn steps(&self) -> BTreeMap<Place, Step> {
        if self.is_entry_alone { BTreeMap::new() } else { self.paths.steps().clone() }
    }

    /// Number of all counters.
    #[must_use]
    pub fn count(&self) -> usize {
        self.places.len() + if self.is_entry_alone { 0 } else { self.paths.count() as usize }
    }

    /// The counts that follow from the values of the counters; `None` if their number is not that of the counters.
    #[must_use]
    pub fn solve(&self, graph: &Graph<'_>, values: &[u64]) -> Option<PathCounts> {
        if values.len() != self.count() {
            return None;
        }
        let (plain, of_paths) = values.split_at(self.places.len());
        let ran = if self.is_entry_alone { plain } else { of_paths };
        let ran: Vec<(u32, u64)> = (0..).zip(ran.iter().copied()).filter(|(_, count)| *count > 0).collect();
        let mut sums = Sums::new(graph, plain.first().copied().unwrap_or(0) as i64);
        for &(number, count) in &ran {
            sums.add(graph, &self.paths.path(number)?, count as i64);
        }
        let handled = |block: usize| match &self.edges {
            Some(counters) => Some(counters.solve(plain)?.blocks[block]),
            None => {
                let place = self.places.iter().position(|place| *place == Place::Head(block))?;
                Some(plain[place] as i64)
            }
        };
        let mut unfinished = Vec::new();
        let mut is_exact = true;
        for (begin, _) in self.paths.begins() {
            let began = match begin {
                Begin::Entry => sums.calls,
                Begin::Handler(block) => handled(block)?,
                Begin::Loop(block) | Begin::Merge(block) => sums.came.get(block).copied()?,
                Begin::Call(_) => 0,
            };
            if let Begin::Handler(block) = begin {
                let by_edges = sums.came[block].wrapping_add(if block == 0 { sums.calls } else { 0 });
                sums.counts.caught[block] = Some(began.wrapping_sub(by_edges));
            }
            let left = began.wrapping_sub(sums.ended.get(&begin).copied().unwrap_or(0));
            if left != 0 {
                unfinished.push((begin, left));
                is_exact &= sums.add_unfinished(graph, &self.paths, begin, left);
            }
        }
        let counts = match &self.edges {
            Some(counters) => counters.solve(plain)?,
            None => sums.finish(),
        };
        Some(PathCounts { ran, unfinished, counts, is_exact: is_exact || self.edges.is_some() })
    }
}

/// Counts while paths are added.
struct Sums {
    calls: i64,
    counts: Counts,
    /// For each block, paths that ended on an edge to it.
    came: Vec<i64>,
    /// Paths that ended, by where they began.
    ended: BTreeMap<Begin, i64>,
}

impl Sums {
    fn new(graph: &Graph<'_>, calls: i64) -> Self {
        let blocks = graph.blocks.len();
        let counted =
            |edge: &crate::Edge| (!edge.kind.is_exception() && !graph.blocks[edge.from].is_dead).then_some(0);
        let counts = Counts {
            blocks: vec![0; blocks],
            edges: graph.edges.iter().map(counted).collect(),
            gone: vec![0; blocks],
            thrown: graph.blocks.iter().map(|block| block.counts_athrow().then_some(0)).collect(),
            caught: vec![None; blocks],
            left: 0,
        };
        Self { calls, counts, came: vec![0; blocks], ended: BTreeMap::new() }
    }

    fn add(&mut self, graph: &Graph<'_>, path: &Path, count: i64) {
        let more = |sum: &mut i64| *sum = sum.wrapping_add(count);
        path.blocks.iter().for_each(|&block| more(&mut self.counts.blocks[block]));
        let last = match path.end {
            End::Loop(edge) | End::Handler(edge) | End::Merge(edge) => Some(edge),
            End::Throw(block) => {
                more(&mut self.counts.gone[block]);
                self.counts.thrown[block].iter_mut().for_each(more);
                None
            }
            End::Return(_) | End::Call(_) => None,
        };
        last.into_iter().for_each(|edge| more(&mut self.came[graph.edges[edge].to]));
        for edge in path.edges.iter().copied().chain(last) {
            self.counts.edges[edge].iter_mut().for_each(more);
        }
        more(self.ended.entry(path.begin).or_default());
    }

    /// Adds paths that did not end, as far as is certain where they ran; whether all of it is.
    fn add_unfinished(&mut self, graph: &Graph<'_>, paths: &Paths, begin: Begin, count: i64) -> bool {
        let certain = paths.certain(graph, begin);
        let more = |sum: &mut i64| *sum = sum.wrapping_add(count);
        certain.blocks.iter().for_each(|&block| more(&mut self.counts.blocks[block]));
        certain.edges.iter().for_each(|&edge| self.counts.edges[edge].iter_mut().for_each(more));
        certain.blocks.last().into_iter().for_each(|&block| more(&mut self.counts.gone[block]));
        certain.is_whole
    }

    fn finish(mut self) -> Counts {
        let sum = |all: &mut dyn Iterator<Item = i64>| all.fold(0, i64::wrapping_add);
        let gone = sum(&mut self.counts.gone.iter().copied());
        self.counts.left = gone.wrapping_sub(sum(&mut self.counts.caught.iter().copied().flatten()));
        self.counts
    }
}

/// How an unfinished path must have begun.
pub(crate) struct Certain {
    pub(crate) blocks: Vec<usize>,
    pub(crate) edges: Vec<usize>,
    /// Whether it must have ended in the last of these blocks, because no other can throw.
    pub(crate) is_whole: bool,
}

impl Paths {
    /// The blocks that each path from a place runs first, up to one that can throw, or after which ways part.
    fn certain(&self, graph: &Graph<'_>, begin: Begin) -> Certain {
        let mut at = match begin {
            Begin::Entry => 0,
            Begin::Handler(block) | Begin::Loop(block) | Begin::Merge(block) => block,
            Begin::Call(_) => return Certain { blocks: Vec::new(), edges: Vec::new(), is_whole: false },
        };
        let mut certain = Certain { blocks: vec![at], edges: Vec::new(), is_whole: false };
        loop {
            let mut ways = self.inner_edges(graph, at);
            let (first, is_only) = (ways.next(), ways.next().is_none());
            let is_only =
                is_only && graph.edges_of(at).iter().filter(|edge| !edge.kind.is_exception()).count() == 1;
            match first.filter(|_| is_only && graph.blocks[at].throws.is_none()) {
                Some(edge) => {
                    at = graph.edges[edge].to;
                    certain.blocks.push(at);
                    certain.edges.push(edge);
                }
                None => break,
            }
        }
        certain.is_whole = can_leave(graph, at) && !self.can_leave_behind(graph, at);
        certain
    }

    /// Whether a path can be left unfinished in a block that it runs after this one.
    fn can_leave_behind(&self, graph: &Graph<'_>, from: usize) -> bool {
        let mut met = BTreeSet::new();
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            for edge in self.inner_edges(graph, block) {
                let to = graph.edges[edge].to;
                if met.insert(to) {
                    if can_leave(graph, to) {
                        return true;
                    }
                    open.push(to);
                }
            }
        }
        false
    }

    /// The edges of a block that end no path.
    fn inner_edges<'g>(&'g self, graph: &'g Graph<'_>, block: usize) -> impl Iterator<Item = usize> + 'g {
        let ends = |edge: usize| self.steps().get(&Place::Edge(edge)).is_some_and(|step| step.end.is_some());
        let edges = graph.blocks[block].edges.clone();
        edges.filter(move |&edge| !graph.edges[edge].kind.is_exception() && !ends(edge))
    }
}

/// Whether an exception can leave a block before its last instruction, an `athrow`, has counted.
fn can_leave(graph: &Graph<'_>, block: usize) -> bool {
    let block = &graph.blocks[block];
    block.throws.is_some_and(|first| block.exit != Some(Exit::Throw) || first < block.last)
}
