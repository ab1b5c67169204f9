//! Evidence about a share of calls, for example of calls longer than a bound: valid at every look, for any
//! distribution of the times.

use statrs::function::beta::{checked_beta_reg, ln_beta};

/// ln of the e-value against "the share is at most `share`", with `hits` among `calls` calls. Both may be
/// fractions, like effective numbers.
///
/// The e-value is the likelihood ratio, averaged evenly over all larger shares. For successive independent
/// calls it is a fair bet (Ville 1939). −∞ if there is no evidence.
#[must_use]
pub fn ln_e_share_over(hits: f64, calls: f64, share: f64) -> f64 {
    let misses = calls - hits;
    if !(share > 0.0 && share < 1.0 && hits >= 0.0 && misses >= 0.0 && calls > 0.0) {
        return f64::NEG_INFINITY;
    }
    let at_limit = hits * share.ln() + misses * (-share).ln_1p();
    let (a, b) = (hits + 1.0, misses + 1.0);
    // The integral of p^hits·(1−p)^misses from the share to 1.
    let above = checked_beta_reg(b, a, 1.0 - share).unwrap_or(0.0);
    let ln_integral = if above > f64::MIN_POSITIVE {
        ln_beta(a, b) + above.ln()
    } else {
        // Far above the observed share, the likelihood falls exponentially.
        let slope = misses / (1.0 - share) - hits / share;
        at_limit - slope.ln()
    };
    ln_integral - (-share).ln_1p() - at_limit
}

/// Fewest independent calls with which the e-value against "at least the part `share` of the calls is longer"
/// can reach `threshold`. This number suffices if no call is longer.
#[must_use]
pub fn calls_for_share(share: f64, threshold: f64) -> u64 {
    let suffices = |calls: u64| {
        let calls = crate::summary::count(calls);
        ln_e_share_over(calls, calls, 1.0 - share) >= threshold.ln()
    };
    let mut high = 1_u64;
    while !suffices(high) && high < 1 << 40 {
        high *= 2;
    }
    let mut low = high / 2;
    while high - low > 1 {
        let middle = u64::midpoint(low, high);
        if suffices(middle) { high = middle } else { low = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under the limit the e-value's mean is 1, for any number of calls.
    #[test]
    fn shares_are_fair_bets() {
        for (calls, share) in [(10_u32, 0.5), (60, 0.05), (200, 0.5), (300, 0.99)] {
            let n = f64::from(calls);
            let mean: f64 = (0..=calls)
                .map(|hits| {
                    let k = f64::from(hits);
                    let ln_choose = -(n + 1.0).ln() - ln_beta(k + 1.0, n - k + 1.0);
                    let ln_p = ln_choose + k * f64::ln(share) + (n - k) * f64::ln(1.0 - share);
                    (ln_p + ln_e_share_over(k, n, share)).exp()
                })
                .sum();
            assert!((mean - 1.0).abs() < 1e-6, "{calls} calls, share {share}: {mean}");
        }
    }

    #[test]
    fn a_rare_share_takes_many_calls() {
        assert_eq!(calls_for_share(0.5, 20.0), 7);
        let of_p99 = calls_for_share(0.01, 20.0);
        assert!((400..500).contains(&of_p99), "{of_p99}");
        // This number of calls without a longer one suffices; one call fewer does not.
        let ln_e = |calls: f64| ln_e_share_over(calls, calls, 0.99);
        assert!(ln_e(of_p99 as f64) >= 20_f64.ln() && ln_e(of_p99 as f64 - 1.0) < 20_f64.ln());
    }

    #[test]
    fn nothing_speaks_for_the_contrary_of_what_is_seen() {
        assert!(ln_e_share_over(0.0, 1e5, 0.5) < -5.0);
        assert!(ln_e_share_over(0.0, 0.0, 0.5) == f64::NEG_INFINITY);
    }
}
