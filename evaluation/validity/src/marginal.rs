//! Distributions of positive times: mixtures of lognormal ones, their means and quantiles.

use serde::Serialize;
use spl_stats::normal_upper;

/// A part of a mixture.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Part {
    /// Share of the whole; weights need not add up to 1.
    pub weight: f64,
    /// Its median.
    pub median: f64,
    /// The deviation of its logarithm; 0: always the median.
    pub deviation: f64,
}

/// A mixture whose weights add up to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Marginal {
    parts: Vec<Part>,
}

impl Marginal {
    /// The mixture of these.
    #[must_use]
    pub fn of(parts: Vec<Part>) -> Self {
        let all: f64 = parts.iter().map(|part| part.weight).sum();
        let parts = parts.into_iter().filter(|part| part.weight > 0.0);
        Self { parts: parts.map(|part| Part { weight: part.weight / all, ..part }).collect() }
    }

    /// With all times multiplied.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        let parts = self.parts.iter().map(|part| Part { median: part.median * factor, ..*part });
        Self { parts: parts.collect() }
    }

    /// Multiplied by another, independent one, whose parts are constants.
    #[must_use]
    pub fn times(&self, constants: &[Part]) -> Self {
        let product = |part: &Part, constant: &Part| Part {
            weight: part.weight * constant.weight,
            median: part.median * constant.median,
            deviation: part.deviation,
        };
        Self::of(
            constants.iter().flat_map(|one| self.parts.iter().map(move |part| product(part, one))).collect(),
        )
    }

    /// The mean.
    #[must_use]
    pub fn mean(&self) -> f64 {
        let mean = |part: &Part| part.weight * part.median * (part.deviation * part.deviation / 2.0).exp();
        self.parts.iter().map(mean).sum()
    }

    /// Share of the times that are at most this one.
    #[must_use]
    pub fn at_most(&self, time: f64) -> f64 {
        let below = |part: &Part| {
            let distance = (time / part.median).ln();
            // A constant is a narrow distribution: its quantiles lie within 1e-9 of it.
            part.weight * normal_upper(-distance / part.deviation.max(1e-10))
        };
        self.parts.iter().map(below).sum()
    }

    /// The time below which this part of the times lies.
    #[must_use]
    pub fn quantile(&self, part: f64) -> f64 {
        let medians = || self.parts.iter().map(|part| part.median);
        let widest = self.parts.iter().map(|part| part.deviation).fold(0.0, f64::max);
        let mut low = medians().fold(f64::INFINITY, f64::min).ln() - 10.0 * widest - 1e-6;
        let mut high = medians().fold(0.0, f64::max).ln() + 10.0 * widest + 1e-6;
        for _ in 0..80 {
            let middle = f64::midpoint(low, high);
            if self.at_most(middle.exp()) < part { low = middle } else { high = middle }
        }
        f64::midpoint(low, high).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_and_quantiles_are_those_of_tables() {
        let one = Marginal::of(vec![Part { weight: 3.0, median: 2.0, deviation: 0.5 }]);
        assert!((one.mean() - 2.0 * 0.125_f64.exp()).abs() < 1e-12);
        assert!((one.quantile(0.5) - 2.0).abs() < 1e-9);
        assert!((one.quantile(0.99) - 2.0 * (0.5 * 2.326_347_874_f64).exp()).abs() < 1e-6);
        let two = Marginal::of(vec![
            Part { weight: 1.0, median: 1.0, deviation: 0.0 },
            Part { weight: 3.0, median: 5.0, deviation: 0.0 },
        ]);
        assert!((two.mean() - 4.0).abs() < 1e-12);
        assert!((two.quantile(0.2) - 1.0).abs() < 1e-6 && (two.quantile(0.3) - 5.0).abs() < 1e-6);
    }
}
