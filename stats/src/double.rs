//! Sums and products with twice a double's precision, for places where cancellation would spoil a double.
//!
//! A value is an unevaluated sum of two doubles (Dekker 1971; Knuth, TAOCP 4.2.2). Relative errors are near
//! 2⁻¹⁰⁰.

use std::ops::{Add, Mul, Neg, Sub};

/// An unevaluated sum: `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Double {
    high: f64,
    low: f64,
}

impl Double {
    /// The nearest double.
    pub(crate) fn to_f64(self) -> f64 {
        self.high + self.low
    }

    pub(crate) fn is_finite(self) -> bool {
        self.high.is_finite()
    }

    /// The quotient by a double.
    pub(crate) fn divided(self, by: f64) -> Self {
        let first = self.high / by;
        let rest = self - Self::product(first, by);
        Self::renormalised(first, rest.to_f64() / by)
    }

    /// The exact product of two doubles.
    fn product(left: f64, right: f64) -> Self {
        let high = left * right;
        Self { high, low: left.mul_add(right, -high) }
    }

    /// The exact sum of two doubles.
    fn sum(left: f64, right: f64) -> Self {
        let high = left + right;
        let other = high - left;
        Self { high, low: (left - (high - other)) + (right - other) }
    }

    /// The exact sum of two doubles, the second of which is much smaller.
    fn renormalised(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }
}

impl From<f64> for Double {
    fn from(value: f64) -> Self {
        Self { high: value, low: 0.0 }
    }
}

/// Exact.
impl From<u64> for Double {
    #[expect(
        clippy::cast_precision_loss,
        reason = "the rounding of the first cast is what the second one holds"
    )]
    fn from(value: u64) -> Self {
        let high = value as f64;
        Self { high, low: (i128::from(value) - high as i128) as f64 }
    }
}

impl Add for Double {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        let high = Self::sum(self.high, other.high);
        let low = Self::sum(self.low, other.low);
        let first = Self::renormalised(high.high, high.low + low.high);
        Self::renormalised(first.high, first.low + low.low)
    }
}

impl Neg for Double {
    type Output = Self;
    fn neg(self) -> Self {
        Self { high: -self.high, low: -self.low }
    }
}

impl Sub for Double {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Double {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let high = Self::product(self.high, other.high);
        let cross = self.high.mul_add(other.low, self.low * other.high);
        Self::renormalised(high.high, high.low + cross)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_double_loses_is_kept() {
        let big = Double::from(1e18);
        assert_eq!((big + 1e-9.into() - big).to_f64(), 1e-9);
        let near = Double::from(u64::MAX) - Double::from(u64::MAX - 1);
        assert_eq!(near.to_f64(), 1.0);
        let third = Double::from(1.0).divided(3.0);
        assert!((third * 3.0.into() - 1.0.into()).to_f64().abs() < 1e-31);
        let square = (Double::from(1.0) + 1e-20.into()) * (Double::from(1.0) + 1e-20.into());
        assert_eq!((square - 1.0.into()).to_f64(), 2e-20);
    }
}
