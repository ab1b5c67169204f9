//! Calls that end after their window was closed: they complete the window.

use crate::MethodIx;
use crate::call::Call;

/// Most turns that are kept: the oldest is dropped for a new one. A method that never returns leaves a turn
/// in each window.
const MOST: usize = 10_000;

/// Turns of closed windows with a call that had not ended at the closing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Unended {
    /// The turns, in the order in which they began.
    turns: Vec<Turn>,
}

#[derive(Clone, Debug, PartialEq)]
struct Turn {
    window: u64,
    method: MethodIx,
    /// Opening of the turn's gate, nanoseconds of the JVM's clock.
    opened_ns: u64,
    /// Number of the gate's closing that ended the turn's calls.
    closing: Option<u64>,
    /// Late calls.
    calls: Vec<Call>,
}

impl Unended {
    /// Keeps a turn of a closed window that still has outstanding calls.
    pub(crate) fn wait_for(&mut self, window: u64, method: MethodIx, opened_ns: u64, closing: Option<u64>) {
        if self.turns.len() == MOST {
            self.turns.remove(0);
        }
        self.turns.push(Turn { window, method, opened_ns, closing, calls: Vec::new() });
    }

    /// Keeps a late call, and gives the number of its window; `None` where no turn waits for it.
    pub(crate) fn hold(&mut self, method: MethodIx, call: Call) -> Option<u64> {
        let began = |turn: &&mut Turn| turn.method == method && turn.opened_ns <= call.start_ns;
        let turn = self.turns.iter_mut().rev().find(began)?;
        turn.calls.push(call);
        Some(turn.window)
    }

    /// Takes out the turns of a method whose calls have all ended, now that the calls of this closing have
    /// ended (without a number: of all closings). Gives each window with its late calls.
    pub(crate) fn completed(&mut self, method: MethodIx, closing: Option<u64>) -> Vec<(u64, Vec<Call>)> {
        let of = self
            .turns
            .extract_if(.., |turn| turn.method == method && (closing.is_none() || turn.closing == closing));
        of.map(|turn| (turn.window, turn.calls)).collect()
    }
}
