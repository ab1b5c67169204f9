//! Details of a result apart from the verdict: the reliability of its samples.

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

/// Step of Linux's monotonic clock, nanoseconds.
const CLOCK_STEP_NS: u64 = 1;
/// Most samples that are examined for autocorrelation: the examination takes a pass for each lag.
const MOST: usize = 100_000;

/// Details of both sides of a comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Details {
    /// Details of the left method.
    pub left: SideDetails,
    /// Details of the right method.
    pub right: SideDetails,
    /// Details of the deciding look, or else the last one; `None` outside the sequential mode.
    pub sequential: Option<LookDetails>,
}

/// Details of one side, in the compared bucket.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SideDetails {
    /// Number of independent samples with the same information as these, which may depend on each other.
    pub n_effective: f64,
    /// Discarded samples of the method, in all buckets: warm-up, and disturbed ones with `discard-disturbed`.
    pub discarded: u64,
}

/// Details of the deciding look, or else the last one.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LookDetails {
    /// Number of windows in which both sides were called.
    pub windows: u64,
    /// Pairs of samples.
    pub pairs: u64,
    /// Number of independent windows with the same information.
    pub n_effective: f64,
    /// Ratio of the means of the clipped values.
    pub ratio: f64,
    /// Lower end of its interval, which holds at every look.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// Ratio of the means of the unclipped values.
    pub raw_ratio: f64,
    /// Calls that were clipped, of both sides.
    pub clipped: u64,
    /// Whether long calls, which are clipped, matter more on one side than on the other.
    pub tail_dependent: bool,
    /// Number of comparisons of parts of the measurement with their neighbours, and number of differing ones.
    pub self_check: (u64, u64),
    /// The smallest and the largest ratio of a workload size, where they differ by more than chance explains.
    pub sizes_differ: Option<(f64, f64)>,
}

impl Details {
    /// Details of a result, while the scheduler has the samples.
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

/// Every method in every bucket in which it was judged, with suspicions about its samples there.
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
        // Calls of all sizes that were judged together are stored by size.
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
