//! The paths of a method that ran.

use spl_graph::{Begin, End, Graph, PathCounters, PathCounts};

/// The paths of a method that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathsRan {
    /// The paths, the most frequent first; of two alike the one with the lower number.
    pub all: Vec<PathRan>,
    /// Number of the paths that the method has.
    pub possible: u32,
    /// Paths that began at a place and did not end: an exception left them, or they had not ended with the JVM.
    pub unfinished: Vec<(Begin, i64)>,
    /// Whether counts of blocks, which follow from those of paths, are exact.
    pub is_exact: bool,
}

/// A path that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathRan {
    /// Its number in the method.
    pub number: u32,
    /// Number of times that it ran to its end.
    pub count: u64,
    /// Where it begins.
    pub begin: Begin,
    /// Its blocks.
    pub blocks: Vec<usize>,
    /// The edges between them.
    pub edges: Vec<usize>,
    /// Where it ends.
    pub end: End,
    /// Instructions of its blocks.
    pub bytecodes: u64,
}

impl PathsRan {
    /// From the counts of a method.
    pub(crate) fn new(graph: &Graph<'_>, counters: &PathCounters, counts: &PathCounts) -> Self {
        let ran = |&(number, count): &(u32, u64)| {
            let path = counters.paths().path(number)?;
            let length = |&block: &usize| u64::from(graph.blocks[block].metrics.bytecodes);
            let bytecodes = path.blocks.iter().map(length).sum();
            let (begin, end) = (path.begin, path.end);
            Some(PathRan { number, count, begin, blocks: path.blocks, edges: path.edges, end, bytecodes })
        };
        let mut all: Vec<PathRan> = counts.ran.iter().filter_map(ran).collect();
        all.sort_by_key(|path| std::cmp::Reverse(path.count));
        let (unfinished, is_exact) = (counts.unfinished.clone(), counts.is_exact);
        Self { all, possible: counters.paths().count(), unfinished, is_exact }
    }

    /// Number of times that paths ran to their end.
    #[must_use]
    pub fn ended(&self) -> u64 {
        self.all.iter().map(|path| path.count).fold(0, u64::saturating_add)
    }

    /// Number of times that paths began and did not end.
    #[must_use]
    pub fn left(&self) -> u64 {
        self.unfinished
            .iter()
            .map(|(_, count)| u64::try_from(*count).unwrap_or(0))
            .fold(0, u64::saturating_add)
    }
}

impl PathRan {
    /// Its blocks, as `0 1 2`.
    #[must_use]
    pub fn blocks_text(&self) -> String {
        let blocks: Vec<String> = self.blocks.iter().map(usize::to_string).collect();
        blocks.join(" ")
    }
}

/// Where a path begins, in words.
#[must_use]
pub fn begin_text(begin: Begin) -> String {
    match begin {
        Begin::Entry => "entry".to_owned(),
        Begin::Handler(_) => "handler".to_owned(),
        Begin::Loop(_) => "loop".to_owned(),
        Begin::Merge(_) => "cut".to_owned(),
        Begin::Call(at) => format!("call {at}"),
    }
}

/// Where a path ends, in words.
#[must_use]
pub fn end_text(end: End, graph: &Graph<'_>) -> String {
    let to = |edge: usize| graph.edges.get(edge).map_or(0, |edge| edge.to);
    match end {
        End::Return(_) => "return".to_owned(),
        End::Throw(_) => "throw".to_owned(),
        End::Loop(edge) => format!("loop {}", to(edge)),
        End::Handler(edge) => format!("handler {}", to(edge)),
        End::Merge(edge) => format!("cut {}", to(edge)),
        End::Call(at) => format!("call {at}"),
    }
}
