//! The slowest calls of a trace.

use crate::timings::{Timing, Told};
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// The order of calls: the slowest first, then the first ones.
type Key = (Reverse<u64>, u64, u64);

/// The calls of a trace that took longest.
#[derive(Debug)]
pub struct Slowest {
    most: usize,
    only: Option<u64>,
    calls: BTreeMap<Key, Timing>,
    /// All calls.
    pub count: u64,
    /// Of these, the ones whose duration is not known.
    pub unknown: u64,
    /// The first clock of all.
    pub first: Option<u64>,
}

impl Slowest {
    /// Keeps the slowest ones, this number at most; of those with a number, if one is given.
    #[must_use]
    pub fn new(most: usize, only: Option<u64>) -> Self {
        Self { most, only, calls: BTreeMap::new(), count: 0, unknown: 0, first: None }
    }

    /// The slowest first: by their durations, or what these are at most, or else at least.
    pub fn calls(&self) -> impl ExactSizeIterator<Item = &Timing> {
        self.calls.values()
    }
}

impl Told for Slowest {
    fn told(&mut self, timing: Timing) {
        // The first clock is that of the trace, also where other calls are kept.
        self.first = self.first.into_iter().chain(timing.begin.or(timing.from)).min();
        let Some(call) = timing.call.filter(|_| timing.level == 0) else { return };
        if self.only.is_some_and(|only| only != call.number) {
            return;
        }
        self.count += 1;
        self.unknown += u64::from(timing.total().is_none());
        let took = timing.at_most().unwrap_or_else(|| timing.at_least());
        self.calls.insert((Reverse(took), call.thread, call.place), timing);
        if self.calls.len() > self.most {
            self.calls.pop_last();
        }
    }
}
