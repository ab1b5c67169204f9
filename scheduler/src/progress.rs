//! Progress of a running measurement, for displays.

use crate::standing::Status;
use crate::tally::Tally;
use crate::{Decision, MethodIx, Scheduler};
use spl_model::Bucket;
use std::fmt;

/// State and counts of one method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodProgress {
    /// The method.
    pub method: MethodIx,
    /// Waiting, listening, measured, resting, suspended or finished.
    pub status: Status,
    /// Whether the probes are in, or were ordered: a suspended method may keep them behind a closed gate.
    pub probes_in: bool,
    /// Whether the method warms up: no call has counted since its probes went in.
    pub warms_up: bool,
    /// Sampling: one call in this number is taken; more than 1 only under a budget.
    pub every: u32,
    /// Samples that count.
    pub samples: u64,
    /// Samples that are still allowed.
    pub remaining: u64,
    /// Samples that came after the method had finished.
    pub late: u64,
    /// Samples discarded as warm-up.
    pub discarded: u64,
    /// Samples that found no partner in their window; with windows only.
    pub surplus: u64,
    /// Samples of this method known to be lost.
    pub dropped: u64,
    /// Time in which its gate could take calls up to its last closing, nanoseconds of the owner's clock; without
    /// the times in which samples were lost.
    pub looked_ns: u64,
    /// Calls in that time, estimated: calls that were taken and calls that were passed over.
    pub calls: u64,
    /// Buckets with at least one sample.
    pub buckets: usize,
    /// Buckets with the number of samples that a comparison needs.
    pub full_buckets: usize,
    /// Comparisons and assertions that are not decided.
    pub open_claims: usize,
}

impl Scheduler {
    /// All methods, in the task file's order.
    pub fn progress(&self) -> impl Iterator<Item = MethodProgress> {
        self.tallies.iter().map(|(index, method)| self.progress_of(index, method))
    }

    fn progress_of(&self, index: MethodIx, method: &Tally) -> MethodProgress {
        let needed = self.settings.min_samples;
        MethodProgress {
            method: index,
            status: self.status_of(index),
            probes_in: self.stations().any(|jvm| jvm.probes.is_inside(index)),
            warms_up: !self.stations().any(|jvm| jvm.roster.get(index).is_some_and(|one| one.warm)),
            every: self.jvm.meters.every(index),
            samples: method.counted,
            remaining: self.settings.effective_max().saturating_sub(method.counted),
            late: method.late,
            discarded: method.discarded,
            surplus: method.surplus,
            dropped: method.dropped,
            looked_ns: method.looked_ns,
            calls: method.calls,
            buckets: method.buckets.len(),
            full_buckets: method.buckets.values().filter(|bucket| bucket.len() as u64 >= needed).count(),
            open_claims: self.claims.open_count(index),
        }
    }

    /// Status of a method in the JVM where it is nearest to being measured.
    fn status_of(&self, method: MethodIx) -> Status {
        if self.tallies.is_finished(method) {
            return Status::Finished;
        }
        let all = self.stations().filter_map(|jvm| jvm.roster.get(method)).map(|one| one.status);
        let nearness = |status: &Status| match status {
            Status::Measured => 5,
            Status::Resting => 4,
            Status::Suspended => 3,
            Status::Listening => 2,
            Status::Waiting => 1,
            Status::Finished => 0,
        };
        all.max_by_key(nearness).unwrap_or(Status::Waiting)
    }

    /// Durations of a method's samples in a bucket that count, nanoseconds, in the order in which they were
    /// taken.
    #[must_use]
    pub fn times(&self, method: MethodIx, bucket: &Bucket) -> &[u64] {
        self.tallies.get(method).map_or(&[], |method| method.bucket(bucket))
    }

    /// Durations of a method's samples that count, nanoseconds, of all buckets.
    #[must_use]
    pub fn all_times(&self, method: MethodIx) -> Vec<u64> {
        self.tallies
            .get(method)
            .into_iter()
            .flat_map(|method| method.buckets.values().flatten())
            .copied()
            .collect()
    }

    /// The methods' name in the task file; its index when it has none.
    #[must_use]
    pub fn name(&self, method: MethodIx) -> String {
        self.names.get(method.0).map_or_else(|| method.to_string(), ToString::to_string)
    }

    /// A decision in plain words, with the methods' names.
    pub fn explain<'a>(&'a self, decision: &'a Decision) -> impl fmt::Display + 'a {
        Explained { scheduler: self, decision }
    }
}

struct Explained<'a> {
    scheduler: &'a Scheduler,
    decision: &'a Decision,
}

impl fmt::Display for Explained<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.decision.write(f, &|method| self.scheduler.name(method))
    }
}
