//! The numbers of a method's calls, by which arcs of the call graph are counted, and of the places that make arrays.

use crate::graph::Graph;
use crate::sites::{Allocation, Call, CallKind};
use spl_model::arena::ARRAY_WORDS;

/// A call with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedCall<'g, 'a> {
    /// Its block.
    pub block: usize,
    /// The call.
    pub call: &'g Call<'a>,
    /// Its number within the method. That of a call whose receiver chooses is followed by one more, which stands for its last receiver.
    pub number: u32,
}

/// A place that makes arrays, with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedArray<'g, 'a> {
    /// Its block.
    pub block: usize,
    /// The place.
    pub allocation: &'g Allocation<'a>,
    /// The number of the first of its [`ARRAY_WORDS`] words.
    pub number: u32,
}

impl Call<'_> {
    /// Whether the receiver chooses the method.
    #[must_use]
    pub fn is_dispatched(&self) -> bool {
        matches!(self.kind, CallKind::Virtual | CallKind::Interface)
    }
}

impl<'a> Graph<'a> {
    /// The calls of the method's live blocks with their numbers, in the order of the code; and the number behind them all. `first` is
    /// the number of the first.
    #[must_use]
    pub fn numbered_calls(&self, first: u32) -> (Vec<NumberedCall<'_, 'a>>, u32) {
        let mut next = first;
        let mut all = Vec::new();
        for (block, one) in self.blocks.iter().enumerate().filter(|(_, block)| !block.is_dead) {
            for call in &one.calls {
                all.push(NumberedCall { block, call, number: next });
                next = next.saturating_add(if call.is_dispatched() { 2 } else { 1 });
            }
        }
        (all, next)
    }

    /// The places of the method's live blocks that make arrays, in the order of the code, and the number behind them all. `first` is the
    /// number of the method's first call: those of arrays follow those of calls.
    #[must_use]
    pub fn numbered_arrays(&self, first: u32) -> (Vec<NumberedArray<'_, 'a>>, u32) {
        let (_, mut next) = self.numbered_calls(first);
        let mut all = Vec::new();
        for (block, one) in self.blocks.iter().enumerate().filter(|(_, block)| !block.is_dead) {
            for allocation in one.allocations.iter().filter(|one| one.elements().is_some()) {
                all.push(NumberedArray { block, allocation, number: next });
                next = next.saturating_add(ARRAY_WORDS);
            }
        }
        (all, next)
    }
}
