//! Claims, which are comparisons and assertions: their state, and the rules that decide them (thesis 3.2.7).

use crate::settings::MIN_SIDE;
use crate::tally::Tallies;
use crate::{MethodIx, Settings, SettingsError};
use spl_lang::{Assertion, Comparison, Program, RunMode};
use spl_model::{Bucket, ClaimIx, ClaimNumbers, Claimed};
use spl_verdict::{Evaluation, NotEvaluated, evaluate};
use std::collections::BTreeMap;

/// The claims of the task file, the comparisons first and the assertions after them; none in measurement
/// mode.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Claims {
    comparisons: Vec<Comparison>,
    assertions: Vec<Assertion>,
    numbers: ClaimNumbers,
    /// The methods of each claim, each once.
    methods: Vec<Vec<MethodIx>>,
    open: Vec<bool>,
    /// Claims by method.
    by_method: Vec<Vec<ClaimIx>>,
    /// Undecided claims of each method.
    open_counts: Vec<usize>,
    /// With windows: the samples of each comparison that found a partner, unless the owner decides. Otherwise
    /// all samples are compared.
    pairs: Option<Vec<BTreeMap<Bucket, Pairs>>>,
}

/// Durations of the left and the right method, in nanoseconds, the same number of each.
#[derive(Clone, Debug, Default, PartialEq)]
struct Pairs {
    left_ns: Vec<u64>,
    right_ns: Vec<u64>,
}

/// Results of a comparison whose methods have both finished.
pub(crate) struct Leftover {
    /// At least one.
    pub(crate) evaluations: Vec<Evaluation>,
    /// Common buckets with fewer than two samples a side, left out.
    pub(crate) sparse_buckets: usize,
}

impl Claims {
    /// # Errors
    /// When a claim names a method that is not in the list.
    pub(crate) fn new(program: &Program, settings: &Settings) -> Result<Self, SettingsError> {
        let (comparisons, assertions) = if settings.mode == RunMode::Comparison {
            (program.tasks.comparisons.clone(), program.assertions.clone())
        } else {
            (Vec::new(), Vec::new())
        };
        let of_assertion = |one: &Assertion| one.methods().into_iter().map(MethodIx).collect();
        let of_comparison = |one: &Comparison| {
            let [left, right] = sides(one);
            if left == right { vec![left] } else { vec![left, right] }
        };
        let methods: Vec<Vec<MethodIx>> =
            comparisons.iter().map(of_comparison).chain(assertions.iter().map(of_assertion)).collect();
        let mut by_method = vec![Vec::new(); program.tasks.methods.len()];
        for (claim, methods) in methods.iter().enumerate() {
            for method in methods {
                by_method
                    .get_mut(method.0)
                    .ok_or(SettingsError::UnknownMethod { claim })?
                    .push(ClaimIx(claim));
            }
        }
        let pairs = settings
            .windows()
            .filter(|windows| !windows.owner_decides)
            .map(|_| vec![BTreeMap::new(); comparisons.len()]);
        let open_counts = by_method.iter().map(Vec::len).collect();
        Ok(Self {
            open: vec![true; methods.len()],
            open_counts,
            numbers: ClaimNumbers::new(comparisons.len()),
            comparisons,
            assertions,
            methods,
            by_method,
            pairs,
        })
    }

    /// Kind of the claim with this number, with its index.
    pub(crate) fn claimed(&self, claim: ClaimIx) -> Claimed {
        self.numbers.claimed(claim)
    }

    /// Whether there is a comparison with this index.
    pub(crate) fn has_comparison(&self, index: usize) -> bool {
        index < self.comparisons.len()
    }

    /// Whether a comparison is undecided.
    pub(crate) fn is_open_comparison(&self, index: usize) -> bool {
        self.is_open(self.numbers.comparison(index))
    }

    /// The assertion with this number.
    pub(crate) fn assertion(&self, index: usize) -> Option<&Assertion> {
        self.assertions.get(index)
    }

    /// The methods of a claim, each once.
    pub(crate) fn methods(&self, claim: ClaimIx) -> &[MethodIx] {
        self.methods.get(claim.0).map_or(&[], Vec::as_slice)
    }

    /// Whether the first bucket that is full for all its methods decides the claim.
    pub(crate) fn is_decided_by_first(&self, claim: ClaimIx) -> bool {
        match self.claimed(claim) {
            Claimed::Comparison(_) => true,
            Claimed::Assertion(index) => self.assertion(index).is_some_and(|assertion| assertion.alone),
        }
    }

    /// The group of each method. Methods that share a claim, directly or through other methods, share a
    /// group. Groups are numbered by their first method.
    pub(crate) fn groups(&self) -> Vec<usize> {
        let mut group_of: Vec<Option<usize>> = vec![None; self.by_method.len()];
        let mut groups = 0;
        for first in 0..group_of.len() {
            if group_of[first].is_some() {
                continue;
            }
            let mut reached = vec![first];
            while let Some(method) = reached.pop() {
                if group_of[method].replace(groups).is_none() {
                    let partners = self.by_method[method].iter().flat_map(|&claim| self.methods(claim));
                    reached.extend(partners.map(|partner| partner.0).filter(|&one| group_of[one].is_none()));
                }
            }
            groups += 1;
        }
        group_of.into_iter().flatten().collect()
    }

    /// Whether the method occurs in an undecided assertion, or in no comparison.
    pub(crate) fn is_asserted(&self, method: MethodIx) -> bool {
        let is_comparison = |claim| matches!(self.claimed(claim), Claimed::Comparison(_));
        let compared = self.by_method.get(method.0).into_iter().flatten().any(|&claim| is_comparison(claim));
        !compared || !self.open_of(method).all(is_comparison)
    }

    /// Adds pairs of one bucket; with windows only. Gives the number of pairs that the bucket has now.
    pub(crate) fn add_pairs(
        &mut self,
        index: usize,
        bucket: &Bucket,
        left_ns: &[u64],
        right_ns: &[u64],
    ) -> u64 {
        let Some(buckets) = self.pairs.as_mut().and_then(|pairs| pairs.get_mut(index)) else { return 0 };
        let pairs = buckets.entry(bucket.clone()).or_default();
        pairs.left_ns.extend(left_ns);
        pairs.right_ns.extend(right_ns);
        pairs.left_ns.len() as u64
    }

    /// Number of pairs of a comparison in a bucket; `None` without windows.
    pub(crate) fn pairs_in(&self, index: usize, bucket: &Bucket) -> Option<u64> {
        let buckets = self.pairs.as_ref()?.get(index)?;
        Some(buckets.get(bucket).map_or(0, |pairs| pairs.left_ns.len() as u64))
    }

    /// Number of pairs of a comparison in all buckets together; `None` without windows.
    pub(crate) fn all_pairs(&self, index: usize) -> Option<u64> {
        let buckets = self.pairs.as_ref()?.get(index)?;
        Some(buckets.values().map(|pairs| pairs.left_ns.len() as u64).sum())
    }

    pub(crate) fn is_open(&self, claim: ClaimIx) -> bool {
        self.open.get(claim.0).copied().unwrap_or(false)
    }

    /// Durations of both sides that are compared in a bucket.
    fn compared<'a>(&'a self, index: usize, bucket: &Bucket, tallies: &'a Tallies) -> [&'a [u64]; 2] {
        match &self.pairs {
            Some(pairs) => {
                pairs[index].get(bucket).map_or([&[], &[]], |pairs| [&pairs.left_ns, &pairs.right_ns])
            }
            None => self.sides(index).map(|side| tallies.get(side).map_or(&[][..], |one| one.bucket(bucket))),
        }
    }

    /// Buckets in which both sides have samples to compare, in ascending order.
    fn common_buckets<'a>(&'a self, index: usize, tallies: &'a Tallies) -> Vec<&'a Bucket> {
        if let Some(pairs) = &self.pairs {
            return pairs[index].keys().collect();
        }
        let [Some(left), Some(right)] = self.sides(index).map(|side| tallies.get(side)) else {
            return Vec::new();
        };
        left.buckets.keys().filter(|bucket| right.buckets.contains_key(bucket)).collect()
    }

    /// Undecided claims of a method.
    pub(crate) fn open_of(&self, method: MethodIx) -> impl Iterator<Item = ClaimIx> {
        self.by_method.get(method.0).into_iter().flatten().copied().filter(|&claim| self.is_open(claim))
    }

    /// Number of undecided claims of a method.
    pub(crate) fn open_count(&self, method: MethodIx) -> usize {
        self.open_counts.get(method.0).copied().unwrap_or(0)
    }

    /// Whether the method had claims and has none left.
    pub(crate) fn all_decided(&self, method: MethodIx) -> bool {
        self.by_method.get(method.0).is_some_and(|list| !list.is_empty()) && self.open_count(method) == 0
    }

    /// Closes a claim and lowers the open counts of its methods.
    pub(crate) fn close(&mut self, claim: ClaimIx) {
        if std::mem::replace(&mut self.open[claim.0], false) {
            self.methods[claim.0].iter().for_each(|method| self.open_counts[method.0] -= 1);
        }
    }

    /// The two methods of a comparison.
    pub(crate) fn sides(&self, comparison: usize) -> [MethodIx; 2] {
        sides(&self.comparisons[comparison])
    }

    /// Whether all methods of the claim have the `needed` number of samples in this bucket.
    pub(crate) fn is_full(&self, claim: ClaimIx, bucket: &Bucket, tallies: &Tallies, needed: u64) -> bool {
        let enough = |times: &[u64]| times.len() as u64 >= needed;
        match self.claimed(claim) {
            Claimed::Comparison(index) => self.compared(index, bucket, tallies).into_iter().all(enough),
            Claimed::Assertion(_) => {
                let times =
                    |method: &MethodIx| tallies.get(*method).map_or(&[][..], |one| one.bucket(bucket));
                self.methods(claim).iter().all(|method| enough(times(method)))
            }
        }
    }

    /// Judges a comparison with all present samples of this bucket.
    pub(crate) fn evaluate(
        &self,
        index: usize,
        bucket: &Bucket,
        tallies: &Tallies,
        settings: &Settings,
    ) -> Evaluation {
        let Comparison { sign, left_factor, right_factor, .. } = self.comparisons[index];
        let [left, right] = self.sides(index);
        let [left_ns, right_ns] = self.compared(index, bucket, tallies);
        Evaluation {
            comparison: index,
            bucket: bucket.clone(),
            verdict: evaluate(sign, left_factor, right_factor, left_ns, right_ns, settings.limit_p),
            leftover: false,
            n_left: left_ns.len() as u64,
            n_right: right_ns.len() as u64,
            drops: tallies.dropped_of(&[left, right]),
            so_far: None,
        }
    }

    /// Judges a comparison whose methods have both finished, in each common bucket with at least two samples
    /// a side. Without such a bucket it gives the reason.
    pub(crate) fn leftover(&self, index: usize, tallies: &Tallies, settings: &Settings) -> Leftover {
        let size = |bucket: &&Bucket| self.compared(index, bucket, tallies).map(<[u64]>::len);
        let common = self.common_buckets(index, tallies).into_iter();
        let (dense, sparse): (Vec<_>, Vec<_>) =
            common.partition(|bucket| size(bucket).iter().all(|&n| n >= MIN_SIDE));
        let mark = |evaluation: Evaluation| Evaluation { leftover: true, ..evaluation };
        if !dense.is_empty() {
            let judge = |bucket| mark(self.evaluate(index, bucket, tallies, settings));
            return Leftover {
                evaluations: dense.into_iter().map(judge).collect(),
                sparse_buckets: sparse.len(),
            };
        }
        let best = sparse.into_iter().max_by_key(|bucket| size(bucket).iter().sum::<usize>());
        let evaluation = match best {
            Some(bucket) => self.evaluate(index, bucket, tallies, settings),
            None => self.without(index, self.why_nothing_is_common(index, tallies), tallies),
        };
        Leftover { evaluations: vec![mark(evaluation)], sparse_buckets: 0 }
    }

    fn why_nothing_is_common(&self, index: usize, tallies: &Tallies) -> NotEvaluated {
        if self.pairs.is_some() {
            return NotEvaluated::TooFewSamples { left: 0, right: 0 };
        }
        match self.sides(index).map(|side| tallies.get(side).map_or(0, |method| method.counted)) {
            [left, right] if left == 0 || right == 0 => NotEvaluated::TooFewSamples { left, right },
            _ => NotEvaluated::NoCommonBucket,
        }
    }

    /// Result of a comparison that can't be judged. It is not due to a bucket, so it carries the bucket for
    /// all sizes.
    pub(crate) fn without(&self, index: usize, why: NotEvaluated, tallies: &Tallies) -> Evaluation {
        let [left, right] = self.sides(index);
        let count = |method| tallies.get(method).map_or(0, |method| method.counted);
        Evaluation {
            comparison: index,
            bucket: Bucket::All,
            verdict: Err(why),
            leftover: false,
            n_left: count(left),
            n_right: count(right),
            drops: tallies.dropped_of(&[left, right]),
            so_far: None,
        }
    }
}

fn sides(comparison: &Comparison) -> [MethodIx; 2] {
    [MethodIx(comparison.left), MethodIx(comparison.right)]
}
