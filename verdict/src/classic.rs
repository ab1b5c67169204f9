//! The thesis's evaluation of one comparison in one bucket (3.2.7), with what stands behind the answer.

use crate::types::{Basis, NotEvaluated, Side, Verdict};
use spl_lang::Sign;
use spl_stats::{CONFIDENCE, MIN_SAMPLES, SampleError, Summary, Welch, median, ratio_of_means, welch};

/// Judges `left_factor`·left `sign` `right_factor`·right by Welch's test at the limit p-value `limit_p`.
///
/// Times are durations in nanoseconds. Each side is copied once for its median (8 bytes a sample), one after the
/// other.
///
/// # Errors
/// When a side has fewer than two samples, when `limit_p` is no probability, or when the scaled times cannot be
/// held in doubles.
pub fn evaluate(
    sign: Sign,
    left_factor: f64,
    right_factor: f64,
    left: &[u64],
    right: &[u64],
    limit_p: f64,
) -> Result<Verdict, NotEvaluated> {
    let (n_left, n_right) = (left.len() as u64, right.len() as u64);
    if n_left.min(n_right) < MIN_SAMPLES {
        return Err(NotEvaluated::TooFewSamples { left: n_left, right: n_right });
    }
    if !(0.0..=1.0).contains(&limit_p) {
        return Err(NotEvaluated::BadLimit);
    }
    let scaled = |times: &[u64], factor| Summary::of_integers(times.iter().copied())?.scaled(factor);
    let out_of_range = |_: SampleError| NotEvaluated::OutOfRange;
    let left_summary = scaled(left, left_factor).map_err(out_of_range)?;
    let right_summary = scaled(right, right_factor).map_err(out_of_range)?;
    let welch = welch(&left_summary, &right_summary);
    let (basis, p_value) = judge(sign, &welch, limit_p);
    Ok(Verdict {
        holds: basis.holds(),
        basis,
        p_value,
        ratio: ratio_of_means(&left_summary, &right_summary, CONFIDENCE),
        left: side(left_factor, left, &left_summary),
        right: side(right_factor, right, &right_summary),
        welch,
    })
}

/// Basis and reported p-value of a sign. A strict sign asks for proof, `=` for the absence of refutation; `<=` takes
/// proof and contents itself with the absence of refutation.
fn judge(sign: Sign, test: &Welch, limit_p: f64) -> (Basis, f64) {
    let strict = |on_this_side: bool, p: f64| on_this_side && p < limit_p;
    let equal = if test.p_two >= limit_p { Basis::NotRefuted } else { Basis::Refuted };
    let less = strict(test.t < 0.0, test.p_less);
    let greater = strict(test.t > 0.0, test.p_greater);
    let demand = |proved: bool| if proved { Basis::Proved } else { Basis::NotProved };
    match sign {
        Sign::Less => (demand(less), test.p_less),
        Sign::Greater => (demand(greater), test.p_greater),
        Sign::LessOrEqual if less => (Basis::Proved, test.p_less),
        Sign::GreaterOrEqual if greater => (Basis::Proved, test.p_greater),
        Sign::LessOrEqual | Sign::GreaterOrEqual | Sign::Equal => (equal, test.p_two),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a call of 2⁵³ ns would take 104 days")]
fn side(factor: f64, times: &[u64], scaled: &Summary) -> Side {
    let mut values: Vec<f64> = times.iter().map(|&time| time as f64).collect();
    Side {
        factor,
        n: scaled.n(),
        mean_ns: scaled.mean(),
        median_ns: median(&mut values).map_or(f64::NAN, |median| median * factor),
        sd_ns: scaled.standard_deviation(),
    }
}
