//! The true statistics of the simulated processes are known in two ways, which agree.

use spl_validity::catalogue::PROCESSES;
use spl_validity::processes::{Load, Sizes};
use spl_validity::truths::sampled;

/// Number of standard errors that practically never occurs: there are some 200 comparisons.
const ERRORS: f64 = 4.5;

#[test]
fn very_many_calls_have_the_means_and_quantiles_of_the_closed_form() {
    for process in PROCESSES {
        for side in [0, 1] {
            let windows = 200_000 / process.calls[side];
            let sampled = sampled(&process, side, windows, 20_150_731);
            assert!(sampled.mean.distance(1.0) < ERRORS, "{}: {sampled:?}", process.name);
            // A quantile of several constants is a jump: their shares say nothing.
            let is_smooth = process.load == Load::Constant && process.sizes == Sizes::None;
            if is_smooth
                && process.marginal(side).quantile(0.1) < process.marginal(side).quantile(0.9) * 0.999
            {
                assert!(sampled.median.distance(0.5) < ERRORS, "{}: {sampled:?}", process.name);
                assert!(sampled.p99.distance(0.99) < ERRORS, "{}: {sampled:?}", process.name);
            }
        }
    }
}
