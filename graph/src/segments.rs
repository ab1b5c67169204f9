//! The numbers of a method's segments, by which a trace tells exactly what ran.
//!
//! A *segment* is a path that is cut in front of each call, at edges that lead back, and where handlers begin. The numbering is that of
//! Ball and Larus (1996), on the graph with these cuts: each edge adds a constant to a local variable, and its value at the end of the
//! segment is the segment's number. A segment may also be *stopped*, by an exception. A stop counts as one more way out of each part of the
//! code that can throw, so the variable's value at that moment is the number of the path so far, and no other path has it.

use crate::cuts::{Node, Way, WayKind, cut_loops, handlers, nodes, number, starts};
use crate::graph::Graph;
use std::collections::BTreeMap;

/// Largest number of a segment, plus 1: the numbers of a word of a trace.
pub const MOST_SEGMENTS: u32 = 1 << 21;
/// Most segments that begin at one place, tried in this order. Where there would be more, all ways out of a block are cut.
const LIMITS: [u64; 4] = [1 << 12, 1 << 8, 1 << 4, 1];

/// The segments of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segments {
    nodes: Vec<Node>,
    /// The first node of each block.
    first_of: Vec<usize>,
    /// The nodes where segments begin, each with its first number, ascending.
    starts: Vec<(u32, usize)>,
    /// The first number of the segments that begin at a node.
    base_of: Vec<Option<u32>>,
    /// Steps of the graph's edges.
    steps: Vec<Option<SegmentStep>>,
    /// Steps of the calls, by their offsets.
    calls: BTreeMap<u32, SegmentStep>,
    count: u32,
}

/// The effect of a way on the number of the segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentStep {
    /// This is added first.
    pub add: u32,
    /// Where the segment ends here, how the next one begins.
    pub next: Option<Next>,
}

/// How the segment behind a cut begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// With this number.
    Number(u32),
    /// At the start of a handler's block, to which the code leads without an exception.
    Handler,
    /// Not: the method returns.
    Returns,
}

/// A segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// The blocks that it begins, in their order. A block that it goes on in, behind a call, is not among them.
    pub blocks: Vec<usize>,
    /// The first number of the segments that begin where it does.
    pub begin: u32,
    /// The block that it begins in.
    pub first: usize,
    /// Its last block.
    pub last: usize,
    /// Why it ends.
    pub end: SegmentEnd,
}

/// Why a segment ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentEnd {
    /// An exception left its last block.
    Stopped,
    /// The call at this offset follows.
    Call(u32),
    /// An edge, by its place among those of the graph, leads to the next one.
    Edge(usize),
    /// The method returns.
    Returned,
}

impl Segments {
    /// The segments of a method. There are always fewer than [`MOST_SEGMENTS`].
    #[must_use]
    pub fn of(graph: &Graph<'_>) -> Self {
        let (nodes, first_of) = nodes(graph);
        let order = cut_loops(nodes.clone());
        let numbered = LIMITS.into_iter().find_map(|limit| {
            let (mut nodes, order) = order.clone();
            let counts = number(&mut nodes, &order, limit);
            let starts = starts(graph, &nodes, &first_of);
            let all = starts.iter().map(|&node| counts[node]).fold(0, u64::saturating_add);
            (all < u64::from(MOST_SEGMENTS)).then_some((nodes, starts, counts))
        });
        // With the last limit a node has as many segments as ways, and there are fewer of these than bytes of code.
        let (nodes, begin, counts) = numbered.unwrap_or_default();
        let (mut base_of, mut count) = (vec![None; nodes.len()], 0_u32);
        let mut with_base = Vec::with_capacity(begin.len());
        for node in begin {
            base_of[node] = Some(count);
            with_base.push((count, node));
            count = count.saturating_add(u32::try_from(counts[node]).unwrap_or(u32::MAX));
        }
        let steps = vec![None; graph.edges.len()];
        let mut all =
            Self { nodes, first_of, starts: with_base, base_of, steps, calls: BTreeMap::new(), count };
        all.find_steps(graph);
        all
    }

    /// Number of segments: all numbers below it have a meaning.
    #[must_use]
    pub fn count(&self) -> u32 {
        self.count
    }

    /// The effect of an edge on the number; `None` for an exception, or in a dead block.
    #[must_use]
    pub fn on_edge(&self, edge: usize) -> Option<SegmentStep> {
        self.steps.get(edge).copied().flatten()
    }

    /// The effect on the number in front of the call at an offset.
    #[must_use]
    pub fn at_call(&self, at: u32) -> Option<SegmentStep> {
        self.calls.get(&at).copied()
    }

    /// The effect on the number in front of the return of a block.
    #[must_use]
    pub fn at_return(&self, block: usize) -> Option<SegmentStep> {
        let end = self.first_of.get(block + 1).copied().unwrap_or(self.nodes.len());
        let last = self.nodes.get(*self.first_of.get(block)?..end)?.last()?;
        let way = last.ways.iter().find(|way| way.kind == WayKind::Return)?;
        Some(self.step(way, false))
    }

    /// The number with which the segments begin that start with a block: the first one, a handler, or one behind a cut edge.
    #[must_use]
    pub fn begin(&self, block: usize) -> Option<u32> {
        self.base_of.get(*self.first_of.get(block)?).copied().flatten()
    }

    /// The segment of a number.
    #[must_use]
    pub fn segment(&self, number: u32) -> Option<Segment> {
        if number >= self.count {
            return None;
        }
        let place = self.starts.partition_point(|(base, _)| *base <= number).checked_sub(1)?;
        let (base, mut node) = self.starts[place];
        let mut rest = number - base;
        let first = self.nodes[node].block;
        let mut blocks = Vec::new();
        loop {
            let one = &self.nodes[node];
            blocks.extend((self.first_of[one.block] == node).then_some(one.block));
            let ended =
                |end| Some(Segment { blocks: blocks.clone(), begin: base, first, last: one.block, end });
            if rest == 0 && one.stops {
                return ended(SegmentEnd::Stopped);
            }
            let way = one.ways[..one.ways.partition_point(|way| way.value <= rest)].last()?;
            rest -= way.value;
            match way.kind {
                WayKind::Call(at) => return ended(SegmentEnd::Call(at)),
                WayKind::Return => return ended(SegmentEnd::Returned),
                WayKind::Edge(edge) if way.is_cut => return ended(SegmentEnd::Edge(edge)),
                WayKind::Edge(_) => node = way.to?,
            }
        }
    }

    /// Whether each activation runs the only segment and nothing else: no call, no branch, and nothing that may load or initialise
    /// a class.
    #[must_use]
    pub fn is_single(&self, graph: &Graph<'_>) -> bool {
        let [node] = &self.nodes[..] else { return false };
        let returns = matches!(node.ways[..], [Way { kind: WayKind::Return, .. }]);
        returns && graph.handlers.is_empty() && graph.blocks.iter().all(|block| !block.may_load)
    }

    fn find_steps(&mut self, graph: &Graph<'_>) {
        let handlers = handlers(graph);
        for way in self.nodes.iter().flat_map(|node| &node.ways).copied().collect::<Vec<_>>() {
            match way.kind {
                WayKind::Edge(edge) => {
                    self.steps[edge] = Some(self.step(&way, handlers[graph.edges[edge].to]));
                }
                WayKind::Call(at) => {
                    self.calls.insert(at, self.step(&way, false));
                }
                WayKind::Return => {}
            }
        }
    }

    fn step(&self, way: &Way, to_handler: bool) -> SegmentStep {
        let next = way.is_cut.then(|| match (way.to, to_handler) {
            (None, _) => Next::Returns,
            (_, true) => Next::Handler,
            (Some(to), false) => Next::Number(self.base_of[to].unwrap_or(0)),
        });
        SegmentStep { add: way.value, next }
    }
}
