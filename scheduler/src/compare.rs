//! Comparisons: which are open, and what decides them (thesis 3.2.7).

use crate::roster::Roster;
use crate::{MethodIx, Settings, SettingsError};
use spl_lang::{Comparison, RunMode, Tasks};
use spl_model::Bucket;
use spl_verdict::{Evaluation, NotEvaluated, evaluate};
use std::collections::BTreeMap;

/// Samples of a side without which there is no variance, so no test (thesis 3.2.7).
pub(crate) const MIN_SIDE: usize = 2;

/// The comparisons of the task file; none in measurement mode.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparisons {
    all: Vec<Comparison>,
    open: Vec<bool>,
    /// Indices of comparisons by method.
    by_method: Vec<Vec<usize>>,
    /// With windows, the samples of each comparison that found a partner; without, all samples are compared.
    pairs: Option<Vec<BTreeMap<Bucket, Pairs>>>,
}

/// Durations of the left and the right method, in nanoseconds, as many of each.
#[derive(Clone, Debug, Default, PartialEq)]
struct Pairs {
    left_ns: Vec<u64>,
    right_ns: Vec<u64>,
}

/// What can be said of a comparison when both its methods have finished.
pub(crate) struct Leftover {
    /// At least one.
    pub(crate) evaluations: Vec<Evaluation>,
    /// Common buckets with fewer than two samples a side, left out.
    pub(crate) sparse_buckets: usize,
}

impl Comparisons {
    /// # Errors
    /// When a comparison names a method that is not in the list.
    pub(crate) fn new(tasks: &Tasks, settings: &Settings) -> Result<Self, SettingsError> {
        let all = if settings.mode == RunMode::Comparison { tasks.comparisons.clone() } else { Vec::new() };
        let mut by_method = vec![Vec::new(); tasks.methods.len()];
        for (index, comparison) in all.iter().enumerate() {
            for side in sides(comparison) {
                let list: &mut Vec<usize> =
                    by_method.get_mut(side.0).ok_or(SettingsError::UnknownMethod { comparison: index })?;
                if list.last() != Some(&index) {
                    list.push(index);
                }
            }
        }
        let pairs = settings.windows().map(|_| vec![BTreeMap::new(); all.len()]);
        Ok(Self { open: vec![true; all.len()], all, by_method, pairs })
    }

    /// The group of each method: methods that are compared, directly or by way of others, share one. Groups are
    /// numbered by their first method.
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
                    let partners = self.by_method[method].iter().flat_map(|&index| self.sides(index));
                    reached.extend(partners.map(|side| side.0).filter(|&side| group_of[side].is_none()));
                }
            }
            groups += 1;
        }
        group_of.into_iter().flatten().collect()
    }

    /// Whether the method stands in any comparison, decided or not.
    pub(crate) fn has_any(&self, method: MethodIx) -> bool {
        self.by_method.get(method.0).is_some_and(|list| !list.is_empty())
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

    pub(crate) fn is_open(&self, index: usize) -> bool {
        self.open.get(index).copied().unwrap_or(false)
    }

    /// The durations of both sides that are compared in a bucket.
    fn compared<'a>(&'a self, index: usize, bucket: &Bucket, roster: &'a Roster) -> [&'a [u64]; 2] {
        match &self.pairs {
            Some(pairs) => {
                pairs[index].get(bucket).map_or([&[], &[]], |pairs| [&pairs.left_ns, &pairs.right_ns])
            }
            None => self.sides(index).map(|side| roster.get(side).map_or(&[][..], |one| one.bucket(bucket))),
        }
    }

    /// Buckets in which both sides have samples to compare, in ascending order.
    fn common_buckets<'a>(&'a self, index: usize, roster: &'a Roster) -> Vec<&'a Bucket> {
        if let Some(pairs) = &self.pairs {
            return pairs[index].keys().collect();
        }
        let [Some(left), Some(right)] = self.sides(index).map(|side| roster.get(side)) else {
            return Vec::new();
        };
        left.buckets.keys().filter(|bucket| right.buckets.contains_key(bucket)).collect()
    }

    /// Undecided comparisons of a method, in file order.
    pub(crate) fn open_of(&self, method: MethodIx) -> impl Iterator<Item = usize> {
        self.by_method.get(method.0).into_iter().flatten().copied().filter(|&index| self.open[index])
    }

    /// Whether the method had comparisons and has none left.
    pub(crate) fn all_decided(&self, method: MethodIx) -> bool {
        self.has_any(method) && self.open_of(method).next().is_none()
    }

    /// Takes a comparison off both its methods.
    pub(crate) fn close(&mut self, index: usize) {
        self.open[index] = false;
    }

    pub(crate) fn sides(&self, index: usize) -> [MethodIx; 2] {
        sides(&self.all[index])
    }

    /// Whether both methods have as many samples in this bucket as are asked for.
    pub(crate) fn is_full(&self, index: usize, bucket: &Bucket, roster: &Roster, needed: u64) -> bool {
        self.compared(index, bucket, roster).into_iter().all(|side| side.len() as u64 >= needed)
    }

    /// Judges a comparison with all samples that are in this bucket now.
    pub(crate) fn evaluate(
        &self,
        index: usize,
        bucket: &Bucket,
        roster: &Roster,
        settings: &Settings,
    ) -> Evaluation {
        let Comparison { sign, left_factor, right_factor, .. } = self.all[index];
        let [left, right] = self.sides(index);
        let [left_ns, right_ns] = self.compared(index, bucket, roster);
        Evaluation {
            comparison: index,
            bucket: bucket.clone(),
            verdict: evaluate(sign, left_factor, right_factor, left_ns, right_ns, settings.limit_p),
            leftover: false,
            n_left: left_ns.len() as u64,
            n_right: right_ns.len() as u64,
            drops: roster.dropped_of(left, right),
        }
    }

    /// Judges a comparison whose methods have both finished: in each common bucket with at least two samples a side,
    /// or if there is none, says why not.
    pub(crate) fn leftover(&self, index: usize, roster: &Roster, settings: &Settings) -> Leftover {
        let size = |bucket: &&Bucket| self.compared(index, bucket, roster).map(<[u64]>::len);
        let common = self.common_buckets(index, roster).into_iter();
        let (dense, sparse): (Vec<_>, Vec<_>) =
            common.partition(|bucket| size(bucket).iter().all(|&n| n >= MIN_SIDE));
        let mark = |evaluation: Evaluation| Evaluation { leftover: true, ..evaluation };
        if !dense.is_empty() {
            let judge = |bucket| mark(self.evaluate(index, bucket, roster, settings));
            return Leftover {
                evaluations: dense.into_iter().map(judge).collect(),
                sparse_buckets: sparse.len(),
            };
        }
        let best = sparse.into_iter().max_by_key(|bucket| size(bucket).iter().sum::<usize>());
        let evaluation = match best {
            Some(bucket) => self.evaluate(index, bucket, roster, settings),
            None => self.without(index, self.why_nothing_is_common(index, roster), roster),
        };
        Leftover { evaluations: vec![mark(evaluation)], sparse_buckets: 0 }
    }

    fn why_nothing_is_common(&self, index: usize, roster: &Roster) -> NotEvaluated {
        if self.pairs.is_some() {
            return NotEvaluated::TooFewSamples { left: 0, right: 0 };
        }
        match self.sides(index).map(|side| roster.get(side).map_or(0, |method| method.counted)) {
            [left, right] if left == 0 || right == 0 => NotEvaluated::TooFewSamples { left, right },
            _ => NotEvaluated::NoCommonBucket,
        }
    }

    /// A comparison that can't be judged. No bucket is to blame, so it carries the one for all sizes.
    pub(crate) fn without(&self, index: usize, why: NotEvaluated, roster: &Roster) -> Evaluation {
        let [left, right] = self.sides(index);
        let count = |method| roster.get(method).map_or(0, |method| method.counted);
        Evaluation {
            comparison: index,
            bucket: Bucket::All,
            verdict: Err(why),
            leftover: false,
            n_left: count(left),
            n_right: count(right),
            drops: roster.dropped_of(left, right),
        }
    }
}

fn sides(comparison: &Comparison) -> [MethodIx; 2] {
    [MethodIx(comparison.left), MethodIx(comparison.right)]
}
