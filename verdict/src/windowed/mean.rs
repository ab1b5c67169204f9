//! Means of two sides, or of one and a bound, compared by the windows that both were called in.
//!
//! A window gives as many calls of each side as the side with fewer has in it, of each workload size. What is sure of a mean is
//! that of its calls clipped; what is cut off counts in full on the side that is to be shown the shorter, unless both sides
//! have alike many such calls: then they come from the machine, or belong to both.

use super::history::Turn;
use super::rules::{Need, Rules, Weight};
use spl_model::Bucket;
use spl_stats::sequential::RatioEstimate;
use spl_stats::{Summary, Welch, block_contrasts, median, share_at_least, welch_effective};
use std::collections::BTreeMap;
use std::ops::Range;

/// What is compared with what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sides {
    /// Multiplies the left times.
    pub(super) left: f64,
    /// Multiplies the right times, or is the bound in nanoseconds.
    pub(super) right: f64,
    /// Whether the right side is a bound.
    pub(super) bound: bool,
}

/// One side of one window: sums over its calls, weighted to as many as both sides share.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    clipped: f64,
    raw: f64,
}

/// One side over all windows.
#[derive(Clone, Debug, Default)]
struct Side {
    factor: f64,
    sums: Vec<Sum>,
    /// Calls that are compared.
    n: u64,
    /// Calls that were clipped.
    cut: u64,
    /// Length of the longest call, nanoseconds.
    longest: f64,
    /// Half a step of the clock, nanoseconds, by which a mean may be off; 0 of a bound.
    doubt: f64,
    /// All its calls.
    times: Vec<u64>,
    /// Windows with a call whose end is not known.
    censored: u64,
}

/// Both sides, window by window.
#[derive(Clone, Debug)]
pub(super) struct Means {
    left: Side,
    right: Side,
    /// Pairs of each window.
    pairs: Vec<f64>,
    bound: bool,
    probe_ns: f64,
}

/// What is known of the ratio of the means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Windows that both sides were called in.
    pub windows: u64,
    /// Pairs of calls.
    pub pairs: u64,
    /// Independent windows that would tell as much.
    pub n_effective: f64,
    /// Ratio of the means of the clipped times.
    pub ratio: f64,
    /// Lower end of the interval that holds at every look.
    pub low: f64,
    /// Its upper end.
    pub high: f64,
    /// Ratio of the means of the times as they came.
    pub raw_ratio: f64,
    /// Calls that were clipped, of both sides.
    pub clipped: u64,
    /// Whether long calls, which are clipped, count more on one side than on the other.
    pub tail_dependent: bool,
    /// Comparisons of parts of the measurement with other parts: how many, and how many of them differ.
    pub self_check: (u64, u64),
}

impl Means {
    /// Of windows with the turns of the left, and of the right side unless it is a bound; in one bucket, or in all.
    pub(super) fn of(shared: &[Vec<&Turn>], sides: Sides, scope: Option<&Bucket>, probe_ns: f64) -> Self {
        let mut means = Self {
            left: Side { factor: sides.left, ..Side::default() },
            right: Side { factor: sides.right, ..Side::default() },
            pairs: Vec::new(),
            bound: sides.bound,
            probe_ns,
        };
        let clips: Vec<BTreeMap<&Bucket, f64>> =
            (0..2).map(|side| clips(shared, side, scope, probe_ns)).collect();
        for turns in shared {
            means.window(turns, scope, &clips);
        }
        for side in [&mut means.left, &mut means.right] {
            side.doubt = clock_step(&side.times) / 2.0;
        }
        means
    }

    fn window(&mut self, turns: &[&Turn], scope: Option<&Bucket>, clips: &[BTreeMap<&Bucket, f64>]) {
        let (mut pairs, mut sums) = (0.0, [Sum::default(); 2]);
        for (bucket, left) in &turns[0].calls {
            let right = if self.bound { Some(left) } else { turns[1].calls.get(bucket) };
            let Some(right) = right.filter(|_| scope.is_none_or(|scope| scope == bucket)) else { continue };
            let shared = left.len().min(right.len()) as f64;
            pairs += shared;
            for (index, calls) in [left, right].into_iter().enumerate().take(if self.bound { 1 } else { 2 }) {
                let clip = clips[index].get(bucket).copied().unwrap_or(f64::INFINITY);
                let side = if index == 0 { &mut self.left } else { &mut self.right };
                let weight = shared / calls.len() as f64;
                for &time in calls {
                    let time = time as f64;
                    sums[index].raw += time * weight;
                    sums[index].clipped += time.min(clip) * weight;
                    side.cut += u64::from(time > clip);
                    side.longest = side.longest.max(time);
                }
                side.n += calls.len() as u64;
                side.times.extend(calls);
            }
        }
        self.left.censored += u64::from(turns[0].censored);
        self.right.censored += u64::from(turns.get(1).is_some_and(|turn| turn.censored));
        if pairs > 0.0 {
            self.pairs.push(pairs);
            self.left.sums.push(sums[0]);
            self.right.sums.push(sums[1]);
        }
    }

    /// Calls that are compared of each side.
    pub(super) fn n(&self) -> [u64; 2] {
        [self.left.n, self.right.n]
    }

    /// The mean of each side's times as they came, scaled, without the probe's; nanoseconds.
    pub(super) fn estimates_ns(&self) -> [f64; 2] {
        [&self.left, &self.right].map(|side| self.mean(side, |sum| sum.raw))
    }

    /// All compared times of each side.
    pub(super) fn times(&self) -> [&[u64]; 2] {
        [&self.left.times, &self.right.times]
    }

    /// Weight of "left is less than `bound` times right".
    pub(super) fn below(&self, bound: f64, rules: &Rules) -> Weight {
        self.shorter(&self.left, &self.right, bound, rules)
    }

    /// Weight of "left is more than `bound` times right".
    pub(super) fn above(&self, bound: f64, rules: &Rules) -> Weight {
        self.shorter(&self.right, &self.left, bound.recip(), rules)
    }

    /// Whether the short side is a bound, which is what it is.
    fn is_bound(&self, side: &Side) -> bool {
        self.bound && std::ptr::eq(side, &raw const self.right)
    }

    fn shorter(&self, short: &Side, long: &Side, bound: f64, rules: &Rules) -> Weight {
        if let Some(need) = self.too_few() {
            return Weight::none(need);
        }
        let estimates = self.estimates(short, long);
        let weakest = estimates.iter().map(|one| one.evidence(bound, Rules::SCALE).ln_e_below);
        let ln_e = weakest.fold(f64::INFINITY, f64::min);
        if estimates.is_empty() {
            return Weight::none(Need::new(
                "the times are not longer than what the clock and the probe take",
                None,
            ));
        }
        let enough = estimates.iter().map(|one| one.n_eff).fold(f64::INFINITY, f64::min);
        let windows = self.pairs.len() as f64;
        if enough < Rules::MIN_EFFECTIVE {
            let what = format!(
                "the times depend on each other: {windows:.0} windows tell as much as {enough:.0}, and {:.0} are needed",
                Rules::MIN_EFFECTIVE
            );
            return Weight::none(Need::new(what, Some(windows * Rules::MIN_EFFECTIVE / enough)));
        }
        let weight = Weight::of(ln_e);
        if weight.p > rules.level {
            let reach = if ln_e > 0.5 { Some(windows * -rules.level.ln() / ln_e) } else { None };
            return Weight {
                need: Some(Need::new("the evidence does not suffice either way", reach)),
                ..weight
            };
        }
        match self.danger(short, long, bound, rules) {
            Some(need) => Weight::none(need),
            None => weight,
        }
    }

    /// What may overturn evidence that suffices.
    fn danger(&self, short: &Side, long: &Side, bound: f64, rules: &Rules) -> Option<Need> {
        if short.censored > 0 && !self.is_bound(short) {
            let what = format!("calls of {} windows had not ended when they were judged", short.censored);
            return Some(Need::new(what, None));
        }
        if !self.is_bound(short) {
            let mean = |side: &Side| self.mean(side, |sum| sum.clipped);
            let gap = bound * mean(long) / mean(short) - 1.0;
            let needed = rules.calls_for_mean(gap);
            if (short.n as f64) < needed {
                let what = format!(
                    "a mean this near to its limit needs {needed:.0} calls, so that rare long ones are among them; there are {}",
                    short.n
                );
                let windows = self.pairs.len() as f64 * needed / short.n as f64;
                return Some(Need::new(what, Some(windows)));
            }
        }
        if self.mean(short, |sum| sum.raw) >= bound * self.mean(long, |sum| sum.raw) {
            return Some(Need::new(
                "rare long calls decide: with them the means are the other way round",
                None,
            ));
        }
        self.contradicts_itself(short, long, bound).then(|| {
            Need::new(
                "parts of the measurement contradict each other: the times changed in the course of it",
                None,
            )
        })
    }

    /// Whether parts of the measurement differ more than chance would make them, and some of them say the contrary.
    fn contradicts_itself(&self, short: &Side, long: &Side, bound: f64) -> bool {
        const PARTS: usize = 4;
        let (_, different) = self.self_check();
        let part = self.pairs.len().div_ceil(PARTS);
        let contrary = |from: usize| {
            let windows = from..(from + part).min(self.pairs.len());
            let mean = |side: &Side| self.mean_in(side, windows.clone(), |sum| sum.clipped);
            mean(short) >= bound * mean(long)
        };
        different > 0 && (0..self.pairs.len()).step_by(part).any(contrary)
    }

    /// A sum of the times of so many calls without the probe's.
    fn net(&self, side: &Side, sum: f64, pairs: f64) -> f64 {
        if self.is_bound(side) { side.factor * pairs } else { side.factor * (sum - pairs * self.probe_ns) }
    }

    fn mean(&self, side: &Side, of: impl Fn(&Sum) -> f64) -> f64 {
        self.mean_in(side, 0..self.pairs.len(), of)
    }

    fn mean_in(&self, side: &Side, windows: Range<usize>, of: impl Fn(&Sum) -> f64) -> f64 {
        let pairs: f64 = self.pairs[windows.clone()].iter().sum();
        let sum: f64 = side.sums[windows].iter().map(of).sum();
        self.net(side, sum, pairs) / pairs
    }

    fn too_few(&self) -> Option<Need> {
        let windows = self.pairs.len() as u64;
        let needed = Rules::MIN_WINDOWS;
        (windows < needed).then(|| {
            let what =
                format!("{needed} windows with calls of all its methods are needed, and there are {windows}");
            Need::new(what, Some(needed as f64))
        })
    }

    /// The ratio of the short side to the long one, with all that is uncertain against the short side: for the least and the most
    /// that the probe may take.
    fn estimates(&self, short: &Side, long: &Side) -> Vec<RatioEstimate> {
        let whole = !self.is_bound(short) && (self.bound || self.has_longer_tail(short, long));
        let doubts: &[f64] =
            if self.probe_ns > 0.0 { &[-Rules::PROBE_DOUBT, Rules::PROBE_DOUBT] } else { &[0.0] };
        let windows = self.pairs.len() as f64;
        let estimate = |doubt: &f64| {
            let probe = self.probe_ns * (1.0 + doubt);
            let value = |side: &Side, sum: &Sum, pairs: f64, whole: bool, off: f64| {
                if self.is_bound(side) {
                    return side.factor * pairs;
                }
                // As if one more call as long as the longest had come: few long calls say little of how many there are.
                let sum = if whole { sum.raw + side.longest / windows } else { sum.clipped };
                side.factor * (sum + pairs * (off - probe))
            };
            let sums: Vec<(f64, f64)> = self
                .pairs
                .iter()
                .zip(short.sums.iter().zip(&long.sums))
                .map(|(&pairs, (x, y))| {
                    (value(short, x, pairs, whole, short.doubt), value(long, y, pairs, false, -long.doubt))
                })
                .collect();
            RatioEstimate::of_windows(&sums)
        };
        let found: Vec<_> = doubts.iter().filter_map(estimate).collect();
        if found.len() == doubts.len() { found } else { Vec::new() }
    }

    /// Whether calls that are clipped are more frequent on the one side than chance would have it.
    fn has_longer_tail(&self, side: &Side, other: &Side) -> bool {
        let part = side.n as f64 / (side.n + other.n) as f64;
        share_at_least(side.cut, side.cut + other.cut, part) < Rules::UNLIKE_TAILS
    }

    /// Blocks of windows of the ratio against their neighbours: how many comparisons, and how many differ.
    pub(super) fn self_check(&self) -> (u64, u64) {
        let mean = |side: &Side| self.mean(side, |sum| sum.clipped);
        let (left, right) = (mean(&self.left), mean(&self.right));
        let windows = self.pairs.iter().zip(self.left.sums.iter().zip(&self.right.sums));
        let differences: Vec<f64> = windows
            .map(|(&pairs, (x, y))| {
                self.net(&self.left, x.clipped, pairs) / left
                    - self.net(&self.right, y.clipped, pairs) / right
            })
            .collect();
        block_contrasts(&differences)
    }

    /// What there is to be seen; `None` before there are two windows.
    pub(super) fn look(&self, level: f64) -> Option<Look> {
        let high = self.estimates(&self.left, &self.right);
        let low = self.estimates(&self.right, &self.left);
        let central = high.first()?;
        let end = |estimates: &[RatioEstimate]| {
            estimates.iter().map(|one| one.interval(level, Rules::SCALE).1).fold(0.0, f64::max)
        };
        let ratio = |of: fn(&Sum) -> f64| self.mean(&self.left, of) / self.mean(&self.right, of);
        let (ratio, raw_ratio) = (ratio(|sum| sum.clipped), ratio(|sum| sum.raw));
        let (low, high) = (end(&low).recip(), end(&high));
        Some(Look {
            windows: self.pairs.len() as u64,
            pairs: self.pairs.iter().sum::<f64>().round() as u64,
            n_effective: central.n_eff,
            ratio,
            low,
            high,
            raw_ratio,
            clipped: self.left.cut + self.right.cut,
            tail_dependent: !(low..=high).contains(&raw_ratio),
            self_check: self.self_check(),
        })
    }

    /// Welch's test of the times as they came, on effective numbers of calls. `None` without a variance, and with a bound.
    pub(super) fn welch(&self) -> Option<Welch> {
        let side = |side: &Side| {
            let summary = Summary::of_integers(side.times.iter().copied()).ok()?;
            let scaled = summary.scaled(side.factor).ok()?;
            Some((scaled, self.effective(side, &summary)))
        };
        let (left, right) = (side(&self.left)?, side(&self.right)?);
        Some(welch_effective((&left.0, left.1), (&right.0, right.1)))
    }

    /// Independent calls that would tell as much of a side's mean.
    fn effective(&self, side: &Side, summary: &Summary) -> f64 {
        let sums: Vec<(f64, f64)> =
            side.sums.iter().zip(&self.pairs).map(|(sum, &pairs)| (sum.raw, pairs)).collect();
        let of_windows = RatioEstimate::of_windows(&sums).map(|one| one.variance * one.ratio * one.ratio);
        let n = side.n as f64;
        match of_windows {
            Some(squared_error) if squared_error > 0.0 => (summary.variance() / squared_error).min(n),
            _ => n,
        }
    }
}

/// Where the calls of a side are clipped in each bucket.
fn clips<'a>(
    shared: &[Vec<&'a Turn>],
    side: usize,
    scope: Option<&Bucket>,
    probe_ns: f64,
) -> BTreeMap<&'a Bucket, f64> {
    let mut times: BTreeMap<&Bucket, Vec<f64>> = BTreeMap::new();
    for turn in shared.iter().filter_map(|turns| turns.get(side)) {
        for (bucket, calls) in
            turn.calls.iter().filter(|(bucket, _)| scope.is_none_or(|scope| scope == *bucket))
        {
            times.entry(bucket).or_default().extend(calls.iter().map(|&time| time as f64));
        }
    }
    let clip = |times: &mut Vec<f64>| {
        median(times).map_or(f64::INFINITY, |median| (median - probe_ns).max(1.0) * Rules::CLIP + probe_ns)
    };
    times.iter_mut().map(|(bucket, times)| (*bucket, clip(times))).collect()
}

/// The clock's step, as far as the first times show it: the smallest difference between two of them, at least 1 ns.
fn clock_step(times: &[u64]) -> f64 {
    const LOOKED_AT: usize = 1000;
    if times.is_empty() {
        return 0.0;
    }
    let mut first = times.get(..LOOKED_AT).unwrap_or(times).to_vec();
    first.sort_unstable();
    let steps = first.windows(2).map(|pair| pair[1] - pair[0]).filter(|&step| step > 0);
    steps.min().unwrap_or(1) as f64
}
