//! Numbers to estimates, tests, intervals and e-values.
//!
//! Everything here is a function of its arguments: no clock, no randomness that isn't a seed, no I/O. A sample set
//! has at least two finite values, or it does not exist.

#![forbid(unsafe_code)]

mod binomial;
mod double;
mod location;
mod multiplicity;
mod order;
mod ratio;
mod self_check;
pub mod sequential;
mod student;
mod summary;
mod suspicion;
mod welch;

pub use location::{Location, LocationError, Quantile};
pub use multiplicity::{benjamini_hochberg, e_benjamini_hochberg, holm};
pub use order::median;
pub use ratio::{CONFIDENCE, Ratio, ratio_of_means};
pub use self_check::{SelfCheck, self_check};
pub use student::{
    ln_normal_lower, normal_upper, normal_upper_quantile, student_upper, student_upper_quantile,
};
pub use summary::{MIN_SAMPLES, SampleError, Summary};
pub use suspicion::{
    CLOCK_STEPS, DRIFT_P, FEW_SAMPLES, RARER_MODE, SKEW, Suspicion, TWO_MODES, WIDE_SPREAD, suspicions,
};
pub use welch::{Welch, welch};
