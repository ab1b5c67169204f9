//! Every comparison and assertion of the tasks with its result, for lists of claims.

use crate::judgement::{judgement, sentence};
use crate::names::written_claim;
use spl_model::one_line;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_verdict::{Asserted, Evaluation, Standing};

/// Text for a claim without a result: every claim gets one when a measurement ends, if there was one.
pub const NO_RESULT: &str = "undecided: no JVM was measured";

/// Kind of a claim in the task file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A plain comparison.
    Comparison,
    /// An assertion.
    Assertion,
    /// A claim about metrics.
    Metric,
}

impl Kind {
    /// The kind's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Comparison => "comparison",
            Self::Assertion => "assertion",
            Self::Metric => "metric",
        }
    }
}

/// One claim.
#[derive(Clone, Debug, PartialEq)]
pub struct Claim {
    /// Comparison or assertion.
    pub kind: Kind,
    /// Its number among those of its kind in the task file, from 1.
    pub number: usize,
    /// The comparison as the task file has it, or the assertion's title.
    pub text: String,
    /// Result of the claim, the worst of several buckets; `None` before the first.
    pub standing: Option<Standing>,
    /// The results in words, one for each bucket that was judged.
    pub said: Vec<String>,
    /// The figures of a comparison, for each bucket in which it has a verdict.
    pub judged: Vec<Judged>,
}

/// The figures of a verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// The workload sizes.
    pub bucket: String,
    /// p-value of the deciding test.
    pub p_value: f64,
    /// Scaled left mean over scaled right mean, and the ends of its interval; `None` when a mean is not
    /// positive.
    pub ratio: Option<[(&'static str, f64); 3]>,
}

/// All claims of the tasks, comparisons first, each in the task file's order.
pub fn claims(setup: &Setup, results: &Results) -> Vec<Claim> {
    let program = &setup.program;
    let comparisons = program.tasks.comparisons.iter().enumerate().map(|(index, comparison)| {
        let of_this = || results.evaluations.iter().filter(move |one| one.comparison == index);
        Claim {
            kind: Kind::Comparison,
            number: index + 1,
            text: one_line(&written_claim(setup, comparison)),
            standing: worst(of_this().map(Evaluation::standing)),
            said: of_this().map(judgement).collect(),
            judged: of_this().filter_map(figures).collect(),
        }
    });
    let assertions = program.assertions.iter().enumerate().map(|(index, assertion)| {
        let of_this = || results.assertions.iter().filter(move |one| one.assertion == index);
        Claim {
            kind: Kind::Assertion,
            number: index + 1,
            text: assertion.title.clone(),
            standing: worst(of_this().map(Asserted::standing)),
            said: of_this().map(sentence).collect(),
            judged: Vec::new(),
        }
    });
    comparisons.chain(assertions).collect()
}

fn figures(evaluation: &Evaluation) -> Option<Judged> {
    let verdict = evaluation.verdict.as_ref().ok()?;
    Some(Judged {
        bucket: evaluation.bucket.to_string(),
        p_value: verdict.p_value,
        ratio: verdict.ratio.map(|r| [("value", r.value), ("low", r.low), ("high", r.high)]),
    })
}

/// The worst of the results of several buckets: failing before undecided before holding.
pub fn worst(standings: impl Iterator<Item = Standing>) -> Option<Standing> {
    let rank = |standing: &Standing| match standing {
        Standing::Error => 3,
        Standing::Fails => 2,
        Standing::Undecided => 1,
        Standing::Holds => 0,
    };
    standings.max_by_key(rank)
}

/// Numbers of the claims' results in a line; `None` without claims.
pub fn counts(claims: &[Claim]) -> Option<String> {
    let count = |wanted: &[Standing]| {
        claims.iter().filter(|one| one.standing.is_some_and(|s| wanted.contains(&s))).count()
    };
    let (hold, fail) = (count(&[Standing::Holds]), count(&[Standing::Fails, Standing::Error]));
    let undecided = claims.len() - hold - fail;
    let number = |number: usize, one: &str, many: &str| {
        (number > 0).then(|| format!("{number} {}", if number == 1 { one } else { many }))
    };
    let parts = [
        number(hold, "holds", "hold"),
        number(fail, "fails", "fail"),
        (undecided > 0).then(|| format!("{undecided} undecided")),
    ];
    let of = if claims.len() == 1 { "claim" } else { "claims" };
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!claims.is_empty()).then(|| format!("{} {of}: {}", claims.len(), parts.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(text: &str, standing: Option<Standing>) -> Claim {
        let (kind, text) = (Kind::Comparison, text.to_owned());
        Claim { kind, number: 1, text, standing, said: Vec::new(), judged: Vec::new() }
    }

    #[test]
    fn a_run_is_summed_up_in_a_line() {
        use Standing::{Fails, Holds, Undecided};
        let check = |standings: &[Option<Standing>], expected: Option<&str>| {
            let claims: Vec<Claim> =
                standings.iter().enumerate().map(|(index, one)| claim(&format!("c{index}"), *one)).collect();
            assert_eq!(counts(&claims).as_deref(), expected, "{standings:?}");
        };
        check(&[], None);
        check(&[Some(Holds)], Some("1 claim: 1 holds"));
        check(&[Some(Holds), Some(Holds), Some(Fails)], Some("3 claims: 2 hold, 1 fails"));
        check(&[Some(Undecided), None], Some("2 claims: 2 undecided"));
        let many = [Some(Holds), None, Some(Holds), Some(Fails), Some(Undecided), Some(Holds)];
        check(&many, Some("6 claims: 3 hold, 1 fails, 2 undecided"));
    }
}
