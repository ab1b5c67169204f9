//! A basic block.

use crate::cover::Stretch;
use crate::metrics::Metrics;
use crate::sites::{Allocation, Call};
use std::ops::Range;

/// Instructions that run one after the other, unless one of them throws.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block<'a> {
    /// Offset of its first instruction.
    pub first: u32,
    /// Offset of its last instruction.
    pub last: u32,
    /// Offset behind its last instruction.
    pub end: u32,
    /// How it leaves the method, if its last instruction does.
    pub exit: Option<Exit>,
    /// Whether no path from the method's start leads here, not even by an exception.
    pub is_dead: bool,
    /// Offset of its first instruction that can throw; `None` where none can.
    ///
    /// Instructions that can throw: calls, field and array accesses, allocations, divisions and remainders of
    /// integers, `checkcast`, `instanceof`, monitors, `athrow`, and loads of constants that are resolved by
    /// running code (classes, method types and handles, dynamic ones). Not counted are the read of a field of
    /// `this`, and the errors that the JVM may throw anywhere (JVMS 2.10).
    pub throws: Option<u32>,
    /// Whether one of its instructions may load or initialise a class, which may run other code: accesses of static fields, calls,
    /// allocations of objects, checks of types, and loads of constants that are resolved by running code.
    pub may_load: bool,
    /// Its edges among those of the graph, in the order of [`Edge`](crate::Edge).
    pub edges: Range<usize>,
    /// Its parts, each with the handlers that cover it; none where no handler covers any.
    pub stretches: Vec<Stretch>,
    /// Its calls, in the order of the code.
    pub calls: Vec<Call<'a>>,
    /// Where it makes objects and arrays, in the order of the code.
    pub allocations: Vec<Allocation<'a>>,
    /// Counts of its instructions.
    pub metrics: Metrics,
    /// Its source lines, ascending; none where the class file has no line numbers.
    pub lines: Vec<u16>,
    /// The block that each path to this one passes last, and that is not this one; `None` for the first and for dead ones.
    pub dominator: Option<usize>,
    /// The innermost loop that it belongs to, by its place among those of the graph.
    pub in_loop: Option<usize>,
}

/// How a block leaves the method by its last instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// The block returns.
    Return,
    /// The block throws, to a handler that covers it or to the caller.
    Throw,
}

impl Block<'_> {
    /// Whether counters tell how often its `athrow` was reached: it has one, and can throw before it.
    #[must_use]
    pub fn counts_athrow(&self) -> bool {
        !self.is_dead && self.exit == Some(Exit::Throw) && self.throws != Some(self.last)
    }
}

impl Exit {
    /// A word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Return => "return",
            Self::Throw => "throw",
        }
    }
}
