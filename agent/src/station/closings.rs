//! Closings of gates behind which calls may still run.

use spl_model::Handle;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::time::Duration;

/// Closings of one method that are looked at for calls which still run. Of earlier ones the controller is not told.
pub(super) const MOST_CLOSINGS: usize = 256;
/// The shortest and the longest time between two looks for calls that still run behind closed gates; a blocked call may run as long
/// as the program.
pub(super) const LOOK_FOR_CALLS: (Duration, Duration) =
    (Duration::from_millis(1), Duration::from_millis(100));

/// The closings of each method of whose calls some may still be running.
#[derive(Debug)]
pub struct Closings {
    /// At most [`MOST_CLOSINGS`] of each, the newest last.
    of: BTreeMap<Handle, VecDeque<Closing>>,
    /// How long to wait before the next look for these calls.
    pause: Duration,
}

/// One closing of a method's gate.
#[derive(Clone, Copy, Debug)]
struct Closing {
    /// Which of the method's, from 1.
    number: u64,
    /// The openings, from after this one to that one, that it closed.
    openings: (u32, u32),
}

impl Default for Closings {
    fn default() -> Self {
        Self { of: BTreeMap::new(), pause: LOOK_FOR_CALLS.0 }
    }
}

impl Closings {
    /// A gate was closed for the `number`-th time: what the openings after the first one to the second one have let through.
    pub fn add(&mut self, handle: Handle, number: u64, openings: (u32, u32)) {
        let closings = self.of.entry(handle).or_default();
        closings.push_back(Closing { number, openings });
        if closings.len() > MOST_CLOSINGS {
            closings.pop_front();
        }
        self.pause = LOOK_FOR_CALLS.0;
    }

    /// Nobody asks for them any more.
    pub fn forget(&mut self) {
        self.of.clear();
    }

    /// How long to wait before the next look, twice as long each time; `None` when there is none.
    pub fn look_pause(&mut self) -> Option<Duration> {
        if self.of.is_empty() {
            return None;
        }
        // Most calls end soon, and one that doesn't must not keep the thread busy.
        let pause = self.pause;
        self.pause = (pause * 2).min(LOOK_FOR_CALLS.1);
        Some(pause)
    }

    /// Those that are over, which are looked at no more. `running` gives the openings of which calls of a method run.
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
