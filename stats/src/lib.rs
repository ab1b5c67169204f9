//! From numbers to estimates, tests, intervals and e-values.
//!
//! Everything here is a function of its arguments: no clock, no I/O, and only seeded randomness. A sample set
//! always has at least two finite values.
//!
//! - [`Summary`] and [`welch`] compare two means once; [`ratio_of_means`] estimates their ratio.
//! - [`Location`] also compares medians and percentiles, with one another or with a bound.
//! - [`sequential`] compares two means window by window, until the evidence suffices.
//! - [`suspicions`] and [`self_check`] test the measurement itself; [`holm`] and similar functions
//!   correct many results at once.
//! - [`student_upper`] and [`normal_upper`] are exact where libraries run out of digits.
//!
//! ```
//! use spl_stats::{Summary, welch};
//! let fast = Summary::of_integers([1010, 1030, 1020, 1040])?;
//! let slow = Summary::of_integers([2010, 2090, 2050, 2030])?;
//! assert!(welch(&fast, &slow).p_less < 1e-4);
//! let doubled = fast.scaled(2.0)?;
//! assert!(welch(&doubled, &slow).p_two > 0.5);
//! # Ok::<(), spl_stats::SampleError>(())
//! ```

#![forbid(unsafe_code)]

mod binomial;
mod blocks;
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
mod thinned;
mod welch;

pub use binomial::share_at_least;
pub use blocks::block_contrasts;
pub use location::{Location, LocationError, Quantile};
pub use multiplicity::{benjamini_hochberg, holm};
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
pub use thinned::thinned;
pub use welch::{Welch, welch, welch_effective};
