//! What the operator sees while a measurement runs and when it ends: lines on stderr that begin with `spl:`.

use crate::ending;
use crate::judgement::{judgement, sentence};
use crate::said::say;
use crate::table::{say_methods, say_table};
use spl_lang::{RunMode, Tasks};
use spl_model::{MethodRef, Outcome};
use spl_scheduler::{MethodProgress, Scheduler, Status};
use spl_session::peer::unavailable;
use spl_session::setup::Setup;
use spl_verdict::{Asserted, Evaluation, Standing};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// Between two lines that only say how far it is.
const INTERVAL: Duration = Duration::from_secs(5);
/// Measured methods that such a line names; a task file may have thousands.
const NAMED: usize = 3;
/// Comparisons of which such a line is followed by why they wait.
const EXPLAINED: usize = 3;
/// Of more claims, only those that fail are said as they come: the table at the end has them all.
const FEW: usize = 10;

/// The lines of a run.
#[derive(Debug)]
pub struct Progress {
    quiet: bool,
    /// With every result's figures.
    verbose: bool,
    /// Whether results as they come are few enough to be said each.
    are_few: bool,
    /// Whether the end has come: what is judged now stands in the table at once.
    ends: bool,
    next: Instant,
    /// Comparisons of which it was said why they wait.
    explained: BTreeSet<usize>,
}

impl Progress {
    /// With `quiet`, problems only.
    pub fn new(quiet: bool) -> Self {
        let (next, explained) = (Instant::now() + INTERVAL, BTreeSet::new());
        Self { quiet, verbose: false, are_few: true, ends: false, next, explained }
    }

    /// Those of a measurement with this setup; `verbose`: with every result's figures.
    pub fn of(setup: &Setup, quiet: bool, verbose: bool) -> Self {
        let claims = setup.program.tasks.comparisons.len() + setup.program.assertions.len();
        Self { verbose, are_few: claims <= FEW, ..Self::new(quiet) }
    }

    /// The measurement ends: what is still judged is said together.
    pub fn ends(&mut self) {
        self.ends = true;
    }

    /// Whether a result is said as it comes.
    fn is_said(&self, standing: Standing) -> bool {
        self.verbose || !self.ends && (self.are_few || standing == Standing::Fails)
    }

    /// A line.
    pub fn note(&self, text: &str) {
        if !self.quiet {
            say(text);
        }
    }

    /// A line that is always said.
    #[expect(clippy::unused_self, reason = "the same way as the other lines")]
    pub fn problem(&self, text: &str) {
        say(&format!("error: {text}"));
    }

    /// A method that cannot be measured.
    pub fn unavailable(&self, method: &MethodRef, why: &Outcome) {
        if let Some(why) = unavailable(why) {
            self.note(&format!("{method} cannot be measured: {why}"));
        }
    }

    /// How far it is, now and then; what the live view shows anyway is not said beside it.
    pub fn cycle(&mut self, tasks: &Tasks, scheduler: &Scheduler, has_view: bool) {
        if self.quiet || Instant::now() < self.next || scheduler.is_done() {
            return;
        }
        self.next = Instant::now() + INTERVAL;
        if !has_view {
            self.say_progress(scheduler);
        }
        self.explain_waiting(tasks, scheduler);
    }

    fn say_progress(&self, scheduler: &Scheduler) {
        let methods = scheduler.progress().collect::<Vec<MethodProgress>>();
        let count = |wanted: fn(&Status) -> bool| methods.iter().filter(|m| wanted(&m.status)).count();
        let samples: u64 = methods.iter().map(|m| m.samples).sum();
        // Of a group the gates take turns.
        let mut measured = methods.iter().filter(|m| matches!(m.status, Status::Measured | Status::Resting));
        let named = |m: &MethodProgress| {
            format!("{} ({})", ending::without_packages(&scheduler.name(m.method)), m.samples)
        };
        let mut names = measured.by_ref().take(NAMED).map(named).collect::<Vec<_>>();
        let unnamed = measured.count();
        names.extend((unnamed > 0).then(|| format!("{unnamed} more")));
        self.note(&format!(
            "{} of {} methods finished, {samples} samples; measuring {}",
            count(|status| matches!(status, Status::Finished)),
            methods.len(),
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        ));
    }

    /// Why comparisons wait that more calls alone would not decide, each once.
    fn explain_waiting(&mut self, tasks: &Tasks, scheduler: &Scheduler) {
        let stuck = |(index, comparison)| Some((index, comparison, scheduler.filling(index)?.stuck()?));
        let unexplained =
            tasks.comparisons.iter().enumerate().filter(|(index, _)| !self.explained.contains(index));
        for (index, comparison, why) in unexplained.filter_map(stuck).take(EXPLAINED).collect::<Vec<_>>() {
            self.note(&format!("waiting: {}: {why}", tasks.line_of(comparison)));
            self.explained.insert(index);
        }
    }

    /// A verdict as it comes.
    pub fn evaluated(&self, tasks: &Tasks, evaluation: &Evaluation) {
        if self.is_said(evaluation.standing()) {
            self.note(&format!("verdict: {}", line(tasks, evaluation)));
        }
    }

    /// An assertion's result as it comes.
    pub fn asserted(&self, setup: &Setup, asserted: &Asserted) {
        let title =
            setup.program.assertions.get(asserted.assertion).map(|assertion| assertion.title.as_str());
        if self.is_said(asserted.standing()) {
            self.note(&format!("verdict: {}: {}", title.unwrap_or_default(), sentence(asserted)));
        }
    }

    /// What came of all claims, at the end; with `-v` all that is known of each before it.
    pub fn ending(&self, run: ending::Run<'_>) {
        if self.quiet {
            return;
        }
        if self.verbose {
            say_table(run.setup, run.results, run.scheduler, run.sequential);
        }
        if run.setup.config.scheduler.mode == RunMode::Measurement {
            say_methods(run.scheduler);
        }
        ending::lines(run, ending::width()).iter().for_each(|line| say(line));
    }
}

fn line(tasks: &Tasks, evaluation: &Evaluation) -> String {
    let comparison = tasks.comparisons.get(evaluation.comparison).map(|comparison| tasks.line_of(comparison));
    format!("{}: {}", comparison.unwrap_or_default(), judgement(evaluation))
}
