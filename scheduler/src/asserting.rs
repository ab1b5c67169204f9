//! Assertions of the full language: the buckets in which they are judged, and the judgement.

use crate::settings::MIN_SIDE;
use crate::tally::{Tallies, Tally};
use crate::{Action, Cause, MethodIx, Scheduler};
use spl_model::Bucket;
use spl_verdict::{Asserted, NotEvaluated, Times, judge_assertion};
use std::collections::BTreeSet;

impl Times for Tallies {
    fn of(&self, method: usize, bucket: &Bucket) -> Result<&[u64], NotEvaluated> {
        match self.get(MethodIx(method)) {
            Some(Tally { missing: None, buckets, .. }) => Ok(buckets.get(bucket).map_or(&[], Vec::as_slice)),
            // The scheduler, which knows the methods' names, adds the name.
            Some(_) => Err(NotEvaluated::NotMeasured(String::new())),
            None => Ok(&[]),
        }
    }
}

impl Scheduler {
    /// Judges an assertion in these buckets.
    pub(crate) fn assert_in(&mut self, index: usize, buckets: &[Bucket], leftover: bool, cause: Cause) {
        let Some(assertion) = self.claims.assertion(index) else { return };
        let methods: Vec<MethodIx> = assertion.methods().into_iter().map(MethodIx).collect();
        let mut asserted = judge_assertion(index, assertion, buckets, &self.tallies, self.settings.limit_p);
        let mut of_relations: Vec<Vec<MethodIx>> = Vec::new();
        assertion.formula.value.for_each(&mut |atom| {
            of_relations.push(atom.methods().map(MethodIx).collect());
        });
        for part in &mut asserted.parts {
            if let (Err(why), Some(of_this)) = (&mut part.judged, of_relations.get(part.relation)) {
                self.give_reason(why, of_this, None);
            }
        }
        // A gap does not name its methods: a comparison's gap is at its part, other gaps concern all methods.
        let mut gaps = asserted.parts.iter().filter_map(|part| part.judged.as_ref().err().cloned());
        for gap in &mut asserted.gaps {
            *gap = gaps.next().unwrap_or_else(|| {
                let mut gap = gap.clone();
                self.give_reason(&mut gap, &methods, None);
                gap
            });
        }
        let drops = self.tallies.dropped_of(&methods);
        self.decide(Action::Asserted(Box::new(Asserted { leftover, drops, ..asserted })), cause);
    }

    /// Judges an assertion whose methods have finished: in the buckets that all of them have filled, or else
    /// in the buckets that have enough samples for a variance.
    pub(crate) fn assert_leftover(&mut self, index: usize, cause: Cause) {
        let Some(assertion) = self.claims.assertion(index) else { return };
        let methods = assertion.methods().into_iter().filter_map(|method| self.tallies.get(MethodIx(method)));
        // A method that could not be measured has no bucket; the other methods' buckets still count.
        let measured: Vec<_> = methods.filter(|method| method.missing.is_none()).collect();
        let seen: BTreeSet<&Bucket> = measured.iter().flat_map(|method| method.buckets.keys()).collect();
        let with = |least: u64| {
            let enough =
                |bucket: &&Bucket| measured.iter().all(|one| one.bucket(bucket).len() as u64 >= least);
            seen.iter().copied().filter(enough).cloned().collect::<Vec<_>>()
        };
        let full = with(self.settings.min_samples);
        let leftover = full.is_empty() || assertion.alone;
        let buckets = if leftover { with(MIN_SIDE as u64) } else { full };
        self.assert_in(index, &buckets, leftover, cause);
    }
}
