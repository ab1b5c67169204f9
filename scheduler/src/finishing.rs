//! The end of methods and of their comparisons (thesis 3.2.7).

use crate::decision::describe;
use crate::settings::MIN_SIDE;
use crate::standing::Status;
use crate::{Action, Cause, MethodIx, Scheduler};
use spl_model::{Bucket, ClaimIx, Claimed, Lack, Outcome};
use spl_verdict::NotEvaluated;

impl Scheduler {
    /// Decides the claims of `method` whose other methods have an equal full bucket. Closing a claim may
    /// finish any of its methods.
    pub(crate) fn bucket_filled(&mut self, method: MethodIx, bucket: &Bucket) {
        let needed = self.settings.min_samples;
        let ready: Vec<ClaimIx> = self
            .claims
            .open_of(method)
            .filter(|&claim| self.claims.is_decided_by_first(claim))
            .filter(|&claim| self.claims.is_full(claim, bucket, &self.tallies, needed))
            .collect();
        ready.into_iter().for_each(|claim| self.decide_full(claim, bucket));
    }

    /// Evaluates a claim with full buckets, unless an earlier bucket has closed it.
    pub(crate) fn decide_full(&mut self, claim: ClaimIx, bucket: &Bucket) {
        if !self.claims.is_open(claim) {
            return;
        }
        let cause = Cause::BucketsFull { needed: self.settings.min_samples };
        match self.claims.claimed(claim) {
            Claimed::Comparison(index) => {
                let evaluation = self.claims.evaluate(index, bucket, &self.tallies, &self.settings);
                self.decide(Action::Evaluated(Box::new(evaluation)), cause);
            }
            Claimed::Assertion(index) => self.assert_in(index, std::slice::from_ref(bucket), false, cause),
        }
        self.claims.close(claim);
        self.finish_decided(claim);
    }

    /// Finishes a method that has its maximum of samples.
    pub(crate) fn finish_at_limit(&mut self, method: MethodIx) {
        let samples = self.tallies.counted(method);
        let limit = self.settings.effective_max();
        if samples >= limit {
            self.finish(method, Cause::LimitReached { samples, limit: Some(limit) });
        }
    }

    /// The maximum that a method has reached, with the name of the setting that it is from.
    #[must_use]
    pub fn reached_maximum(&self, method: MethodIx) -> Option<(&'static str, u64)> {
        let limit = self.settings.effective_max();
        let key = if self.settings.agent_limit_rules() {
            "spl.client.measurements"
        } else {
            "max-method-measurements"
        };
        self.tallies.get(method).filter(|one| one.counted >= limit).map(|_| (key, limit))
    }

    /// Closes a claim that the owner has evaluated itself.
    pub(crate) fn decided(&mut self, claim: ClaimIx) {
        if self.claims.is_open(claim) {
            self.claims.close(claim);
            self.finish_decided(claim);
            self.balance(None);
        }
    }

    /// Finishes the methods of a closed claim that have no open claim left.
    pub(crate) fn finish_decided(&mut self, claim: ClaimIx) {
        for method in self.claims.methods(claim).to_vec() {
            if self.claims.all_decided(method) {
                let samples = self.tallies.counted(method);
                self.finish(method, Cause::ClaimsDecided { samples });
            }
        }
    }

    /// Sets the agent's limit; methods that have reached it finish now.
    pub(crate) fn agent_limit(&mut self, limit: u64) {
        // The lowest limit of several agents applies.
        let of_others = self.settings.agent_limit.filter(|_| !self.others.is_empty());
        self.settings.agent_limit = Some(limit.max(1).min(of_others.unwrap_or(u64::MAX)));
        for index in 0..self.tallies.len() {
            self.finish_at_limit(MethodIx(index));
        }
        self.balance(None);
    }

    /// Ends a method whose agent takes no more samples. With windows, the held calls are the last ones.
    pub(crate) fn limit_reached(&mut self, method: MethodIx) {
        self.in_each_jvm(|this| this.close_windows_of(method));
        let samples = self.tallies.counted(method);
        self.finish(method, Cause::LimitReached { samples, limit: None });
        self.balance(None);
    }

    /// Ends a method that cannot be measured, and its comparisons: one side alone has nothing to be compared
    /// with. A formula may still be decided by its other methods.
    pub(crate) fn unavailable(&mut self, method: MethodIx, why: Outcome) {
        let lack = match &why {
            Outcome::NotLoaded => Lack::NotLoaded,
            Outcome::Instrumented(_)
            | Outcome::Abstract
            | Outcome::Native
            | Outcome::NoSuchMethod { .. }
            | Outcome::Refused(_) => Lack::Unmeasurable { why: describe(&why) },
        };
        if self.tallies.is_finished(method) {
            // Its claims have ended with another of their methods. Without calls the reason is still its own.
            if self.tallies.counted(method) == 0 {
                self.tallies.set_missing(method, lack);
            }
            return;
        }
        let reason = NotEvaluated::NotMeasured(format!("{}: {lack}", self.name(method)));
        self.tallies.set_missing(method, lack);
        let cause = Cause::Unavailable(why);
        self.mark_finished(method, cause.clone());
        let open: Vec<ClaimIx> = self.claims.open_of(method).collect();
        for claim in open {
            match self.claims.claimed(claim) {
                Claimed::Comparison(index) => {
                    let evaluation = self.claims.without(index, reason.clone(), &self.tallies);
                    self.decide(Action::Evaluated(Box::new(evaluation)), cause.clone());
                }
                Claimed::Assertion(index)
                    if self.claims.is_decided_by_first(claim) || self.is_over(claim) =>
                {
                    self.assert_leftover(index, cause.clone());
                }
                Claimed::Assertion(_) => continue,
            }
            self.claims.close(claim);
            self.finish_decided(claim);
        }
        self.balance(None);
    }

    /// Ends a method with its present samples; with too few for any judgement it counts as not measured. With
    /// windows, the held calls are the last ones.
    pub(crate) fn given_up(&mut self, method: MethodIx, why: Outcome) {
        self.in_each_jvm(|this| this.close_windows_of(method));
        if self.tallies.get(method).is_none_or(|method| method.counted < MIN_SIDE as u64) {
            return self.unavailable(method, why);
        }
        self.finish(method, Cause::Unavailable(why));
        self.balance(None);
    }

    pub(crate) fn finish_all(&mut self) {
        self.in_each_jvm(Self::close_all_windows);
        for index in 0..self.tallies.len() {
            self.finish(MethodIx(index), Cause::RunEnds);
        }
    }

    /// Ends a method's measurement and judges its open claims whose other methods have ended too. With
    /// windows it judges all of them, because a side alone makes no pairs.
    pub(crate) fn finish(&mut self, method: MethodIx, cause: Cause) {
        if self.tallies.is_finished(method) {
            return;
        }
        self.mark_finished(method, cause);
        let open: Vec<ClaimIx> = self.claims.open_of(method).collect();
        for claim in open {
            if !self.is_over(claim) && self.jvm.rotations.is_empty() {
                continue;
            }
            self.claims.close(claim);
            match self.claims.claimed(claim) {
                Claimed::Comparison(index) => self.evaluate_leftover(index),
                Claimed::Assertion(index) => {
                    self.assert_leftover(index, Cause::NoMoreSamples { sparse_buckets: 0 })
                }
            }
            self.finish_decided(claim);
        }
    }

    /// Whether all methods of the claim have finished.
    fn is_over(&self, claim: ClaimIx) -> bool {
        self.claims.methods(claim).iter().all(|&method| self.tallies.is_finished(method))
    }

    fn evaluate_leftover(&mut self, comparison: usize) {
        let left = self.claims.leftover(comparison, &self.tallies, &self.settings);
        let sides = self.claims.sides(comparison);
        for mut evaluation in left.evaluations {
            if let Err(why) = &mut evaluation.verdict {
                // Calls need no partner where the owner decides.
                let by_pairs = self.settings.windows().is_some_and(|windows| !windows.owner_decides);
                let pairs = self.claims.all_pairs(comparison).filter(|_| by_pairs);
                self.give_reason(why, &sides, pairs);
            }
            let cause = Cause::NoMoreSamples { sparse_buckets: left.sparse_buckets };
            self.decide(Action::Evaluated(Box::new(evaluation)), cause);
        }
    }

    fn mark_finished(&mut self, method: MethodIx, cause: Cause) {
        self.tallies.finish(method);
        for station in std::iter::once(&mut self.jvm).chain(&mut self.others) {
            station.roster.set_status(method, Status::Finished);
            station.law.clamp(station.roster.unfinished());
        }
        self.decide(Action::Finished(method), cause);
    }
}
