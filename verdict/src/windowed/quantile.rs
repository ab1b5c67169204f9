//! A quantile of one side's calls: its evidence about a bound, and the joint evidence of two sides about a
//! bound on each.
//! The number of calls that are longer than a bound shows on which side of the bound a quantile lies, for any
//! distribution.

use super::history::Kept;
use super::rules::{Need, Rules, short_of};
use super::strata::Strata;
use super::tail::Tail;
use spl_stats::block_contrasts;
use spl_stats::sequential::{RatioEstimate, autocorrelation_of, calls_for_share, ln_e_share_over};

/// A quantile of scaled times without the probe's time.
#[derive(Clone, Debug)]
pub(super) struct Quantile {
    pub(super) ascending: Vec<f64>,
    share: f64,
    /// The times of each window, ascending.
    windows: Vec<Vec<f64>>,
    /// Number of windows with calls.
    filled: usize,
    /// Number of calls that had not ended, as far as is known: they are longer than any bound.
    unended: f64,
    /// Dependence of calls, and of windows, at the quantile itself.
    own: Effects,
    /// Time above which calls count as long.
    clip: f64,
    /// Number of further long calls, for each seen one, that may be missing by chance.
    unseen: f64,
    clear: Clear,
}

/// The bounds that are clear of the quantile: at most one of these, or at least the other.
///
/// Each window's own quantile is away from such a bound by a factor, and if the times go on to grow or to shrink as they did, the bound
/// stays on its side. How calls depend on each other near the quantile does not matter there: of each window all can be called one.
#[derive(Clone, Copy, Debug)]
struct Clear {
    at_most: f64,
    at_least: f64,
}

impl Clear {
    /// Factor between a clear bound and the nearest window.
    const FACTOR: f64 = 2.0;
    /// Number of parts of the measurement whose quantiles show how far the times wander.
    const PARTS: usize = 4;

    /// Of the times of each window, ascending.
    fn of(windows: &[Vec<f64>], share: f64) -> Self {
        let ends = |all: &mut dyn Iterator<Item = f64>| {
            all.fold((f64::INFINITY, 0.0), |(least, most), one| (f64::min(least, one), f64::max(most, one)))
        };
        let (least, most) = ends(&mut windows.iter().filter_map(|window| rank(window, share)));
        let of_part = |part: &[Vec<f64>]| {
            let mut times: Vec<f64> = part.iter().flatten().copied().collect();
            times.sort_by(f64::total_cmp);
            rank(&times, share)
        };
        let part = windows.len().div_ceil(Self::PARTS).max(1);
        let (shortest, longest) = ends(&mut windows.chunks(part).filter_map(of_part));
        let wanders = longest / shortest;
        Self {
            at_most: f64::min(least / Self::FACTOR, shortest / wanders),
            at_least: f64::max(most * Self::FACTOR, longest * wanders),
        }
    }

    fn is_of(self, bound: f64) -> bool {
        bound <= self.at_most || bound >= self.at_least
    }
}

/// Numbers of calls, and of windows, with the information of one independent call or window.
#[derive(Clone, Copy, Debug, Default)]
struct Effects {
    calls: f64,
    windows: f64,
}

impl Effects {
    fn or_greater(self, other: Self) -> Self {
        Self { calls: self.calls.max(other.calls), windows: self.windows.max(other.windows) }
    }
}

impl Quantile {
    /// Takes the calls of one side in windows, in one bucket or in all. With several strata it takes from
    /// each the number that the side with fewest has there, evenly spread.
    pub(super) fn of(
        shared: &[Vec<&Kept>],
        side: usize,
        strata: &Strata,
        (factor, share): (f64, f64),
        probe_ns: f64,
    ) -> Self {
        let fewest: Vec<u64> = strata.fewest().collect();
        let several = fewest.len() > 1;
        let mut windows: Vec<Vec<f64>> = Vec::new();
        let mut seen = vec![0; fewest.len()];
        let mut unended = 0;
        for turns in shared {
            let mut chosen = Vec::new();
            for (stratum, calls) in &turns[side].strata {
                let Some(at) = strata.index(stratum) else { continue };
                // Each stratum gives the number of calls that the side with fewest has there, evenly spread.
                let all = strata.calls(at, side);
                let wanted = if several { fewest[at] } else { all };
                for &time in &calls.times {
                    if (seen[at] + 1) * wanted / all > seen[at] * wanted / all {
                        chosen.push((time as f64 - probe_ns).max(0.0) * factor);
                    }
                    seen[at] += 1;
                }
            }
            // Their number is unknown; the assumption is the number of ended calls, at least one.
            unended += if turns[side].censored { chosen.len().max(1) } else { 0 };
            windows.push(chosen);
        }
        Self::of_windows(windows, share, unended as f64)
    }

    /// Takes the times of each window, and this number of calls that had not ended.
    fn of_windows(mut windows: Vec<Vec<f64>>, share: f64, unended: f64) -> Self {
        windows.iter_mut().for_each(|window| window.sort_by(f64::total_cmp));
        let mut ascending: Vec<f64> = windows.iter().flatten().copied().collect();
        ascending.sort_by(f64::total_cmp);
        let filled = windows.iter().filter(|window| !window.is_empty()).count();
        let clip = ascending.get(ascending.len() / 2).map_or(f64::INFINITY, |middle| Rules::CLIP * middle);
        let long: Vec<f64> = windows.iter().map(|window| over(window, clip)).collect();
        let (own, unseen) = (Effects::default(), Tail::of(&long).unseen_bursts());
        let clear = Clear::of(&windows, share);
        let quantile = Self { ascending, share, windows, filled, unended, own, clip, unseen, clear };
        Self { own: quantile.effects(quantile.estimate()), ..quantile }
    }

    /// Dependence of calls, and of windows, in being longer than a bound.
    fn effects(&self, bound: f64) -> Effects {
        let n = self.ascending.len() as f64;
        let part = over(&self.ascending, bound) / n;
        let excess = |window: &Vec<f64>| over(window, bound) - part * window.len() as f64;
        let independent = n * part * (1.0 - part);
        if independent <= 0.0 {
            return Effects { calls: 1.0, windows: 1.0 };
        }
        let (squares, tau) = autocorrelation_of(&self.windows.iter().map(excess).collect::<Vec<_>>());
        // A long correlation time is known less well than a short one.
        let tau = 1.0 + (tau - 1.0) * (1.0 + 2.0 * (tau / self.filled as f64).sqrt());
        Effects { calls: f64::max(1.0, squares * tau / independent), windows: tau }
    }

    /// The effects at a bound, or at the estimate of the quantile if they are greater there; at a clear bound those of windows that
    /// count as one call each, if they are smaller.
    fn effect(&self, bound: f64) -> f64 {
        let calls = self.effects(bound).or_greater(self.own).calls;
        if self.clear.is_of(bound) {
            calls.min(self.ascending.len() as f64 / self.filled as f64)
        } else {
            calls
        }
    }

    pub(super) fn n(&self) -> u64 {
        self.ascending.len() as u64
    }

    /// Number of windows with calls.
    pub(super) fn filled(&self) -> usize {
        self.filled
    }

    /// The smallest time that the part `share` of the times doesn't exceed.
    pub(super) fn estimate(&self) -> f64 {
        rank(&self.ascending, self.share).unwrap_or(f64::NAN)
    }

    /// ln of the e-value against "the quantile is at least `bound`".
    pub(super) fn ln_e_below(&self, bound: f64) -> f64 {
        // Long calls over the bound that chance may have kept away are assumed to have come.
        let unseen = self.unseen * over(&self.ascending, bound.max(self.clip));
        let (effect, n) = (self.effect(bound), self.ascending.len() as f64 + self.unended + unseen);
        ln_e_share_over(under(&self.ascending, bound) / effect, n / effect, self.share)
    }

    /// ln of the e-value against "the quantile is at most `bound`".
    pub(super) fn ln_e_above(&self, bound: f64) -> f64 {
        let (effect, n) = (self.effect(bound), self.ascending.len() as f64);
        ln_e_share_over(over(&self.ascending, bound) / effect, n / effect, 1.0 - self.share)
    }

    /// Data that are missing for any evidence, however far the bound is.
    pub(super) fn too_few(&self, bound: f64, level: f64) -> Option<Need> {
        let fewest = Rules::MIN_WINDOWS as usize;
        if self.filled < fewest {
            return Some(Need::windows(fewest, self.filled));
        }
        let effect = if self.is_most_above(bound) { self.effects(bound).calls } else { self.effect(bound) };
        let (n, needed) = (self.ascending.len() as f64, self.calls_needed(level) * effect);
        (n < needed).then(|| {
            let name = percent_name(self.share);
            let what = format!("{name} needs {needed:.0} calls at least, and there are {n:.0}");
            Need::new(what, Some(self.filled as f64 * needed / n))
        })
    }

    fn calls_needed(&self, level: f64) -> f64 {
        calls_for_share(f64::min(self.share, 1.0 - self.share), level.recip()) as f64
    }

    /// Data that are missing to know the dependence of its calls; `far` is enough where the bound is far from
    /// the quantile.
    pub(super) fn dependent(&self, bound: f64, far: f64) -> Option<Need> {
        if self.clear.is_of(bound) {
            return None;
        }
        let is_far = self.is_far_below(bound) || self.is_far_above(bound);
        let is_most_above = self.is_most_above(bound);
        let own = if is_most_above { Effects::default() } else { self.own };
        let effects = self.effects(bound).or_greater(own);
        let windows = self.filled as f64;
        let needed = if is_far { far } else { Rules::MIN_EFFECTIVE };
        if windows / effects.windows < needed {
            return Some(Need::dependent(windows, windows / effects.windows, needed));
        }
        if is_most_above {
            return None;
        }
        let clusters = self.clusters();
        let needed = if is_far { far.min(Rules::MIN_BURSTS) } else { Rules::MIN_BURSTS };
        (clusters < needed).then(|| {
            let what = format!(
                "calls beyond {} come in clusters: {:.0} of them were seen, and {needed:.0} are needed",
                percent_name(self.share),
                short_of(clusters, needed)
            );
            Need::new(what, Some(windows * needed / clusters))
        })
    }

    /// Number of independent clusters of calls beyond the quantile; for nearly independent calls it does not
    /// matter.
    fn clusters(&self) -> f64 {
        const HARDLY: f64 = 1.5;
        let rare = self.ascending.len() as f64 * f64::min(self.share, 1.0 - self.share);
        if self.own.calls <= HARDLY { f64::INFINITY } else { rare / self.own.calls }
    }

    /// Whether far fewer calls are longer than the bound than if it were the quantile.
    fn is_far_below(&self, bound: f64) -> bool {
        let n = self.ascending.len() as f64;
        (over(&self.ascending, bound) + self.unended) * Rules::FAR <= n * (1.0 - self.share)
    }

    /// Whether far fewer calls are shorter than the bound than if it were the quantile.
    fn is_far_above(&self, bound: f64) -> bool {
        under(&self.ascending, bound) * Rules::FAR <= self.ascending.len() as f64 * self.share
    }

    /// Whether most calls are longer than the bound, though of the quantile few would be: how the few longest ones come in
    /// clusters does not matter then.
    fn is_most_above(&self, bound: f64) -> bool {
        const FEW: f64 = 0.1;
        1.0 - self.share <= FEW && 2.0 * over(&self.ascending, bound) >= self.ascending.len() as f64
    }

    /// Evidence against "the quantile is at least `bound`", as far as the calls' dependence is known.
    pub(super) fn known_below(&self, bound: f64, is_settled: bool) -> f64 {
        let is_known = is_settled
            || (self.is_far_below(bound) && self.dependent(bound, Rules::MIN_FAR_OF_TWO).is_none());
        if is_known { self.ln_e_below(bound) } else { 0.0 }
    }

    /// The mirror image of [`known_below`](Self::known_below), against "the quantile is at most `bound`".
    pub(super) fn known_above(&self, bound: f64, is_settled: bool) -> f64 {
        let is_known = is_settled
            || (self.is_far_above(bound) && self.dependent(bound, Rules::MIN_FAR_OF_TWO).is_none());
        if is_known { self.ln_e_above(bound) } else { 0.0 }
    }

    /// Difference between the calls shorter than a bound and the other side's calls up to theirs, beyond the
    /// difference of the quantiles' shares, and each window's contribution. Influences on both sides cancel
    /// out.
    fn paired(&self, bound: f64, other: &Self, of_other: f64) -> (f64, Vec<f64>) {
        let (n, others) = (self.ascending.len() as f64 + self.unended, other.ascending.len() as f64);
        let left = under(&self.ascending, bound) / n;
        let right = 1.0 - over(&other.ascending, of_other) / others;
        let count = self.windows.len() as f64;
        let of_window = |(window, of_others): (&Vec<f64>, &Vec<f64>)| {
            let (calls, of_calls) = (window.len() as f64, of_others.len() as f64);
            let more = under(window, bound) - left * calls;
            let others_more = of_calls - over(of_others, of_other) - right * of_calls;
            count * (more / n - others_more / others)
        };
        let each = self.windows.iter().zip(&other.windows).map(of_window).collect();
        (left - right - (self.share - other.share), each)
    }

    /// ln of the e-value against "the quantile is at least `bound` and the other one at most `of_other`",
    /// from the differences within windows.
    pub(super) fn ln_e_paired(&self, bound: f64, other: &Self, of_other: f64) -> f64 {
        let (difference, each) = self.paired(bound, other, of_other);
        RatioEstimate::of_differences(difference.exp(), &each)
            .filter(|one| one.n_eff >= Rules::MIN_EFFECTIVE)
            .map_or(f64::NEG_INFINITY, |one| one.evidence(1.0, Rules::SCALE).ln_e_above)
    }

    /// The ratios of this quantile to the other one within windows, as one call a window, in windows with
    /// enough calls of both. An influence that makes all calls of a window longer or shorter cancels out.
    pub(super) fn ratios(&self, other: &Self) -> Option<Self> {
        let fewest = Rules::MIN_BEYOND / f64::min(self.share, 1.0 - self.share);
        let of_window = |(window, of_others): (&Vec<f64>, &Vec<f64>)| {
            let is_enough = window.len().min(of_others.len()) as f64 >= fewest;
            let ratio = rank(window, self.share)? / rank(of_others, other.share)?;
            // No time is shorter than zero.
            is_enough.then_some(if ratio.is_nan() { f64::INFINITY } else { ratio })
        };
        let windows = self.windows.iter().zip(&other.windows);
        let windows: Vec<Vec<f64>> = windows.map(|both| of_window(both).into_iter().collect()).collect();
        let ratios = Self::of_windows(windows, 0.5, 0.0);
        let tells = self.share == other.share && self.unended == 0.0 && other.unended == 0.0;
        (tells && ratios.filled * 2 > self.filled.max(other.filled)).then_some(ratios)
    }

    /// ln of the e-value against "the quantile is at least `bound`", where only chance can be wrong.
    pub(super) fn ln_e_far_below(&self, bound: f64) -> Option<f64> {
        let is_sure = self.filled as u64 >= Rules::MIN_WINDOWS
            && self.is_far_below(bound)
            && self.dependent(bound, Rules::MIN_FAR).is_none()
            && !self.contradicts_below(bound);
        is_sure.then(|| self.ln_e_below(bound))
    }

    /// Whether parts of the measurement differ by more than chance explains, and some show the quantile over
    /// the bound.
    pub(super) fn contradicts_below(&self, bound: f64) -> bool {
        let each: Vec<f64> = self.windows.iter().map(|window| share(under(window, bound), window)).collect();
        contradicts(&each, self.share)
    }

    /// The mirror image of [`contradicts_below`](Self::contradicts_below): some show it under the bound.
    pub(super) fn contradicts_above(&self, bound: f64) -> bool {
        let each: Vec<f64> = self.windows.iter().map(|window| share(over(window, bound), window)).collect();
        contradicts(&each, 1.0 - self.share)
    }

    /// The check of both sides: some show the quantile over the bound, or the other one under it.
    pub(super) fn contradicts_paired(&self, bound: f64, other: &Self, of_other: f64) -> bool {
        let (difference, each) = self.paired(bound, other, of_other);
        let each: Vec<f64> = each.into_iter().map(|one| difference + one).collect();
        contradicts(&each, 0.0)
    }
}

/// The smallest time that the part `share` of the times doesn't exceed.
pub(super) fn rank(ascending: &[f64], share: f64) -> Option<f64> {
    let rank = (share * ascending.len() as f64).ceil() as usize;
    ascending.get(rank.clamp(1, ascending.len().max(1)) - 1).copied()
}

fn over(ascending: &[f64], bound: f64) -> f64 {
    (ascending.len() - ascending.partition_point(|&time| time <= bound)) as f64
}

fn under(ascending: &[f64], bound: f64) -> f64 {
    ascending.partition_point(|&time| time < bound) as f64
}

/// The share of a window's calls that `count` is; NaN without calls.
fn share(count: f64, window: &[f64]) -> f64 {
    count / window.len() as f64
}

/// Whether blocks of these values differ by more than chance explains, and the mean of a quarter of them is
/// at most the limit.
fn contradicts(each: &[f64], limit: f64) -> bool {
    const PARTS: usize = 4;
    let each: Vec<f64> = each.iter().copied().filter(|one| one.is_finite()).collect();
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let part = each.len().div_ceil(PARTS).max(1);
    each.chunks(part).any(|part| mean(part) <= limit) && block_contrasts(&each).1 > 0
}

/// Name of a quantile.
fn percent_name(share: f64) -> String {
    if share == 0.5 { "a median".to_owned() } else { format!("a p{}", (share * 1e8).round() / 1e6) }
}
