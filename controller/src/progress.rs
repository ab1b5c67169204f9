//! What the operator sees while a measurement runs and when it ends: lines on stderr that begin with `spl:`.

use crate::buckets;
use crate::claims;
use crate::colour::{self, highlight};
use crate::details::{Details, LookDetails, judged_samples};
use crate::results::Results;
use crate::sequential::Sequential;
use crate::setup::Setup;
use spl_lang::{Assertion, RunMode, Tasks};
use spl_model::{Bucket, MethodRef, Outcome};
use spl_report::figure::{self, p_equation};
use spl_scheduler::{MethodProgress, Scheduler, Status};
use spl_stats::Suspicion;
use spl_verdict::{Asserted, Evaluation, Evidence, NotEvaluated, Part, Ratio, Side, Standing};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::time::{Duration, Instant};

/// Between two lines that only say how far it is.
const INTERVAL: Duration = Duration::from_secs(5);
/// Measured methods that such a line names; a task file may have thousands.
const NAMED: usize = 10;
/// Methods of a measurement without claims that are listed.
const METHODS: usize = 50;
/// Lines about samples that look suspicious; a run with many small buckets has hundreds.
const SUSPICIOUS: usize = 10;
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
        if setup.config.scheduler.mode == RunMode::Measurement {
            say_methods(scheduler);
        }
        for (index, comparison) in tasks.comparisons.iter().enumerate() {
            say(&tasks.line_of(comparison));
            let mut of_this = evaluations.iter().filter(|e| e.comparison == index).peekable();
            if of_this.peek().is_none() {
                say(&format!("  {}", claims::NO_RESULT));
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
                Some(asserted) => say(&assertion_lines(setup, assertion, asserted)),
                None => say(&format!("  {}", claims::NO_RESULT)),
            }
        }
        say_suspicions(setup, results, scheduler);
        claims::summary(&claims::claims(setup, results)).iter().for_each(|line| say(line));
    }
}

/// What was measured of each method, where nothing is claimed of them.
fn say_methods(scheduler: &Scheduler) {
    for one in scheduler.progress().take(METHODS) {
        let name = scheduler.name(one.method);
        if one.samples == 0 {
            let lack = scheduler.lack(one.method).map_or_else(String::new, |lack| lack.to_string());
            say(&format!("{name}: {lack}"));
            continue;
        }
        let mut times = scheduler.all_times(one.method);
        times.sort_unstable();
        let sum: f64 = times.iter().map(|&ns| ns as f64).sum();
        let at = |share: f64| times[((share * times.len() as f64).ceil() as usize).clamp(1, times.len()) - 1];
        let [median, p99] = [0.5, 0.99].map(|share| figure::time(at(share) as f64));
        let average = figure::time(sum / times.len() as f64);
        let calls = times.len();
        say(&figure::plain(&format!(
            "{name}: average {average}, median {median}, p99 {p99}; {calls} samples, {} discarded",
            one.discarded
        )));
    }
    let more = scheduler.progress().count().saturating_sub(METHODS);
    if more > 0 {
        say(&format!("and {more} more methods: see the report"));
    }
}

/// What looks suspicious, with times as they are shown everywhere.
fn suspicion(suspicion: &Suspicion) -> String {
    match *suspicion {
        Suspicion::Skewed { mean_ns, median_ns } => {
            let [mean, median] = [mean_ns, median_ns].map(figure::time);
            format!("average {mean} and median {median} are far apart")
        }
        Suspicion::WideSpread { spread } => {
            format!("the standard deviation is {} times the average", figure::quotient(spread))
        }
        Suspicion::Bimodal { fast_share, fast_ns, slow_ns } => {
            let [fast, slow] = [fast_ns, slow_ns].map(figure::time);
            format!(
                "two kinds of calls: {} around {fast}, the rest around {slow}",
                figure::percent(fast_share)
            )
        }
        _ => suspicion.to_string(),
    }
}

fn say_suspicions(setup: &Setup, results: &Results, scheduler: &Scheduler) {
    let judged = judged_samples(&setup.program, results, scheduler);
    let lines = judged.iter().flat_map(|(method, bucket, suspicions)| {
        let of = format!("{}{}", scheduler.name(*method), sizes(bucket));
        suspicions.iter().map(move |one| format!("{of}: suspicious: {}", figure::plain(&suspicion(one))))
    });
    let lines: Vec<String> = lines.collect();
    lines.iter().take(SUSPICIOUS).for_each(|line| say(line));
    if lines.len() > SUSPICIOUS {
        say(&format!("and {} more that look suspicious: see the report", lines.len() - SUSPICIOUS));
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
    let mut text = word(asserted.standing()).to_owned();
    if let Some(why) = why_not(asserted) {
        return if why.starts_with(&text) { why } else { format!("{text}: {why}") };
    }
    if let Some(open @ NotEvaluated::Open { .. }) = asserted.gaps.last() {
        text = open.to_string();
    }
    if let Some(basis) = asserted.basis {
        // A `String` takes everything.
        let _ = write!(text, " ({basis})");
    }
    let Evidence { p_true, p_false } = asserted.evidence;
    if p_true.min(p_false) < 1.0 {
        let _ = write!(text, ", {} for it, {} against it", p_equation(p_true), p_equation(p_false));
        let _ = write!(text, ", level {}", asserted.level);
    }
    add_remarks(&mut text, asserted.leftover, asserted.drops);
    figure::plain(&text)
}

/// Why nothing of an assertion could be judged, each reason once; `None` where something was judged, by calls.
fn why_not(asserted: &Asserted) -> Option<String> {
    let is_judged = |part: &Part| part.judged.as_ref().is_ok_and(|judged| judged.n_left > 0);
    if asserted.standing() != Standing::Undecided || asserted.parts.iter().any(is_judged) {
        return None;
    }
    let mut reasons: Vec<String> = Vec::new();
    for gap in asserted.gaps.iter().map(ToString::to_string) {
        if !reasons.contains(&gap) {
            reasons.push(gap);
        }
    }
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "holds",
        Standing::Fails => "FAILS",
        Standing::Undecided | Standing::Error => "undecided",
    }
}

fn add_remarks(text: &mut String, leftover: bool, drops: u64) {
    if leftover {
        text.push_str(", judged at the end with what there was");
    }
    if drops > 0 {
        // A `String` takes everything.
        let _ = write!(text, ", {drops} lost");
    }
}

/// The sizes, where calls were told apart by them, after a comma.
fn sizes(bucket: &Bucket) -> String {
    if *bucket == Bucket::All { String::new() } else { format!(", sizes {bucket}") }
}

/// The sentence, then a line for each of its comparisons in each bucket.
fn assertion_lines(setup: &Setup, assertion: &Assertion, asserted: &Asserted) -> String {
    let mut relations = Vec::new();
    assertion.formula.for_each_relation(&mut |span| relations.push(setup.quote(span)));
    let mut text = format!("  {}\n", sentence(asserted));
    // Where nothing was judged, the sentence has said why.
    for part in asserted.parts.iter().filter(|_| why_not(asserted).is_none()) {
        let relation = relations.get(part.relation).copied().unwrap_or_default();
        let _ = match &part.judged {
            Ok(judged) => {
                let Evidence { p_true, p_false } = judged.evidence;
                let samples = match judged.n_right {
                    Some(right) => format!("{} and {right} samples", judged.n_left),
                    None => format!("{} samples", judged.n_left),
                };
                writeln!(
                    text,
                    "    {relation}: {} against {}, {} for it, {} against it{}, {samples}",
                    figure::time(judged.left_ns),
                    figure::time(judged.right_ns),
                    p_equation(p_true),
                    p_equation(p_false),
                    sizes(&part.bucket)
                )
            }
            Err(why) => writeln!(text, "    {relation}: {why}"),
        };
    }
    figure::plain(&text)
}

/// One result in plain words: verdict, basis, p-value, ratio, bucket, samples.
pub fn judgement(evaluation: &Evaluation) -> String {
    let verdict = match &evaluation.verdict {
        Err(why @ (NotEvaluated::Undecided { .. } | NotEvaluated::Open { .. })) => return why.to_string(),
        Err(why) => return format!("undecided: {why}"),
        Ok(verdict) => verdict,
    };
    let word = word(evaluation.standing());
    let mut text = format!("{word} ({}), {}", verdict.basis, p_equation(verdict.p_value));
    // A `String` takes everything.
    if let Some(Ratio { value, low, high, .. }) = &verdict.ratio {
        // As the report has it: of the times as they are, beside what the constants allow.
        let limit = verdict.right.factor / verdict.left.factor;
        let [value, low, high] = [value, low, high].map(|scaled| figure::quotient(scaled * limit));
        let _ = write!(text, ", ratio {value} [{low}, {high}], limit {}", figure::digits(limit));
    }
    let (left, right) = (evaluation.n_left, evaluation.n_right);
    let _ = write!(text, "{}, {left} and {right} samples", sizes(&evaluation.bucket));
    add_remarks(&mut text, evaluation.leftover, evaluation.drops);
    figure::plain(&text)
}

/// Both sides' figures, and what the sequential mode saw.
fn detail_lines(evaluation: &Evaluation, details: &Details) -> String {
    let mut text = String::new();
    let sides = evaluation.verdict.as_ref().ok().map(|verdict| [&verdict.left, &verdict.right]);
    for (index, (name, side)) in [("left", &details.left), ("right", &details.right)].into_iter().enumerate()
    {
        if let Some(Side { factor, n, mean_ns, median_ns, sd_ns }) = sides.map(|sides| sides[index]) {
            let [mean, median, deviation] = [mean_ns, median_ns, sd_ns].map(|ns| figure::time(ns / factor));
            // A `String` takes everything.
            let _ =
                write!(text, "    {name}: average {mean}, median {median}, standard deviation {deviation}; ");
            let _ = write!(text, "{n} samples tell as much as {:.0} independent ones", side.n_effective);
            let _ = writeln!(text, ", {} discarded", side.discarded);
        }
    }
    if let Some(look) = &details.sequential {
        let LookDetails { windows, pairs, n_effective, ratio, low, high, raw_ratio, clipped, .. } = look;
        let [ratio, low, high, raw] = [*ratio, *low, *high, *raw_ratio].map(figure::quotient);
        let _ = write!(
            text,
            "    {windows} windows tell as much as {n_effective:.0} independent ones, {pairs} pairs: "
        );
        let _ =
            write!(text, "with the constants the ratio is {ratio} [{low}, {high}], {clipped} values clipped");
        let (parts, differ) = look.self_check;
        let _ = writeln!(
            text,
            "; unclipped {raw}; {differ} of {parts} parts of the measurement differ from others"
        );
        if look.tail_dependent {
            text.push_str("    suspicious: tail-dependent: rare long calls, which are clipped, would change the ratio\n");
        }
    }
    figure::plain(&text)
}
