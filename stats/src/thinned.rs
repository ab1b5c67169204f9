//! A sum of things of which each is seen with a known probability.

/// Upper and lower 2.5% of the normal distribution, in standard deviations.
const Z: f64 = 1.959_964;
/// Upper end of the 95% interval of a Poisson mean of which nothing was seen (Garwood, 1936).
const NOTHING_SEEN: f64 = 3.688_9;

/// The 95% interval of a sum that is estimated as `estimate` with this variance (Horvitz and Thompson, 1952). `mean` is what one seen thing
/// stands for, if nothing or nearly nothing was seen.
///
/// The estimate is taken for a Poisson number of things of one size with the same mean and variance, and the interval for that is
/// Byar's (Breslow and Day, 1987). Where few things were seen, the interval is wide to above, and never below 0.
///
/// ```
/// let [least, most] = spl_stats::thinned(100.0 * 512.0, 100.0 * 512.0 * 512.0, 512.0);
/// assert!(least > 80.0 * 512.0 && most < 125.0 * 512.0);
/// assert_eq!(spl_stats::thinned(0.0, 0.0, 512.0)[0], 0.0);
/// ```
#[must_use]
pub fn thinned(estimate: f64, variance: f64, mean: f64) -> [f64; 2] {
    if estimate <= 0.0 {
        return [0.0, NOTHING_SEEN * mean];
    }
    let things = estimate * estimate / variance;
    if !things.is_finite() {
        // Each was seen for certain. Others, which nearly never are, may not have been.
        return [estimate, estimate + NOTHING_SEEN * mean];
    }
    let size = estimate / things;
    let end = |things: f64, sign: f64| {
        let root = 1.0 - 1.0 / (9.0 * things) + sign * Z / (3.0 * things.sqrt());
        size * things * root.max(0.0).powi(3)
    };
    [end(things, -1.0).min(estimate), end(things + 1.0, 1.0).max(estimate)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// SplitMix64: a number from 0 to 1.
    fn next(state: &mut u64) -> f64 {
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Number of intervals among 400 that cover the sum of things of these sizes, of which a sample falls into each.
    fn covered(sizes: &[f64], interval: f64, mut state: u64) -> usize {
        let sum: f64 = sizes.iter().sum();
        let mut count = 0;
        for _ in 0..400 {
            let (mut estimate, mut variance) = (0.0, 0.0);
            for size in sizes {
                let seen = 1.0 - (-size / interval).exp();
                if next(&mut state) < seen {
                    estimate += size / seen;
                    variance += size * size * (1.0 - seen) / (seen * seen);
                }
            }
            let [least, most] = thinned(estimate, variance, interval);
            count += usize::from(least <= sum && sum <= most);
        }
        count
    }

    #[test]
    fn nineteen_of_twenty_intervals_cover_the_sum() {
        let many = vec![16.0; 20_000];
        let mixed = [vec![24.0; 5000], vec![4000.0; 30], vec![1e6; 2]].concat();
        let few = vec![16.0; 100];
        for (sizes, interval) in [(many, 2000.0), (mixed, 4096.0), (few, 4096.0)] {
            let covered = covered(&sizes, interval, 7);
            assert!(covered >= 368, "{covered} of 400, {} things", sizes.len());
        }
    }

    #[test]
    fn what_was_seen_for_certain_is_not_less() {
        assert_eq!(thinned(1e6, 0.0, 10.0), [1e6, 1e6 + 36.889]);
    }
}
