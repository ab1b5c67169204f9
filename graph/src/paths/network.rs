//! A method cut into parts between which no way leads back, so that there is a last path.

use super::types::Cuts;
use crate::block::Exit;
use crate::counters::Place;
use crate::graph::Graph;
use crate::often;

/// How a part is left.
#[derive(Clone, Copy, Debug)]
pub(super) enum Out {
    Edge(usize),
    Return(usize),
    Throw(usize),
    Call(u32),
}

impl Out {
    /// The place in the code.
    pub(super) fn place(self) -> Place {
        match self {
            Self::Edge(edge) => Place::Edge(edge),
            Self::Return(block) => Place::Return(block),
            Self::Throw(block) => Place::Throw(block),
            Self::Call(at) => Place::Call(at),
        }
    }
}

/// A way out of a part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    pub(super) out: Out,
    /// The part that it leads to; `None` out of the method.
    pub(super) to: Option<usize>,
    /// Whether it leads back, or to a handler, or past a call that is a cut: a path ends on it in each case.
    is_cut: bool,
}

/// A block, or the part of it between two calls that are cuts.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) block: usize,
    /// Offset of the call that it begins behind; `None` at the beginning of its block.
    pub(super) behind: Option<u32>,
    /// Its ways out. Those of a block stand in the order of the graph's edges.
    pub(super) ways: Vec<Way>,
    /// Whether exceptions lead to it.
    pub(super) handles: bool,
    /// Whether an edge leads back to it.
    pub(super) is_head: bool,
    /// Whether all ways to it are cut, because there would be too many paths otherwise.
    pub(super) is_merge_cut: bool,
}

/// The parts of a method's live blocks.
#[derive(Clone, Debug)]
pub(super) struct Network {
    /// A way that is not cut leads to a part behind its own in this order. The method is entered at the first.
    pub(super) parts: Vec<Part>,
}

/// A part where paths begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Start {
    /// Whether these are the paths from the method's entry.
    pub(super) is_entry: bool,
    pub(super) part: usize,
    /// Number of the first path.
    pub(super) first: u64,
}

/// The paths of a network, in the order of their numbers.
#[derive(Clone, Debug)]
pub(super) struct Numbered {
    pub(super) starts: Vec<Start>,
    /// Number of paths.
    pub(super) count: u64,
    /// For each part, the number of paths from it on, at most 2^64 - 1.
    pub(super) from: Vec<u64>,
}

impl Network {
    /// The parts with the cuts that are made in any case.
    pub(super) fn of(graph: &Graph<'_>, cuts: Cuts) -> Self {
        let order = often::order(graph);
        let mut rank = vec![None; graph.blocks.len()];
        for (place, &block) in order.iter().enumerate() {
            rank[block] = Some(place);
        }
        let mut handles = vec![false; graph.blocks.len()];
        graph.handlers.iter().for_each(|handler| handles[handler.target] = true);
        let leads_back = |from: usize, to: usize| rank[to] <= rank[from];
        let mut is_head = vec![false; graph.blocks.len()];
        for edge in graph.edges.iter().filter(|edge| !edge.kind.is_exception()) {
            is_head[edge.to] |= rank[edge.from].is_some() && leads_back(edge.from, edge.to);
        }
        let mut network = Self { parts: Vec::new() };
        // Where the parts of each block begin.
        let mut first = vec![0; graph.blocks.len()];
        for &block in &order {
            first[block] = network.parts.len();
            network.add_block(graph, block, cuts, (handles[block], is_head[block]));
        }
        for &block in &order {
            let calls = if cuts.calls { graph.blocks[block].calls.len() } else { 0 };
            let ways = graph.blocks[block].edges.clone().filter_map(|place| {
                let edge = graph.edges.get(place).filter(|edge| !edge.kind.is_exception())?;
                let is_cut =
                    leads_back(block, edge.to) || handles[edge.to] || cuts.loop_heads && is_head[edge.to];
                Some(Way { out: Out::Edge(place), to: Some(first[edge.to]), is_cut })
            });
            let last = &mut network.parts[first[block] + calls];
            last.ways.extend(ways);
            let exit = graph.blocks[block].exit.map(|exit| match exit {
                Exit::Return => Out::Return(block),
                Exit::Throw => Out::Throw(block),
            });
            last.ways.extend(exit.map(|out| Way { out, to: None, is_cut: true }));
        }
        network
    }

    fn add_block(&mut self, graph: &Graph<'_>, block: usize, cuts: Cuts, (handles, is_head): (bool, bool)) {
        let part = |behind| Part {
            block,
            behind,
            ways: Vec::new(),
            handles: handles && behind.is_none(),
            is_head: is_head && behind.is_none(),
            is_merge_cut: false,
        };
        self.parts.push(part(None));
        for call in graph.blocks[block].calls.iter().filter(|_| cuts.calls) {
            let next = self.parts.len();
            let way = Way { out: Out::Call(call.at), to: Some(next), is_cut: true };
            self.parts[next - 1].ways.push(way);
            self.parts.push(part(Some(call.at)));
        }
    }

    /// The part that a way leads to without ending the path.
    pub(super) fn goes_on(&self, way: &Way) -> Option<usize> {
        way.to.filter(|&to| !way.is_cut && !self.parts[to].is_merge_cut)
    }

    /// Whether a path begins at each part, the entry apart.
    pub(super) fn begins(&self) -> Vec<bool> {
        let mut begins: Vec<bool> = self.parts.iter().map(|part| part.handles).collect();
        for way in self.parts.iter().flat_map(|part| &part.ways) {
            if let Some(to) = way.to.filter(|_| self.goes_on(way).is_none()) {
                begins[to] = true;
            }
        }
        begins
    }

    fn paths_from(&self, part: usize, paths: &[u64]) -> u64 {
        let of_way = |way: &Way| self.goes_on(way).map_or(1, |to| paths[to]);
        self.parts[part].ways.iter().map(of_way).fold(0, u64::saturating_add)
    }

    /// Numbers the paths: those from the entry first, then those from other parts, in the order of the parts.
    pub(super) fn numbered(&self) -> Numbered {
        let mut from = vec![0_u64; self.parts.len()];
        for part in (0..self.parts.len()).rev() {
            from[part] = self.paths_from(part, &from);
        }
        let begins = self.begins();
        // Where the first block begins a handler too, each call passes the code in front of it.
        let entry = self.parts.first().filter(|part| !part.handles).map(|_| (true, 0));
        let others = (0..self.parts.len()).filter(|&part| begins[part]).map(|part| (false, part));
        let (mut count, mut starts) = (0_u64, Vec::new());
        for (is_entry, part) in entry.into_iter().chain(others) {
            starts.push(Start { is_entry, part, first: count });
            count = count.saturating_add(from[part]);
        }
        Numbered { starts, count, from }
    }

    /// Cuts where ways meet, until there are at most `most` paths, or as few as that gives: no more than the method has edges and
    /// ends of blocks, and one for each part where a path begins.
    ///
    /// A smaller number of paths from each place is tried each time. The same code is cut in the same places.
    pub(super) fn cut(&mut self, most: u32) {
        let mut from_each = u64::from(most);
        while self.numbered().count > u64::from(most) {
            self.cut_merges(from_each);
            if from_each <= 1 {
                break;
            }
            from_each /= 2;
        }
    }

    /// Cuts in front of each part from which more than `from_each` paths lead, where several ways meet or a path begins.
    fn cut_merges(&mut self, from_each: u64) {
        self.parts.iter_mut().for_each(|part| part.is_merge_cut = false);
        let mut ways_to = vec![0_u32; self.parts.len()];
        for part in &self.parts {
            part.ways.iter().filter_map(|way| self.goes_on(way)).for_each(|to| ways_to[to] += 1);
        }
        let begins = self.begins();
        let mut paths = vec![0_u64; self.parts.len()];
        for part in (0..self.parts.len()).rev() {
            paths[part] = self.paths_from(part, &paths);
            let meets = ways_to[part] > 1 || ways_to[part] > 0 && (begins[part] || part == 0);
            if meets && paths[part] > from_each {
                self.parts[part].is_merge_cut = true;
            }
        }
    }
}
