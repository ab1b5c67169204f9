//! Formulas: the evidence of the whole, from that of its comparisons in every bucket of its quantifiers.

use crate::evidence::Evidence;
use crate::types::NotEvaluated;
use spl_lang::ast::{ByteSize, Formula, Instances, Interval, Sizes};
use spl_model::Bucket;

/// The evidence of a formula and its missing parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Composed {
    /// Evidence for and against the whole; comparisons that were not evaluated count as no evidence.
    pub evidence: Evidence,
    /// Reasons of the comparisons that were not evaluated, in the formula's order.
    pub gaps: Vec<NotEvaluated>,
}

/// Part of the calls that a comparison is about.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Scope<'a> {
    /// Calls of these sizes; `None` for all.
    pub(crate) bucket: Option<&'a Bucket>,
    /// Calls of this instance; `None` for the mean of all.
    pub(crate) instance: Option<usize>,
}

/// The values of the quantifiers.
#[derive(Clone, Copy)]
pub(crate) struct Domain<'a> {
    pub(crate) buckets: &'a [Bucket],
    pub(crate) instances: &'a [usize],
}

/// Composes the evidence of a formula over comparisons of the kind `R`.
///
/// `judge` judges one comparison in one bucket. `for all sizes` means every one of `buckets`, `for some size`
/// at least one, `for size in …` every one that lies wholly in the interval. Without any quantifier the whole
/// formula holds for all sizes; otherwise each comparison without a quantifier does so by itself. A
/// quantifier over no bucket has no evidence: it is undecided, neither true nor false. So is one over
/// instances, which only windows tell apart.
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
    let mut everywhere = |relation: &R, scope: Scope<'_>| match scope.bucket {
        Some(bucket) => recording(relation, bucket),
        None => in_all(buckets.iter(), |bucket| recording(relation, bucket)),
    };
    let domain = Domain { buckets, instances: &[] };
    let evidence = if is_quantified(formula) {
        compose(formula, domain, Scope::default(), &mut everywhere)
    } else {
        let scope = |bucket| Scope { bucket: Some(bucket), instance: None };
        in_all(buckets.iter(), |bucket| compose(formula, domain, scope(bucket), &mut everywhere))
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
    domain: Domain<'_>,
    judge: &mut impl FnMut(&R, Scope<'_>) -> Evidence,
) -> Composed {
    let evidence = compose(formula, domain, Scope::default(), judge);
    let nothing = quantifies_over_nothing(formula, domain.buckets);
    Composed { evidence, gaps: nothing.then_some(NotEvaluated::NoCommonBucket).into_iter().collect() }
}

fn compose<R>(
    formula: &Formula<R>,
    domain: Domain<'_>,
    scope: Scope<'_>,
    judge: &mut impl FnMut(&R, Scope<'_>) -> Evidence,
) -> Evidence {
    match formula {
        Formula::Relation(relation) => judge(relation, scope),
        Formula::Not(inner) => !compose(&inner.value, domain, scope, judge),
        Formula::And(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| compose(&part.value, domain, scope, judge)).collect();
            Evidence::all(&parts)
        }
        Formula::Or(parts) => {
            let parts: Vec<_> = parts.iter().map(|part| compose(&part.value, domain, scope, judge)).collect();
            Evidence::any(&parts)
        }
        Formula::Implies(premise, conclusion) => {
            let premise = compose(&premise.value, domain, scope, judge);
            Evidence::any(&[!premise, compose(&conclusion.value, domain, scope, judge)])
        }
        Formula::For(sizes, body) => {
            let meant = domain.buckets.iter().filter(|bucket| speaks_of(sizes.value, bucket));
            let part = |bucket| compose(&body.value, domain, Scope { bucket: Some(bucket), ..scope }, judge);
            if sizes.value == Sizes::Some {
                Evidence::any(&meant.map(part).collect::<Vec<_>>())
            } else {
                in_all(meant, part)
            }
        }
        Formula::ForInstances(instances, body) => {
            let part = |&instance| {
                let scope = Scope { instance: Some(instance), ..scope };
                compose(&body.value, domain, scope, judge)
            };
            let parts: Vec<Evidence> = domain.instances.iter().map(part).collect();
            match instances.value {
                Instances::All => Evidence::all(&parts),
                Instances::Some => Evidence::any(&parts),
            }
        }
    }
}

/// Whether the whole is false as soon as it is false of one instance.
pub(crate) fn is_about_each_instance<R>(formula: &Formula<R>) -> bool {
    asks_for(formula, Instances::All)
}

/// Whether the formula has this quantifier, or the other one in a part that is negated.
fn asks_for<R>(formula: &Formula<R>, wanted: Instances) -> bool {
    match formula {
        Formula::Relation(_) => false,
        Formula::Not(inner) => asks_for(&inner.value, negated(wanted)),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| asks_for(&part.value, wanted)),
        Formula::Implies(premise, conclusion) => {
            asks_for(&premise.value, negated(wanted)) || asks_for(&conclusion.value, wanted)
        }
        Formula::For(_, body) => asks_for(&body.value, wanted),
        Formula::ForInstances(instances, body) => instances.value == wanted || asks_for(&body.value, wanted),
    }
}

fn negated(instances: Instances) -> Instances {
    match instances {
        Instances::All => Instances::Some,
        Instances::Some => Instances::All,
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
        Formula::ForInstances(_, body) => is_quantified(&body.value),
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
        Formula::Not(inner) | Formula::ForInstances(_, inner) => inside(&inner.value),
        Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| inside(&part.value)),
        Formula::Implies(premise, conclusion) => inside(&premise.value) || inside(&conclusion.value),
        Formula::For(sizes, body) => {
            !buckets.iter().any(|bucket| speaks_of(sizes.value, bucket)) || inside(&body.value)
        }
    }
}
