//! Steps before the first gate is opened: loading the probe's classes and calibrating the cost of a measured
//! call.

#[cfg(test)]
mod tests;

use super::cost::{ProbeCost, two_clock_reads_ps};
use super::{Connection, LONGEST_ANSWER};
use crate::kinds::times::pace::DRAIN_EVERY;
use crate::kinds::times::rings::Raw;
use crate::shared::{Command, Reply};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// HotSpot's last compiler may still have the probe in its queue during the first calibration. So calibrations go on until
/// none was better by a fiftieth for some time. The median of the calibrations since then counts. In the cheapest one no other
/// processor reads the samples, as it does while a program is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Patience {
    /// Time without an improvement after which the calibrations so far are the last ones.
    plateau: Duration,
    /// Longest time of all calibrations.
    longest: Duration,
    /// Pause between two calibrations, in which the compilers have the processor.
    pause: Duration,
}

const USUAL: Patience = Patience::of_millis(50, 1500, 1);
/// Where a call costs over `DEAR_FROM` times two clock reads by native code, as code of the first compiler does. In the start
/// of a program the queue of the last compiler may be long: three calibrations of 22 were too dear, up to 18 times.
const DEAR: Patience = Patience::of_millis(400, 1500, 1);
const DEAR_FROM: f64 = 1.3;
/// And where it costs over `VERY_DEAR_FROM` times two clock reads, as interpreted code does, in a JVM that has compilers: on a busy
/// machine one calibration of 36 was interpreted to its end, and 46 times too dear. The compilers need the processor more than it.
const VERY_DEAR: Patience = Patience::of_millis(2500, 4000, 20);
const VERY_DEAR_FROM: f64 = 6.0;
/// A calibration is discarded when two clock reads next to it took this many times as long as the fastest ones: the machine itself was
/// stalled. In a virtual machine clock reads took ten times as long for 40 ms, and a calibration was 4.6 times too dear by it.
const STALLED: f64 = 2.0;

impl Patience {
    const fn of_millis(plateau: u64, longest: u64, pause: u64) -> Self {
        let [plateau, longest, pause] =
            [Duration::from_millis(plateau), Duration::from_millis(longest), Duration::from_millis(pause)];
        Self { plateau, longest, pause }
    }
}

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
        let mut calibrations =
            Calibrations { may_be_compiled: self.given.hello.compiles, ..Calibrations::default() };
        let begun = Instant::now();
        let mut better = begun;
        let mut patience = USUAL;
        while better.elapsed() < patience.plateau && begun.elapsed() < patience.longest {
            let cost = |done| if let Reply::Cost(cost) = done { Some(cost) } else { None };
            let (Ok((ns, calls)), reported) = self.ask(Command::Calibrate, LONGEST_ANSWER, cost)? else {
                break;
            };
            if calibrations.add(ProbeCost::of(ns, calls, &reported, two_clock_reads_ps())) {
                better = Instant::now();
            }
            patience = calibrations.patience();
            std::thread::sleep(patience.pause);
        }
        self.cost = calibrations.cost();
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

/// Calibrations one after another.
#[derive(Default)]
struct Calibrations {
    /// Those since the last improvement. Without those of a stalled machine, unless there are no others.
    settled: Vec<ProbeCost>,
    /// The cheapest call of all calibrations, and the fastest two clock reads.
    best_ps: Option<u64>,
    fastest_reads_ps: Option<u64>,
    /// Whether the JVM has compilers, which may come to the probe yet.
    may_be_compiled: bool,
}

impl Calibrations {
    /// Adds one; whether it was better by a fiftieth than each before.
    fn add(&mut self, found: ProbeCost) -> bool {
        let better = self.best_ps.is_none_or(|best_ps| found.call_ps < best_ps - best_ps / 50);
        if better {
            self.settled.clear();
        }
        self.best_ps = Some(self.best_ps.map_or(found.call_ps, |best_ps| best_ps.min(found.call_ps)));
        let fastest_ps =
            self.fastest_reads_ps.map_or(found.reads_ps, |fastest_ps| fastest_ps.min(found.reads_ps));
        self.fastest_reads_ps = Some(fastest_ps);
        if better || found.reads_ps as f64 <= STALLED * fastest_ps as f64 {
            self.settled.push(found);
        }
        better
    }

    /// Time for which to go on after the calibrations so far.
    fn patience(&self) -> Patience {
        let dear = self.cost().map_or(0.0, |found| found.call_ps as f64 / found.reads_ps as f64);
        if dear > VERY_DEAR_FROM && self.may_be_compiled {
            VERY_DEAR
        } else if dear > DEAR_FROM {
            DEAR
        } else {
            USUAL
        }
    }

    /// The median of the calls' cost, with that of the clock reads.
    fn cost(&self) -> Option<ProbeCost> {
        let found = median(&self.settled, |found| found.call_ps)?;
        let reads_ps = median(&self.settled, |found| found.reads_ps)?.reads_ps;
        Some(ProbeCost { reads_ps, ..found })
    }
}

/// The upper median by this key.
fn median<T: Copy>(all: &[T], key: impl Fn(&T) -> u64) -> Option<T> {
    let mut all = all.to_vec();
    all.sort_by_key(key);
    all.get(all.len() / 2).copied()
}
