//! What a session shows of itself while it runs, and the reports that it leaves.

use super::Session;
use crate::claims::claims;
use crate::document::document;
use crate::files::write_whole;
use crate::junit;
use crate::report;
use crate::status::{MethodStatus, Overhead, Phase, State, Status};
use spl_scheduler::MethodProgress;
use spl_scheduler::Status as Scheduled;
use std::path::Path;
use std::time::{Duration, Instant};

impl Session<'_> {
    /// The measurement as it is now.
    pub(super) fn status(&self) -> Status {
        let settings = &self.config.scheduler;
        Status {
            phase: self.phase(),
            elapsed: self.began.elapsed(),
            methods: self.scheduler.progress().map(|progress| self.method_status(&progress)).collect(),
            situation: self.scheduler.situation(),
            difference_limits_ns: (settings.min_diff_ns, settings.max_diff_ns),
            overhead: self.overhead(),
            metaspace: self.peers.values().filter_map(|peer| peer.metaspace).max_by_key(|one| one.kept),
            lost: self.lost,
            claims: claims(self.setup, &self.results),
            to_go: self.to_go(),
        }
    }

    /// Of the program that measuring costs most.
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

    /// How long it takes at most, if samples go on to come as they did: every method up to its maximum.
    fn to_go(&self) -> Option<Duration> {
        let (since, before) = self.measuring_since?;
        let unfinished = self.scheduler.progress().filter(|one| one.status != Scheduled::Finished);
        let remaining: u64 = unfinished.map(|one| one.remaining).sum();
        let came = self.samples_so_far().saturating_sub(before);
        let seconds = since.elapsed().as_secs_f64() * remaining as f64 / came as f64;
        Duration::try_from_secs_f64(seconds).ok()
    }

    /// Samples that count, of all methods.
    pub(super) fn samples_so_far(&self) -> u64 {
        self.scheduler.progress().map(|progress| progress.samples).sum()
    }

    /// Brings what shows the measurement up to date, where it is time for that.
    pub(super) fn show(&mut self, now: Instant) {
        if self.metrics.as_ref().is_some_and(|metrics| metrics.is_due(now)) {
            self.write_metrics();
        }
        if self.live.as_ref().is_some_and(|live| live.is_due(now)) {
            let status = self.status();
            if let Some(live) = &mut self.live {
                live.draw(&status);
            }
        }
    }

    /// Takes the live view away.
    pub fn close_view(&mut self) {
        self.live = None;
    }

    fn write_metrics(&mut self) {
        let status = self.status();
        let written = self.metrics.as_mut().map_or(Ok(()), |metrics| metrics.write(&status));
        self.check(written);
    }

    /// Writes the page of a measurement and the reports that were asked for, when there is nothing more to come.
    pub fn report(&mut self) {
        self.write_metrics();
        // First: what goes wrong with it belongs into the others.
        if self.ever_connected {
            self.write_page();
        }
        if let Some(path) = &self.reports.json {
            let document =
                document(self.setup, &self.results, &self.scheduler, self.sequential.as_ref(), &[]);
            let written = document.and_then(|text| {
                write_whole(path, text.as_bytes())
                    .map_err(|error| format!("cannot write {}: {error}", path.display()))
            });
            self.check(written);
        }
        if let Some(path) = &self.reports.junit {
            let mut problems = self.problems.clone();
            problems.extend((!self.ever_connected).then(|| "no agent connected".to_owned()));
            let written = junit::write(path, self.setup, &self.results, &problems);
            self.check(written);
        }
    }

    /// Writes the page for people, and before it what the page needs beside the other files.
    fn write_page(&mut self) {
        let costs = self.peers.values().filter_map(|peer| peer.cost.as_ref()).collect::<Vec<_>>();
        self.context.ended(&self.scheduler, self.lost, &costs, &self.problems);
        let written = self.context.write();
        self.check(written);
        let folder = self.config.result_file.parent().unwrap_or(Path::new(""));
        match report::make(folder, None) {
            Ok(path) => self.page = Some(path),
            Err(why) => self.problem(format!("there is no report: {why}")),
        }
    }
}
