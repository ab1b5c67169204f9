//! Closings of gates behind which calls may still run.

use spl_model::Handle;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Most closings of one method that are checked for running calls. Older ones are never reported to the
/// controller.
pub(super) const MOST_CLOSINGS: usize = 256;
/// The shortest and the longest time between two looks for calls that still run behind closed gates; a
/// blocked call may run as long as the program.
pub(super) const LOOK_FOR_CALLS: (Duration, Duration) =
    (Duration::from_millis(1), Duration::from_millis(100));

/// The closings of each method with calls that may still run.
#[derive(Debug)]
pub struct Closings {
    /// At most [`MOST_CLOSINGS`] of each method, the newest last.
    of: BTreeMap<Handle, VecDeque<Closing>>,
    /// Time to wait before the next look for these calls.
    pause: Duration,
}

/// One closing of a method's gate.
#[derive(Clone, Copy, Debug)]
struct Closing {
    /// Number of the closing, counted from 1 for each method.
    number: u64,
    /// The openings that it closed: those after the first number, up to the second.
    openings: (u32, u32),
}

impl Default for Closings {
    fn default() -> Self {
        Self { of: BTreeMap::new(), pause: LOOK_FOR_CALLS.0 }
    }
}

impl Closings {
    /// Adds the `number`-th closing of a gate. It covers the calls admitted by the openings after the first
    /// one up to the second one.
    pub fn add(&mut self, handle: Handle, number: u64, openings: (u32, u32)) {
        let closings = self.of.entry(handle).or_default();
        closings.push_back(Closing { number, openings });
        if closings.len() > MOST_CLOSINGS {
            closings.pop_front();
        }
        self.pause = LOOK_FOR_CALLS.0;
    }

    /// Drops all closings.
    pub fn forget(&mut self) {
        self.of.clear();
    }

    /// Time to wait before the next look, doubled each time; `None` without closings.
    pub fn look_pause(&mut self) -> Option<Duration> {
        if self.of.is_empty() {
            return None;
        }
        // Most calls end soon, and a call that does not must not keep the thread busy.
        let pause = self.pause;
        self.pause = (pause * 2).min(LOOK_FOR_CALLS.1);
        Some(pause)
    }

    /// Takes the closings that are complete. `running` returns the openings of a method with calls that run.
    pub fn take_idle(&mut self, running: impl Fn(Handle) -> BTreeSet<u32>) -> Vec<(Handle, u64)> {
        let mut idle = Vec::new();
        for (&handle, closings) in &mut self.of {
            let running = running(handle);
            closings.retain(|&Closing { number, openings: (before, newest) }| {
                let runs = running.iter().any(|&opening| opening > before && opening <= newest);
                idle.extend((!runs).then_some((handle, number)));
                runs
            });
        }
        self.of.retain(|_, closings| !closings.is_empty());
        idle
    }

    #[cfg(test)]
    pub(super) fn len(&self, handle: Handle) -> usize {
        self.of.get(&handle).map_or(0, VecDeque::len)
    }
}
