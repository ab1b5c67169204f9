//! What the operator sees while a measurement runs and when it ends: lines on stderr that begin with `spl:`.

use crate::buckets;
use crate::colour::{self, highlight};
use crate::details::{Details, LookDetails, judged_samples};
use crate::results::Results;
use crate::sequential::Sequential;
use crate::setup::Setup;
use spl_lang::{Assertion, Tasks};
use spl_model::{MethodRef, Outcome};
use spl_scheduler::{MethodProgress, Scheduler, Status};
use spl_verdict::{Asserted, Evaluation, Evidence, NotEvaluated, Side, Standing};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

/// Between two lines that only say how far it is.
const INTERVAL: Duration = Duration::from_secs(5);
/// Measured methods that such a line names; a task file may have thousands.
const NAMED: usize = 10;
/// Comparisons of which such a line is followed by why they wait.
const EXPLAINED: usize = 3;

/// The lines of a run.
#[derive(Debug)]
pub struct Progress {
    quiet: bool,
    next: Instant,
    /// Comparisons of which it was said why they wait.
    explained: BTreeSet<usize>,
}

impl Progress {
    /// With `quiet`, problems only.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, next: Instant::now() + INTERVAL, explained: BTreeSet::new() }
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
        let mut measured = methods.iter().filter(|m| matches!(m.status, Status::Measured));
        let named = |m: &MethodProgress| format!("{} ({})", scheduler.name(m.method), m.samples);
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
        self.note(&format!("verdict: {}", line(tasks, evaluation)));
    }

    /// How many samples never arrived.
    pub fn lost(&self, count: u64) {
        if count > 0 {
            self.note(&format!(
                "{count} samples were lost: calls came faster than the agent could take them out"
            ));
        }
    }

    /// An assertion's result as it comes.
    pub fn asserted(&self, setup: &Setup, asserted: &Asserted) {
        let title =
            setup.program.assertions.get(asserted.assertion).map(|assertion| assertion.title.as_str());
        self.note(&format!("verdict: {}: {}", title.unwrap_or_default(), sentence(asserted)));
    }

    /// The table at the end, and what looks suspicious in it.
    pub fn table(
        &self,
        setup: &Setup,
        results: &Results,
        scheduler: &Scheduler,
        sequential: Option<&Sequential>,
    ) {
        if self.quiet {
            return;
        }
        let details =
            |evaluation: &Evaluation| Details::of(evaluation, &setup.program.tasks, scheduler, sequential);
        let (tasks, evaluations) = (&setup.program.tasks, &results.evaluations);
        say("\n");
        for (index, comparison) in tasks.comparisons.iter().enumerate() {
            say(&tasks.line_of(comparison));
            let mut of_this = evaluations.iter().filter(|e| e.comparison == index).peekable();
            if of_this.peek().is_none() {
                say("  not evaluated: the measurement ended before");
            }
            for evaluation in of_this {
                say(&format!("  {}", judgement(evaluation)));
                if let Some(details) = details(evaluation) {
                    say(&detail_lines(evaluation, &details));
                }
            }
            if let Some(filling) = scheduler.filling(index) {
                say(&buckets::lines(&filling));
            }
        }
        for (index, assertion) in setup.program.assertions.iter().enumerate() {
            say(setup.quote(assertion.span));
            match results.assertions.iter().find(|one| one.assertion == index) {
                Some(asserted) => {
                    say(&assertion_lines(setup, assertion, asserted));
                }
                None => say("  not evaluated: the measurement ended before"),
            }
        }
        for (method, bucket, suspicions) in judged_samples(&setup.program, results, scheduler) {
            for suspicion in suspicions {
                say(&format!("{}, sizes {bucket}: suspicious: {suspicion}", scheduler.name(method)));
            }
        }
    }
}

/// Why a method cannot be measured, in words; `None` when it can, or when its class is not there yet.
pub fn unavailable(outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Abstract => "it has no body; name a class that implements it".to_owned(),
        Outcome::Native => "it is native, there is no bytecode to measure".to_owned(),
        Outcome::NoSuchMethod { nearest } if nearest.is_empty() => "its class has no such method".to_owned(),
        Outcome::NoSuchMethod { nearest } => {
            format!("its class has no such method; did you mean {}?", nearest.join(" or "))
        }
        Outcome::Refused(refusal) => refusal.to_string(),
        Outcome::Instrumented | Outcome::Intrinsic | Outcome::NotLoaded => return None,
    })
}

/// Says something to the operator, each line after `spl:`. All in one write: the program uses the same stream, and its
/// output must not come into the middle of a line of ours.
pub fn say(text: &str) {
    let coloured = colour::is_wanted();
    let line = |line: &str| {
        let line = format!("spl: {}", one_line(line));
        format!("{}\n", if coloured { highlight(line.trim_end()) } else { line.trim_end().to_owned() })
    };
    let lines = text.lines().map(line).collect::<String>();
    // Where nobody listens any more, the measurement goes on: its results are in files.
    let _ = io::stderr().write_all(lines.as_bytes());
}

/// A text without control characters. What comes from a program must neither end our line and begin one that looks like
/// ours, nor reach the terminal as a command.
pub fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

fn line(tasks: &Tasks, evaluation: &Evaluation) -> String {
    let comparison = tasks.comparisons.get(evaluation.comparison).map(|comparison| tasks.line_of(comparison));
    format!("{}: {}", comparison.unwrap_or_default(), judgement(evaluation))
}

/// An assertion's result in plain words.
pub fn sentence(asserted: &Asserted) -> String {
    let word = match asserted.standing() {
        Standing::Holds => "holds",
        Standing::Fails => "FAILS",
        Standing::Undecided | Standing::Error => "undecided",
    };
    let mut text = word.to_owned();
    if let Some(basis) = asserted.basis {
        // A `String` takes everything.
        let _ = write!(text, " ({basis})");
    }
    let Evidence { p_true, p_false } = asserted.evidence;
    let _ = write!(text, ", p = {} for, {} against", p_value(p_true), p_value(p_false));
    let _ = write!(text, ", level {}", asserted.level);
    if asserted.leftover {
        text.push_str(", leftover");
    }
    if asserted.drops > 0 {
        let _ = write!(text, ", {} lost", asserted.drops);
    }
    text
}

/// The sentence, then a line for each of its comparisons in each bucket, and what is missing.
fn assertion_lines(setup: &Setup, assertion: &Assertion, asserted: &Asserted) -> String {
    let mut relations = Vec::new();
    assertion.formula.for_each_relation(&mut |span| relations.push(setup.quote(span)));
    let mut text = format!("  {}\n", sentence(asserted));
    for part in &asserted.parts {
        let relation = relations.get(part.relation).copied().unwrap_or_default();
        let _ = match &part.judged {
            Ok(judged) => {
                let Evidence { p_true, p_false } = judged.evidence;
                let samples = judged.n_right.map_or(judged.n_left, |right| right.min(judged.n_left));
                writeln!(
                    text,
                    "    {relation}: {} and {} ns, p = {} for, {} against, sizes {}, {samples} samples",
                    judged.left_ns.round(),
                    judged.right_ns.round(),
                    p_value(p_true),
                    p_value(p_false),
                    part.bucket
                )
            }
            Err(why) => writeln!(text, "    {relation}: not evaluated: {why}"),
        };
    }
    let is_said = |gap: &&NotEvaluated| asserted.parts.is_empty() || matches!(gap, NotEvaluated::Open { .. });
    for gap in asserted.gaps.iter().filter(is_said) {
        let _ = writeln!(text, "    {gap}");
    }
    text
}

/// One result in plain words: verdict, basis, p-value, ratio, bucket, samples.
pub fn judgement(evaluation: &Evaluation) -> String {
    let verdict = match &evaluation.verdict {
        Ok(verdict) => verdict,
        Err(why @ NotEvaluated::Open { .. }) => return why.to_string(),
        Err(why) => return format!("not evaluated: {why}"),
    };
    let word = if evaluation.standing() == Standing::Holds { "holds" } else { "FAILS" };
    let mut text = format!("{word} ({}), p = {}", verdict.basis, p_value(verdict.p_value));
    // A `String` takes everything.
    if let Some(ratio) = &verdict.ratio {
        let _ = write!(text, ", scaled ratio {:.3} [{:.3}, {:.3}]", ratio.value, ratio.low, ratio.high);
    }
    let _ = write!(
        text,
        ", sizes {}, {} and {} samples",
        evaluation.bucket, evaluation.n_left, evaluation.n_right
    );
    if evaluation.leftover {
        text.push_str(", leftover");
    }
    if evaluation.drops > 0 {
        let _ = write!(text, ", {} lost", evaluation.drops);
    }
    text
}

/// Both sides' figures, and what the sequential mode saw.
fn detail_lines(evaluation: &Evaluation, details: &Details) -> String {
    let mut text = String::new();
    let sides = evaluation.verdict.as_ref().ok().map(|verdict| [&verdict.left, &verdict.right]);
    for (index, (name, side)) in [("left", &details.left), ("right", &details.right)].into_iter().enumerate()
    {
        if let Some(Side { n, mean_ns, median_ns, sd_ns, .. }) = sides.map(|sides| sides[index]) {
            // A `String` takes everything.
            let _ = write!(text, "    {name}: scaled mean {mean_ns:.1} ns, median {median_ns:.1} ns, ");
            let _ = write!(text, "deviation {sd_ns:.1} ns; {n} samples are worth {:.0}", side.n_effective);
            let _ = writeln!(text, ", {} discarded", side.discarded);
        }
    }
    if let Some(look) = &details.sequential {
        let LookDetails { windows, pairs, n_effective, ratio, low, high, raw_ratio, clipped, .. } = look;
        let _ = write!(text, "    {windows} windows, {pairs} pairs are worth {n_effective:.0}: ");
        let _ = write!(text, "ratio {ratio:.3} [{low:.3}, {high:.3}], {clipped} values clipped, ");
        let _ = writeln!(text, "unclipped {raw_ratio:.3}");
        if look.tail_dependent {
            text.push_str("    suspicious: tail-dependent: rare long calls, which are clipped, would change the ratio\n");
        }
    }
    text
}

fn p_value(p: f64) -> String {
    if p < 0.00001 && p > 0.0 { format!("{p:.2e}") } else { format!("{p:.5}") }
}
