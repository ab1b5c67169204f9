//! Student's t and the normal distribution, exact in both tails.
//!
//! With ν degrees of freedom and a = ν/2, the upper tail is ½·I_x(a, ½) at x = ν/(ν+t²) (DLMF 8.17). Near the
//! centre its complement is summed as a series of positive terms. Further out a continued fraction is used,
//! which becomes Laplace's for the normal distribution as ν grows, so the effort does not grow with ν.
//! Neither subtracts, so the relative error stays near 10⁻¹³ down to the smallest normal double.

use statrs::function::erf::erfc_inv;
use std::f64::consts::{FRAC_1_SQRT_2, PI, SQRT_2};

/// From this ν on, Student's t counts as the normal distribution: the relative difference is below t⁴/ν <
/// 10⁻²³ wherever the tail is a normal double.
const NORMAL_DF: f64 = 1e30;

/// Beyond this t the upper tail is under 0.15 for every ν that reaches the series, so 1 − centre would lose
/// digits.
const TAIL_FROM: f64 = 2.0;

/// More terms than series or fraction ever need (below 100); bounds the loops for any input.
const MAX_TERMS: u32 = 10_000;

/// P(T ≥ t) for Student's t with `df` > 0 degrees of freedom; `df` may be infinite (the normal distribution).
///
/// Relative error below 10⁻¹² wherever the result is a normal double. NaN when `t` or `df` is NaN or `df` ≤
/// 0.
#[must_use]
pub fn student_upper(t: f64, df: f64) -> f64 {
    if t.is_nan() || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    let tail = half_tail(t.abs(), df.min(NORMAL_DF));
    if t < 0.0 { 1.0 - tail } else { tail }
}

/// P(Z ≥ z) for the standard normal distribution, with the error of [`student_upper`].
#[must_use]
pub fn normal_upper(z: f64) -> f64 {
    student_upper(z, f64::INFINITY)
}

/// The t at which P(T ≥ t) is `p`: the inverse of [`student_upper`]. NaN unless 0 ≤ `p` ≤ 1 and `df` > 0.
#[must_use]
pub fn student_upper_quantile(p: f64, df: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) || df.is_nan() || df <= 0.0 {
        return f64::NAN;
    }
    if p > 0.5 {
        return -half_quantile(1.0 - p, df.min(NORMAL_DF));
    }
    half_quantile(p, df.min(NORMAL_DF))
}

/// The z at which P(Z ≥ z) is `p`: the inverse of [`normal_upper`]. NaN unless 0 ≤ `p` ≤ 1.
#[must_use]
pub fn normal_upper_quantile(p: f64) -> f64 {
    if (0.0..=1.0).contains(&p) { SQRT_2 * erfc_inv(2.0 * p) } else { f64::NAN }
}

/// ln P(Z ≤ z), without underflow far below and without cancellation above.
#[must_use]
pub fn ln_normal_lower(z: f64) -> f64 {
    if z > 0.0 {
        return (-normal_upper(z)).ln_1p();
    }
    if z >= -TAIL_FROM {
        return normal_upper(-z).ln();
    }
    // The tail's logarithm is the sum of its factors' logarithms; only the first is large.
    let t = -z;
    -0.5 * t * t - (t * (2.0 * PI).sqrt()).ln() + tail_fraction(NORMAL_DF, t * t).ln()
}

/// P(T ≥ t) for t ≥ 0 and ν ≤ [`NORMAL_DF`].
fn half_tail(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let (a, square) = (df / 2.0, t * t);
    let power = (-a * ln_1p_square(t / df.sqrt())).exp();
    if t < TAIL_FROM && square < df {
        let centre = power * t * (1.0 + square / df).sqrt().recip() * FRAC_1_SQRT_2 / PI.sqrt();
        return 0.5 - gamma_ratio(a) * centre * centre_series(df, square);
    }
    let scale = 0.5 * gamma_ratio(a) / PI.sqrt() * (a.recip() + 2.0 / square).sqrt();
    power * scale * tail_fraction(df, square)
}

/// ln(1 + r²), even if r² overflows.
fn ln_1p_square(r: f64) -> f64 {
    const SQUARE_HIDES_ONE: f64 = 1e9;
    if r > SQUARE_HIDES_ONE { 2.0 * r.ln() } else { (r * r).ln_1p() }
}

/// Σ (a+½)ₙ/(3/2)ₙ yⁿ with y = t²/(ν+t²) ≤ ½: the series of I_y(½, a) (DLMF 8.17.8).
fn centre_series(df: f64, square: f64) -> f64 {
    let y = square / (df + square);
    let (mut term, mut sum) = (1.0, 1.0);
    for n in 0..MAX_TERMS {
        let n = f64::from(n);
        term *= (df / 2.0 + 0.5 + n) * y / (1.5 + n);
        sum += term;
        if term < sum * f64::EPSILON / 8.0 {
            break;
        }
    }
    sum
}

/// ₂F₁(1, ½; a+1; −ν/t²) as Gauss's continued fraction (DLMF 15.7.5), whose coefficients are all positive
/// here.
fn tail_fraction(df: f64, square: f64) -> f64 {
    let a = df / 2.0;
    // Coefficients are products of quotients: the plain products would overflow for large ν.
    let coefficient = |j: u32| {
        let i = f64::from(j / 2);
        if j % 2 == 1 {
            (a + i) / (a + 2.0 * i) * ((0.5 + i) * (df / (a + 2.0 * i + 1.0)) / square)
        } else {
            (a + i - 0.5) / (a + 2.0 * i - 1.0) * (i * (df / (a + 2.0 * i)) / square)
        }
    };
    // Steed's forward recurrence: with positive coefficients the steps alternate and shrink.
    let (mut denominator, mut step, mut value) = (1.0_f64, 1.0_f64, 1.0_f64);
    for j in 1..MAX_TERMS {
        let ratio = coefficient(j) * denominator;
        denominator = (1.0 + ratio).recip();
        step *= -ratio * denominator;
        value += step;
        if step.abs() < value * f64::EPSILON / 8.0 {
            break;
        }
    }
    value
}

/// Γ(a+½) / (Γ(a)·√a): the asymptotic series of its logarithm where that is exact, else the recurrence up to
/// that point.
fn gamma_ratio(a: f64) -> f64 {
    /// From here on the first omitted term of the series is below 10⁻¹⁶.
    const SERIES_FROM: f64 = 16.0;
    let (mut shifted, mut product) = (a, 1.0);
    while shifted < SERIES_FROM {
        product *= shifted / (shifted + 0.5);
        shifted += 1.0;
    }
    let r = shifted.recip();
    let q = r * r;
    let tail = 1.0 / 640.0 - q * (17.0 / 14336.0 - q * (31.0 / 18432.0 - q * 691.0 / 180_224.0));
    let ln = -r * (1.0 / 8.0 - q * (1.0 / 192.0 - q * tail));
    product * ln.exp() * (shifted / a).sqrt()
}

/// Density of Student's t.
fn density(t: f64, df: f64) -> f64 {
    let power = -(df + 1.0) / 2.0 * ln_1p_square(t / df.sqrt());
    gamma_ratio(df / 2.0) * FRAC_1_SQRT_2 / PI.sqrt() * power.exp()
}

/// The t ≥ 0 at which the upper tail is `p` ≤ ½, by Newton's method on the tail's logarithm inside a bracket.
fn half_quantile(p: f64, df: f64) -> f64 {
    if p == 0.0 {
        return f64::INFINITY;
    }
    let (mut low, mut high) = (0.0, 1.0);
    while half_tail(high, df) > p {
        low = high;
        high *= 2.0;
        if high == f64::INFINITY {
            return high;
        }
    }
    let mut t = 0.5 * (low + high);
    for _ in 0..MAX_TERMS {
        let tail = half_tail(t, df);
        if tail > p {
            low = t
        } else {
            high = t
        }
        let newton = t + (tail / p).ln() * tail / density(t, df);
        let next = if newton > low && newton < high { newton } else { 0.5 * (low + high) };
        if (next - t).abs() <= t * f64::EPSILON || next == low || next == high {
            return next;
        }
        t = next;
    }
    t
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn out_of_domain_is_not_a_number() {
        for (t, df) in [(f64::NAN, 3.0), (1.0, f64::NAN), (1.0, 0.0), (1.0, -2.0)] {
            assert!(student_upper(t, df).is_nan(), "{t} {df}");
        }
        for (p, df) in [(-0.1, 3.0), (1.1, 3.0), (f64::NAN, 3.0), (0.3, 0.0)] {
            assert!(student_upper_quantile(p, df).is_nan(), "{p} {df}");
        }
        assert!(normal_upper_quantile(-0.1).is_nan() && normal_upper_quantile(1.1).is_nan());
    }

    #[test]
    fn ends_of_the_line() {
        let check = |t: f64, p: f64| {
            assert_eq!(student_upper(t, 7.0), p);
            assert_eq!(student_upper_quantile(p, 7.0), t);
            assert_eq!(normal_upper(t), p);
            assert_eq!(normal_upper_quantile(p), t);
        };
        check(f64::INFINITY, 0.0);
        check(f64::NEG_INFINITY, 1.0);
        check(0.0, 0.5);
    }

    /// Expected values have 40 correct digits before rounding (mpmath).
    #[test]
    fn logarithms_of_the_normal_tail() {
        let check = |z: f64, expected: f64| {
            let got = ln_normal_lower(z);
            assert!((got / expected - 1.0).abs() < 1e-13, "{z}: {got}");
        };
        check(-1e5, -5_000_000_012.431_864);
        check(-40.0, -804.608_442_013_753_8);
        check(-2.0, -3.783_184_333_682_032);
        check(-1.0, -1.841_021_645_009_264);
        check(0.0, -std::f64::consts::LN_2);
        check(3.0, -0.001_350_809_964_748_202_9);
        check(9.0, -1.128_588_405_953_840_6e-19);
    }

    proptest! {
        #[test]
        fn a_quantile_has_its_tail(exponent in -300.0..-0.31_f64, df in 1.0..1e6_f64) {
            let p = 10_f64.powf(exponent);
            let student = student_upper(student_upper_quantile(p, df), df);
            prop_assert!((student / p - 1.0).abs() < 1e-11, "{}", student);
            let normal = normal_upper(normal_upper_quantile(p));
            prop_assert!((normal / p - 1.0).abs() < 1e-11, "{}", normal);
        }

        #[test]
        fn tails_fall_with_t_and_with_df(t in 0.0..36.0_f64, step in 0.01..1.0_f64, df in 1.0..1e5_f64) {
            let here = student_upper(t, df);
            prop_assert!(student_upper(t + step, df) < here);
            prop_assert!(student_upper(t + step, df * 1.5) <= student_upper(t + step, df) * (1.0 + 1e-12));
        }
    }
}
