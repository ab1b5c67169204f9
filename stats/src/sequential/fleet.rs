//! The mean ratio of several instances of a program, each of which is a cluster: calls of one instance say
//! nothing about how instances differ.
//!
//! The mean of the ratios' logarithms has two errors. The windows of all instances, put in the order of time
//! and averaged in slices, show the error of the windows, with what hits several instances at the same time.
//! The instances themselves, as a sample, show how much another choice of instances would change the mean. A
//! decision needs both.

use super::RatioEstimate;
use super::estimate::MIN_DF;
use crate::student::{student_upper, student_upper_quantile};
use crate::summary::{Summary, count};

/// One instance's estimate.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// Ratio of the means in this instance.
    pub ratio: f64,
    /// For each window its number in the order of time, and its contribution to the ratio's logarithm, times
    /// the number of windows; the sum of the contributions is 0.
    pub windows: Vec<(u64, f64)>,
}

/// Estimate of the mean ratio of at least two instances.
#[derive(Clone, Debug, PartialEq)]
pub struct FleetEstimate {
    /// The estimate from slices of time; its variance contains that between instances.
    pub slices: RatioEstimate,
    /// The estimate from the instances alone, one value each.
    pub instances: RatioEstimate,
    /// Variance between instances beyond the error of each one's own estimate, of the ratio's logarithm.
    pub between: f64,
    /// Number of windows.
    pub windows: u64,
    /// Number of independent windows with the same information.
    pub effective: f64,
}

/// An instance that differs from the other ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Odd {
    /// Its place among the values.
    pub index: usize,
    /// Its value over the mean of the others.
    pub times: f64,
    /// Probability that one instance of alike ones differs from the others by at least this factor.
    pub p: f64,
}

impl FleetEstimate {
    /// Fewest slices of time.
    pub const MIN_SLICES: u64 = 8;
    /// The instances are tested at each look, at which they are the same: the early and the late looks
    /// together count as this number of independent tests.
    const LOOKS: f64 = 2.0;

    /// The estimate. `None` with fewer than two instances, with an instance without two windows, or if a
    /// ratio is not positive or not finite.
    #[must_use]
    pub fn of(members: &[Member]) -> Option<Self> {
        let logs: Vec<f64> = members.iter().map(|one| one.ratio.ln()).collect();
        let of_instances = Summary::of(logs.iter().copied()).ok()?;
        let own: Vec<RatioEstimate> = members
            .iter()
            .map(|one| RatioEstimate::of_differences(one.ratio, &contributions(one)))
            .collect::<Option<_>>()?;
        let r = count(members.len() as u64);
        let mean_error = own.iter().map(|one| one.variance).sum::<f64>() / r;
        let between = (of_instances.variance() - mean_error).max(0.0);
        let ratio = of_instances.mean().exp();
        let (slices, white) = (slices(members), white(members));
        let of_slices = RatioEstimate::of_differences(ratio, &slices)?;
        // Windows of different instances that cancel out by chance do not make the mean more certain.
        let noise = of_slices.variance.max(mean_error / r);
        let windows: usize = members.iter().map(|one| one.windows.len()).sum();
        let windows = windows as u64;
        let effective = if noise > 0.0 { count(windows) * (white / noise).min(1.0) } else { count(windows) };
        let instances = RatioEstimate {
            n: members.len() as u64,
            ratio,
            tau_int: 1.0,
            n_eff: r,
            variance: of_instances.squared_error(),
            df: r - 1.0,
        };
        let slices = RatioEstimate {
            variance: noise + between / r,
            df: (of_slices.n_eff - 1.0).max(MIN_DF),
            ..of_slices
        };
        Some(Self { slices, instances, between, windows, effective })
    }

    /// Contribution of each slice of time to the mean logarithm, times the number of slices.
    #[must_use]
    pub fn slices_of(members: &[Member]) -> Vec<f64> {
        slices(members)
    }

    /// p-value against "the mean ratio is at least `bound`", valid at every look; `tau` as in
    /// [`RatioEstimate::evidence`].
    #[must_use]
    pub fn p_below(&self, bound: f64, tau: f64) -> f64 {
        let by_windows = (-self.slices.evidence(bound, tau).ln_e_below).exp().min(1.0);
        by_windows.max(self.p_of_instances(bound))
    }

    /// ln of the e-value of the windows alone against "the mean ratio is at least `bound`".
    #[must_use]
    pub fn ln_e_below(&self, bound: f64, tau: f64) -> f64 {
        self.slices.evidence(bound, tau).ln_e_below
    }

    /// p-value of the instances alone against "the mean ratio is at least `bound`".
    #[must_use]
    pub fn p_of_instances(&self, bound: f64) -> f64 {
        let RatioEstimate { ratio, variance, df, .. } = self.instances;
        let distance = bound.ln() - ratio.ln();
        if variance <= 0.0 {
            return if distance > 0.0 { 0.0 } else { 1.0 };
        }
        let t = distance / variance.sqrt();
        let beyond = student_upper(t.abs(), df);
        let p = if t > 0.0 { beyond } else { 1.0 - beyond };
        (Self::LOOKS * p).min(1.0)
    }

    /// An interval of the mean ratio that covers it with probability 1 − 2·`alpha` at every look.
    #[must_use]
    pub fn interval(&self, alpha: f64, tau: f64) -> (f64, f64) {
        let (low, high) = self.slices.interval(alpha, tau);
        let RatioEstimate { ratio, variance, df, .. } = self.instances;
        let width = (student_upper_quantile(alpha / Self::LOOKS, df) * variance.sqrt()).exp();
        (low.min(ratio / width), high.max(ratio * width))
    }
}

fn contributions(member: &Member) -> Vec<f64> {
    member.windows.iter().map(|(_, share)| *share).collect()
}

/// Contribution of each slice of time to the mean logarithm, times the number of slices. A slice has as many
/// windows as there are instances; the last one may have more.
fn slices(members: &[Member]) -> Vec<f64> {
    let r = members.len();
    let mut all: Vec<(u64, f64)> = members
        .iter()
        .flat_map(|one| {
            let own = count((one.windows.len() * r) as u64);
            one.windows.iter().map(move |(number, share)| (*number, share / own))
        })
        .collect();
    all.sort_by_key(|(number, _)| *number);
    let n = all.len() / r.max(1);
    let mut slices = vec![0.0; n];
    for (at, (_, share)) in all.into_iter().enumerate() {
        if let Some(slice) = slices.get_mut((at / r).min(n.saturating_sub(1))) {
            *slice += share * count(n as u64);
        }
    }
    slices
}

/// Variance of the mean logarithm if all windows were independent of each other.
fn white(members: &[Member]) -> f64 {
    let of = |one: &Member| {
        let n = count(one.windows.len() as u64);
        one.windows.iter().map(|(_, share)| share * share).sum::<f64>() / (n * (n - 1.0))
    };
    members.iter().map(of).sum::<f64>() / count(members.len() as u64).powi(2)
}

/// The instances whose value differs from those of the others by more than these differ among themselves, and
/// by more than the factor `least`, which is over 1. `values` are positive, with the variance of the
/// logarithm of each. Of alike instances one is called odd with a probability of at most `level`.
#[must_use]
pub fn odd_ones(values: &[(f64, f64)], level: f64, least: f64) -> Vec<Odd> {
    let each = level / count(values.len().max(1) as u64);
    let odd = |index: usize| {
        let (value, own) = values[index];
        let others = values.iter().enumerate().filter(|(other, _)| *other != index);
        let others = Summary::of(others.map(|(_, (value, _))| value.ln())).ok()?;
        let n = count(others.n());
        let distance = value.ln() - others.mean();
        // The own error counts where the others agree better than each of them is known.
        let error = (others.variance().max(own) * (1.0 + 1.0 / n)).sqrt();
        let p = if error > 0.0 {
            2.0 * student_upper((distance / error).abs(), n - 1.0)
        } else {
            f64::from(distance == 0.0)
        };
        let far = distance.abs() > least.ln();
        (p < each && far).then_some(Odd { index, times: distance.exp(), p })
    };
    (0..values.len()).filter_map(odd).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instance whose windows deviate by `noise` times these values.
    fn member(ratio: f64, noise: f64, values: &[f64], offset: u64, step: u64) -> Member {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let number = |at: usize| offset + at as u64 * step;
        let windows = values.iter().enumerate().map(|(at, value)| (number(at), noise * (value - mean)));
        Member { ratio, windows: windows.collect() }
    }

    /// Values without visible autocorrelation.
    fn values(seed: u64, n: u64) -> Vec<f64> {
        let mixed =
            |at: u64| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ seed).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        (0..n).map(|at| (mixed(at + 1) >> 40) as f64 / (1_u64 << 24) as f64 - 0.5).collect()
    }

    fn fleet(ratios: &[f64], windows: u64) -> Vec<Member> {
        let r = ratios.len() as u64;
        let one = |(at, &ratio): (usize, &f64)| {
            let at = at as u64;
            member(ratio, 0.3, &values(at * 7919 + 11, windows), at, r)
        };
        ratios.iter().enumerate().map(one).collect()
    }

    #[test]
    fn more_windows_do_not_make_instances_alike() {
        let ratios = [0.5, 0.7, 1.6, 0.9, 1.3, 0.6];
        let check = |windows| FleetEstimate::of(&fleet(&ratios, windows)).unwrap();
        let (few, many) = (check(50), check(5000));
        assert!(many.slices.variance > many.between / 6.0 && many.between > 0.15);
        assert!((few.instances.variance / many.instances.variance - 1.0).abs() < 0.01);
        assert!(many.p_below(1.0, 0.2) > 0.05, "one mean of six that differ: {}", many.p_below(1.0, 0.2));
        let (low, high) = many.interval(0.05, 0.2);
        assert!(low < 0.8 && high > 1.2);
    }

    #[test]
    fn alike_instances_decide_together_in_less_time() {
        let alone = fleet(&[0.9], 12).remove(0);
        let contributions: Vec<f64> = alone.windows.iter().map(|(_, share)| *share).collect();
        let alone = RatioEstimate::of_differences(0.9, &contributions).unwrap();
        let all = FleetEstimate::of(&fleet(&[0.90, 0.91, 0.90, 0.89, 0.90, 0.90], 12)).unwrap();
        assert!(all.slices.variance < 0.6 * alone.variance, "{} {}", all.slices.variance, alone.variance);
        assert_eq!(all.windows, 72);
    }

    #[test]
    fn what_hits_all_instances_at_once_is_no_evidence_of_each() {
        // The same deviations in all six at the same time are those of one.
        let shocks = values(5, 200);
        let shared: Vec<Member> = (0..6).map(|at| member(1.0, 0.3, &shocks, at, 6)).collect();
        let own: Vec<Member> = (0..6).map(|at| member(1.0, 0.3, &values(at * 31, 200), at, 6)).collect();
        let (shared, own) = (FleetEstimate::of(&shared).unwrap(), FleetEstimate::of(&own).unwrap());
        assert!(shared.slices.variance > 4.0 * own.slices.variance);
        assert!(shared.effective < own.effective / 3.0, "{} {}", shared.effective, own.effective);
    }

    #[test]
    fn an_instance_counts_the_same_with_few_windows() {
        let mut members = fleet(&[1.0, 1.0, 4.0], 100);
        members[2] = member(4.0, 0.3, &values(3, 20), 0, 15);
        let estimate = FleetEstimate::of(&members).unwrap();
        assert!((estimate.slices.ratio - 4_f64.powf(1.0 / 3.0)).abs() < 1e-12);
        assert_eq!(FleetEstimate::of(&fleet(&[1.0], 100)), None);
        assert_eq!(FleetEstimate::of(&[member(1.0, 1.0, &[], 0, 1), members[0].clone()]), None);
    }

    #[test]
    fn figures_of_the_instances() {
        // ln 1.1 three times over the standard error of ln(1.0), ln(1.21), ln(1.1).
        let estimate = FleetEstimate::of(&fleet(&[1.0, 1.21, 1.1], 50)).unwrap();
        let step = 1.1_f64.ln();
        assert!((estimate.instances.variance - step * step / 3.0).abs() < 1e-12);
        // t = ln(1.21/1.1)/(step/√3) = √3 at 2 degrees of freedom: 0.112702 one-sided.
        let p = estimate.p_of_instances(1.21);
        assert!((p - 2.0 * 0.112_701_665_379_258).abs() < 1e-9, "{p}");
        assert!(estimate.p_of_instances(1.0) > 0.99);
    }

    #[test]
    fn the_odd_instance_is_found() {
        let alike = [(1.0, 1e-4), (1.02, 1e-4), (0.99, 1e-4), (1.01, 1e-4), (0.98, 1e-4)];
        assert_eq!(odd_ones(&alike, 0.05, 1.05), []);
        let with = |value| [&alike[..], &[(value, 1e-4)]].concat();
        let odd = odd_ones(&with(2.1), 0.05, 1.05);
        assert!(matches!(odd[..], [Odd { index: 5, times, .. }] if (times - 2.1).abs() < 0.01), "{odd:?}");
        assert_eq!(odd_ones(&with(1.03), 0.05, 1.05), []);
        // Its own estimate is too uncertain.
        assert_eq!(odd_ones(&[&alike[..], &[(1.3, 0.1)]].concat(), 0.05, 1.05), []);
        // Two that differ do not say which one is odd.
        assert_eq!(odd_ones(&[(1.0, 0.0), (2.0, 0.0)], 0.05, 1.05), []);
    }
}
