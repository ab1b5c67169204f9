//! From an estimate of a ratio to e-values and an interval that hold at every look.

use super::RatioEstimate;
use crate::student::{
    ln_normal_lower, normal_upper, normal_upper_quantile, student_upper, student_upper_quantile,
};
use std::f64::consts::{LN_2, PI};

/// Smallest p-value; beyond its z, doubles cannot distinguish evidence any more.
const SMALLEST_P: f64 = 1e-300;

/// The largest z of the interval's search; normal tails underflow long before.
const MAX_Z: f64 = 60.0;

/// Evidence of the data so far about a bound of the ratio, as logarithms of e-values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// ln of the e-value against "the ratio is at most the bound": large when the ratio is above it.
    pub ln_e_above: f64,
    /// ln of the e-value against "the ratio is at least the bound": large when the ratio is below it.
    pub ln_e_below: f64,
    /// Standardised distance of the estimate from the bound, positive above it.
    pub z: f64,
}

impl RatioEstimate {
    /// Evidence for the ratio being above or below `bound` > 0. `tau` is the scale of the mixture: the
    /// typical |ln(ratio/bound)| to detect early.
    ///
    /// An estimate without variance is infinitely strong evidence, except on the bound itself.
    #[must_use]
    pub fn evidence(&self, bound: f64, tau: f64) -> Evidence {
        let distance = self.ratio.ln() - bound.ln();
        if self.variance == 0.0 {
            let sure = |on_this_side| if on_this_side { f64::INFINITY } else { f64::NEG_INFINITY };
            let z = if distance == 0.0 { 0.0 } else { f64::INFINITY.copysign(distance) };
            return Evidence { ln_e_above: sure(distance > 0.0), ln_e_below: sure(distance < 0.0), z };
        }
        let z = self.normal_score(distance / self.variance.sqrt());
        let weight = tau * tau / self.variance;
        Evidence { ln_e_above: ln_e(z, weight), ln_e_below: ln_e(-z, weight), z }
    }

    /// An interval of the ratio that covers it at every look with probability 1 − 2·`alpha` (`alpha` on each
    /// side).
    #[must_use]
    pub fn interval(&self, alpha: f64, tau: f64) -> (f64, f64) {
        if self.variance == 0.0 {
            return (self.ratio, self.ratio);
        }
        let z = critical_z(-alpha.ln(), tau * tau / self.variance);
        let width = (student_upper_quantile(normal_upper(z), self.df) * self.variance.sqrt()).exp();
        (self.ratio / width, self.ratio * width)
    }

    /// The z with the same tail as `t` under Student's distribution. It accounts for the estimated variance.
    fn normal_score(&self, t: f64) -> f64 {
        let tail = student_upper(t.abs(), self.df).max(SMALLEST_P);
        normal_upper_quantile(tail).copysign(t)
    }
}

/// ln of the one-sided mixture e-value: ∫ likelihood ratio over effects with a half-normal weight on the
/// positive side. `weight` is the mixture's variance over the estimate's.
fn ln_e(z: f64, weight: f64) -> f64 {
    let shrunk = z * (weight / (1.0 + weight)).sqrt();
    LN_2 - 0.5 * weight.ln_1p() + 0.5 * shrunk * shrunk + ln_normal_lower(shrunk)
}

/// The z at which the e-value reaches e^`threshold`; infinite if that takes more than [`MAX_Z`].
///
/// ln e rises and is convex in z, so Newton's method approaches the root from above without overshooting.
fn critical_z(threshold: f64, weight: f64) -> f64 {
    let mut z = MAX_Z;
    if ln_e(z, weight) < threshold {
        return f64::INFINITY;
    }
    let shrinkage = (weight / (1.0 + weight)).sqrt();
    loop {
        let shrunk = z * shrinkage;
        let hazard = (-0.5 * shrunk * shrunk - ln_normal_lower(shrunk)).exp() / (2.0 * PI).sqrt();
        let next = z - (ln_e(z, weight) - threshold) / (shrinkage * (shrunk + hazard));
        // Rounding ends the descent, and so does NaN. At or below 0 every look would decide, which takes an
        // error probability over 1/2.
        let descends = next < z && next > 0.0;
        if !descends {
            return z;
        }
        z = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under the null z is normal, and the mean of an e-value over it is 1: the integral over z by fine
    /// steps.
    #[test]
    fn e_values_are_fair_bets() {
        for weight in [0.01, 1.0, 50.0] {
            const STEP: f64 = 0.001;
            let term = |z: f64| (ln_e(z, weight) - 0.5 * z * z).exp() * STEP;
            let sum: f64 = (-60_000..60_000).map(|i| term(f64::from(i) * STEP)).sum();
            let mean = sum / (2.0 * PI).sqrt();
            assert!((mean - 1.0).abs() < 1e-6, "weight {weight}: {mean}");
        }
    }

    #[test]
    fn without_variance_the_ratio_is_known() {
        let exact = RatioEstimate { n: 60, ratio: 2.0, tau_int: 1.0, n_eff: 60.0, variance: 0.0, df: 59.0 };
        let sides = |bound| {
            let evidence = exact.evidence(bound, 0.2);
            (evidence.ln_e_above, evidence.ln_e_below)
        };
        assert_eq!(sides(1.0), (f64::INFINITY, f64::NEG_INFINITY));
        assert_eq!(sides(2.0), (f64::NEG_INFINITY, f64::NEG_INFINITY));
        assert_eq!(sides(3.0), (f64::NEG_INFINITY, f64::INFINITY));
        assert_eq!(exact.interval(0.05, 0.2), (2.0, 2.0));
    }
}
