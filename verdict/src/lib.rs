//! A comparison and its samples to a verdict with reasons.
//!
//! A comparison of two methods is judged within one bucket of workload sizes. The verdict says whether the comparison
//! holds and, which is not the same, on what basis: a comparison that merely was not refuted never looks like a proof.

#![forbid(unsafe_code)]

mod classic;
mod evidence;
mod exit;
mod formula;
mod relation;
mod sequential;
mod truth;
mod types;

pub use classic::evaluate;
pub use evidence::Evidence;
pub use exit::{ExitStatus, Standing, exit_status};
pub use formula::{Composed, decide};
pub use relation::{Judged, judge, standing_alone};
pub use sequential::SequentialComparison;
pub use spl_stats::sequential::{Look, SettingsError};
pub use spl_stats::{Ratio, Welch};
pub use truth::Truth;
pub use types::{Basis, Evaluation, NotEvaluated, Side, UnknownName, Verdict};
