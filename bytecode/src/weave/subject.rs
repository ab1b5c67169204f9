//! The method to weave into, and the sites in it where a kind of probe may put code.

use super::counted_paths::CountedPaths;
use crate::emit::Kind;
use crate::flow::FlowFacts;
use spl_classfile::code::Code;
use spl_classfile::instruction::Insn;
use spl_classfile::signature::Signature;
use spl_graph::{Graph, Place, Segments};
use std::collections::BTreeMap;

/// The parts of a method that its probes depend on.
pub(crate) struct Subject<'a, 'b> {
    /// Constant index of the method's class, if the code can load it.
    pub(crate) owner: Option<u16>,
    pub(crate) code: &'b Code<'a>,
    pub(crate) insns: &'b [Insn<'a>],
    pub(crate) facts: &'b FlowFacts,
    pub(crate) signature: &'b Signature<'a>,
    pub(crate) is_static: bool,
    /// Whether the method is a constructor.
    pub(crate) constructs: bool,
    /// Index of the first instruction of the region. Before it only probes of blocks run.
    pub(crate) region: usize,
    /// The method's counters or flags, if a kind wants them.
    pub(crate) counted: Option<Counted<'a>>,
}

/// A method's graph, and the number of the counter or flag at each place that has one.
pub(crate) struct Counted<'a> {
    pub(crate) graph: Graph<'a>,
    pub(crate) numbers: BTreeMap<Place, u32>,
    /// Whether calls or arrays of the method count, or what entered it.
    pub(crate) has_arcs: bool,
    /// Its calls by their offsets, if a kind counts what they enter.
    pub(crate) calls: BTreeMap<u32, CountedCall>,
    /// Its places that make arrays by their offsets, if a kind counts them.
    pub(crate) arrays: BTreeMap<u32, CountedArray>,
    /// Its paths, if they count.
    pub(crate) paths: Option<CountedPaths>,
    /// Its segments, if a kind tells them, and for each block whether a handler begins there.
    pub(crate) segments: Option<(Segments, Vec<bool>)>,
}

/// A call, as the code in front of it tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CountedCall {
    /// Permanent number of the place.
    pub(crate) number: u32,
    /// Whether its receiver chooses the method.
    pub(crate) is_dispatched: bool,
    /// Whether its receiver's class is known.
    pub(crate) is_exact: bool,
    /// Digest of the called method's name and descriptor.
    pub(crate) member: i32,
    /// Its arguments, where its receiver counts: they lie above it.
    pub(crate) arguments: Vec<Kind>,
}

impl CountedCall {
    /// Words of its arguments.
    pub(crate) fn words(&self) -> u16 {
        self.arguments.iter().map(|kind| kind.words()).sum()
    }
}

/// A place that makes arrays, as the code behind it tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountedArray {
    /// Permanent number of the first of its words.
    pub(crate) number: u32,
    /// The innermost elements, as the code tells them.
    pub(crate) elements: i32,
    /// Levels of arrays.
    pub(crate) levels: u8,
}

impl Subject<'_, '_> {
    /// Stack words before the instruction `index`; `None` if no path leads there.
    pub(crate) fn height(&self, index: usize) -> Option<usize> {
        self.facts.heights.get(index).copied().flatten()
    }

    /// The number of the counter or flag at a site.
    pub(crate) fn number(&self, site: Site) -> Option<u32> {
        if site == Site::Start {
            return None;
        }
        self.counted.as_ref()?.numbers.get(&self.place(site)?).copied()
    }

    /// The place in the graph that a site is.
    pub(crate) fn place(&self, site: Site) -> Option<Place> {
        Some(match site {
            Site::Start => Place::Entry,
            Site::Edge(edge) => Place::Edge(edge),
            Site::BlockHead(block) => Place::Head(block),
            Site::Returning(block) => Place::Return(block),
            Site::Throwing(block) => Place::Throw(block),
            Site::Call(at) => Place::Call(at),
            Site::Made(_) | Site::Entry | Site::Return | Site::Throw => return None,
        })
    }

    /// The method's segments.
    pub(crate) fn segments(&self) -> Option<&Segments> {
        self.counted.as_ref()?.segments.as_ref().map(|(segments, _)| segments)
    }

    /// Whether a handler of a traced method begins with a block.
    pub(crate) fn catches(&self, block: usize) -> bool {
        let segments = self.counted.as_ref().and_then(|counted| counted.segments.as_ref());
        segments.is_some_and(|(_, catches)| catches.get(block) == Some(&true))
    }

    /// Whether a kind has code in front of the call at this offset.
    pub(crate) fn calls_at(&self, at: u32) -> bool {
        let Some(counted) = &self.counted else { return false };
        counted.calls.contains_key(&at)
            || counted.segments.as_ref().is_some_and(|(segments, _)| segments.at_call(at).is_some())
    }

    /// Whether a kind counts the arrays that the instruction at this offset makes.
    pub(crate) fn makes_at(&self, at: u32) -> bool {
        self.counted.as_ref().is_some_and(|counted| counted.arrays.contains_key(&at))
    }

    /// Most words of the arguments of a call whose receiver counts.
    pub(crate) fn most_arguments(&self) -> u16 {
        let calls = self.counted.iter().flat_map(|counted| counted.calls.values());
        calls.map(CountedCall::words).max().unwrap_or(0)
    }

    /// Slot of the first parameter.
    pub(crate) fn first_slot(&self) -> u16 {
        u16::from(!self.is_static)
    }
}

/// A place for inserted code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// The very start, before all code that the program or another kind may run. An overflow there is the
    /// program's: the call itself could have caused it. No handler covers this code.
    Start,
    /// On an edge between blocks, by its place among those of the graph. As for heads, no code that may
    /// overflow the stack must be put there.
    Edge(usize),
    /// Before the call at this offset; its operands are on the stack. The program's handlers of the call cover this code.
    Call(u32),
    /// Behind the instruction at this offset, which has made arrays; the outermost one is on the stack. The program's handlers of the
    /// instruction cover this code.
    Made(u32),
    /// Before the return that the basic block with this number ends with; the result is on the stack.
    Returning(usize),
    /// Before the `athrow` that the basic block with this number ends with; the exception is on the stack.
    Throwing(usize),
    /// Before the region. After a stack overflow the call continues, and is counted.
    Entry,
    /// Before the first instruction of the basic block with this number, in the order of the code. The
    /// program's handlers catch exceptions there like those of its own code, so code that may overflow the
    /// stack must not be put there. In a constructor some blocks may run before the entry code; the locals of
    /// the kinds are zero then.
    BlockHead(usize),
    /// Before each return instruction, with the result stored away. After a stack overflow the call returns,
    /// and is counted.
    Return,
    /// Where an exception leaves the region, with the exception stored away. After an overflow it propagates,
    /// and is counted.
    Throw,
}

impl Site {
    /// Whether calls end there. The kind that enters first leaves last.
    pub(crate) fn is_exit(self) -> bool {
        matches!(self, Self::Return | Self::Throw)
    }
}

/// The sites that a kind wants in addition to the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) blocks: bool,
    /// The start, and edges and returns where counters go.
    pub(crate) counters: bool,
    /// Returns and exceptions.
    pub(crate) exits: bool,
    /// Exceptions.
    pub(crate) throws: bool,
}
