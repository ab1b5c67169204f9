//! Formulas: the evidence of the whole, from that of its comparisons in every bucket of its quantifiers.

use crate::evidence::Evidence;
use crate::types::NotEvaluated;
use spl_lang::ast::{ByteSize, Formula, Interval, Sizes};
use spl_model::Bucket;

/// The evidence of a formula and its missing parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// Evidence for and against the whole; comparisons that were not evaluated count as no evidence.
    pub evidence: Evidence,
    /// Reasons of the comparisons that were not evaluated, in the formula's order.
    pub gaps: Vec<NotEvaluated>,
}

/// Composes the evidence of a formula over comparisons of the kind `R`.
///
/// `judge` judges one comparison in one bucket. `for all sizes` means every one of `buckets`, `for some size`
/// at least one, `for size in …` every one that lies wholly in the interval. Without any quantifier the whole
/// formula holds for all sizes; otherwise each comparison without a quantifier does so by itself. A
/// quantifier over no bucket has no evidence: it is undecided, neither true nor false.
pub fn decide<R>(
    formula: &Formula<R>,
    buckets: &[Bucket],
    judge: &mut impl FnMut(&R, &Bucket) -> Result<Evidence, NotEvaluated>,
) -> Composed {
    let mut gaps = Vec::new();
    let mut recording = |relation: &R, bucket: &Bucket| {
        judge(relation, bucket).unwrap_or_else(|why| {
            gaps.push(why);
            Evidence::NONE
        })
    };
    let mut everywhere = |relation: &R, scope: Option<&Bucket>| match scope {
        Some(bucket) => recording(relation, bucket),
        None => in_all(buckets.iter(), |bucket| recording(relation, bucket)),
    };
    let evidence = if is_quantified(formula) {
        compose(formula, buckets, None, &mut everywhere)
    } else {
        in_all(buckets.iter(), |bucket| compose(formula, buckets, Some(bucket), &mut everywhere))
    };
    if buckets.is_empty() || quantifies_over_nothing(formula, buckets) {
        gaps.push(NotEvaluated::NoCommonBucket);
    }
    Composed { evidence, gaps }
}

/// As [`decide`], but comparisons without a quantifier concern the calls of all sizes together: they
/// are judged once, in no bucket.
pub(crate) fn decide_joined<R>(
    formula: &Formula<R>,
    buckets: &[Bucket],
    judge: &mut impl FnMut(&R, Option<&Bucket>) -> Evidence,
) -> Composed {
    let evidence = compose(formula, buckets, None, judge);
    let nothing = quantifies_over_nothing(formula, buckets);
    Composed { evidence, gaps: nothing.then_some(NotEvaluated::NoCommonBucket).into_iter().collect() }
}

fn compose<R>(
    formula: &Formula<R>,
    buckets: &[Bucket],
    scope: Option<&Bucket>,
    judge: &mut impl FnMut(&R, Option<&Bucket>) -> Evidence,
) -> Evidence {
    match formula {
        Formula::Relation(relation) => judge(relation, scope),
        Formula::Not(inner) => !compose(&inner.value, buckets, scope, judge),
        Formula::And(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|part| compose(&part.value, buckets, scope, judge)).collect();
            Evidence::all(&parts)
        }
        Formula::Or(parts) => {
            let parts: Vec<_> =
                parts.iter().map(|part| compose(&part.value, buckets, scope, judge)).collect();
            Evidence::any(&parts)
        }
        Formula::Implies(premise, conclusion) => {
            let premise = compose(&premise.value, buckets, scope, judge);
            Evidence::any(&[!premise, compose(&conclusion.value, buckets, scope, judge)])
        }
        Formula::For(sizes, body) => {
            let meant = buckets.iter().filter(|bucket| speaks_of(sizes.value, bucket));
            let part = |bucket| compose(&body.value, buckets, Some(bucket), judge);
            if sizes.value == Sizes::Some {
                Evidence::any(&meant.map(part).collect::<Vec<_>>())
            } else {
                in_all(meant, part)
            }
        }
    }
}

fn in_all<'a>(
    buckets: impl Iterator<Item = &'a Bucket>,
    part: impl FnMut(&'a Bucket) -> Evidence,
) -> Evidence {
    Evidence::all(&buckets.map(part).collect::<Vec<_>>())
}

fn is_quantified<R>(formula: &Formula<R>) -> bool {
    match formula {
        Formula::Relation(_) => false,
        Formula::Not(inner) => is_quantified(&inner.value),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| is_quantified(&part.value)),
        Formula::Implies(premise, conclusion) => {
            is_quantified(&premise.value) || is_quantified(&conclusion.value)
        }
        Formula::For(..) => true,
    }
}

/// Whether a quantifier covers this bucket.
fn speaks_of(sizes: Sizes, bucket: &Bucket) -> bool {
    let Sizes::In(Interval { low, high }) = sizes else { return true };
    let Bucket::Range { low: first, high: end } = bucket else { return false };
    let ends_inside = match (end, high.map(ByteSize::bytes)) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some(end), Some(high)) => *end <= high,
    };
    *first >= low.bytes() && ends_inside
}

fn quantifies_over_nothing<R>(formula: &Formula<R>, buckets: &[Bucket]) -> bool {
    let inside = |part: &Formula<R>| quantifies_over_nothing(part, buckets);
    match formula {
        Formula::Relation(_) => false,
        Formula::Not(inner) => inside(&inner.value),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| inside(&part.value)),
        Formula::Implies(premise, conclusion) => inside(&premise.value) || inside(&conclusion.value),
        Formula::For(sizes, body) => {
            !buckets.iter().any(|bucket| speaks_of(sizes.value, bucket)) || inside(&body.value)
        }
    }
}
