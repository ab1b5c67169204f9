//! Calls that end after their window was closed: they complete it.

use crate::MethodIx;
use crate::call::Call;

/// Turns that are waited for at most: the oldest makes room. A method that never returns leaves one in each window.
const MOST: usize = 10_000;

/// Turns of closed windows with a call that had not ended then.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Unended {
    /// In the order in which they began.
    turns: Vec<Turn>,
}

#[derive(Clone, Debug, PartialEq)]
struct Turn {
    window: u64,
    method: MethodIx,
    /// When its gate was opened, nanoseconds of the JVM's clock.
    opened_ns: u64,
    /// With which closing of its gate what began in it was let through.
    closing: Option<u64>,
    /// Late calls.
    calls: Vec<Call>,
}

impl Unended {
    /// A window is closed without what is outstanding of this turn.
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

    /// Takes out the turns of a method of which no call is outstanding any more, now that those of this closing have ended (of all
    /// closings, without a number): each window with its late calls.
    pub(crate) fn completed(&mut self, method: MethodIx, closing: Option<u64>) -> Vec<(u64, Vec<Call>)> {
        let of = self
            .turns
            .extract_if(.., |turn| turn.method == method && (closing.is_none() || turn.closing == closing));
        of.map(|turn| (turn.window, turn.calls)).collect()
    }
}
