//! A method's graph and counts.

use spl_draw::Picture;

/// A method with its graph and counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counted {
    /// Its name.
    pub name: String,
    /// Number of calls.
    pub calls: u64,
    /// The unit of the figures on the page.
    pub unit: Unit,
    /// Its graph, without counts.
    pub picture: Picture,
    /// The counts of its blocks.
    pub blocks: Vec<BlockCounts>,
    /// The counts of its edges; `None` for edges of exceptions, which have none of their own.
    pub edges: Vec<Option<u64>>,
    /// Its paths, if they were counted.
    pub paths: Option<CountedPaths>,
    /// Numbers of the blocks that causes stand in.
    pub marked: Vec<usize>,
    /// Call sites that lead to it, those with most calls first.
    pub callers: Vec<Link>,
    /// Its call sites, those with most calls first.
    pub callees: Vec<Link>,
}

/// The figures that a page makes of counts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Unit {
    /// The counts themselves.
    #[default]
    Counts,
    /// Whether a count is more than 0.
    Flags,
    /// Counts divided by this number of calls of a root; more than 0.
    PerCall(f64),
}

/// The counts of a block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockCounts {
    /// Its source lines.
    pub lines: String,
    /// Its instructions.
    pub bytecodes: u32,
    /// Number of times that it was run.
    pub count: u64,
    /// Activations that left it in its middle, where that is known.
    pub gone: Option<u64>,
    /// The methods that it calls.
    pub calls: Vec<String>,
}

/// The paths of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedPaths {
    /// The most frequent ones, in their order.
    pub first: Vec<CountedPath>,
    /// Number of different paths that ran to their end.
    pub ran: usize,
    /// Number of times that paths ran to their end.
    pub ended: u64,
    /// Number of times that paths began and did not end.
    pub left: u64,
}

/// A path with its count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CountedPath {
    /// Number of times that it ran to its end.
    pub count: u64,
    /// Where it begins, in words.
    pub begin: String,
    /// Its blocks.
    pub blocks: Vec<usize>,
    /// Its edges, with the one that it ends on.
    pub edges: Vec<usize>,
    /// Where it ends, in words.
    pub end: String,
    /// Instructions of its blocks.
    pub bytecodes: u64,
}

/// A call site with a count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The method at the other end.
    pub method: String,
    /// Number of the block of the call.
    pub block: usize,
    /// Number of calls, at least and at most.
    pub count: (u64, u64),
}
