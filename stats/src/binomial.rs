//! Tails of the binomial distribution, for many counts at once.

/// Terms below this part of the largest one count as 0: their sum is below the normal doubles.
const NEGLIGIBLE: f64 = 1e-305;

/// Probability that at least `hits` of `trials` succeed, each with probability `share`; 1 if `share` is not
/// between 0 and 1.
#[must_use]
pub fn share_at_least(hits: u64, trials: u64, share: f64) -> f64 {
    BinomialTails::new(trials, share).map_or(1.0, |tails| tails.upper(hits))
}

/// P(B ≤ k) and P(B ≥ k) for every k, where B is the number of successes. Memory grows with the root of the
/// number of trials.
#[derive(Clone, Debug)]
pub(crate) struct BinomialTails {
    /// The count of the first entries.
    first: u64,
    at_most: Vec<f64>,
    at_least: Vec<f64>,
}

impl BinomialTails {
    /// The tails for `trials` with probability `p`; `None` unless 0 < `p` < 1.
    ///
    /// The probabilities follow from their ratios to the largest one, and their sum is 1; no logarithm of a
    /// factorial loses digits. Tails are summed from their small ends.
    pub(crate) fn new(trials: u64, p: f64) -> Option<Self> {
        if !(p > 0.0 && p < 1.0) {
            return None;
        }
        let (n, odds) = (crate::summary::count(trials), p / (1.0 - p));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 ≤ np ≤ n")]
        let mode = ((n * p) as u64).min(trials);
        let ratio = |k: u64| {
            let k = crate::summary::count(k);
            (n - k) / (k + 1.0) * odds
        };
        let mut below = Vec::new();
        let mut term = 1.0;
        for k in (0..mode).rev() {
            term /= ratio(k);
            if term < NEGLIGIBLE {
                break;
            }
            below.push(term);
        }
        let first = mode - below.len() as u64;
        let mut terms: Vec<f64> = below.into_iter().rev().chain([1.0]).collect();
        term = 1.0;
        for k in mode..trials {
            term *= ratio(k);
            if term < NEGLIGIBLE {
                break;
            }
            terms.push(term);
        }
        let total: f64 = terms.iter().sum();
        let running = |sum: &mut f64, term: &f64| {
            *sum += term / total;
            Some(sum.min(1.0))
        };
        let at_most = terms.iter().scan(0.0, running).collect();
        let mut at_least: Vec<f64> = terms.iter().rev().scan(0.0, running).collect();
        at_least.reverse();
        Some(Self { first, at_most, at_least })
    }

    /// P(B ≤ `k`).
    pub(crate) fn lower(&self, k: u64) -> f64 {
        match k.checked_sub(self.first) {
            None => 0.0,
            Some(index) => entry(&self.at_most, index).unwrap_or(1.0),
        }
    }

    /// P(B ≥ `k`).
    pub(crate) fn upper(&self, k: u64) -> f64 {
        match k.checked_sub(self.first) {
            None => 1.0,
            Some(index) => entry(&self.at_least, index).unwrap_or(0.0),
        }
    }
}

fn entry(entries: &[f64], index: u64) -> Option<f64> {
    usize::try_from(index).ok().and_then(|index| entries.get(index)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_small_and_large_numbers_of_trials() {
        let check = |trials, p, k, lower: f64, upper: f64| {
            let tails = BinomialTails::new(trials, p).unwrap();
            let close = |got: f64, expected: f64| (got - expected).abs() <= 1e-11 * expected;
            assert!(close(tails.lower(k), lower), "B({trials}, {p}) ≤ {k}: {:e}", tails.lower(k));
            assert!(close(tails.upper(k), upper), "B({trials}, {p}) ≥ {k}: {:e}", tails.upper(k));
        };
        check(3, 0.5, 0, 0.125, 1.0);
        check(3, 0.5, 1, 0.5, 0.875);
        check(3, 0.5, 3, 1.0, 0.125);
        check(3, 0.5, 4, 1.0, 0.0);
        check(2, 0.01, 2, 1.0, 1e-4);
        // mpmath, 30 digits.
        check(1000, 0.99, 999, 0.999_956_828_752_589_3, 0.000_479_244_453_578_919_5);
        check(1_000_000, 0.5, 502_500, 0.999_999_714_846_238_7, 2.881_270_818_870_302e-7);
    }

    #[test]
    fn improbable_probabilities_are_refused() {
        for p in [0.0, 1.0, -0.5, f64::NAN] {
            assert!(BinomialTails::new(10, p).is_none(), "{p}");
        }
    }
}
