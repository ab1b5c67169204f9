//! Exact interval of the probability of rare events from their count (Clopper and Pearson 1934).

/// Enough halvings for a double.
const HALVINGS: u32 = 60;
/// The confidence of the intervals in tables.
pub const CONFIDENCE: f64 = 0.95;
/// A claim fails when as many errors as were seen, or more, have this probability at the rate that is allowed: there are some
/// thousand claims, and none of them should fail for their number.
pub const SURPRISE: f64 = 1e-4;

/// P(B ≥ `least`) of a binomial count B.
#[must_use]
pub fn at_least(least: u64, trials: u64, p: f64) -> f64 {
    if least == 0 {
        return 1.0;
    }
    if p <= 0.0 || least > trials {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let mut ln_term = (0..least).map(|k| ((trials - k) as f64 / (k + 1) as f64).ln()).sum::<f64>()
        + least as f64 * p.ln()
        + (trials - least) as f64 * (-p).ln_1p();
    let mut sum = 0.0;
    for k in least..=trials {
        sum += ln_term.exp();
        ln_term += ((trials - k) as f64 / (k + 1) as f64).ln() + p.ln() - (-p).ln_1p();
    }
    sum.min(1.0)
}

/// The interval of a probability of which `count` of `trials` were seen: each end errs with half of what confidence leaves.
#[must_use]
pub fn interval(count: u64, trials: u64) -> [f64; 2] {
    let tail = (1.0 - CONFIDENCE) / 2.0;
    let low = if count == 0 { 0.0 } else { solve(|p| at_least(count, trials, p) < tail) };
    let high = if count == trials { 1.0 } else { solve(|p| at_least(count + 1, trials, p) < 1.0 - tail) };
    [low, high]
}

/// Where a condition that holds at 0 ceases to hold.
fn solve(holds: impl Fn(f64) -> bool) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if holds(middle) { low = middle } else { high = middle }
    }
    f64::midpoint(low, high)
}

/// Whether this number of errors speaks against a rate of at most `allowed`.
#[must_use]
pub fn is_too_many(count: u64, trials: u64, allowed: f64) -> bool {
    at_least(count, trials, allowed) < SURPRISE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_those_of_the_literature() {
        // R: binom.test(8, 10), binom.test(0, 100), binom.test(5, 100).
        for (count, trials, low, high) in [
            (8, 10, 0.443_904_5, 0.974_789_3),
            (0, 100, 0.0, 0.036_216_7),
            (5, 100, 0.016_431_9, 0.112_834_9),
        ] {
            let got = interval(count, trials);
            assert!((got[0] - low).abs() < 1e-6 && (got[1] - high).abs() < 1e-6, "{got:?}");
        }
        assert_eq!(interval(7, 7)[1], 1.0);
    }

    #[test]
    fn a_surprise_is_one() {
        assert!(!is_too_many(5, 100, 0.05) && !is_too_many(13, 100, 0.05) && is_too_many(20, 100, 0.05));
        assert!(!is_too_many(0, 100, 0.0) && is_too_many(1, 100, 0.0));
    }
}
