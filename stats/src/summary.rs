//! Mean and variance of one sample set, in one pass and without cancellation.

/// Size, mean and variance of a set of at least two finite values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    n: u64,
    mean: f64,
    variance: f64,
}

/// Why numbers are no sample set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SampleError {
    /// A variance needs two values.
    #[error("{0} samples are too few, at least 2 are needed")]
    TooFew(u64),
    /// A value, the mean or the variance is infinite or not a number.
    #[error("a value or its square is too large for a double, or not a number")]
    NotFinite,
}

impl Summary {
    /// Number of values, at least 2.
    #[must_use]
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Arithmetic mean, in the unit of the values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Unbiased variance (divisor n − 1), in the squared unit of the values.
    #[must_use]
    pub fn variance(&self) -> f64 {
        self.variance
    }
}
