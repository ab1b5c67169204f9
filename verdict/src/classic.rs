//! The thesis's evaluation of one comparison in one bucket (3.2.7), with the basis of the answer.

use crate::types::{Basis, NotEvaluated, Side, Verdict};
use spl_lang::Sign;
use spl_model::Shorter;
use spl_stats::{CONFIDENCE, MIN_SAMPLES, SampleError, Summary, Welch, median, ratio_of_means, welch};

/// Judges `left_factor`·left `sign` `right_factor`·right by Welch's test at the limit p-value `limit_p`.
///
/// Times are durations in nanoseconds. Each side is copied once for its median (8 bytes a sample), one after
/// the other.
///
/// # Errors
/// When a side has fewer than two samples, when `limit_p` is not a probability, or when the scaled times
/// exceed the range of a double.
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

/// Basis and reported p-value of a sign. A strict sign requires proof, `=` the absence of refutation; `<=` is
/// proved where possible and otherwise requires the absence of refutation.
fn judge(sign: Sign, test: &Welch, limit_p: f64) -> (Basis, f64) {
    match one_sided(sign, test) {
        Some(OneSided { p, points_there }) if points_there && p < limit_p => (Basis::Proved, p),
        Some(OneSided { p, .. }) if sign.demand().strictly => (Basis::NotProved, p),
        _ if test.p_two >= limit_p => (Basis::NotRefuted, test.p_two),
        _ => (Basis::Refuted, test.p_two),
    }
}

/// The one-sided test that can prove a sign.
pub(crate) struct OneSided {
    pub(crate) p: f64,
    /// Whether the means differ in the direction of the proof.
    pub(crate) points_there: bool,
}

/// The test that can prove this sign; `None` for a sign that no test can prove.
pub(crate) fn one_sided(sign: Sign, test: &Welch) -> Option<OneSided> {
    match sign.demand().shorter {
        Shorter::Left => Some(OneSided { p: test.p_less, points_there: test.t < 0.0 }),
        Shorter::Right => Some(OneSided { p: test.p_greater, points_there: test.t > 0.0 }),
        Shorter::Neither => None,
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
