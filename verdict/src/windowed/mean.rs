//! Means of two sides, or of one side and a bound, compared over the windows in which both were called.
//!
//! Each side's mean is that of all its calls, and the variance is that of the windows. Workload sizes have
//! the same weight on both sides. The certain part of a mean is that of its clipped calls. The part that
//! clipping cuts off counts in full on the side that is claimed to be shorter, unless both sides have a
//! similar number of such calls: then they come from the machine, or belong to both.

use super::history::Kept;
use super::rules::{Need, Rules, Weight, short_of};
use super::side::{Cell, Gathered, Middle, Side, Times, doubt_ties};
use super::strata::Strata;
use super::tail::Tail;
use spl_model::Bucket;
use spl_stats::sequential::RatioEstimate;
use spl_stats::{block_contrasts, share_at_least};
use std::ops::Range;

/// The two sides of a comparison.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    /// Multiplies the left times.
    pub(super) left: f64,
    /// Multiplies the right times, or is the bound in nanoseconds.
    pub(super) right: f64,
    /// True if the right side is a bound.
    pub(super) bound: bool,
}

/// Both sides, window by window.
#[derive(Clone, Debug)]
pub(super) struct Means {
    pub(super) left: Side,
    pub(super) right: Side,
    pub(super) windows: usize,
    /// Their numbers.
    pub(super) numbers: Vec<u64>,
    /// Weight of each stratum in the comparison: it counts with the calls of the side that has fewer there.
    pub(super) weights: Vec<f64>,
    pub(super) probe_ns: f64,
    /// Possible error of the ratio's logarithm through unlike sizes within the strata.
    size_doubt: f64,
}

impl Means {
    /// Takes windows with the turns of the left side, and of the right side unless it is a bound; in one
    /// bucket, or in all.
    pub(super) fn of(shared: &[Vec<&Kept>], sides: Sides, scope: Option<&Bucket>, probe_ns: f64) -> Self {
        let strata = Strata::of(shared, if sides.bound { 1 } else { 2 }, scope);
        let gathered = |index: usize| Gathered::of(shared, index, &strata, probe_ns);
        let side = |index: usize, factor: f64, own: Gathered, other: Option<&[Middle]>| {
            Side::of(shared, index, factor, &strata, own, other, probe_ns)
        };
        let of_left = gathered(0);
        let (mut left, mut right) = if sides.bound {
            let bound = Side { factor: sides.right, bound: true, ..Side::default() };
            (side(0, sides.left, of_left, None), bound)
        } else {
            let of_right = gathered(1);
            let [middles, others] = [of_left.middles.clone(), of_right.middles.clone()];
            (side(0, sides.left, of_left, Some(&others)), side(1, sides.right, of_right, Some(&middles)))
        };
        doubt_ties([&mut left, &mut right]);
        let all = strata.fewest().sum::<u64>() as f64;
        let weights = strata.fewest().map(|calls| calls as f64 / all).collect();
        let windows = left.windows.len();
        let numbers = shared.iter().filter_map(|turns| turns.first()).map(|turn| turn.window).collect();
        Self { left, right, windows, numbers, weights, probe_ns, size_doubt: strata.doubt }
    }

    /// Number of compared calls of each side.
    pub(super) fn n(&self) -> [u64; 2] {
        [self.left.n, self.right.n]
    }

    /// The mean of each side's unclipped times, scaled, without the probe's time; nanoseconds.
    pub(super) fn estimates_ns(&self) -> [f64; 2] {
        [&self.left, &self.right].map(|side| self.mean(side, Times::Whole))
    }

    /// Weight of "left is less than `bound` times right".
    pub(super) fn below(&self, bound: f64, rules: &Rules) -> Weight {
        self.shorter(&self.left, &self.right, bound, rules)
    }

    /// Weight of "left is more than `bound` times right".
    pub(super) fn above(&self, bound: f64, rules: &Rules) -> Weight {
        self.shorter(&self.right, &self.left, bound.recip(), rules)
    }

    fn shorter(&self, short: &Side, long: &Side, bound: f64, rules: &Rules) -> Weight {
        if let Some(need) = self.too_few() {
            return Weight::none(need);
        }
        let estimates = self.estimates(short, long);
        if estimates.is_empty() {
            return Weight::none(Need::too_short());
        }
        let enough = estimates.iter().map(|one| one.n_eff).fold(f64::INFINITY, f64::min);
        let windows = self.windows as f64;
        if enough < Rules::MIN_EFFECTIVE {
            return Weight::none(Need::dependent(windows, enough, Rules::MIN_EFFECTIVE));
        }
        let ln_e_of = |estimates: &[RatioEstimate]| {
            let each = estimates.iter().map(|one| one.evidence(bound, Rules::SCALE).ln_e_below);
            each.fold(f64::INFINITY, f64::min)
        };
        let ln_e = ln_e_of(&estimates);
        let weight = Weight::of(ln_e);
        if weight.p > rules.level {
            if let Some(weight) = self.by_long_calls(short, long, bound, rules) {
                return weight;
            }
            let tail = self.tail(short, [Times::Whole, Times::Clipped]);
            let as_seen = self.estimates_beyond(short, long, 0.0);
            let need = if tail.sum > 0.0 && Weight::of(ln_e_of(&as_seen)).p <= rules.level {
                self.few_bursts(&tail)
            } else {
                let reach = if ln_e > 0.5 { Some(windows * -rules.level.ln() / ln_e) } else { None };
                Need::evidence(reach)
            };
            return Weight { need: Some(need), ..weight };
        }
        match self.danger([short, long], Times::Clipped, bound, rules) {
            Some(need) => Weight::none(need),
            None => weight,
        }
    }

    /// Sufficient evidence of a long side that only its rare long calls make longer: enough bursts of them to know
    /// their time, and more than chance or the machine gives this side.
    fn by_long_calls(&self, short: &Side, long: &Side, bound: f64, rules: &Rules) -> Option<Weight> {
        /// Price of a second way to the same decision.
        const PRICE: f64 = 20.0;
        if long.bound || !self.tail(long, [Times::Whole, Times::Clipped]).is_known() {
            return None;
        }
        let unseen = if short.bound { 0.0 } else { self.unseen_of(short) };
        let ratios = self.ratios_of([short, long], &[[Times::Whole; 2]], unseen);
        let estimate = |(ratio, shares): &(f64, Vec<f64>)| RatioEstimate::of_differences(*ratio, shares);
        let p = |one: RatioEstimate| Weight::of(one.evidence(bound, Rules::SCALE).ln_e_below).p * PRICE;
        let p = ratios.iter().map(|one| estimate(one).map_or(1.0, p)).fold(0.0, f64::max);
        let is_proof = !ratios.is_empty() && p <= rules.level;
        (is_proof && self.danger([short, long], Times::Whole, bound, rules).is_none())
            .then_some(Weight { p, need: None })
    }

    /// Need that may overturn sufficient evidence of a long side's times of this kind.
    fn danger(&self, [short, long]: [&Side; 2], times: Times, bound: f64, rules: &Rules) -> Option<Need> {
        if short.censored > 0 && !short.bound {
            return Some(Need::censored(short.censored));
        }
        let mean = |side: &Side| self.mean(side, Times::Clipped);
        let gap = bound * mean(long) / mean(short) - 1.0;
        let needed = rules.calls_for_mean(gap, short.bound);
        let calls = if short.bound { long.n } else { short.n };
        if (calls as f64) < needed {
            return Some(Need::calls(needed, calls, self.windows as f64, short.bound));
        }
        if self.mean(short, Times::Whole) >= bound * self.mean(long, Times::Whole) {
            return Some(Need::without_long_calls());
        }
        if self.mean(short, Times::Typical) >= bound * self.mean(long, Times::Typical)
            && let Some(need) = self.only_by_long_calls([short, long], times, rules)
        {
            return Some(need);
        }
        self.contradicts_itself([short, long], times, bound).then(Need::contradiction)
    }

    /// Need of a claim where only the long calls of the long side make it longer: enough of them, and more on
    /// this side than chance explains. They count up to times of this kind.
    pub(super) fn only_by_long_calls(
        &self,
        [short, long]: [&Side; 2],
        times: Times,
        rules: &Rules,
    ) -> Option<Need> {
        const DOUBT: f64 = 0.2;
        let below = if times == Times::Whole { Times::Clipped } else { Times::Typical };
        let [of_short, of_long] = [short, long].map(|side| self.tail(side, [times, below]));
        if !of_long.is_known() {
            return Some(self.few_bursts(&of_long));
        }
        if short.bound {
            return None;
        }
        // Long calls from the machine hit a side in proportion to the time that its calls take.
        let took = |side: &Side| side.n as f64 * self.mean(side, Times::Typical) / side.factor;
        let by_number = long.n as f64 / (short.n + long.n) as f64;
        let part = by_number.max(took(long) / (took(short) + took(long)));
        // One burst that outweighs the others of its side makes them no fewer.
        let [few, many] = [of_short.seen, of_long.bursts].map(|bursts| bursts.round() as u64);
        (share_at_least(many, few + many, part) > DOUBT * rules.level).then(|| {
            let what = format!(
                "long calls decide, which may have hit either side: {many} bursts of them on the one, {few} \
                 on the other"
            );
            Need::new(what, None)
        })
    }

    fn few_bursts(&self, tail: &Tail) -> Need {
        let (seen, needed) = (tail.bursts, Rules::MIN_BURSTS);
        let what = if tail.is_known() {
            format!(
                "rare long calls decide, and longer ones than the longest may come: {seen:.0} bursts of \
                 them were seen"
            )
        } else {
            format!(
                "rare long calls decide: {seen:.0} bursts of them were seen, and {needed:.0} are needed",
                seen = short_of(seen, needed)
            )
        };
        let windows = self.windows as f64;
        Need::new(what, (seen > 0.0 && !tail.is_known()).then(|| windows * needed / seen))
    }

    /// Whether parts of the measurement differ by more than chance explains, and some of them say the
    /// contrary by times of this kind.
    fn contradicts_itself(&self, sides: [&Side; 2], times: Times, bound: f64) -> bool {
        const PARTS: usize = 4;
        let (_, different) = self.self_check();
        let part = self.windows.div_ceil(PARTS);
        let contrary = |from: usize| {
            let [short, long] = self.means_of(from..(from + part).min(self.windows), sides, times);
            short >= bound * long
        };
        different > 0 && (0..self.windows).step_by(part).any(contrary)
    }

    /// The means of both sides in some of the windows.
    pub(super) fn means_of(&self, windows: Range<usize>, sides: [&Side; 2], times: Times) -> [f64; 2] {
        sides.map(|side| {
            let totals = side.totals_of(windows.clone());
            side.scaled((side.mean_of(&totals, &self.weights, times) - self.probe_ns).max(Rules::LEAST_NS))
        })
    }

    /// A side's mean, scaled, without the probe's time.
    pub(super) fn mean(&self, side: &Side, times: Times) -> f64 {
        side.scaled((side.mean_of(&side.totals, &self.weights, times) - self.probe_ns).max(Rules::LEAST_NS))
    }

    /// Contribution of a side's long calls to its mean: the difference between the two kinds of times.
    fn tail(&self, side: &Side, times: [Times; 2]) -> Tail {
        Tail::of(&side.beyond(&self.weights, times))
    }

    fn too_few(&self) -> Option<Need> {
        let (needed, windows) = (Rules::MIN_WINDOWS as usize, self.windows);
        (windows < needed).then(|| Need::windows(needed, windows))
    }

    /// The ratio of the short side to the long one, with all uncertainty against the short side: for the
    /// least and the greatest time of the probe.
    pub(super) fn estimates(&self, short: &Side, long: &Side) -> Vec<RatioEstimate> {
        self.estimates_beyond(short, long, self.unseen(short, long))
    }

    /// Time that calls which were not seen yet may add to the short side's mean.
    pub(super) fn unseen(&self, short: &Side, long: &Side) -> f64 {
        if is_whole(short, long) { self.unseen_of(short) } else { 0.0 }
    }

    /// Time that calls which were not seen yet may add to the mean of a side whose times count unclipped.
    pub(super) fn unseen_of(&self, side: &Side) -> f64 {
        // One more window like the worst one is assumed: few long calls say little about their frequency.
        let worst = side.worst() / side.n as f64;
        self.tail(side, [Times::Whole, Times::Clipped]).unseen(worst)
    }

    /// The same ratio, with `unseen` added to the short side's mean.
    fn estimates_beyond(&self, short: &Side, long: &Side, unseen: f64) -> Vec<RatioEstimate> {
        let ratios = self.ratios(short, long, unseen);
        let estimate = |(ratio, shares): &(f64, Vec<f64>)| RatioEstimate::of_differences(*ratio, shares);
        ratios.iter().map(estimate).collect::<Option<_>>().unwrap_or_default()
    }

    /// The ratio for each of these cases, and the contribution of each window to its logarithm; none if a
    /// mean is not positive.
    pub(super) fn ratios(&self, short: &Side, long: &Side, unseen: f64) -> Vec<(f64, Vec<f64>)> {
        let is_whole = is_whole(short, long);
        // Long calls of the methods themselves are in proportion to their other calls; those of the machine
        // are not.
        let kinds = [Times::Clipped, Times::Alike]
            .map(|clipped| [if is_whole { Times::Whole } else { clipped }, clipped]);
        self.ratios_of([short, long], &kinds, unseen)
    }

    /// The ratios of both sides' times of these kinds.
    fn ratios_of(
        &self,
        [short, long]: [&Side; 2],
        kinds: &[[Times; 2]],
        unseen: f64,
    ) -> Vec<(f64, Vec<f64>)> {
        let doubts: &[f64] =
            if self.probe_ns > 0.0 { &[-Rules::PROBE_DOUBT, Rules::PROBE_DOUBT] } else { &[0.0] };
        let estimate = |([times, of_long_side], doubt): (&[Times; 2], &f64)| {
            let (times, of_long_side) = (*times, *of_long_side);
            let probe = self.probe_ns * (1.0 + doubt);
            let (mut x, mut of_short) = self.shares(short, times, unseen + short.doubt - probe);
            if !short.bound && x <= short.factor * self.probe_ns * Rules::PROBE_DOUBT {
                // A time that the probe's own one hides is not longer than both together.
                (x, of_short) = self.shares(short, times, unseen + short.doubt);
            }
            let (y, of_long) = self.shares(long, of_long_side, -long.doubt - probe);
            let differences: Vec<f64> = of_short.iter().zip(&of_long).map(|(x, y)| x - y).collect();
            (x > 0.0 && y > 0.0).then(|| (x / y * self.size_doubt.exp(), differences))
        };
        let all = kinds.iter().flat_map(|kinds| doubts.iter().map(move |doubt| (kinds, doubt)));
        all.map(estimate).collect::<Option<_>>().unwrap_or_default()
    }

    /// A side's mean, scaled, with `off` added to each time, and the contribution of each window to the
    /// mean's logarithm.
    pub(super) fn shares(&self, side: &Side, times: Times, off: f64) -> (f64, Vec<f64>) {
        if side.bound {
            return (side.factor, vec![0.0; self.windows]);
        }
        let mean = side.mean_of(&side.totals, &self.weights, times) + off;
        let windows = self.windows as f64;
        let share = |cells: &Vec<(usize, Cell)>| {
            let of_cell = |(at, cell): &(usize, Cell)| {
                let total = &side.totals[*at];
                let excess = cell.sum(times) - cell.n * total.sum(times) / total.n;
                self.weights[*at] * excess * windows / total.n
            };
            cells.iter().map(of_cell).sum::<f64>() / mean
        };
        (side.factor * mean, side.windows.iter().map(share).collect())
    }

    /// Compares the ratio in blocks of windows with neighbouring blocks: number of comparisons, and of
    /// differing ones.
    pub(super) fn self_check(&self) -> (u64, u64) {
        let (_, left) = self.shares(&self.left, Times::Clipped, -self.probe_ns);
        let (_, right) = self.shares(&self.right, Times::Clipped, -self.probe_ns);
        block_contrasts(&left.iter().zip(&right).map(|(x, y)| x - y).collect::<Vec<_>>())
    }
}

/// Whether the short side's times count unclipped.
fn is_whole(short: &Side, long: &Side) -> bool {
    !short.bound && (long.bound || has_longer_tail(short, long))
}

/// Whether clipped calls are more frequent on one side than chance explains.
fn has_longer_tail(side: &Side, other: &Side) -> bool {
    let part = side.n as f64 / (side.n + other.n) as f64;
    let cut = side.cut + other.cut;
    let chance = if cut < Rules::MANY_LONG { Rules::UNLIKE_FEW } else { Rules::UNLIKE_TAILS };
    share_at_least(side.cut, cut, part) <= chance
}
