//! Before the first gate is opened: the probe's classes are made ready, and what a measured call costs is found.

use super::Connection;
use super::cost::ProbeCost;
use crate::kinds::times::pace::DRAIN_EVERY;
use crate::kinds::times::rings::Raw;
use crate::shared::{Command, Reply};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// The least of the calibrations counts, because whatever disturbs one makes it longer. HotSpot's last compiler may still
/// have the probe in its queue during the first: they go on until none was better by a fiftieth for so long, and so long at
/// most.
const CALIBRATED_AFTER: Duration = Duration::from_millis(50);
const LONGEST_CALIBRATION: Duration = Duration::from_millis(400);

impl Connection {
    /// Makes the probe class ready and finds what a measured call costs; `None` when the JVM ends before.
    pub(super) fn prepare(&mut self) -> Option<Result<Option<ProbeCost>, String>> {
        if let Some(begin) = self.given.begin.take()
            && let Err(why) = begin()
        {
            let dying = self.given.life.is_over();
            return (!dying).then_some(Err(why));
        }
        let ready = |done| if let Reply::Ready(ready) = done { Some(ready) } else { None };
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
            let cost = |done| if let Reply::Cost(cost) = done { Some(cost) } else { None };
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
    fn ask<T>(&mut self, command: Command, answer: impl Fn(Reply) -> Option<T>) -> Option<(T, Vec<u64>)> {
        self.times.take_raw(&mut |_| {});
        self.given.shared.command(command);
        let mut reported = Vec::new();
        let mut take = |raw: Raw| reported.extend(raw.end_ns.checked_sub(raw.start_ns));
        while !self.given.life.is_over() && self.given.shared.failure().is_none() {
            match self.given.done.recv_timeout(DRAIN_EVERY) {
                Ok(done) => {
                    if let Some(answer) = answer(done) {
                        self.times.take_raw(&mut take);
                        return Some((answer, reported));
                    }
                }
                // Warming fills the rings over and over; one calibration fits in.
                Err(RecvTimeoutError::Timeout) => self.times.take_raw(&mut take),
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        None
    }
}
