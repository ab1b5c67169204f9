//! One line of the table of claims: its verdict and the figures behind it.

use crate::names::{self, written_claim};
use spl_lang::{Assertion, Atom, Comparison};
use spl_report::figure;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_session::status::ClaimStatus;
use spl_verdict::{Asserted, Basis, Evaluation, Judged, Part, Ratio, Standing};

/// Number of calls from which on they are shown in thousands.
const THOUSANDS: u64 = 10_000;
const MILLIONS: u64 = 1_000_000;

/// Cells of a claim in the table.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Result of the claim; `None` without one.
    pub standing: Option<Standing>,
    /// Basis of the verdict.
    pub basis: Option<Basis>,
    /// The ratio of the two sides' unscaled times, or the time that is compared with a bound.
    pub figure: String,
    /// Interval of the ratio.
    pub interval: String,
    /// Judged calls of each side.
    pub calls: String,
    /// The claim in the words of the task file.
    pub claim: String,
    /// The claim's title, for narrow tables.
    pub title: Option<String>,
}

impl Row {
    /// A claim without a result.
    pub fn of(claim: String) -> Self {
        let [figure, interval, calls] = [const { String::new() }; 3];
        Self { standing: None, basis: None, figure, interval, calls, claim, title: None }
    }

    /// The claim with classes without their packages.
    pub fn without_packages(&self) -> String {
        // A title is the operator's own text and stays unchanged.
        let title = self.title.as_deref().filter(|title| self.claim.starts_with(title)).unwrap_or_default();
        format!("{title}{}", names::without_packages(&self.claim[title.len()..]))
    }

    /// Sets the ratio and its interval. `scaled` are the ratio of the scaled times and the ends of its interval, `limit`
    /// makes that of the unscaled times of it.
    fn take_ratio(&mut self, scaled: Option<[f64; 3]>, limit: f64) {
        if let Some(ratio) = scaled {
            let [value, low, high] = ratio.map(|scaled| figure::plain(&figure::quotient(scaled * limit)));
            (self.figure, self.interval) = (value, format!("[{low}, {high}]"));
        }
    }

    /// The verdict's word.
    pub fn verdict(&self) -> &'static str {
        match self.standing {
            Some(Standing::Holds) => "holds",
            Some(Standing::Fails) => "FAILS",
            Some(Standing::Undecided | Standing::Error) | None => "undecided",
        }
    }

    /// The verdict with its basis.
    pub fn verdict_with_basis(&self) -> String {
        let basis = self.basis.map(|basis| format!(", {basis}")).unwrap_or_default();
        format!("{}{basis}", self.verdict())
    }

    /// Rank by seriousness: the most serious has the smallest.
    pub fn rank(&self) -> u8 {
        match self.standing {
            Some(Standing::Fails) => 0,
            Some(Standing::Holds) => 2,
            Some(Standing::Undecided | Standing::Error) | None => 1,
        }
    }
}

/// A row for each claim, in the file's order: comparisons, then assertions. `looks` has their figures at the last look,
/// in the same order; empty where there are none.
pub fn rows(setup: &Setup, results: &Results, looks: &[ClaimStatus]) -> Vec<Row> {
    let program = &setup.program;
    let of_comparisons = program.tasks.comparisons.len();
    let comparisons = program
        .tasks
        .comparisons
        .iter()
        .enumerate()
        .map(|(index, one)| of_comparison(setup, results, looks.get(index), index, one));
    let assertions = program
        .assertions
        .iter()
        .enumerate()
        .map(|(index, one)| of_assertion(setup, results, looks.get(of_comparisons + index), index, one));
    comparisons.chain(assertions).collect()
}

fn of_comparison(
    setup: &Setup,
    results: &Results,
    look: Option<&ClaimStatus>,
    index: usize,
    comparison: &Comparison,
) -> Row {
    let mut row = Row::of(written_claim(setup, comparison));
    let limit = comparison.right_factor / comparison.left_factor;
    let present = look.and_then(|look| look.ratio);
    let results: Vec<&Evaluation> =
        results.evaluations.iter().filter(|one| one.comparison == index).collect();
    // The worst result of several workload sizes counts.
    let rank = |one: &&&Evaluation| Row { standing: Some(one.standing()), ..Row::of(String::new()) }.rank();
    let Some(worst) = results.iter().min_by_key(rank) else {
        row.take_ratio(present, limit);
        if let Some((_, judged)) = look.and_then(|look| telling(look.parts.iter(), Telling::Doubtful)) {
            row.calls = calls(judged.n_left, judged.n_right);
        }
        return row;
    };
    row.standing = Some(worst.standing());
    let ratio = match &worst.verdict {
        Ok(verdict) => {
            row.basis = Some(verdict.basis);
            verdict.ratio.as_ref().map(|Ratio { value, low, high, .. }| [*value, *low, *high])
        }
        // The present figures of the windows.
        Err(_) => present,
    };
    row.take_ratio(ratio, limit);
    if worst.n_left + worst.n_right > 0 {
        row.calls = calls(worst.n_left, Some(worst.n_right));
    }
    if results.len() > 1 {
        row.claim = format!("{} (worst of {} sizes)", row.claim, results.len());
    }
    row
}

fn of_assertion(
    setup: &Setup,
    results: &Results,
    look: Option<&ClaimStatus>,
    index: usize,
    assertion: &Assertion,
) -> Row {
    let text = setup.quote(assertion.span);
    // The title is shown instead of the word `assert`; a comparison that stands alone has no other words.
    let formula = text.split_once("\":").map(|(_, formula)| formula.trim()).filter(|_| !assertion.alone);
    let mut row = Row::of(match formula {
        Some(formula) => format!("{}: {formula}", assertion.title),
        None => assertion.title.clone(),
    });
    row.title = formula.map(|_| assertion.title.clone());
    let asserted = results.assertions.iter().find(|one| one.assertion == index);
    row.standing = asserted.map(Asserted::standing);
    row.basis = asserted.and_then(|asserted| asserted.basis);
    let (parts, instance) = match (asserted, look) {
        (Some(asserted), _) => (&asserted.parts, asserted.instance.as_ref()),
        (None, Some(look)) => (&look.parts, None),
        (None, None) => return row,
    };
    let mut atoms = Vec::new();
    assertion.formula.value.for_each(&mut |atom| atoms.push(*atom));
    let wanted = match row.standing {
        Some(Standing::Fails) => Telling::Against,
        Some(Standing::Holds) if assertion.is_one_of_several_enough() => Telling::For,
        _ => Telling::Doubtful,
    };
    // The instance that the claim fails in.
    let is_of_it = |part: &&Part| instance.is_none() || part.instance.as_ref() == instance;
    if let Some((part, judged)) = telling(parts.iter().filter(is_of_it), wanted)
        && let Some(atom) = atoms.get(part.relation)
    {
        (row.figure, row.calls) = (of_part(atom, judged), calls(judged.n_left, judged.n_right));
        if let Some(instance) = part.instance.as_ref().filter(|name| !name.is_empty()) {
            row.claim = format!("{} (in {instance})", row.claim);
        }
    }
    // An assertion of two means alone is looked at as a comparison is.
    let ratio = look.and_then(|look| look.ratio).filter(|_| parts.len() == 1);
    if let ([Atom::Pair { left, right, .. }], Some(ratio)) = (&atoms[..], ratio) {
        row.take_ratio(Some(ratio), right.factor / left.factor);
    }
    row
}

/// The part of a claim that tells most about its verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Telling {
    /// The strongest evidence against it: it fails.
    Against,
    /// The strongest evidence for it: one instance, one size or one formula is enough.
    For,
    /// The least certain part.
    Doubtful,
}

fn telling<'a>(parts: impl Iterator<Item = &'a Part>, wanted: Telling) -> Option<(&'a Part, &'a Judged)> {
    let judged = parts.filter_map(|part| Some((part, part.judged.as_ref().ok()?)));
    let judged = judged.filter(|(_, judged)| judged.n_left > 0);
    let rank = |judged: &Judged| match wanted {
        Telling::Against => judged.evidence.p_false,
        Telling::For => judged.evidence.p_true,
        Telling::Doubtful => -judged.evidence.p_true,
    };
    judged.min_by(|(_, one), (_, other)| rank(one).total_cmp(&rank(other)))
}

/// For a pair the ratio of the unscaled times, for a bound the time.
fn of_part(atom: &Atom, judged: &Judged) -> String {
    let text = match atom {
        Atom::Pair { left, right, .. } => {
            figure::quotient(judged.left_ns / left.factor / (judged.right_ns / right.factor))
        }
        Atom::Bound { .. } => figure::time(judged.left_ns),
    };
    figure::plain(&text)
}

fn calls(left: u64, right: Option<u64>) -> String {
    match right {
        Some(right) => format!("{}/{}", short(left), short(right)),
        None => short(left),
    }
}

/// A number of calls in at most five characters.
fn short(number: u64) -> String {
    match number {
        // The first number that three digits of thousands would make 1000k.
        999_500.. => format!("{}M", figure::digits(number as f64 / MILLIONS as f64)),
        THOUSANDS.. => format!("{}k", figure::digits(number as f64 / 1000.0)),
        _ => number.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_model::Bucket;
    use spl_verdict::Evidence;

    #[test]
    fn the_instance_that_tells_most_is_shown() {
        let part = |name: &str, p_true: f64, p_false: f64| Part {
            relation: 0,
            bucket: Bucket::All,
            instance: Some(name.to_owned()),
            judged: Ok(Judged {
                evidence: Evidence { p_true, p_false },
                left_ns: 1.0,
                right_ns: 1.0,
                n_left: 5,
                n_right: None,
            }),
        };
        let parts = [part("sure", 0.001, 1.0), part("open", 0.4, 0.7), part("contrary", 1.0, 0.02)];
        let told = |wanted| telling(parts.iter(), wanted).and_then(|(part, _)| part.instance.as_deref());
        assert_eq!(told(Telling::For), Some("sure"));
        assert_eq!(told(Telling::Against), Some("contrary"));
        assert_eq!(told(Telling::Doubtful), Some("contrary"));
    }

    #[test]
    fn many_calls_take_little_room() {
        assert_eq!(calls(9999, Some(10_000)), "9999/10k");
        assert_eq!(calls(16_995, Some(999_499)), "17k/999k");
        assert_eq!(calls(49_877, Some(999_500)), "49.9k/1M");
        assert_eq!(calls(1_234_567, Some(0)), "1.23M/0");
    }
}
