//! A comparison of means over several instances of a program: the mean of their ratios, with the instances as
//! the sample. Each instance has its own means, so that one with more calls or a slower machine does not count
//! more, and does not shift the ratio.

use super::figures::Look;
use super::history::History;
use super::instances::{Instances, OneInstance};
use super::mean::{Means, Sides};
use super::rules::{Need, Rules, Weight};
use super::side::{Side, Times};
use crate::types;
use spl_model::Bucket;
use spl_stats::sequential::{FleetEstimate, Member, RatioEstimate, odd_ones};
use spl_stats::{Summary, Welch, block_contrasts};

/// Probability that one of alike instances is called different, by its ratio or by its speed.
const ODD_LEVEL: f64 = 0.02;

/// Both sides of a comparison in several instances.
#[derive(Clone, Debug)]
pub(super) struct Fleet {
    /// The instances, by their numbers.
    pub(super) ids: Vec<usize>,
    pub(super) members: Vec<Means>,
    /// The factors of both sides; 1 where the other side is a bound.
    factors: [f64; 2],
}

/// The side that is claimed to be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shorter {
    Left,
    Right,
}

impl Shorter {
    /// The short and the long side.
    fn of(self, means: &Means) -> [&Side; 2] {
        match self {
            Self::Left => [&means.left, &means.right],
            Self::Right => [&means.right, &means.left],
        }
    }
}

impl Fleet {
    /// The windows of these instances; `methods` has one method if the other side is a bound.
    pub(super) fn of(
        history: &History,
        ids: &[usize],
        methods: &[usize],
        sides: Sides,
        scope: Option<&Bucket>,
    ) -> Self {
        let means =
            |&id: &usize| Means::of(&history.shared(id, methods), sides, scope, history.probe_ns(&[id]));
        let factors = if sides.bound { [1.0; 2] } else { [sides.left, sides.right] };
        Self { ids: ids.to_vec(), members: ids.iter().map(means).collect(), factors }
    }

    /// Number of compared calls of each side.
    pub(super) fn n(&self) -> [u64; 2] {
        let n = |side: usize| self.members.iter().map(|means| means.n()[side]).sum();
        [n(0), n(1)]
    }

    fn windows(&self) -> usize {
        self.members.iter().map(|means| means.windows).sum()
    }

    /// The mean of the instances' means of each side, nanoseconds, as the mean of the ratios requires:
    /// that of their logarithms.
    pub(super) fn estimates_ns(&self) -> [f64; 2] {
        [0, 1].map(|side| geometric(self.members.iter().map(|means| means.estimates_ns()[side])))
    }

    /// Weight of "left is less than `bound` times right".
    pub(super) fn below(&self, bound: f64, rules: &Rules) -> Weight {
        self.weight(Shorter::Left, bound, rules)
    }

    /// Weight of "left is more than `bound` times right".
    pub(super) fn above(&self, bound: f64, rules: &Rules) -> Weight {
        self.weight(Shorter::Right, bound.recip(), rules)
    }

    fn weight(&self, shorter: Shorter, bound: f64, rules: &Rules) -> Weight {
        let (windows, instances) = (self.windows(), self.members.len());
        let fewest = (Rules::MIN_WINDOWS as usize).max(instances * FleetEstimate::MIN_SLICES as usize);
        if windows < fewest {
            return Weight::none(Need::windows(fewest, windows));
        }
        let estimates = self.estimates(shorter);
        let Some(first) = estimates.first() else { return Weight::none(Need::too_short()) };
        let enough = estimates.iter().map(|one| one.effective).fold(f64::INFINITY, f64::min);
        if enough < Rules::MIN_EFFECTIVE {
            return Weight::none(Need::dependent(windows as f64, enough, Rules::MIN_EFFECTIVE));
        }
        let largest = |p: &dyn Fn(&FleetEstimate) -> f64| estimates.iter().map(p).fold(0.0, f64::max);
        let p = largest(&|one| one.p_below(bound, Rules::SCALE));
        if p > rules.level || p.is_nan() {
            // More windows of the same instances would not help.
            let differ = first.between / first.instances.n_eff > first.slices.variance / 2.0;
            let need = if differ && first.instances.ratio < bound {
                Need::instances(first.instances.n, first.between)
            } else {
                let by_windows = largest(&|one| (-one.ln_e_below(bound, Rules::SCALE)).exp());
                Need::evidence(reach(by_windows, windows, rules))
            };
            return Weight { p: if p.is_nan() { 1.0 } else { p }, need: Some(need) };
        }
        match self.danger(shorter, bound, rules) {
            Some(need) => Weight::none(need),
            None => Weight { p, need: None },
        }
    }

    /// Need that may overturn sufficient evidence, as for one instance.
    fn danger(&self, shorter: Shorter, bound: f64, rules: &Rules) -> Option<Need> {
        let sides = || self.members.iter().map(|means| (means, shorter.of(means)));
        let censored: u64 = sides().map(|(_, [short, _])| if short.bound { 0 } else { short.censored }).sum();
        if censored > 0 {
            return Some(Need::censored(censored));
        }
        let is_above_bound = sides().any(|(_, [short, _])| short.bound);
        let needed = rules.calls_for_mean(bound / self.ratio(shorter, Times::Clipped) - 1.0, is_above_bound);
        let calls: u64 = sides().map(|(_, [short, long])| if short.bound { long.n } else { short.n }).sum();
        if (calls as f64) < needed {
            return Some(Need::calls(needed, calls, self.windows() as f64, is_above_bound));
        }
        if self.ratio(shorter, Times::Whole) >= bound {
            return Some(Need::without_long_calls());
        }
        if self.ratio(shorter, Times::Typical) >= bound {
            let by_long_calls = |(means, [short, long]): (&Means, [&Side; 2])| {
                means.only_by_long_calls([short, long], Times::Clipped, rules)
            };
            if let Some(need) = sides().find_map(by_long_calls) {
                return Some(need);
            }
        }
        self.contradicts_itself(shorter, bound).then(Need::contradiction)
    }

    /// Whether slices of time differ by more than chance explains, and some quarter of it says the contrary.
    fn contradicts_itself(&self, shorter: Shorter, bound: f64) -> bool {
        const PARTS: usize = 4;
        let contrary = |part: usize| {
            let ratio = |means: &Means| {
                let windows = part * means.windows / PARTS..(part + 1) * means.windows / PARTS;
                let [short, long] = means.means_of(windows, shorter.of(means), Times::Clipped);
                short / long
            };
            geometric(self.members.iter().map(ratio).filter(|ratio| ratio.is_finite())) >= bound
        };
        self.self_check().1 > 0 && (0..PARTS).any(contrary)
    }

    /// Compares the mean ratio in slices of time with neighbouring ones.
    fn self_check(&self) -> (u64, u64) {
        let members = self.cases(Shorter::Left, |_, _, _| 0.0).into_iter().next().unwrap_or_default();
        block_contrasts(&FleetEstimate::slices_of(&members))
    }

    /// The mean over the instances of the short side's mean over that of the long one.
    fn ratio(&self, shorter: Shorter, times: Times) -> f64 {
        let ratio = |means: &Means| {
            let [short, long] = shorter.of(means).map(|side| means.mean(side, times));
            short / long
        };
        geometric(self.members.iter().map(ratio))
    }

    /// Estimates with all uncertainty against the short side, as for one instance.
    fn estimates(&self, shorter: Shorter) -> Vec<FleetEstimate> {
        let cases = self.cases(shorter, Means::unseen);
        cases.iter().map(|members| FleetEstimate::of(members)).collect::<Option<_>>().unwrap_or_default()
    }

    /// The instances' ratios in each of the cases that one instance is estimated for.
    fn cases(&self, shorter: Shorter, unseen: impl Fn(&Means, &Side, &Side) -> f64) -> Vec<Vec<Member>> {
        let mut cases: Vec<Vec<Member>> = Vec::new();
        for means in &self.members {
            let [short, long] = shorter.of(means);
            let ratios = means.ratios(short, long, unseen(means, short, long));
            if ratios.is_empty() {
                return Vec::new();
            }
            cases.resize_with(ratios.len(), Vec::new);
            for (case, (ratio, shares)) in cases.iter_mut().zip(ratios) {
                let windows = means.numbers.iter().copied().zip(shares).collect();
                case.push(Member { ratio, windows });
            }
        }
        cases
    }

    /// Figures of the mean ratio.
    pub(super) fn look(&self, level: f64) -> Option<Look> {
        let (high, low) = (self.estimates(Shorter::Left), self.estimates(Shorter::Right));
        let central = high.first().or(low.first())?;
        let (ratio, raw_ratio) =
            (self.ratio(Shorter::Left, Times::Clipped), self.ratio(Shorter::Left, Times::Whole));
        // As for one instance.
        let end = |estimates: &[FleetEstimate], least: f64| {
            let ends = estimates.iter().map(|one| one.interval(level, Rules::SCALE).1);
            ends.fold(if estimates.is_empty() { least } else { 0.0 }, f64::max)
        };
        let low = end(&low, ratio.min(raw_ratio).recip()).recip();
        let high = end(&high, ratio.max(raw_ratio));
        let [left, right] = self.n();
        Some(Look {
            windows: self.windows() as u64,
            pairs: left.min(right),
            n_effective: central.effective,
            ratio,
            low,
            high,
            raw_ratio,
            raw: FleetEstimate::of(&self.plain(Times::Whole))
                .map_or((raw_ratio, raw_ratio), |one| one.interval(level, Rules::SCALE)),
            clipped: self.members.iter().map(|means| means.left.cut + means.right.cut).sum(),
            tail_dependent: !(low..=high).contains(&raw_ratio),
            self_check: self.self_check(),
            sizes_differ: None,
        })
    }

    /// Figures of both sides, as means of the instances' figures, and the test of the difference with the
    /// instances as observations.
    pub(super) fn figures(&self) -> Option<(types::Side, types::Side, Welch)> {
        let count = self.members.len() as f64;
        let side = |of: &dyn Fn(&Means) -> Option<types::Side>| {
            let sides: Vec<types::Side> = self.members.iter().map(of).collect::<Option<_>>()?;
            let mean = |value: &dyn Fn(&types::Side) -> f64| sides.iter().map(value).sum::<f64>() / count;
            Some(types::Side {
                factor: sides.first()?.factor,
                n: sides.iter().map(|one| one.n).sum(),
                mean_ns: mean(&|one| one.mean_ns),
                median_ns: mean(&|one| one.median_ns),
                sd_ns: mean(&|one| one.sd_ns * one.sd_ns).sqrt(),
            })
        };
        let (left, right) =
            (side(&|means| means.figures(&means.left))?, side(&|means| means.figures(&means.right))?);
        let difference = |means: &Means| {
            let [left, right] = means.estimates_ns();
            left - right
        };
        let differences = Summary::of(self.members.iter().map(difference)).ok()?;
        let welch = Welch::of_difference(differences.mean(), differences.squared_error(), count - 1.0);
        Some((left, right, welch))
    }

    /// The instances' ratios without doubts.
    fn plain(&self, times: Times) -> Vec<Member> {
        let member = |means: &Means| {
            let [(left_ns, left), (right_ns, right)] =
                [&means.left, &means.right].map(|side| means.shares(side, times, -means.probe_ns));
            let shares = left.iter().zip(&right).map(|(x, y)| x - y);
            let [left_ns, right_ns] = [left_ns, right_ns].map(|ns| ns.max(Rules::LEAST_NS));
            Member { ratio: left_ns / right_ns, windows: means.numbers.iter().copied().zip(shares).collect() }
        };
        self.members.iter().map(member).collect()
    }

    /// Each instance's own figures, as they would be if it were the only one, and how they differ; those of two
    /// methods without the claim's factors.
    pub(super) fn instances(&self, history: &History, level: f64) -> Option<Instances> {
        let central = self.plain(Times::Clipped);
        let estimates: Vec<RatioEstimate> = central
            .iter()
            .map(|one| {
                let shares: Vec<f64> = one.windows.iter().map(|(_, share)| *share).collect();
                RatioEstimate::of_differences(one.ratio, &shares)
            })
            .collect::<Option<_>>()?;
        let between = FleetEstimate::of(&central).map_or(f64::NAN, |one| one.between);
        let ratios: Vec<(f64, f64)> = estimates.iter().map(|one| (one.ratio, one.variance)).collect();
        let speeds: Vec<(f64, f64)> = self.members.iter().map(speed).collect();
        let times_of = |values: &[(f64, f64)]| {
            let odd = odd_ones(values, ODD_LEVEL, Rules::ODD);
            move |index: usize| odd.iter().find(|one| one.index == index).map(|one| one.times)
        };
        let (odd_ratio, odd_speed) = (times_of(&ratios), times_of(&speeds));
        let one = |(index, &id): (usize, &usize)| {
            let means = &self.members[index];
            let look = means.look(level)?;
            let ([left, right], [left_ns, right_ns]) = (self.factors, means.estimates_ns());
            let limit = right / left;
            let [ratio, low, high] = look.so_far().map(|one| one * limit);
            Some(OneInstance {
                name: history.name(id).to_owned(),
                windows: means.windows as u64,
                ratio,
                low,
                high,
                means_ns: [left_ns / left, right_ns / right],
                odd_ratio: odd_ratio(index),
                odd_speed: odd_speed(index),
            })
        };
        Some(Instances { each: self.ids.iter().enumerate().map(one).collect::<Option<_>>()?, between })
    }
}

/// Geometric mean of both sides' times in an instance, with the variance of its logarithm.
fn speed(means: &Means) -> (f64, f64) {
    let side = |side: &Side| means.shares(side, Times::Clipped, -means.probe_ns);
    let ((left_ns, left), (right_ns, right)) = (side(&means.left), side(&means.right));
    if means.right.bound {
        return (
            left_ns,
            RatioEstimate::of_differences(left_ns, &left).map_or(f64::INFINITY, |one| one.variance),
        );
    }
    let both: Vec<f64> = left.iter().zip(&right).map(|(x, y)| f64::midpoint(*x, *y)).collect();
    let value = (left_ns * right_ns).sqrt();
    (value, RatioEstimate::of_differences(value, &both).map_or(f64::INFINITY, |one| one.variance))
}

/// The mean of the logarithms, as a value; NaN without any.
fn geometric(values: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut n) = (0.0, 0.0);
    for value in values {
        sum += value.ln();
        n += 1.0;
    }
    (sum / n).exp()
}

/// Number of windows at which the evidence of windows would suffice, at the rate so far.
fn reach(p: f64, windows: usize, rules: &Rules) -> Option<f64> {
    let ln_e = -p.ln();
    (ln_e > 0.5).then(|| windows as f64 * -rules.level.ln() / ln_e)
}
