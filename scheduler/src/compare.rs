//! Comparisons: which are open, and what decides them (thesis 3.2.7).

use crate::roster::Roster;
use crate::{MethodIx, Settings, SettingsError};
use spl_lang::{Comparison, RunMode, Tasks};
use spl_model::Bucket;
use spl_verdict::{Evaluation, NotEvaluated, evaluate};

/// The comparisons of the task file; none in measurement mode.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Comparisons {
    all: Vec<Comparison>,
    open: Vec<bool>,
    /// Indices of comparisons by method.
    by_method: Vec<Vec<usize>>,
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
    pub(crate) fn new(tasks: &Tasks, mode: RunMode) -> Result<Self, SettingsError> {
        let all = if mode == RunMode::Comparison { tasks.comparisons.clone() } else { Vec::new() };
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
        Ok(Self { open: vec![true; all.len()], all, by_method })
    }

    /// Undecided comparisons of a method, in file order.
    pub(crate) fn open_of(&self, method: MethodIx) -> impl Iterator<Item = usize> {
        self.by_method.get(method.0).into_iter().flatten().copied().filter(|&index| self.open[index])
    }

    /// Whether the method had comparisons and has none left.
    pub(crate) fn all_decided(&self, method: MethodIx) -> bool {
        let any = self.by_method.get(method.0).is_some_and(|list| !list.is_empty());
        any && self.open_of(method).next().is_none()
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
        self.sides(index).into_iter().all(|method| samples(roster, method, bucket).len() as u64 >= needed)
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
        let (left_ns, right_ns) = (samples(roster, left, bucket), samples(roster, right, bucket));
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
        let [left, right] = self.sides(index);
        let common = common_buckets(roster, left, right);
        let smaller =
            |bucket: &&Bucket| samples(roster, left, bucket).len().min(samples(roster, right, bucket).len());
        let (dense, sparse): (Vec<_>, Vec<_>) = common.into_iter().partition(|bucket| smaller(bucket) >= 2);
        let mark = |evaluation: Evaluation| Evaluation { leftover: true, ..evaluation };
        let sparse_buckets = sparse.len();
        if !dense.is_empty() {
            let evaluations = dense
                .into_iter()
                .map(|bucket| mark(self.evaluate(index, bucket, roster, settings)))
                .collect();
            return Leftover { evaluations, sparse_buckets };
        }
        let best = sparse
            .into_iter()
            .max_by_key(|bucket| samples(roster, left, bucket).len() + samples(roster, right, bucket).len());
        let evaluation = match best {
            Some(bucket) => self.evaluate(index, bucket, roster, settings),
            None => {
                let count = |method| roster.get(method).map_or(0, |method| method.counted);
                let (n_left, n_right) = (count(left), count(right));
                let why = if n_left == 0 || n_right == 0 {
                    NotEvaluated::TooFewSamples { left: n_left, right: n_right }
                } else {
                    NotEvaluated::NoCommonBucket
                };
                self.without(index, why, roster)
            }
        };
        Leftover { evaluations: vec![mark(evaluation)], sparse_buckets: 0 }
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

fn samples<'a>(roster: &'a Roster, method: MethodIx, bucket: &Bucket) -> &'a [u64] {
    roster.get(method).map_or(&[], |method| method.bucket(bucket))
}

/// Buckets in which both methods have samples, in ascending order.
fn common_buckets(roster: &Roster, left: MethodIx, right: MethodIx) -> Vec<&Bucket> {
    let (Some(left), Some(right)) = (roster.get(left), roster.get(right)) else { return Vec::new() };
    left.buckets.keys().filter(|bucket| right.buckets.contains_key(bucket)).collect()
}
