//! One comparison inside a formula: means, medians and percentiles of two methods, or of one method and a
//! bound.

use crate::evidence::Evidence;
use crate::truth::Truth;
use crate::types::{Basis, NotEvaluated};
use spl_lang::ast::Statistic;
use spl_lang::{Atom, Scaled, Sign};
use spl_model::Shorter;
use spl_stats::{Location, LocationError, MIN_SAMPLES, SampleError};

/// Evidence of one comparison, with the figures of a report.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Evidence for and against the comparison.
    pub evidence: Evidence,
    /// The left side's estimate, nanoseconds, multiplied by its constant.
    pub left_ns: f64,
    /// The right side's estimate, nanoseconds, multiplied by its constant; or the bound.
    pub right_ns: f64,
    /// Samples of the left side.
    pub n_left: u64,
    /// Samples of the right side; `None` for a bound.
    pub n_right: Option<u64>,
}

/// Judges one comparison of a formula. `times_of` gives a method's durations in nanoseconds by its index in
/// the task file.
///
/// `<` and `<=` are proved one-sided and refuted two-sided, as on lines of their own, and mean the same. `=`
/// without a tolerance can only be refuted. With the tolerance m, equal means that neither side exceeds (1+m)
/// times the other; two one-sided tests prove it (Schuirmann 1987).
/// # Errors
/// When a side has fewer than two samples, a percentile lies outside 0 to 100, or the scaled times exceed the
/// range of a double.
///
/// # Errors
/// When a side has fewer than two samples, a percentile lies outside 0 to 100, or the scaled times leave the
/// range of a double.
pub fn judge<'a>(atom: &Atom, times_of: impl Fn(usize) -> &'a [u64]) -> Result<Judged, NotEvaluated> {
    let operand = |scaled: Scaled| Operand::new(scaled, times_of(scaled.method));
    let (left, sign, right, within) = match *atom {
        Atom::Pair { left, sign, right, within } => (operand(left), sign, operand(right), within),
        Atom::Bound { times, sign, bound_ns, within } => {
            (operand(times), sign, Operand::Bound(bound_ns), within)
        }
    };
    let (n_left, n_right) = (left.n().unwrap_or(0), right.n());
    if n_left.min(n_right.unwrap_or(n_left)) < MIN_SAMPLES {
        return Err(NotEvaluated::TooFewSamples { left: n_left, right: n_right.unwrap_or(0) });
    }
    let evidence = evidence(&left, sign, &right, within.map_or(0.0, |within| within.fraction()))?;
    Ok(Judged { evidence, left_ns: left.estimate()?, right_ns: right.estimate()?, n_left, n_right })
}

/// The verdict on a comparison that stands alone, outside any formula: its basis and the p-value that
/// decided.
///
/// As between two means (thesis 3.2.7), `<` and `>` ask for proof, `<=` and `>=` for proof or else for the
/// absence of refutation, `=` for the absence of refutation. With a tolerance `=` asks for proof.
#[must_use]
pub fn standing_alone(atom: &Atom, evidence: &Evidence, level: f64) -> (Basis, f64) {
    let (Atom::Pair { sign, within, .. } | Atom::Bound { sign, within, .. }) = atom;
    let Evidence { p_true, p_false } = *evidence;
    let asks_for_proof = sign.demand().strictly || within.is_some();
    match evidence.truth(level) {
        Truth::True => (Basis::Proved, p_true),
        Truth::False if !asks_for_proof || within.is_some() => (Basis::Refuted, p_false),
        Truth::False | Truth::Undecided if asks_for_proof => (Basis::NotProved, p_true),
        Truth::False | Truth::Undecided => (Basis::NotRefuted, p_false),
    }
}

fn evidence(left: &Operand, sign: Sign, right: &Operand, within: f64) -> Result<Evidence, NotEvaluated> {
    let two_sided = |p: f64| (2.0 * p).min(1.0);
    let (less, greater) = (left.p_less(1.0, right)?, right.p_less(1.0, left)?);
    Ok(match sign.demand().shorter {
        Shorter::Left => Evidence { p_true: less, p_false: two_sided(greater) },
        Shorter::Right => Evidence { p_true: greater, p_false: two_sided(less) },
        Shorter::Neither if within == 0.0 => Evidence { p_true: 1.0, p_false: two_sided(less.min(greater)) },
        Shorter::Neither => {
            let reach = 1.0 + within;
            let inside = left.p_less(reach.recip(), right)?.max(right.p_less(reach.recip(), left)?);
            let outside = left.p_less(reach, right)?.min(right.p_less(reach, left)?);
            Evidence { p_true: inside, p_false: two_sided(outside) }
        }
    })
}

/// One side of a comparison.
enum Operand<'a> {
    Mean { times: &'a [u64], factor: f64 },
    Quantile { ascending: Vec<u64>, factor: f64, share: f64 },
    Bound(f64),
}

/// Where a side lies, nanoseconds.
enum Place<'a> {
    /// By its samples.
    Estimated(Location<'a>),
    /// A bound.
    Known(f64),
}

impl<'a> Operand<'a> {
    fn new(Scaled { statistic, factor, .. }: Scaled, times: &'a [u64]) -> Self {
        let quantile = |share| {
            let mut ascending = times.to_vec();
            ascending.sort_unstable();
            Self::Quantile { ascending, factor, share }
        };
        match statistic {
            Statistic::Mean => Self::Mean { times, factor },
            Statistic::Median => quantile(0.5),
            Statistic::Percentile(percent) => quantile(percent / 100.0),
        }
    }

    /// Number of samples, of what is measured.
    fn n(&self) -> Option<u64> {
        match self {
            Self::Mean { times, .. } => Some(times.len() as u64),
            Self::Quantile { ascending, .. } => Some(ascending.len() as u64),
            Self::Bound(_) => None,
        }
    }

    /// Where the side lies, multiplied by `by` too.
    fn scaled(&self, by: f64) -> Result<Place<'_>, NotEvaluated> {
        let location = match self {
            Self::Mean { times, factor } => Location::mean(times, factor * by),
            Self::Quantile { ascending, factor, share } => Location::quantile(ascending, factor * by, *share),
            Self::Bound(bound) => return Ok(Place::Known(bound * by)),
        };
        location.map(Place::Estimated).map_err(|error| match error {
            LocationError::Share(share) => NotEvaluated::NoSuchQuantile(share * 100.0),
            LocationError::Samples(SampleError::TooFew(_) | SampleError::OutOfRange) => {
                NotEvaluated::OutOfRange
            }
        })
    }

    fn estimate(&self) -> Result<f64, NotEvaluated> {
        Ok(match self.scaled(1.0)? {
            Place::Estimated(location) => location.estimate(),
            Place::Known(bound) => bound,
        })
    }

    /// p-value against "`by` times this side is at least the other": small when it is below.
    fn p_less(&self, by: f64, other: &Self) -> Result<f64, NotEvaluated> {
        Ok(match (self.scaled(by)?, other.scaled(1.0)?) {
            (Place::Estimated(one), Place::Estimated(two)) => one.p_less(&two),
            (Place::Estimated(one), Place::Known(bound)) => one.p_below(bound),
            (Place::Known(bound), Place::Estimated(two)) => two.p_above(bound),
            (Place::Known(one), Place::Known(two)) => f64::from(one >= two),
        })
    }
}
