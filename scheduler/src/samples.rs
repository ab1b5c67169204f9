//! Arriving samples of this run and of an earlier one, and lost samples.

use crate::standing::Arrival;
use crate::{MethodIx, Scheduler};
use spl_model::{Bucket, ClaimIx, Sample, SampleFlags};

impl Scheduler {
    /// Takes samples of an earlier run under their old window numbers. The law ignores them: their times come
    /// from another JVM.
    pub(crate) fn resume(&mut self, decided: &[ClaimIx], samples: &[(MethodIx, Sample)]) {
        if self.jvm.last_receipt_ns.is_some() {
            return;
        }
        decided.iter().for_each(|&claim| self.decided(claim));
        for (method, sample) in samples {
            if self.tallies.is_finished(*method) {
                continue;
            }
            if sample.flags.contains(SampleFlags::DISCARDED) {
                let has = |flag| sample.flags.contains(flag);
                let disturbed = has(SampleFlags::GC) || has(SampleFlags::RETRANSFORM);
                let disturbed = disturbed && !has(SampleFlags::WARM_UP) && self.settings.discard_disturbed;
                self.tallies
                    .get_mut(*method)
                    .into_iter()
                    .for_each(|tally| tally.note(Arrival::Discarded { disturbed }));
                continue;
            }
            let bucket = self.settings.scale.bucket(&sample.size);
            if self.jvm.rotations.is_empty() {
                self.record(*method, bucket, sample.duration_ns());
            } else {
                self.hold_again(*method, bucket, sample);
            }
        }
    }

    /// Takes a batch of samples, in the order of their ends.
    pub(crate) fn samples(&mut self, batch: &mut [(MethodIx, Sample)]) {
        batch.sort_by_key(|(_, sample)| sample.end_ns());
        if self.jvm.last_receipt_ns.is_some() {
            self.jvm.last_receipt_ns = Some(self.now_ns);
        }
        for (method, sample) in batch {
            self.sample(*method, sample);
        }
    }

    /// Takes one sample, in the thesis's order (3.2.3): record it, remove finished methods, then add or
    /// suspend.
    fn sample(&mut self, index: MethodIx, sample: &mut Sample) {
        let Some(method) = self.jvm.roster.get_mut(index) else { return };
        let arrival = method.arrive(sample, &self.settings, self.jvm.warm_from_ns);
        self.tallies.get_mut(index).into_iter().for_each(|tally| tally.note(arrival));
        self.meter(index, sample);
        self.heard(index);
        let shift = if self.jvm.last_receipt_ns.is_some() && !self.jvm.is_cold() {
            self.jvm.law.ended(sample.end_ns(), &self.settings, self.jvm.roster.unfinished())
        } else {
            None
        };
        if let Arrival::Discarded { .. } = arrival {
            self.pass_over(index, sample);
        } else if arrival == Arrival::Counts {
            let bucket = self.settings.scale.bucket(&sample.size);
            if self.jvm.rotations.is_empty() {
                self.record(index, bucket, sample.duration_ns());
            } else {
                self.hold(index, bucket, sample);
            }
        }
        self.balance(shift);
    }

    fn record(&mut self, index: MethodIx, bucket: Bucket, duration_ns: u64) {
        if self.take_counted(index, &bucket, duration_ns) == self.settings.min_samples {
            self.bucket_filled(index, &bucket);
        }
        self.finish_at_limit(index);
    }

    /// Takes a sample that counts and gives the number of samples that its bucket has now.
    pub(crate) fn take_counted(&mut self, method: MethodIx, bucket: &Bucket, duration_ns: u64) -> u64 {
        self.jvm.roster.get_mut(method).into_iter().for_each(|standing| standing.warm = true);
        self.tallies.take(method, bucket, duration_ns)
    }

    /// Counts samples that never arrived, of this method or of an unknown one.
    pub(crate) fn dropped(&mut self, method: Option<MethodIx>, count: u64) {
        self.tallies.drop_samples(method, count);
        // A lost sample never reached the agent's thread, or cost it no additional time.
        let each_ps = self.jvm.budget.map_or(0, |budget| u128::from(budget.sample_cost_ps));
        self.jvm.meters.charge(each_ps.saturating_mul(u128::from(count)));
        match method {
            Some(method) => self.jvm.meters.count(method, count),
            None => {
                self.jvm.meters.count_unknown(count, &self.jvm.roster);
                self.jvm.gates.distrust();
            }
        }
    }
}
