//! Before the first gate is opened: the probe's classes are made ready, and what a measured call costs is found.

use super::{DRAIN_EVERY, Link};
use crate::rings::{Raw, Rings};
use crate::state::{Command, Done};
use crate::sys;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// The least of the calibrations counts, because whatever disturbs one makes it longer. HotSpot's last compiler may still
/// have the probe in its queue during the first: they go on until none was better by a fiftieth for so long, and so long at
/// most.
const CALIBRATED_AFTER: Duration = Duration::from_millis(50);
const LONGEST_CALIBRATION: Duration = Duration::from_millis(400);

/// What a measured call of an empty method costs and reports, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct ProbeCost {
    pub(super) call_ps: u64,
    pub(super) empty_ps: Option<u64>,
}

impl ProbeCost {
    /// From the nanoseconds that all the calls took and what was recorded of each.
    fn of(ns: u64, calls: u64, reported_ns: &[u64]) -> Self {
        let mean = |ns: u64, n: u64| (n > 0).then(|| ns.saturating_mul(1000) / n);
        let sum = reported_ns.iter().fold(0_u64, |sum, ns| sum.saturating_add(*ns));
        Self { call_ps: mean(ns, calls).unwrap_or(0), empty_ps: mean(sum, reported_ns.len() as u64) }
    }
}

impl Link {
    /// Makes the probe class ready and finds what a measured call costs; `None` when the JVM ends before.
    pub(super) fn prepare(&mut self) -> Option<Result<Option<ProbeCost>, String>> {
        if let Some(begin) = self.parts.begin.take()
            && let Err(why) = begin()
        {
            let dying = self.parts.life.is_over();
            return (!dying).then_some(Err(why));
        }
        let ready = |done| if let Done::Ready(ready) = done { Some(ready) } else { None };
        if let Err(why) = self.ask(Command::Prepare, ready)?.0 {
            return Some(Err(why));
        }
        if self.cost.is_some() {
            // A controller that rejects us comes again and again.
            return Some(Ok(self.cost));
        }
        let mut best: Option<ProbeCost> = None;
        let begun = Instant::now();
        let mut better = begun;
        while better.elapsed() < CALIBRATED_AFTER && begun.elapsed() < LONGEST_CALIBRATION {
            let cost = |done| if let Done::Cost(cost) = done { Some(cost) } else { None };
            let (Ok((ns, calls)), reported) = self.ask(Command::Calibrate, cost)? else { break };
            let found = ProbeCost::of(ns, calls, &reported);
            if best.is_none_or(|best| found.call_ps < best.call_ps - best.call_ps / 50) {
                better = Instant::now();
            }
            if best.is_none_or(|best| found.call_ps < best.call_ps) {
                best = Some(found);
            }
        }
        self.cost = best;
        Some(Ok(best))
    }

    /// Waits for the agent thread's answer, emptying the rings meanwhile; `None` when the JVM ends before. Gives also the
    /// durations in nanoseconds that the probe itself recorded.
    fn ask<T>(&mut self, command: Command, answer: impl Fn(Done) -> Option<T>) -> Option<(T, Vec<u64>)> {
        self.take_raw(&mut |_| {});
        self.parts.state.command(command);
        let mut reported = Vec::new();
        let mut take = |raw: Raw| reported.extend(raw.end_ns.checked_sub(raw.start_ns));
        while !self.parts.life.is_over() && self.parts.state.failure().is_none() {
            match self.parts.done.recv_timeout(DRAIN_EVERY) {
                Ok(done) => {
                    if let Some(answer) = answer(done) {
                        self.take_raw(&mut take);
                        return Some((answer, reported));
                    }
                }
                // Warming fills the rings over and over; one calibration fits in.
                Err(RecvTimeoutError::Timeout) => self.take_raw(&mut take),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        None
    }

    /// Empties the rings of what is no controller's; what is lost is nobody's loss.
    pub(super) fn take_raw(&mut self, take: &mut impl FnMut(Raw)) {
        if let Some(rings) = self.rings() {
            rings.drain(sys::now_ns(), take);
            rings.lost();
        }
    }

    /// The rings, once the agent thread has made room for them.
    pub(super) fn rings(&mut self) -> Option<&mut Rings> {
        if self.rings.is_none() {
            self.rings = self.parts.state.blocks().map(Rings::new);
        }
        self.rings.as_mut()
    }
}
