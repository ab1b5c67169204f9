//! The method that is woven into, and the sites in it at which a kind of probe may put code.

use crate::flow::FlowFacts;
use spl_classfile::code::Code;
use spl_classfile::instruction::Insn;
use spl_classfile::signature::Signature;

/// What the probes of a method depend on.
pub(crate) struct Subject<'a, 'b> {
    /// Constant index of the method's class, where its code can load it.
    pub(crate) owner: Option<u16>,
    pub(crate) code: &'b Code<'a>,
    pub(crate) insns: &'b [Insn<'a>],
    pub(crate) facts: &'b FlowFacts,
    pub(crate) signature: &'b Signature<'a>,
    pub(crate) is_static: bool,
    /// Whether it is a constructor.
    pub(crate) constructs: bool,
    /// Index of the first instruction of the region, before which no probe runs but those of blocks.
    pub(crate) region: usize,
}

impl Subject<'_, '_> {
    /// Stack words before the instruction `index`; `None` when no path leads there.
    pub(crate) fn height(&self, index: usize) -> Option<usize> {
        self.facts.heights.get(index).copied().flatten()
    }

    /// Slot of the first parameter.
    pub(crate) fn first_slot(&self) -> u16 {
        u16::from(!self.is_static)
    }
}

/// Where code may be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Site {
    /// Before the region. An overflow of the stack lets the call go on, and is counted.
    Entry,
    /// Before the first instruction of the basic block of this number, counted in the order of the code. What is thrown there is
    /// the program's to catch, as if its own code had thrown it: code that may overflow the stack does not belong there. In a
    /// constructor some blocks may run before the entry code; the locals of the kinds are zero then.
    BlockHead(usize),
    /// Before each return instruction; the result is put aside. An overflow lets the call return, and is counted.
    Return,
    /// Where an exception leaves the region; it is put aside. An overflow lets it go on, and is counted.
    Throw,
}

impl Site {
    /// Whether calls end there. What enters first leaves last.
    pub(crate) fn is_exit(self) -> bool {
        matches!(self, Self::Return | Self::Throw)
    }
}

/// The sites that a kind wants beside the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) blocks: bool,
    /// Returns and exceptions.
    pub(crate) exits: bool,
}
