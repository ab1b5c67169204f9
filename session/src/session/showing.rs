//! The display of a session: its status while it runs, and its results.

use super::{KILLED_EARLY, Session};
use crate::results::Results;
use crate::sequential::Sequential;
use crate::status::{MethodStatus, Overhead, Phase, State, Status};
use spl_scheduler::Status as Scheduled;
use spl_scheduler::{MethodProgress, Scheduler};
use std::time::{Duration, Instant};

impl Session<'_> {
    /// The present status of the measurement.
    pub(super) fn status(&self) -> Status {
        let settings = &self.config.scheduler;
        Status {
            phase: self.phase(),
            elapsed: self.began.elapsed(),
            methods: self.scheduler.progress().map(|progress| self.method_status(&progress)).collect(),
            claims: self.sequential.as_ref().map(Sequential::claims).unwrap_or_default(),
            situation: self.scheduler.situation(),
            difference_limits_ns: (settings.min_diff_ns, settings.max_diff_ns),
            overhead: self.overhead(),
            metaspace: self.peers.values().filter_map(|peer| peer.metaspace).max_by_key(|one| one.kept),
            lost: self.lost,
            to_go: self.to_go(),
        }
    }

    /// Overhead of the program with the highest one.
    fn overhead(&self) -> Option<Overhead> {
        let all = self.peers.values().filter_map(|peer| peer.cost.as_ref()?.overhead());
        all.max_by(|one, other| one.estimated.total_cmp(&other.estimated))
    }

    fn phase(&self) -> Phase {
        if self.detach_by.is_some() || self.scheduler.is_done() {
            Phase::Ending
        } else if !self.is_anybody_here() {
            Phase::Waiting
        } else if self.is_starting() {
            Phase::Starting
        } else {
            Phase::Measuring
        }
    }

    fn method_status(&self, progress: &MethodProgress) -> MethodStatus {
        let state = match progress.status {
            Scheduled::Finished => State::Finished,
            _ if self.is_absent(progress.method.0) => State::NotLoaded,
            Scheduled::Waiting => State::Waiting,
            Scheduled::Listening => State::Listening,
            Scheduled::Suspended => State::Suspended,
            Scheduled::Measured | Scheduled::Resting if progress.warms_up => State::Warming,
            Scheduled::Measured => State::Armed,
            Scheduled::Resting => State::Resting,
        };
        MethodStatus {
            name: self.scheduler.name(progress.method),
            state,
            samples: progress.samples,
            most: progress.samples.saturating_add(progress.remaining),
            discarded: progress.discarded,
            full_buckets: progress.full_buckets,
            buckets: progress.buckets,
            every: progress.every,
        }
    }

    /// Longest remaining time if samples keep coming at the present rate: until every method has its maximum.
    fn to_go(&self) -> Option<Duration> {
        let (since, before) = self.measuring_since?;
        let unfinished = self.scheduler.progress().filter(|one| one.status != Scheduled::Finished);
        let remaining: u64 = unfinished.map(|one| one.remaining).sum();
        let came = self.samples_so_far().saturating_sub(before);
        let seconds = since.elapsed().as_secs_f64() * remaining as f64 / came as f64;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Number of samples of all methods that count.
    pub(super) fn samples_so_far(&self) -> u64 {
        self.scheduler.progress().map(|progress| progress.samples).sum()
    }

    /// Updates the display if it is due.
    pub(super) fn show(&mut self, now: Instant) {
        if self.observer.is_due(now) {
            let status = self.status();
            let shown = self.observer.show(now, &status, &self.results);
            self.check(shown);
        }
    }

    /// Reports a program that was killed early, and shows the final status; nothing is shown after it.
    pub(crate) fn close(&mut self) {
        let was_killed =
            self.command_ended && self.ended_abruptly && !self.interrupted && self.measured_before.is_none();
        if was_killed && self.ever_connected && self.samples_so_far() == 0 {
            self.problem(KILLED_EARLY.to_owned());
        }
        let status = self.status();
        let shown = self.observer.ended(&status, &self.results);
        self.check(shown);
    }

    /// Writes the report's data that no other file has, with all problems so far.
    pub fn write_context(&mut self) {
        let costs = self.peers.values().filter_map(|peer| peer.cost.as_ref()).collect::<Vec<_>>();
        for (pid, probe) in self.peers.values().filter_map(|peer| Some((peer.pid(), peer.probe.as_ref()?))) {
            self.context.probe_took(pid, probe.ps());
        }
        self.context.ended(&self.scheduler, self.lost, &costs, &self.problems);
        let written = self.context.write();
        self.check(written);
    }

    /// Number of samples that never arrived, or arrived damaged.
    pub fn lost(&self) -> u64 {
        self.lost
    }

    /// The results that are final.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// The scheduler, which knows what was measured.
    pub fn scheduler(&self) -> &Scheduler {
        &self.scheduler
    }

    /// State of the sequential mode, where it judges.
    pub fn sequential(&self) -> Option<&Sequential> {
        self.sequential.as_ref()
    }

    /// Problems of the run, each once.
    pub fn problems(&self) -> &[String] {
        &self.problems
    }
}
