//! Messages for the operator while a measurement runs and when it ends: lines on stderr that begin with
//! `spl:`.

use crate::ending;
use crate::judgement::{judgement, sentence};
use crate::names::{methods_as_written, without_packages, written_claim};
use crate::program::ended_with;
use crate::said::say;
use crate::table::{say_methods, say_table};
use spl_lang::RunMode;
use spl_model::{MethodRef, Outcome};
use spl_scheduler::{MethodProgress, Scheduler, Status};
use spl_session::peer::unavailable;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_verdict::{Asserted, Evaluation, Standing};
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::{Duration, Instant};

/// Interval between two lines about the progress.
const INTERVAL: Duration = Duration::from_secs(5);
/// Most measured methods that such a line names; a task file may have thousands.
const NAMED: usize = 3;
/// Most comparisons whose wait is explained after such a line.
const EXPLAINED: usize = 3;
/// Number of claims above which only failing results are printed as they come: the table at the end has them
/// all.
const FEW: usize = 10;

/// Signals by which somebody ends a program (SIGINT and SIGTERM).
const WISHED: [i32; 2] = [2, 15];

/// The lines of a run.
#[derive(Debug)]
pub struct Progress {
    quiet: bool,
    /// Whether every result is printed with its figures.
    verbose: bool,
    /// Number of claims. With few of them each result is printed as it comes.
    claims: usize,
    /// Whether the measurement is ending: results now go into the table at once.
    ends: bool,
    next: Instant,
    /// Comparisons whose wait was explained.
    explained: BTreeSet<usize>,
    /// The methods' names as the task file has them.
    names: Vec<String>,
}

impl Progress {
    /// Lines of a command; with `quiet` problems only.
    pub fn new(quiet: bool) -> Self {
        let (next, explained) = (Instant::now() + INTERVAL, BTreeSet::new());
        Self { quiet, verbose: false, claims: 0, ends: false, next, explained, names: Vec::new() }
    }

    /// Lines of a measurement with this setup; `verbose` prints every result with its figures.
    pub fn of(setup: &Setup, quiet: bool, verbose: bool) -> Self {
        let claims = setup.program.tasks.comparisons.len() + setup.program.assertions.len();
        Self { verbose, claims, names: methods_as_written(setup), ..Self::new(quiet) }
    }

    /// Notes the end of the measurement: further results are printed together.
    pub fn ends(&mut self) {
        self.ends = true;
    }

    /// Whether a result is printed as it comes.
    fn is_said(&self, standing: Standing) -> bool {
        self.verbose || !self.ends && (self.claims <= FEW || standing == Standing::Fails)
    }

    /// Prints a line.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }

    /// Prints a line even with `quiet`.
    #[expect(clippy::unused_self, reason = "the same way as the other lines")]
    pub fn problem(&self, text: &str) {
        say(&format!("error: {text}"));
    }

    /// Prints how the program ended. With `quiet` that is printed only if a signal ended it that asks for no end: a crash, or the kernel
    /// without memory.
    pub fn program_ended(&self, status: ExitStatus) {
        let text = ended_with(status);
        match status.signal() {
            Some(signal) if self.quiet && !WISHED.contains(&signal) => self.problem(&text),
            _ => self.note(&text),
        }
    }

    /// Reports a method that cannot be measured.
    pub fn unavailable(&self, method: &MethodRef, why: &Outcome) {
        if let Some(why) = unavailable(why) {
            self.note(&format!("{method} cannot be measured: {why}"));
        }
    }

    /// Prints the progress from time to time; figures of the live view are not repeated.
    pub fn cycle(&mut self, setup: &Setup, scheduler: &Scheduler, results: &Results, has_view: bool) {
        if self.quiet || Instant::now() < self.next || scheduler.is_done() {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        if !has_view {
            self.say_progress(scheduler, results);
        }
        self.explain_waiting(setup, scheduler);
    }

    fn say_progress(&self, scheduler: &Scheduler, results: &Results) {
        let methods = scheduler.progress().collect::<Vec<MethodProgress>>();
        let count = |wanted: fn(&Status) -> bool| methods.iter().filter(|m| wanted(&m.status)).count();
        let samples: u64 = methods.iter().map(|m| m.samples).sum();
        // The gates of a group take turns.
        let mut measured = methods.iter().filter(|m| matches!(m.status, Status::Measured | Status::Resting));
        let named = |m: &MethodProgress| {
            let name = self.names.get(m.method.0).cloned().unwrap_or_else(|| scheduler.name(m.method));
            format!("{} ({})", without_packages(&name), m.samples)
        };
        let mut names = measured.by_ref().take(NAMED).map(named).collect::<Vec<_>>();
        let unnamed = measured.count();
        names.extend((unnamed > 0).then(|| format!("{unnamed} more")));
        let decided = match self.claims {
            0 => String::new(),
            claims => format!(", {} of {claims} claims decided", results.decided()),
        };
        self.note(&format!(
            "{} of {} methods finished{decided}, {samples} samples; measuring {}",
            count(|status| matches!(status, Status::Finished)),
            methods.len(),
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ));
    }

    /// Explains, once each, why comparisons wait that more calls alone would not decide.
    fn explain_waiting(&mut self, setup: &Setup, scheduler: &Scheduler) {
        let tasks = &setup.program.tasks;
        let stuck = |(index, comparison)| Some((index, comparison, scheduler.filling(index)?.stuck()?));
        let unexplained =
            tasks.comparisons.iter().enumerate().filter(|(index, _)| !self.explained.contains(index));
        for (index, comparison, why) in unexplained.filter_map(stuck).take(EXPLAINED).collect::<Vec<_>>() {
            self.note(&format!("waiting: {}: {why}", written_claim(setup, comparison)));
            self.explained.insert(index);
        }
    }

    /// Prints a verdict as it comes.
    pub fn evaluated(&self, setup: &Setup, evaluation: &Evaluation) {
        if self.is_said(evaluation.standing()) {
            self.note(&format!("verdict: {}", line(setup, evaluation)));
        }
    }

    /// Prints an assertion's result as it comes.
    pub fn asserted(&self, setup: &Setup, asserted: &Asserted) {
        let title =
            setup.program.assertions.get(asserted.assertion).map(|assertion| assertion.title.as_str());
        if self.is_said(asserted.standing()) {
            self.note(&format!("verdict: {}: {}", title.unwrap_or_default(), sentence(asserted)));
        }
    }

    /// Prints the results of all claims at the end; with `-v` after the details of each.
    pub fn ending(&self, run: ending::Run<'_>) {
        if self.quiet {
            return;
        }
        if self.verbose {
            say_table(run.setup, run.results, run.scheduler, run.sequential);
        }
        if run.setup.config.scheduler.mode == RunMode::Measurement {
            say_methods(run.setup, run.scheduler);
        }
        ending::lines(run, ending::width()).iter().for_each(|line| say(line));
    }
}

fn line(setup: &Setup, evaluation: &Evaluation) -> String {
    let comparison = setup.program.tasks.comparisons.get(evaluation.comparison);
    let comparison = comparison.map(|comparison| written_claim(setup, comparison));
    format!("{}: {}", comparison.unwrap_or_default(), judgement(evaluation))
}
