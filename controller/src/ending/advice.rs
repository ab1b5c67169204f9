//! Advice for the operator: a few lines, the most serious first.

use super::names::{self, method_as_written};
use super::run::{PREFIX, Run};
use crate::details::judged_samples;
use spl_model::{Lack, Taken};
use spl_scheduler::MethodIx;
use spl_verdict::{Asserted, Basis, NotEvaluated, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Most lines of advice; more would not help at once.
const MOST: usize = 5;
/// Most methods that a line names; the others are counted.
const NAMED: usize = 3;

/// The advice: at most five lines, each after a dash.
pub fn lines(run: Run<'_>, width: Option<usize>) -> Vec<String> {
    let mut advice = lacks(run);
    advice.extend(open(run));
    advice.extend(failing(run));
    advice.extend(lost(run.lost));
    advice.extend(unproved(run));
    advice.extend(suspicious(run));
    advice.truncate(MOST);
    let room = width.map_or(usize::MAX, |width| width.saturating_sub(PREFIX + 2));
    advice.into_iter().map(|text| format!("- {}", cut(&text, room))).collect()
}

/// The beginning of a text, cut to `room` characters.
fn cut(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    let short = names::without_packages(text);
    if short.chars().count() <= room {
        return short;
    }
    short.chars().take(room.saturating_sub(1)).chain(['…']).collect()
}

/// Methods of undecided claims that lack calls, with the reason: one line for each kind of reason.
fn lacks(run: Run<'_>) -> Vec<String> {
    let mut kinds: BTreeMap<u8, Vec<(usize, Lack)>> = BTreeMap::new();
    for method in undecided_methods(run) {
        if let Some(lack) = run.scheduler.lack(MethodIx(method)) {
            kinds.entry(kind(&lack)).or_default().push((method, lack));
        }
    }
    kinds.into_values().filter_map(|lacking| said(run, &lacking)).collect()
}

/// The kinds of reasons by seriousness: the reasons that a longer measurement does not remove come first.
fn kind(lack: &Lack) -> u8 {
    match lack {
        Lack::NotBegun { .. } => 0,
        Lack::Unmeasurable { .. } => 1,
        Lack::NotLoaded => 2,
        Lack::NeverCalled { .. } => 4,
        Lack::NoBudget { .. } => 5,
        Lack::Scattered { .. } => 6,
        Lack::NoTurn => 7,
        Lack::Discarded(_) => 8,
        Lack::NotRecorded => 9,
    }
}

fn said(run: Run<'_>, lacking: &[(usize, Lack)]) -> Option<String> {
    let (_, first) = lacking.first()?;
    let names = |remedy: &str, what: &str| {
        let names: Vec<String> =
            lacking.iter().map(|(method, _)| method_as_written(run.setup, *method)).collect();
        format!("{what}: {}; {remedy}", listed(&names))
    };
    Some(match first {
        Lack::NotBegun { .. } => format!("{first}; let it run longer, or --set initial-sleep=0"),
        Lack::Unmeasurable { why } => names(why, "cannot be measured"),
        Lack::NotLoaded => {
            names("name classes that it uses; --children for JVMs that it starts", "class never loaded")
        }
        Lack::NeverCalled { .. } => names("let the program call them, or leave them out", "never called"),
        Lack::NoBudget { .. } => names("raise overhead-budget", "the overhead budget left nothing for"),
        Lack::Scattered { .. } => names("try argument-size = nocheck", "no two calls of one size"),
        Lack::NoTurn => names("measure longer", "never had their turn"),
        Lack::Discarded(Taken { .. }) => names("measure longer", "too few calls that count"),
        Lack::NotRecorded => names("see the measurements", "no call was recorded"),
    })
}

/// Some names, and the number of the others.
fn listed(names: &[String]) -> String {
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

fn undecided_methods(run: Run<'_>) -> BTreeSet<usize> {
    let program = &run.setup.program;
    let mut methods = BTreeSet::new();
    for (index, comparison) in program.tasks.comparisons.iter().enumerate() {
        let mut of_this = run.results.evaluations.iter().filter(|one| one.comparison == index);
        if of_this.all(|one| one.standing() == Standing::Undecided) {
            methods.extend([comparison.left, comparison.right]);
        }
    }
    for (index, assertion) in program.assertions.iter().enumerate() {
        let mut of_this = run.results.assertions.iter().filter(|one| one.assertion == index);
        if of_this.all(|one| one.standing() == Standing::Undecided) {
            methods.extend(assertion.methods());
        }
    }
    methods
}

/// Needs of undecided claims, equal needs together, the most frequent first.
fn open(run: Run<'_>) -> Vec<String> {
    let comparisons = run.results.evaluations.iter().filter_map(|one| one.verdict.as_ref().err());
    let undecided = |one: &&Asserted| one.standing() == Standing::Undecided;
    let assertions = run.results.assertions.iter().filter(undecided).filter_map(|one| one.gaps.last());
    let mut needs: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for gap in comparisons.chain(assertions) {
        let why = match gap {
            // The lines about methods have this reason.
            NotEvaluated::Lacking(_) | NotEvaluated::NotMeasured(_) => continue,
            NotEvaluated::Open { why, .. } => why.clone(),
            other @ (NotEvaluated::TooFewSamples { .. }
            | NotEvaluated::NoCommonBucket
            | NotEvaluated::OutOfRange
            | NotEvaluated::BadLimit
            | NotEvaluated::NoSuchQuantile(_)
            | NotEvaluated::Undecided { .. }) => {
                other.to_string().trim_start_matches("undecided: ").to_owned()
            }
        };
        let like: String = why.chars().filter(|c| !c.is_ascii_digit()).collect();
        needs.entry(like).or_insert((0, why)).0 += 1;
    }
    let mut needs: Vec<(usize, String)> = needs.into_values().collect();
    needs.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    needs
        .into_iter()
        .map(|(number, why)| {
            if number == 1 {
                format!("1 undecided: {why}")
            } else {
                format!("{number} undecided, for example one where {why}")
            }
        })
        .collect()
}

/// Number of claims with this basis that the data do not contradict.
fn count(run: Run<'_>, wanted: Basis) -> usize {
    let level = run.setup.config.scheduler.limit_p;
    let verdicts = run.results.evaluations.iter().filter_map(|one| one.verdict.as_ref().ok());
    let evaluations = verdicts.map(|one| (one.basis, one.p_value > 1.0 - level));
    let asserted = |one: &Asserted| Some((one.basis?, one.evidence.p_false < one.level));
    let assertions = run.results.assertions.iter().filter_map(asserted);
    let is_contradicted = |basis, contradicted| basis == Basis::NotProved && contradicted;
    let all = evaluations.chain(assertions);
    all.filter(|&(basis, contradicted)| basis == wanted && !is_contradicted(basis, contradicted)).count()
}

fn failing(run: Run<'_>) -> Option<String> {
    let unshown = count(run, Basis::NotProved);
    let fail = if unshown == 1 { "fails" } else { "fail" };
    (unshown > 0).then(|| {
        format!(
            "{unshown} {fail} because proof is missing, not because of a refutation: \
        measure more calls"
        )
    })
}

fn lost(count: u64) -> Option<String> {
    (count > 0)
        .then(|| format!("{count} samples were lost: calls came faster than the agent could take them out"))
}

fn unproved(run: Run<'_>) -> Option<String> {
    let unrefuted = count(run, Basis::NotRefuted);
    (unrefuted > 0).then(|| {
        format!(
            "{unrefuted} {} only because nothing refutes the claim (not-refuted)",
            if unrefuted == 1 { "holds" } else { "hold" }
        )
    })
}

fn suspicious(run: Run<'_>) -> Option<String> {
    let judged = judged_samples(&run.setup.program, run.results, run.scheduler);
    let methods: BTreeSet<MethodIx> =
        judged.iter().filter(|(.., suspicions)| !suspicions.is_empty()).map(|(method, ..)| *method).collect();
    match methods.len() {
        0 => None,
        1 => Some("the times of 1 method look odd: the report shows how".to_owned()),
        number => Some(format!("the times of {number} methods look odd: the report shows how")),
    }
}
