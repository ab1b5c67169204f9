//! The verdict on a comparison from its samples, with reasons.
//!
//! A comparison of two methods is judged within one bucket of workload sizes. The verdict says whether the
//! comparison holds and on what basis: a comparison that was merely not refuted never looks like a proof.
//!
//! - [`evaluate`] judges a plain comparison once, as the thesis does (3.2.7).
//! - [`SequentialComparison`] judges it after every window of paired sampling.
//! - [`judge_assertion`] judges an assertion of the full language: [`judge`] gives the evidence of each of
//!   its comparisons, [`decide`] that of the formula.
//! - [`judge_counts`] judges a claim about counts, which have bounds and no probability.
//! - [`correct`] bounds the errors of all results of a run together.
//! - [`exit_status`] sums up a run.
//!
//! ```
//! use spl_lang::Sign;
//! use spl_verdict::{Basis, evaluate};
//! let (check, whole) = ([1010, 1030, 1020, 1040], [2010, 2090, 2050, 2030]);
//! let verdict = evaluate(Sign::LessOrEqual, 1.0, 1.0, &check, &whole, 0.05)?;
//! assert_eq!(verdict.basis, Basis::Proved);
//! let verdict = evaluate(Sign::LessOrEqual, 2.0, 1.0, &check, &whole, 0.05)?;
//! assert_eq!((verdict.holds, verdict.basis), (true, Basis::NotRefuted));
//! # Ok::<(), spl_verdict::NotEvaluated>(())
//! ```

#![forbid(unsafe_code)]

mod assertion;
mod classic;
mod correction;
mod counted;
mod evidence;
mod exit;
mod formula;
mod relation;
mod sequential;
mod truth;
mod types;
mod windowed;

pub use assertion::{Asserted, Part, Times, judge_assertion};
pub use classic::evaluate;
pub use correction::{Correction, correct};
pub use counted::{CountVerdict, Counted, judge_counts};
pub use evidence::Evidence;
pub use exit::{ExitStatus, Standing, exit_status};
pub use formula::{Composed, decide};
pub use relation::{Judged, judge, standing_alone};
pub use sequential::SequentialComparison;
pub use spl_stats::sequential::SettingsError;
pub use spl_stats::{Ratio, Welch};
pub use truth::Truth;
pub use types::{Basis, Evaluation, NotEvaluated, Side, UnknownName, Verdict};
pub use windowed::{Claim, History, Instances, Look, Need, OneInstance, Rules, Ruling, Turn};
