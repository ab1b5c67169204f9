//! Numbers to estimates, tests, intervals and e-values.
//!
//! Everything here is a function of its arguments: no clock, no randomness that isn't a seed, no I/O. A sample set
//! has at least two finite values, or it does not exist.

#![forbid(unsafe_code)]

mod summary;
mod welch;

pub use summary::{SampleError, Summary};
pub use welch::Welch;
