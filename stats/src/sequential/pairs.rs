//! Pairs in order of arrival, clipped, with running sums: a look costs one pass for each lag that matters.

use super::RatioEstimate;
use super::estimate::autocorrelation;
use crate::double::Double;
use crate::summary::count;

/// Pairs (x, y) of scaled times.
#[derive(Clone, Debug)]
pub(super) struct Pairs {
    clip: f64,
    clipped: Vec<(f64, f64)>,
    clipped_sums: (Double, Double),
    raw_sums: (Double, Double),
    cut: u64,
}

impl Pairs {
    /// A list without pairs; later pairs are clipped at `clip`.
    pub(super) fn new(clip: f64) -> Self {
        let zero = (Double::default(), Double::default());
        Self { clip, clipped: Vec::new(), clipped_sums: zero, raw_sums: zero, cut: 0 }
    }

    pub(super) fn push(&mut self, (x, y): (f64, f64)) {
        // Not `min`, which would turn a NaN into a number.
        let clipped = |value: f64| if value > self.clip { self.clip } else { value };
        let pair = (clipped(x), clipped(y));
        self.cut += u64::from(x > self.clip) + u64::from(y > self.clip);
        self.clipped.push(pair);
        let add = |sums: &mut (Double, Double), x: f64, y: f64| {
            *sums = (sums.0 + x.into(), sums.1 + y.into());
        };
        add(&mut self.clipped_sums, pair.0, pair.1);
        add(&mut self.raw_sums, x, y);
    }

    /// Number of clipped values; there are two values for each pair.
    pub(super) fn cut(&self) -> u64 {
        self.cut
    }

    /// The ratio of the means of the unclipped values.
    pub(super) fn raw_ratio(&self) -> f64 {
        self.raw_sums.0.to_f64() / self.raw_sums.1.to_f64()
    }

    /// The estimate from the clipped values. `None` with fewer than two pairs, or if a mean is not positive
    /// or not finite.
    pub(super) fn estimate(&self) -> Option<RatioEstimate> {
        let n = count(self.clipped.len() as u64);
        let (mean_x, mean_y) =
            (self.clipped_sums.0.divided(n).to_f64(), self.clipped_sums.1.divided(n).to_f64());
        let ratio = mean_x / mean_y;
        if self.clipped.len() < 2 || !(mean_x > 0.0 && mean_y > 0.0) || !ratio.is_normal() {
            return None;
        }
        // To first order the error of the ratio's logarithm is the mean of these; their sum is 0 by
        // construction.
        let differences: Vec<f64> = self.clipped.iter().map(|(x, y)| x / mean_x - y / mean_y).collect();
        let (squares, tau_int) = autocorrelation(&differences);
        Some(RatioEstimate::new(self.clipped.len() as u64, ratio, squares, tau_int))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(pairs: &[(f64, f64)]) -> Option<RatioEstimate> {
        let mut set = Pairs::new(1e9);
        pairs.iter().for_each(|&pair| set.push(pair));
        set.estimate()
    }

    #[test]
    fn repeated_values_carry_no_new_information() {
        // A deterministic sequence without visible autocorrelation, then each value eight times in a row.
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            100.0 + f64::from((state >> 48) as u16 % 100)
        };
        let fresh: Vec<_> = (0..500).map(|_| (next(), next())).collect();
        let repeated: Vec<_> = fresh.iter().flat_map(|&pair| [pair; 8]).collect();
        let (one, eight) = (estimate(&fresh).unwrap(), estimate(&repeated).unwrap());
        assert_eq!(one.ratio, eight.ratio);
        assert!(one.tau_int < 1.3 && eight.tau_int > 6.0, "{} {}", one.tau_int, eight.tau_int);
        assert!((eight.n_eff / one.n_eff - 1.0).abs() < 0.3, "{} {}", one.n_eff, eight.n_eff);
    }

    #[test]
    fn what_has_no_ratio() {
        let check = |pairs: &[(f64, f64)]| assert_eq!(estimate(pairs), None, "{pairs:?}");
        check(&[]);
        check(&[(1.0, 1.0)]);
        check(&[(0.0, 1.0), (0.0, 2.0)]);
        check(&[(1.0, 0.0), (2.0, 0.0)]);
        check(&[(f64::NAN, 1.0), (f64::NAN, 1.0)]);
    }
}
