//! Advice for the operator: a few lines, the most serious first.

use super::run::{PREFIX, Run};
use crate::details::judged_samples;
use crate::names::{self, method_as_written, written_claim};
use spl_lang::Atom;
use spl_model::{Lack, Taken};
use spl_scheduler::MethodIx;
use spl_verdict::{Asserted, Basis, NotEvaluated, Standing};
use std::collections::{BTreeMap, BTreeSet};

/// Before each piece of advice, and before the lines that go on with it.
const DASH: &str = "- ";
const INDENT: &str = "  ";
/// Most lines of advice; more would not help at once.
const MOST: usize = 5;
/// Median, with the probe's own time, below which calls overlap with their neighbours in a loop.
const SHORT_NS: u64 = 150;
/// Most methods that a line names; the others are counted.
const NAMED: usize = 3;

/// The advice: at most five lines, each piece after a dash. Pieces that are wider than the terminal go on in the next line.
pub fn lines(run: Run<'_>, width: Option<usize>) -> Vec<String> {
    let mut advice = lacks(run);
    advice.extend(open(run));
    advice.extend(failing(run));
    advice.extend(lost(run.lost));
    advice.extend(unproved(run));
    advice.extend(suspicious(run));
    advice.extend(short(run));
    wrapped(&advice, width.map(|width| width.saturating_sub(PREFIX + DASH.len())))
}

/// Pieces of advice in lines of at most `room` characters behind their dashes: as many whole pieces as there are lines for.
fn wrapped(advice: &[String], room: Option<usize>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in advice {
        let of_this = match room {
            Some(room) => in_lines(piece, room),
            None => vec![piece.clone()],
        };
        // A piece that is longer than all lines together is still better begun than not shown.
        if !lines.is_empty() && lines.len() + of_this.len() > MOST {
            break;
        }
        let dashed = of_this.iter().enumerate().map(|(at, line)| {
            let before = if at == 0 { DASH } else { INDENT };
            format!("{before}{line}")
        });
        lines.extend(dashed);
    }
    lines.truncate(MOST);
    lines
}

/// A text in lines of at most `room` characters, without packages if it does not fit into one. Words stay whole where a
/// line has room for them.
fn in_lines(text: &str, room: usize) -> Vec<String> {
    let length = |text: &str| text.chars().count();
    if length(text) <= room {
        return vec![text.to_owned()];
    }
    let room = room.max(1);
    let mut lines = vec![String::new()];
    for word in names::without_packages(text).split(' ') {
        let mut word: Vec<char> = word.chars().collect();
        let line = lines.last().map_or(0, |line| length(line));
        if line > 0 && line + 1 + word.len() > room {
            lines.push(String::new());
        } else if line > 0 {
            lines.last_mut().into_iter().for_each(|line| line.push(' '));
        }
        while word.len() > room {
            let rest = word.split_off(room);
            lines.last_mut().into_iter().for_each(|line| line.extend(&word));
            lines.push(String::new());
            word = rest;
        }
        lines.last_mut().into_iter().for_each(|line| line.extend(&word));
    }
    lines
}

/// Methods of undecided claims that lack calls, with the reason: one line for each kind of reason.
fn lacks(run: Run<'_>) -> Vec<String> {
    let mut kinds: BTreeMap<(u8, String), Vec<(usize, Lack)>> = BTreeMap::new();
    for method in undecided_methods(run) {
        if let Some(lack) = run.scheduler.lack(MethodIx(method)) {
            kinds.entry(kind(&lack)).or_default().push((method, lack));
        }
    }
    kinds.into_values().filter_map(|lacking| said(run, &lacking)).collect()
}

/// The kinds of reasons by seriousness: the reasons that a longer measurement does not remove come first. Methods that
/// cannot be measured have different reasons.
fn kind(lack: &Lack) -> (u8, String) {
    let rank = match lack {
        Lack::NotBegun { .. } => 0,
        Lack::Unmeasurable { why } => return (1, common(why).to_owned()),
        Lack::NotLoaded => 2,
        Lack::NeverCalled { .. } => 4,
        Lack::NoBudget { .. } => 5,
        Lack::Scattered { .. } => 6,
        Lack::NoTurn => 7,
        Lack::Discarded(_) => 8,
        Lack::NotRecorded => 9,
    };
    (rank, String::new())
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
        Lack::Unmeasurable { why } => {
            names(if lacking.len() == 1 { why } else { common(why) }, "cannot be measured")
        }
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

/// A reason without what concerns one method alone: the names that are near its own.
fn common(why: &str) -> &str {
    why.split_once("; nearest: ").map_or(why, |(part, _)| part)
}

/// Some names, and the number of the others.
fn listed(names: &[String]) -> String {
    let first = names.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Whether a longer measurement does not remove the reason.
fn is_lasting(lack: &Lack) -> bool {
    matches!(lack, Lack::Unmeasurable { .. } | Lack::NotLoaded | Lack::NeverCalled { .. })
}

fn undecided_methods(run: Run<'_>) -> BTreeSet<usize> {
    let program = &run.setup.program;
    let mut methods = BTreeSet::new();
    // Where one method of a claim cannot have calls, more of the other's would not help.
    let mut add = |of_claim: &[usize]| {
        let never =
            |method: &&usize| run.scheduler.lack(MethodIx(**method)).is_some_and(|lack| is_lasting(&lack));
        let first: Vec<usize> = of_claim.iter().filter(never).copied().collect();
        methods.extend(if first.is_empty() { of_claim } else { &first });
    };
    for (index, comparison) in program.tasks.comparisons.iter().enumerate() {
        let mut of_this = run.results.evaluations.iter().filter(|one| one.comparison == index);
        if of_this.all(|one| one.standing() == Standing::Undecided) {
            add(&[comparison.left, comparison.right]);
        }
    }
    for (index, assertion) in program.assertions.iter().enumerate() {
        let mut of_this = run.results.assertions.iter().filter(|one| one.assertion == index);
        if of_this.all(|one| one.standing() == Standing::Undecided) {
            add(&assertion.methods());
        }
    }
    methods
}

/// Needs of undecided claims, equal needs together with the first of their claims, the most frequent first.
fn open(run: Run<'_>) -> Vec<String> {
    let program = &run.setup.program;
    let comparisons = run.results.evaluations.iter().filter_map(|one| {
        let comparison = program.tasks.comparisons.get(one.comparison)?;
        Some((written_claim(run.setup, comparison), one.verdict.as_ref().err()?))
    });
    let undecided = |one: &&Asserted| one.standing() == Standing::Undecided;
    let assertions = run
        .results
        .assertions
        .iter()
        .filter(undecided)
        .filter_map(|one| Some((program.assertions.get(one.assertion)?.title.clone(), one.gaps.last()?)));
    let mut needs: BTreeMap<String, (usize, String, String)> = BTreeMap::new();
    for (claim, gap) in comparisons.chain(assertions) {
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
        needs.entry(like).or_insert((0, claim, why)).0 += 1;
    }
    let mut needs: Vec<(usize, String, String)> = needs.into_values().collect();
    needs.sort_by_key(|(number, ..)| std::cmp::Reverse(*number));
    let said = |(number, claim, why)| {
        let first = if number == 1 { "" } else { "for example " };
        format!("{number} undecided, {first}{claim}: {why}")
    };
    needs.into_iter().map(said).collect()
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

/// Compared methods whose calls overlap with their neighbours where nothing measures them.
fn short(run: Run<'_>) -> Option<String> {
    let program = &run.setup.program;
    let compared = program.tasks.comparisons.iter().flat_map(|one| [one.left, one.right]);
    let mut methods: BTreeSet<usize> = compared.collect();
    for assertion in &program.assertions {
        assertion.formula.value.for_each(&mut |atom| {
            if let Atom::Pair { left, right, .. } = atom {
                methods.extend([left.method, right.method]);
            }
        });
    }
    let is_short = |method: &usize| {
        let mut times = run.scheduler.all_times(MethodIx(*method));
        let middle = times.len() / 2;
        middle < times.len() && *times.select_nth_unstable(middle).1 < SHORT_NS
    };
    let short = methods.into_iter().filter(is_short);
    let names: Vec<String> = short.map(|method| method_as_written(run.setup, method)).collect();
    (!names.is_empty()).then(|| {
        format!(
            "calls under {SHORT_NS} ns, with the probe, take less in a loop that only repeats them: {}",
            listed(&names)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_cannot_be_measured_for_one_reason_are_in_one_line() {
        let of = |why: &str| kind(&Lack::Unmeasurable { why: why.to_owned() });
        let [one, other] = ["a()V", "b()V, c()V"].map(|near| of(&format!("no such method; nearest: {near}")));
        assert_eq!(one, other);
        assert_ne!(one, of("it is native"));
        assert!(one < kind(&Lack::NotLoaded));
    }

    #[test]
    fn long_advice_goes_on_in_the_next_line() {
        let advice =
            ["never called: acme.app.Known#never(long); let the program call them, or leave them out"
                .to_owned()];
        assert_eq!(wrapped(&advice, None), [format!("- {}", advice[0])], "nothing is wrapped in pipes");
        assert_eq!(
            wrapped(&advice, Some(38)),
            ["- never called: Known#never(long); let", "  the program call them, or leave them", "  out"]
        );
    }

    #[test]
    fn no_line_is_too_long_and_none_of_the_first_piece_is_lost() {
        let advice: Vec<String> =
            (1..9).map(|words| "word-of-13-ch ".repeat(words).trim_end().to_owned()).collect();
        for room in 1..150 {
            let lines = wrapped(&advice, Some(room));
            assert!(!lines.is_empty() && lines.len() <= MOST, "{room}: {lines:?}");
            assert!(lines.iter().all(|line| line.chars().count() <= room + 2), "{room}: {lines:?}");
            let first = lines.iter().take_while(|line| **line != "- word-of-13-ch word-of-13-ch");
            let letters: String = first.flat_map(|line| line[2..].chars()).collect();
            assert!(advice[0].starts_with(&letters[..letters.len().min(13)]), "{room}: {lines:?}");
        }
        // Whole pieces, as many as there are lines for.
        assert_eq!(wrapped(&advice, Some(27)).len(), 4);
    }
}
