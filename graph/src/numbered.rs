//! The numbers of a method's calls, by which arcs of the call graph are counted, and of the places that make arrays.

use crate::graph::Graph;
use crate::sites::{Allocation, Call, CallKind};
use spl_model::OfCalls;
use spl_model::arena::{ARRAY_WORDS, Received};

/// A call with its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NumberedCall<'g, 'a> {
    /// Its block.
    pub block: usize,
    /// The call.
    pub call: &'g Call<'a>,
    /// Its number within the method: the first of its words, if it has some. Where entered methods count, a call has one, and two where the
    /// receiver chooses: its second one stands for its last receiver. Where receivers count, such a call has [`Received::WORDS`], or one where the
    /// receiver's class is known (`is_exact`), and others have none.
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
    pub fn numbered_calls(&self, of: OfCalls, first: u32) -> (Vec<NumberedCall<'_, 'a>>, u32) {
        let mut next = first;
        let mut all = Vec::new();
        for (block, one) in self.blocks.iter().enumerate().filter(|(_, block)| !block.is_dead) {
            for call in &one.calls {
                all.push(NumberedCall { block, call, number: next });
                let words = match (of, call.is_dispatched()) {
                    (OfCalls::Entered, false) => 1,
                    (OfCalls::Entered, true) => 2,
                    (OfCalls::Receivers, false) => 0,
                    (OfCalls::Receivers, true) if call.is_exact => 1,
                    (OfCalls::Receivers, true) => Received::WORDS,
                };
                next = next.saturating_add(words);
            }
        }
        (all, next)
    }

    /// The places of the method's live blocks that make arrays, in the order of the code, and the number behind them all. `first` is the
    /// number of the method's first call: those of arrays follow those of calls.
    #[must_use]
    pub fn numbered_arrays(&self, of: OfCalls, first: u32) -> (Vec<NumberedArray<'_, 'a>>, u32) {
        let (_, mut next) = self.numbered_calls(of, first);
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
