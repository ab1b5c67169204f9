//! The numbers of a method's calls, by which arcs of the call graph are counted.

use crate::graph::Graph;
use crate::sites::{Call, CallKind};

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
}
