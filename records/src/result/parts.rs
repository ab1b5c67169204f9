//! Content of a record of a result file, and its values in the order of both forms.

use crate::error::{Fault, Problem};
use spl_model::{Bucket, MethodRef, Sign};
use spl_verdict::{Basis, Evaluation, NotEvaluated, Ratio, Side, Verdict, Welch};

/// One record of a result file: a comparison and its evaluation.
#[derive(Clone, Debug, PartialEq)]
pub struct ResultRecord {
    /// The method left of the sign.
    pub left: MethodRef,
    /// The sign between the methods.
    pub sign: Sign,
    /// Multiplies the left method's times.
    pub left_factor: f64,
    /// Multiplies the right method's times.
    pub right_factor: f64,
    /// The method right of the sign.
    pub right: MethodRef,
    /// The evaluation. Repeated values are written once: a verdict's `holds` follows from its basis, its
    /// sides' factors and numbers of samples are `left_factor`, `right_factor`, `n_left` and `n_right`.
    pub evaluation: Evaluation,
}

/// Words of a result file for the values of the result.
pub(super) const HOLDS: &str = "holds";
pub(super) const FAILS: &str = "fails";
pub(super) const NOT_EVALUATED: &str = "not-evaluated";

/// The values of a record, in the order in which both forms can be put together from them.
pub(super) struct Parts {
    pub(super) comparison: usize,
    pub(super) left: MethodRef,
    pub(super) sign: Sign,
    pub(super) factors: (f64, f64),
    pub(super) right: MethodRef,
    pub(super) bucket: Bucket,
    pub(super) leftover: bool,
    pub(super) counts: (u64, u64),
    pub(super) drops: u64,
    pub(super) so_far: Option<Ratio>,
    pub(super) verdict: Result<Figures, NotEvaluated>,
}

/// The figures of a verdict that are not in the rest of the record.
pub(super) struct Figures {
    pub(super) basis: Basis,
    pub(super) p_value: f64,
    pub(super) ratio: Option<Ratio>,
    pub(super) left: Times,
    pub(super) right: Times,
    pub(super) welch: Welch,
}

/// A side's scaled times, nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) mean_ns: f64,
    pub(super) median_ns: f64,
    pub(super) sd_ns: f64,
}

impl Times {
    pub(super) fn of(side: &Side) -> Self {
        Self { mean_ns: side.mean_ns, median_ns: side.median_ns, sd_ns: side.sd_ns }
    }

    pub(super) fn side(self, factor: f64, n: u64) -> Side {
        Side { factor, n, mean_ns: self.mean_ns, median_ns: self.median_ns, sd_ns: self.sd_ns }
    }
}

impl From<Parts> for ResultRecord {
    fn from(parts: Parts) -> Self {
        let (left_factor, right_factor) = parts.factors;
        let (n_left, n_right) = parts.counts;
        let verdict = parts.verdict.map(|figures| Verdict {
            holds: figures.basis.holds(),
            basis: figures.basis,
            p_value: figures.p_value,
            ratio: figures.ratio,
            left: figures.left.side(left_factor, n_left),
            right: figures.right.side(right_factor, n_right),
            welch: figures.welch,
        });
        let evaluation = Evaluation {
            comparison: parts.comparison,
            bucket: parts.bucket,
            verdict,
            leftover: parts.leftover,
            n_left,
            n_right,
            drops: parts.drops,
            so_far: parts.so_far,
        };
        Self { left: parts.left, sign: parts.sign, left_factor, right_factor, right: parts.right, evaluation }
    }
}

pub(super) fn parse_basis(text: &str) -> Result<Basis, Problem> {
    text.parse().map_err(|_| Problem::Expected("a basis: proved, not-refuted, refuted or not-proved"))
}

pub(super) fn parse_reason(text: &str) -> Result<NotEvaluated, Problem> {
    text.parse().map_err(|_| Problem::Expected("a reason that this version of spl knows"))
}

/// The index of a comparison from its number in the file, which counts from 1.
pub(super) fn index(number: u64, at: usize) -> Result<usize, Fault> {
    let index = number.checked_sub(1).ok_or_else(|| Fault::expected(at, "a comparison's number, from 1"))?;
    usize::try_from(index).map_err(|_| Fault::new(at, Problem::TooLarge))
}
