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
    /// Its first instructions.
    pub code: Code,
    /// Its source; `None` where none was asked for.
    pub source: Option<Source>,
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

/// Instructions of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Code {
    /// The first of them, in the order of the code.
    pub listed: Vec<Instruction>,
    /// The number of all.
    pub all: usize,
}

impl Code {
    /// Whether an instruction of this block is listed.
    pub(crate) fn has(&self, block: usize) -> bool {
        self.listed.last().is_some_and(|last| last.block >= block)
    }
}

/// An instruction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instruction {
    /// Its offset.
    pub at: u32,
    /// Its source line, if that is known.
    pub line: Option<u16>,
    /// Its block.
    pub block: usize,
    /// Its name and operand.
    pub text: String,
    /// The blocks that it may jump to, each with the case of a switch.
    pub targets: Vec<(String, usize)>,
    /// Number of targets that are left out.
    pub more_targets: usize,
}

/// The source of a method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Where it was found, or the name of the file.
    pub file: String,
    /// Its lines with a few around, in parts without gaps; or why there are none, without a full stop.
    pub parts: Result<Vec<Vec<SourceLine>>, String>,
    /// Lines of the method that are left out.
    pub left_out: usize,
}

/// A line of source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceLine {
    /// Its number, from 1 on.
    pub number: u16,
    /// Its text.
    pub text: String,
    /// The largest count of its blocks; `None` where no code of the method belongs to it.
    pub count: Option<u64>,
    /// Its blocks, the one with the largest count first.
    pub blocks: Vec<usize>,
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
    /// The answer to the calls, where arcs counted: a word as in `arcs.csv`, and perhaps a reason.
    pub answer: String,
    /// Classes of the receivers, where they are known.
    pub receivers: String,
}
