//! Steps before the first gate is opened: loading the probe's classes and calibrating the cost of a measured
//! call.

use super::cost::ProbeCost;
use super::{Connection, LONGEST_ANSWER};
use crate::kinds::times::pace::DRAIN_EVERY;
use crate::kinds::times::rings::Raw;
use crate::shared::{Command, Reply};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// HotSpot's last compiler may still have the probe in its queue during the first calibration. So calibrations go on until
/// none was better by a fiftieth for `CALIBRATED_AFTER`, at most for `LONGEST_CALIBRATION`. The median of the calibrations since
/// then counts. In the cheapest one no other processor reads the samples, as it does while a program is measured.
const CALIBRATED_AFTER: Duration = Duration::from_millis(50);
const LONGEST_CALIBRATION: Duration = Duration::from_millis(400);

impl Connection {
    /// Prepares the probe class and measures the cost of a measured call; `None` when the JVM ends first, or the agent
    /// thread does not answer.
    pub(super) fn prepare(&mut self) -> Option<Result<Option<ProbeCost>, String>> {
        // No thread joins a JVM that ends.
        if self.given.life.is_over() {
            return None;
        }
        if let Some(begin) = self.given.begin.take()
            && let Err(why) = begin()
        {
            let dying = self.given.life.is_over();
            return (!dying).then_some(Err(why));
        }
        let ready = |done| if let Reply::Ready(ready) = done { Some(ready) } else { None };
        if let Err(why) = self.ask(Command::Prepare, LONGEST_ANSWER, ready)?.0 {
            return Some(Err(why));
        }
        if self.cost.is_some() {
            // A controller that rejects the agent may connect repeatedly.
            return Some(Ok(self.cost));
        }
        let mut best_ps = u64::MAX;
        let mut settled: Vec<ProbeCost> = Vec::new();
        let begun = Instant::now();
        let mut better = begun;
        while better.elapsed() < CALIBRATED_AFTER && begun.elapsed() < LONGEST_CALIBRATION {
            let cost = |done| if let Reply::Cost(cost) = done { Some(cost) } else { None };
            let (Ok((ns, calls)), reported) = self.ask(Command::Calibrate, LONGEST_ANSWER, cost)? else {
                break;
            };
            let found = ProbeCost::of(ns, calls, &reported);
            if found.call_ps < best_ps - best_ps / 50 {
                better = Instant::now();
                settled.clear();
            }
            best_ps = best_ps.min(found.call_ps);
            settled.push(found);
        }
        settled.sort_by_key(|found| found.call_ps);
        self.cost = settled.get(settled.len() / 2).copied();
        Some(Ok(self.cost))
    }

    /// Waits for the agent thread's answer and empties the rings meanwhile; `None` when the JVM ends first, or
    /// no answer comes in this time. Also returns the durations in nanoseconds that the probe itself recorded.
    pub(super) fn ask<T>(
        &mut self,
        command: Command,
        within: Duration,
        answer: impl Fn(Reply) -> Option<T>,
    ) -> Option<(T, Vec<u64>)> {
        self.times.take_raw(&mut |_| {});
        self.given.shared.command(command);
        let mut reported = Vec::new();
        let mut take = |raw: Raw| reported.extend(raw.end_ns.checked_sub(raw.start_ns));
        // Waits are counted and no clock is read: a process that is stopped and continued loses no time by it.
        let mut waits = within.as_millis() / DRAIN_EVERY.as_millis();
        while waits > 0 && !self.given.life.is_over() && self.given.shared.failure().is_none() {
            match self.given.done.recv_timeout(DRAIN_EVERY) {
                Ok(done) => {
                    if let Some(answer) = answer(done) {
                        self.times.take_raw(&mut take);
                        return Some((answer, reported));
                    }
                }
                // The warm-up fills the rings many times; one calibration fits in.
                Err(RecvTimeoutError::Timeout) => {
                    waits -= 1;
                    self.times.take_raw(&mut take);
                }
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
        None
    }
}
