//! Welch's t-test for two means with unequal variances (Welch 1947).

/// What Welch's test says of the difference of two means, left − right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Welch {
    /// (x̄ − ȳ) / √(vx/nx + vy/ny); when both variances are 0, infinite, or NaN for equal means.
    pub t: f64,
    /// Welch-Satterthwaite degrees of freedom; NaN when both variances are 0.
    pub df: f64,
    /// P(T ≤ t): small when the left mean is smaller.
    pub p_less: f64,
    /// P(T ≥ t): small when the left mean is greater.
    pub p_greater: f64,
    /// P(|T| ≥ |t|): small when the means differ.
    pub p_two: f64,
}
