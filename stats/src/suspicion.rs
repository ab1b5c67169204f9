//! Signs that a set of measured times is unfit for a verdict. A suspicion changes no verdict; it is shown
//! with it.

use crate::binomial::BinomialTails;
use crate::order::median;
use crate::summary::{Summary, count};
use std::fmt;

/// Fewest samples for a nearly normal distribution of the mean (thesis 1.5.1 asks for tens or hundreds).
pub const FEW_SAMPLES: u64 = 30;
/// Ratio of standard deviation to mean above which the spread is wide.
pub const WIDE_SPREAD: f64 = 0.75;
/// Distance of mean and median, relative to the smaller one, above which times are skewed.
pub const SKEW: f64 = 0.2;
/// p-value of the sign test below which a drift is reported: rare enough for hundreds of methods.
pub const DRIFT_P: f64 = 0.001;
/// Part of the variance of the logarithms that two modes must exceed. The best split explains 0.75 of it for
/// a uniform distribution, 0.64 for a normal one, and 0.86 for two normal ones at a distance of 5 deviations.
pub const TWO_MODES: f64 = 0.85;
/// Smallest part of the samples in the rarer mode; a smaller part counts as outliers.
pub const RARER_MODE: f64 = 0.05;
/// Clock steps of a time below which rounding is 5% or more.
pub const CLOCK_STEPS: f64 = 10.0;

/// One reason for doubt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Suspicion {
    /// Too few samples for a normal mean.
    FewSamples {
        /// Number of samples.
        n: u64,
    },
    /// The times spread widely.
    WideSpread {
        /// Standard deviation over mean.
        spread: f64,
    },
    /// Mean and median lie far apart: a few long calls dominate the mean.
    Skewed {
        /// Mean, nanoseconds.
        mean_ns: f64,
        /// Median, nanoseconds.
        median_ns: f64,
    },
    /// Later times are mostly longer, or mostly shorter, than earlier ones.
    Drift {
        /// Part of the later half that is longer than its partner in the earlier half; ties left out.
        rising: f64,
    },
    /// The times gather around two values: two code paths, compiled and interpreted calls, two kinds of
    /// arguments.
    Bimodal {
        /// The part of the samples in the faster mode.
        fast_share: f64,
        /// Mean of the faster mode, nanoseconds.
        fast_ns: f64,
        /// Mean of the slower mode, nanoseconds.
        slow_ns: f64,
    },
    /// The times are only a few steps of the clock long.
    ClockBound {
        /// Median time in clock steps.
        steps: f64,
    },
}

/// The suspicion as a line of a report.
impl fmt::Display for Suspicion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FewSamples { n } => write!(f, "only {n} samples"),
            Self::WideSpread { spread } => {
                write!(f, "the standard deviation is {:.0}% of the mean", spread * 100.0)
            }
            Self::Skewed { mean_ns, median_ns } => {
                write!(f, "mean {mean_ns:.0} ns and median {median_ns:.0} ns are far apart")
            }
            Self::Drift { rising } => {
                write!(f, "{:.0}% of the later calls are longer than earlier ones", rising * 100.0)
            }
            Self::Bimodal { fast_share, fast_ns, slow_ns } => {
                write!(
                    f,
                    "two modes: {:.0}% around {fast_ns:.0} ns, the rest around {slow_ns:.0} ns",
                    fast_share * 100.0
                )
            }
            Self::ClockBound { steps } => write!(f, "half of the calls last at most {steps:.0} clock steps"),
        }
    }
}

/// All suspicions about durations (nanoseconds, in order of arrival), read from a clock with steps of
/// `clock_step_ns`. Copies the durations (8 bytes each).
#[must_use]
pub fn suspicions(times: &[u64], clock_step_ns: u64) -> Vec<Suspicion> {
    let n = times.len() as u64;
    let mut found = Vec::new();
    if n < FEW_SAMPLES {
        found.push(Suspicion::FewSamples { n });
    }
    #[expect(clippy::cast_precision_loss, reason = "a call of 2⁵³ ns would take 104 days")]
    let mut values: Vec<f64> = times.iter().map(|&time| time as f64).collect();
    let (Ok(summary), Some(middle)) = (Summary::of_integers(times.iter().copied()), median(&mut values))
    else {
        return found;
    };
    let spread = summary.standard_deviation() / summary.mean();
    if spread > WIDE_SPREAD {
        found.push(Suspicion::WideSpread { spread });
    }
    let (small, large) = (summary.mean().min(middle), summary.mean().max(middle));
    if large - small > SKEW * small {
        found.push(Suspicion::Skewed { mean_ns: summary.mean(), median_ns: middle });
    }
    found.extend(drift(times));
    let steps = middle / count(clock_step_ns.max(1));
    if steps < CLOCK_STEPS {
        found.push(Suspicion::ClockBound { steps });
    } else {
        values.sort_by(f64::total_cmp);
        found.extend(two_modes(&values));
    }
    found
}

/// Cox and Stuart's sign test (1955): each time is compared with the time half a series later.
fn drift(times: &[u64]) -> Option<Suspicion> {
    let half = times.len() / 2;
    let pairs = times[..half].iter().zip(&times[times.len() - half..]);
    let (mut longer, mut shorter) = (0_u64, 0_u64);
    for (early, late) in pairs {
        longer += u64::from(late > early);
        shorter += u64::from(late < early);
    }
    let tails = BinomialTails::new(longer + shorter, 0.5)?;
    let p = 2.0 * tails.upper(longer.max(shorter));
    (p < DRIFT_P).then(|| Suspicion::Drift { rising: count(longer) / count(longer + shorter) })
}

/// The split of ascending values that explains most of the variance of their logarithms (Otsu 1979).
fn two_modes(ascending: &[f64]) -> Option<Suspicion> {
    let n = count(ascending.len() as u64);
    let logarithm = |value: f64| value.ln_1p();
    let mean = ascending.iter().copied().map(logarithm).sum::<f64>() / n;
    let deviations = ascending.iter().map(|&value| logarithm(value) - mean);
    let total: f64 = deviations.clone().map(|deviation| deviation * deviation).sum();
    // With deviations from the mean, both parts have the same sum except for its sign.
    let (mut sum, mut best) = (0.0, (0.0, 0));
    for (index, deviation) in deviations.enumerate().take(ascending.len().saturating_sub(1)) {
        sum += deviation;
        let below = count(index as u64 + 1);
        let between = sum * sum * n / (below * (n - below));
        let separates = ascending[index] < ascending[index + 1];
        if separates && below.min(n - below) >= RARER_MODE * n && between > best.0 {
            best = (between, index + 1);
        }
    }
    let (between, split) = best;
    let part = |values: &[f64]| values.iter().sum::<f64>() / count(values.len() as u64);
    let (fast, slow) = ascending.split_at(split);
    (between > TWO_MODES * total).then(|| Suspicion::Bimodal {
        fast_share: count(split as u64) / n,
        fast_ns: part(fast),
        slow_ns: part(slow),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle-shaped spread around `middle`, ±20%, without order.
    fn usual(middle: u64, n: u64) -> Vec<u64> {
        (0..n).map(|i| middle * (80 + (i * 7919 % 21) + (i * 104_729 % 20)) / 100).collect()
    }

    fn kinds(times: &[u64], step: u64) -> Vec<&'static str> {
        let name = |suspicion: &Suspicion| match suspicion {
            Suspicion::FewSamples { .. } => "few",
            Suspicion::WideSpread { .. } => "wide",
            Suspicion::Skewed { .. } => "skewed",
            Suspicion::Drift { .. } => "drift",
            Suspicion::Bimodal { .. } => "bimodal",
            Suspicion::ClockBound { .. } => "clock",
        };
        suspicions(times, step).iter().map(name).collect()
    }

    #[test]
    fn each_suspicion_has_its_cause() {
        let check = |times: &[u64], step: u64, expected: &[&str]| {
            assert_eq!(kinds(times, step), expected, "{:?}…", &times[..times.len().min(5)]);
        };
        let plain = usual(10_000, 200);
        check(&plain, 25, &[]);
        check(&plain[..29], 25, &["few"]);
        check(&[], 25, &["few"]);
        check(&[5], 25, &["few"]);
        check(&plain, 2000, &["clock"]);
        check(&[0; 100], 1, &["clock"]);
        let rising: Vec<u64> = plain.iter().zip(0..).map(|(time, i)| time + 100 * i).collect();
        check(&rising, 25, &["drift"]);
        let mut outlier = plain.clone();
        outlier[50] = 10_000_000;
        check(&outlier, 25, &["wide", "skewed"]);
        let modes: Vec<u64> = plain.iter().zip(0..).map(|(time, i)| time * [1, 1, 3][i % 3]).collect();
        check(&modes, 25, &["skewed", "bimodal"]);
    }

    #[test]
    fn thresholds_are_where_they_are_said_to_be() {
        let check = |kind: &str, under: &[u64], over: &[u64]| {
            assert!(!kinds(under, 10).contains(&kind) && kinds(over, 10).contains(&kind), "{kind}");
        };
        let every = |n: usize, usual: u64, other: u64| -> Vec<u64> {
            (0..1000).map(|i| if i % n == 0 { other } else { usual }).collect()
        };
        let plain = usual(10_000, 200);
        check("few", &plain[..30], &plain[..29]);
        // Half at a, half at b: deviation over mean is (b − a)/(b + a).
        check("wide", &every(2, 26_000, 174_000), &every(2, 24_000, 176_000));
        // A tenth longer: the mean is 1.19 and 1.21 of the median.
        check("skewed", &every(10, 1000, 2900), &every(10, 1000, 3100));
        check("bimodal", &every(25, 1000, 5000), &every(20, 1000, 5000));
        // Two even clusters of width 1 at distance d explain 3d²/(1 + 3d²) of the variance.
        let clusters =
            |d: u64| -> Vec<u64> { (0..2000).map(|i| 1_000_000 + d * (i % 2) + i * 7919 % 10_007).collect() };
        check("bimodal", &clusters(13_000), &clusters(14_800));
        check("clock", &[100; 50], &[99; 50]);
        // With 20 later times all longer, p = 2⁻¹⁹; with 10 all longer, p = 2⁻⁹, which chance gives too
        // often.
        let ramp: Vec<u64> = (1000..1040).collect();
        check("drift", &ramp[..20], &ramp);
    }

    proptest::proptest! {
        #[test]
        fn any_times_can_be_doubted(times in proptest::collection::vec(proptest::num::u64::ANY, 0..80), step: u64) {
            for suspicion in suspicions(&times, step) {
                proptest::prop_assert!(!suspicion.to_string().contains("NaN"), "{}", suspicion);
            }
        }
    }

    #[test]
    fn modes_are_described() {
        let times: Vec<u64> = (0..400).map(|i| if i % 4 == 0 { 5000 + i } else { 1000 + i % 50 }).collect();
        let modes = suspicions(&times, 25).into_iter().find(|one| matches!(one, Suspicion::Bimodal { .. }));
        assert_eq!(
            modes.map(|modes| modes.to_string()).as_deref(),
            Some("two modes: 75% around 1025 ns, the rest around 5198 ns")
        );
    }
}
