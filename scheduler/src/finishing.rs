//! When methods finish, and what becomes of their comparisons (thesis 3.2.7).

use crate::decision::describe;
use crate::method::Status;
use crate::{Action, Cause, MethodIx, Scheduler};
use spl_model::{Bucket, Outcome};
use spl_verdict::NotEvaluated;

impl Scheduler {
    /// Decides the comparisons of `method` whose other side has an equal full bucket; each leaves both its methods,
    /// which may finish either of them.
    pub(crate) fn bucket_filled(&mut self, method: MethodIx, bucket: &Bucket) {
        let needed = self.settings.min_samples;
        let ready: Vec<usize> = self
            .comparisons
            .open_of(method)
            .filter(|&index| self.comparisons.is_full(index, bucket, &self.roster, needed))
            .collect();
        ready.into_iter().for_each(|index| self.decide_full(index, bucket));
    }

    /// Evaluates a comparison whose buckets are full, unless another pair of buckets was.
    pub(crate) fn decide_full(&mut self, index: usize, bucket: &Bucket) {
        if self.comparisons.is_open(index) {
            let evaluation = self.comparisons.evaluate(index, bucket, &self.roster, &self.settings);
            let needed = self.settings.min_samples;
            self.decide(Action::Evaluated(Box::new(evaluation)), Cause::BucketsFull { needed });
            self.comparisons.close(index);
            self.finish_decided(index);
        }
    }

    /// Finishes a method that has as many samples as are allowed.
    pub(crate) fn finish_at_limit(&mut self, method: MethodIx) {
        let samples = self.roster.get(method).map_or(0, |method| method.counted);
        let limit = self.settings.effective_max();
        if samples >= limit {
            self.finish(method, Cause::LimitReached { samples, limit: Some(limit) });
        }
    }

    /// The owner has evaluated a comparison itself.
    pub(crate) fn decided(&mut self, comparison: usize) {
        if self.comparisons.is_open(comparison) {
            self.comparisons.close(comparison);
            self.finish_decided(comparison);
            self.balance(None);
        }
    }

    /// Finishes the methods of a closed comparison that have no open one left.
    pub(crate) fn finish_decided(&mut self, comparison: usize) {
        for side in self.comparisons.sides(comparison) {
            if self.comparisons.all_decided(side) {
                let samples = self.roster.get(side).map_or(0, |method| method.counted);
                self.finish(side, Cause::ComparisonsDecided { samples });
            }
        }
    }

    /// Methods that have as many samples already finish now.
    pub(crate) fn agent_limit(&mut self, limit: u64) {
        self.settings.agent_limit = Some(limit.max(1));
        for index in 0..self.roster.len() {
            self.finish_at_limit(MethodIx(index));
        }
        self.balance(None);
    }

    /// The agent gives a method up. With windows, the calls that are held are all there will be.
    pub(crate) fn limit_reached(&mut self, method: MethodIx) {
        self.close_windows_of(method);
        let samples = self.roster.get(method).map_or(0, |method| method.counted);
        self.finish(method, Cause::LimitReached { samples, limit: None });
        self.balance(None);
    }

    /// The method ends, and so do its comparisons: what the other side alone would give compares with nothing.
    pub(crate) fn unavailable(&mut self, method: MethodIx, why: Outcome) {
        if self.roster.is_finished(method) {
            return;
        }
        let reason = format!("{}: {}", self.name(method), describe(&why));
        let cause = Cause::Unavailable(why);
        self.mark_finished(method, cause.clone());
        let open: Vec<usize> = self.comparisons.open_of(method).collect();
        for index in open {
            let evaluation =
                self.comparisons.without(index, NotEvaluated::NotMeasured(reason.clone()), &self.roster);
            self.decide(Action::Evaluated(Box::new(evaluation)), cause.clone());
            self.comparisons.close(index);
            self.finish_decided(index);
        }
        self.balance(None);
    }

    pub(crate) fn finish_all(&mut self) {
        self.close_all_windows();
        for index in 0..self.roster.len() {
            self.finish(MethodIx(index), Cause::RunEnds);
        }
    }

    /// Ends a method's measurement and judges its open comparisons whose other side has ended too; with windows all
    /// of them, because a side alone makes no pairs.
    pub(crate) fn finish(&mut self, method: MethodIx, cause: Cause) {
        if self.roster.is_finished(method) {
            return;
        }
        self.mark_finished(method, cause);
        let open: Vec<usize> = self.comparisons.open_of(method).collect();
        for index in open {
            let both = self.comparisons.sides(index).into_iter().all(|side| self.roster.is_finished(side));
            if !both && self.rotations.is_empty() {
                continue;
            }
            self.comparisons.close(index);
            let left = self.comparisons.leftover(index, &self.roster, &self.settings);
            for evaluation in left.evaluations {
                let cause = Cause::NoMoreSamples { sparse_buckets: left.sparse_buckets };
                self.decide(Action::Evaluated(Box::new(evaluation)), cause);
            }
            self.finish_decided(index);
        }
    }

    fn mark_finished(&mut self, method: MethodIx, cause: Cause) {
        self.roster.set_status(method, Status::Finished);
        self.law.clamp(self.roster.unfinished());
        self.decide(Action::Finished(method), cause);
    }
}
