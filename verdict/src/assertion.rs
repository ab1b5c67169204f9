//! A whole assertion of the full language: its comparisons, judged in buckets of workload sizes, and the
//! result of all.

use crate::evidence::Evidence;
use crate::exit::Standing;
use crate::formula::decide;
use crate::relation::{Judged, judge, standing_alone};
use crate::truth::Truth;
use crate::types::{Basis, NotEvaluated};
use spl_lang::ast::Formula;
use spl_lang::{Assertion, Atom};
use spl_model::Bucket;
use std::convert::Infallible;

/// Source of the times of an assertion's methods.
pub trait Times {
    /// The durations of a method in a bucket, nanoseconds; `method` is its index in the task file.
    ///
    /// # Errors
    /// When the method could not be measured.
    fn of(&self, method: usize, bucket: &Bucket) -> Result<&[u64], NotEvaluated>;
}

/// An assertion judged.
#[derive(Clone, Debug, PartialEq)]
pub struct Asserted {
    /// Index of the assertion in the task file's order, from 0.
    pub assertion: usize,
    /// Truth of the whole according to the data.
    pub truth: Truth,
    /// Basis of a comparison on a line of its own; `None` for a formula, and for a comparison without
    /// evidence.
    pub basis: Option<Basis>,
    /// Evidence for and against the whole.
    pub evidence: Evidence,
    /// Accepted probability of a wrong "true" or "false".
    pub level: f64,
    /// Each comparison, in each bucket that it was judged in.
    pub parts: Vec<Part>,
    /// The instance with the strongest evidence against an assertion about each of them.
    pub instance: Option<String>,
    /// Reasons of the comparisons that were not evaluated.
    pub gaps: Vec<NotEvaluated>,
    /// True if it was judged when all its methods had finished, in buckets with fewer samples than required.
    pub leftover: bool,
    /// Lost samples of its methods in the time in which these were gathered.
    pub drops: u64,
}

/// One comparison of an assertion in one bucket.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Number of the assertion's comparison, from 0, from left to right.
    pub relation: usize,
    /// The workload sizes.
    pub bucket: Bucket,
    /// The instance, inside `for all instances` and `for some instance`.
    pub instance: Option<String>,
    /// Evidence of the comparison with its figures, or the reason for none.
    pub judged: Result<Judged, NotEvaluated>,
}

impl Asserted {
    /// Result for the exit status: a comparison on its own line counts by its basis, as a plain one does.
    #[must_use]
    pub fn standing(&self) -> Standing {
        match self.basis {
            Some(basis) if basis.holds() => Standing::Holds,
            Some(_) => Standing::Fails,
            None => self.truth.standing(),
        }
    }
}

/// Judges an assertion in the given buckets; `level` is the configured one. A comparison on a line of its own
/// is judged in the first bucket, a formula as described at [`decide`].
pub fn judge_assertion(
    index: usize,
    assertion: &Assertion,
    buckets: &[Bucket],
    times: &impl Times,
    level: f64,
) -> Asserted {
    let level = assertion.level.map_or(level, spl_lang::ast::Percent::fraction);
    let buckets = if assertion.alone { buckets.get(..1).unwrap_or_default() } else { buckets };
    let mut parts = Vec::new();
    let formula = numbered(&assertion.formula.value);
    let composed = decide(&formula, buckets, &mut |(relation, atom), bucket| {
        let judged = judge_in(atom, bucket, times);
        let evidence = judged.as_ref().map(|judged| judged.evidence).map_err(Clone::clone);
        parts.push(Part { relation: *relation, bucket: bucket.clone(), instance: None, judged });
        evidence
    });
    let evidence = composed.evidence;
    let basis = match (&assertion.formula.value, parts.first()) {
        (Formula::Relation(atom), Some(Part { judged: Ok(_), .. })) if assertion.alone => {
            Some(standing_alone(atom, &evidence, level).0)
        }
        _ => None,
    };
    Asserted {
        assertion: index,
        truth: evidence.truth(level),
        basis,
        evidence,
        level,
        parts,
        instance: None,
        gaps: composed.gaps,
        leftover: false,
        drops: 0,
    }
}

fn judge_in(atom: &Atom, bucket: &Bucket, times: &impl Times) -> Result<Judged, NotEvaluated> {
    // For a method that could not be measured that is the reason, and not that it has no samples.
    for method in atom.methods() {
        times.of(method, bucket)?;
    }
    judge(atom, |method| times.of(method, bucket).unwrap_or_default())
}

/// The comparisons with their numbers, from left to right.
pub(crate) fn numbered(formula: &Formula<Atom>) -> Formula<(usize, Atom)> {
    let mut next = 0;
    let mut number = |atom: &Atom| {
        next += 1;
        Ok::<_, Infallible>((next - 1, *atom))
    };
    let Ok(formula) = formula.try_map(&mut number);
    formula
}
