//! Displays of a running measurement: lines, the live view and the file of metrics.

use crate::claims::claims;
use crate::cli::{Common, Reports};
use crate::ending;
use crate::live::Live;
use crate::metrics::MetricsFile;
use crate::names::methods_as_written;
use crate::progress::Progress;
use spl_lang::Tasks;
use spl_scheduler::Scheduler;
use spl_session::observer::Observer;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_session::status::Status;
use spl_verdict::{Asserted, Evaluation};
use std::time::Instant;

/// Displays of one measurement.
#[derive(Debug)]
pub struct Showing<'a> {
    setup: &'a Setup,
    progress: Progress,
    /// The file of metrics, if requested.
    metrics: Option<MetricsFile>,
    /// The methods' names as the task file has them.
    names: Vec<String>,
    /// The live view; `None` once the measurement is over.
    live: Option<Live>,
}

impl<'a> Showing<'a> {
    /// The displays that the command line requests.
    pub fn new(setup: &'a Setup, common: &Common, reports: &Reports) -> Self {
        Self {
            setup,
            progress: Progress::of(setup, common.quiet, common.verbose),
            metrics: reports.metrics.as_deref().map(MetricsFile::new),
            names: methods_as_written(setup),
            live: common.wants_view().then(Live::open).flatten(),
        }
    }
}

impl Showing<'_> {
    /// The status with the methods in the operator's words.
    fn named(&self, status: &Status) -> Status {
        let mut status = status.clone();
        for (method, name) in status.methods.iter_mut().zip(&self.names) {
            method.name.clone_from(name);
        }
        status
    }
}

impl Observer for Showing<'_> {
    fn note(&self, text: &str) {
        self.progress.note(text);
    }

    fn problem(&self, text: &str) {
        self.progress.problem(text);
    }

    fn cycle(&mut self, scheduler: &Scheduler, results: &Results) {
        self.progress.cycle(self.setup, scheduler, results, self.live.is_some());
    }

    fn evaluated(&self, _: &Tasks, evaluation: &Evaluation) {
        self.progress.evaluated(self.setup, evaluation);
    }

    fn asserted(&self, setup: &Setup, asserted: &Asserted) {
        self.progress.asserted(setup, asserted);
    }

    fn ends(&mut self) {
        self.progress.ends();
    }

    fn is_due(&self, now: Instant) -> bool {
        self.metrics.as_ref().is_some_and(|metrics| metrics.is_due(now))
            || self.live.as_ref().is_some_and(|live| live.is_due(now))
    }

    fn show(&mut self, now: Instant, status: &Status, results: &Results) -> Result<(), String> {
        let claims = claims(self.setup, results);
        let status = &self.named(status);
        if let Some(live) = self.live.as_mut().filter(|live| live.is_due(now)) {
            live.draw(status, &ending::rows(self.setup, results, &status.claims));
        }
        let metrics = self.metrics.as_mut().filter(|metrics| metrics.is_due(now));
        metrics.map_or(Ok(()), |metrics| metrics.write(status, &claims))
    }

    fn ended(&mut self, status: &Status, results: &Results) -> Result<(), String> {
        self.live = None;
        let status = self.named(status);
        let metrics = self.metrics.as_mut();
        metrics.map_or(Ok(()), |metrics| metrics.write(&status, &claims(self.setup, results)))
    }
}
