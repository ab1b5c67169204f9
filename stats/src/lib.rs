//! Numbers to estimates, tests, intervals and e-values.
//!
//! Everything here is a function of its arguments: no clock, no randomness that isn't a seed, no I/O. A sample set
//! has at least two finite values, or it does not exist.

#![forbid(unsafe_code)]

mod double;
mod order;
mod ratio;
pub mod sequential;
mod student;
mod summary;
mod welch;

pub use order::median;
pub use ratio::{CONFIDENCE, Ratio, ratio_of_means};
pub use student::{
    ln_normal_lower, normal_upper, normal_upper_quantile, student_upper, student_upper_quantile,
};
pub use summary::{MIN_SAMPLES, SampleError, Summary};
pub use welch::{Welch, welch};
