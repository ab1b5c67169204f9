//! What is said of a result beside the verdict: how far its samples can be trusted.

use serde::Serialize;
use spl_lang::{Assertion, Program, Tasks};
use spl_model::Bucket;
use spl_scheduler::{MethodIx, Scheduler};
use spl_session::results::Results;
use spl_session::sequential::Sequential;
use spl_stats::sequential::autocorrelation_time;
use spl_stats::{Suspicion, suspicions};
use spl_verdict::{Evaluation, Look};
use std::collections::BTreeSet;

/// Linux's monotonic clock counts nanoseconds.
const CLOCK_STEP_NS: u64 = 1;
/// Samples that autocorrelation is looked for in: looking takes a pass for each lag.
const MOST: usize = 100_000;

/// Of both sides of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Details {
    /// Of the left method.
    pub left: SideDetails,
    /// Of the right method.
    pub right: SideDetails,
    /// What the sequential mode saw; `None` in the other.
    pub sequential: Option<LookDetails>,
}

/// Of one side, in the bucket that was compared.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideDetails {
    /// Independent samples that would tell as much as these, which may depend on each other.
    pub n_effective: f64,
    /// Samples of the method that were discarded, in all buckets: warm-up, and disturbed ones where asked for.
    pub discarded: u64,
}

/// Of the look that decided, or else the last one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LookDetails {
    /// Windows that both sides were called in.
    pub windows: u64,
    /// Pairs of samples.
    pub pairs: u64,
    /// Independent windows that would tell as much.
    pub n_effective: f64,
    /// Ratio of the means of the clipped values, which decides.
    pub ratio: f64,
    /// Lower end of its interval, which holds at every look.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// Ratio of the means of the values as they came.
    pub raw_ratio: f64,
    /// Calls that were clipped, of both sides.
    pub clipped: u64,
    /// Whether long calls, which are clipped, count more on one side than on the other.
    pub tail_dependent: bool,
    /// Comparisons of parts of the measurement with their neighbours, and how many of them differ.
    pub self_check: (u64, u64),
    /// The smallest and the largest ratio of a workload size, where they differ by more than chance.
    pub sizes_differ: Option<(f64, f64)>,
}

impl Details {
    /// Those of a result, as long as the scheduler has the samples.
    pub fn of(
        evaluation: &Evaluation,
        tasks: &Tasks,
        scheduler: &Scheduler,
        sequential: Option<&Sequential>,
    ) -> Option<Self> {
        let comparison = tasks.comparisons.get(evaluation.comparison)?;
        let bucket = &evaluation.bucket;
        let look = sequential.and_then(|sequential| sequential.look(evaluation.comparison));
        Some(Self {
            left: SideDetails::of(MethodIx(comparison.left), bucket, evaluation.n_left, scheduler),
            right: SideDetails::of(MethodIx(comparison.right), bucket, evaluation.n_right, scheduler),
            sequential: look.map(LookDetails::of),
        })
    }
}

impl SideDetails {
    /// With paired sampling a method may have more samples than the `n` that found a partner here.
    fn of(method: MethodIx, bucket: &Bucket, n: u64, scheduler: &Scheduler) -> Self {
        let times = scheduler.times(method, bucket);
        let first = times.get(..MOST).unwrap_or(times);
        Self {
            n_effective: n as f64 / autocorrelation_time(first),
            discarded: scheduler.progress().nth(method.0).map_or(0, |progress| progress.discarded),
        }
    }
}

/// Every method in every bucket in which something was judged of it, with what makes its samples there look unfit for a
/// verdict.
pub fn judged_samples(
    program: &Program,
    results: &Results,
    scheduler: &Scheduler,
) -> Vec<(MethodIx, Bucket, Vec<Suspicion>)> {
    let mut judged = BTreeSet::new();
    for evaluation in results.evaluations.iter().filter(|one| one.verdict.is_ok()) {
        if let Some(comparison) = program.tasks.comparisons.get(evaluation.comparison) {
            let sides = [comparison.left, comparison.right];
            judged.extend(sides.map(|side| (MethodIx(side), evaluation.bucket.clone())));
        }
    }
    for asserted in &results.assertions {
        let methods = program.assertions.get(asserted.assertion).map(Assertion::methods).unwrap_or_default();
        for part in asserted.parts.iter().filter(|part| part.judged.is_ok()) {
            judged.extend(methods.iter().map(|&method| (MethodIx(method), part.bucket.clone())));
        }
    }
    let doubt = |(method, bucket): (MethodIx, Bucket)| {
        let times = scheduler.times(method, &bucket);
        // Calls of all sizes that were judged together are kept by size.
        (!times.is_empty()).then(|| (method, bucket, suspicions(times, CLOCK_STEP_NS)))
    };
    judged.into_iter().filter_map(doubt).collect()
}

impl LookDetails {
    fn of(look: &Look) -> Self {
        Self {
            windows: look.windows,
            pairs: look.pairs,
            n_effective: look.n_effective,
            ratio: look.ratio,
            low: look.low,
            high: look.high,
            raw_ratio: look.raw_ratio,
            clipped: look.clipped,
            tail_dependent: look.tail_dependent,
            self_check: look.self_check,
            sizes_differ: look.sizes_differ,
        }
    }
}
