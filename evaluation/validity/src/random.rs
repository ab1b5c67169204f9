//! Random numbers from a seed.

use std::f64::consts::TAU;

/// The generator SplitMix64 (Steele, Lea, Flood 2014).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers of a seed. Seeds that lie close to each other give numbers that have nothing in common.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// Uniform between 0 and 1, neither of them.
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 12) as f64 + 0.5) / (1_u64 << 52) as f64
    }

    /// Normal with mean 0 and variance 1 (Box and Muller 1958).
    pub fn normal(&mut self) -> f64 {
        let radius = (-2.0 * self.uniform().ln()).sqrt();
        radius * (TAU * self.uniform()).cos()
    }

    /// Gamma with mean `shape`, which is at least 1, and scale 1 (Marsaglia and Tsang 2000).
    pub fn gamma(&mut self, shape: f64) -> f64 {
        let d = shape - 1.0 / 3.0;
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.normal();
            let v = (1.0 + c * x).powi(3);
            if v > 0.0 && self.uniform().ln() < 0.5 * x * x + d - d * v + d * v.ln() {
                return d * v;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_moments_that_they_should_have() {
        let check = |mut draw: Box<dyn FnMut(&mut Random) -> f64>, mean: f64, variance: f64| {
            let mut random = Random::new(1);
            let values: Vec<f64> = (0..200_000).map(|_| draw(&mut random)).collect();
            let got = values.iter().sum::<f64>() / values.len() as f64;
            let spread = values.iter().map(|x| (x - got).powi(2)).sum::<f64>() / values.len() as f64;
            assert!((got - mean).abs() < 0.02 && (spread / variance - 1.0).abs() < 0.03, "{got} {spread}");
        };
        check(Box::new(Random::uniform), 0.5, 1.0 / 12.0);
        check(Box::new(Random::normal), 0.0, 1.0);
        check(Box::new(|random| random.gamma(2.0)), 2.0, 2.0);
    }
}
