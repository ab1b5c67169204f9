//! Where a block may lead.

use spl_classfile::instruction::{Flow, Insn, padding};
use spl_classfile::opcode::{self, TABLESWITCH};
use std::collections::BTreeMap;

/// A way from a block to a block. The edges of a graph stand in the order of the blocks that they begin in; those of one block: the
/// branch that is taken, or the cases of a switch in the order of the targets, then what falls through, then exceptions in the order of
/// the handlers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The block that it begins in.
    pub from: usize,
    /// The block that it leads to.
    pub to: usize,
    /// Reason for which it is taken.
    pub kind: EdgeKind,
}

/// Reason for which an edge is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// The block ends without a branch, or with a condition that does not hold.
    FallThrough,
    /// A `goto`, or a condition that holds.
    Taken,
    /// A switch; all that leads to the same block is one edge.
    Switch {
        /// The values that lead there, in the order of the code.
        cases: Vec<i32>,
        /// Whether all other values lead there too.
        is_default: bool,
    },
    /// An exception, caught by the first of these entries of the exception table that its class fits; all that have the same target are
    /// one edge.
    Exception {
        /// Places in the exception table, ascending.
        handlers: Vec<u16>,
    },
}

impl EdgeKind {
    /// Whether an exception has it taken.
    #[must_use]
    pub fn is_exception(&self) -> bool {
        matches!(self, Self::Exception { .. })
    }

    /// A word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::FallThrough => "fall",
            Self::Taken => "taken",
            Self::Switch { .. } => "switch",
            Self::Exception { .. } => "exception",
        }
    }
}

/// Where the last instruction of a block leads to, as offsets; exceptions are not among it.
pub(crate) fn ways(last: &Insn<'_>) -> Vec<(u32, EdgeKind)> {
    let mut ways = match last.flow {
        Flow::Next => Vec::new(),
        Flow::Jump(target) => vec![(target, EdgeKind::Taken)],
        Flow::Switch => switch(last),
    };
    if !opcode::ends_flow(last.opcode) {
        ways.push((last.end(), EdgeKind::FallThrough));
    }
    ways
}

fn switch(insn: &Insn<'_>) -> Vec<(u32, EdgeKind)> {
    let mut targets = insn.targets();
    let default = targets.next();
    let mut cases: BTreeMap<u32, Vec<i32>> = default.into_iter().map(|at| (at, Vec::new())).collect();
    for (target, value) in targets.zip(values(insn)) {
        cases.entry(target).or_default().push(value);
    }
    let edge = |(at, cases)| (at, EdgeKind::Switch { cases, is_default: Some(at) == default });
    cases.into_iter().map(edge).collect()
}

/// The values of a switch's cases, in the order of the code (JVMS 6.5). Decoding has found all of them there.
fn values(insn: &Insn<'_>) -> Vec<i32> {
    let operands = insn.bytes.get(1 + padding(insn.at as usize)..).unwrap_or_default();
    let mut words = operands.as_chunks().0.iter().map(|word| i32::from_be_bytes(*word)).skip(1);
    if insn.opcode == TABLESWITCH {
        let (low, high) = (words.next(), words.next());
        return low.zip(high).map(|(low, high)| (low..=high).collect()).unwrap_or_default();
    }
    words.skip(1).step_by(2).collect()
}
