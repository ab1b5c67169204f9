//! Means of two sides, or of one and a bound, compared by the windows that both were called in.
//!
//! Each side's mean is that of all its calls, and windows are what varies. Workload sizes weigh as much on one side as on the other.
//! What is sure of a mean is that of its calls clipped; what is cut off counts in full on the side that is to be shown the shorter, unless both sides
//! have alike many such calls: then they come from the machine, or belong to both.

use super::history::Turn;
use super::rules::{Need, Rules, Weight};
use spl_model::Bucket;
use spl_stats::sequential::RatioEstimate;
use spl_stats::{Summary, Welch, block_contrasts, median, share_at_least, welch_effective};
use std::collections::BTreeSet;
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

/// The calls of one side in one window, or in many, of one workload size.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    n: f64,
    clipped: f64,
    raw: f64,
}

impl Cell {
    fn add(&mut self, other: Self) {
        self.n += other.n;
        self.clipped += other.clipped;
        self.raw += other.raw;
    }

    fn sum(&self, whole: bool) -> f64 {
        if whole { self.raw } else { self.clipped }
    }
}

/// One side over all windows.
#[derive(Clone, Debug, Default)]
struct Side {
    factor: f64,
    /// The bound itself has no calls.
    bound: bool,
    /// For each window the cells of the buckets that have calls.
    windows: Vec<Vec<(usize, Cell)>>,
    /// Of each bucket over all windows.
    totals: Vec<Cell>,
    /// Calls that are compared.
    n: u64,
    /// Calls that were clipped.
    cut: u64,
    /// Length of the longest call, nanoseconds.
    longest: f64,
    /// Half a step of the clock, nanoseconds, by which a mean may be off.
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
    windows: usize,
    /// The part that each bucket has in the comparison: of its calls as many count as the side with fewer has.
    weights: Vec<f64>,
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
        let methods = if sides.bound { 1 } else { 2 };
        let buckets = common_buckets(shared, methods, scope);
        let side = |index: usize, factor: f64| Side::of(shared, index, factor, &buckets, probe_ns);
        let left = side(0, sides.left);
        let right = if sides.bound {
            Side { factor: sides.right, bound: true, ..Side::default() }
        } else {
            side(1, sides.right)
        };
        let shares = (0..buckets.len()).map(|bucket| {
            let of = |side: &Side| if side.bound { f64::INFINITY } else { side.totals[bucket].n };
            of(&left).min(of(&right))
        });
        let all: f64 = shares.clone().sum();
        let weights = shares.map(|share| share / all).collect();
        let windows = left.windows.len();
        Self { left, right, windows, weights, probe_ns }
    }

    /// Calls that are compared of each side.
    pub(super) fn n(&self) -> [u64; 2] {
        [self.left.n, self.right.n]
    }

    /// The mean of each side's times as they came, scaled, without the probe's; nanoseconds.
    pub(super) fn estimates_ns(&self) -> [f64; 2] {
        [&self.left, &self.right].map(|side| self.mean(side, true))
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
        let windows = self.windows as f64;
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
        if short.censored > 0 && !short.bound {
            let what = format!("calls of {} windows had not ended when they were judged", short.censored);
            return Some(Need::new(what, None));
        }
        let mean = |side: &Side| self.mean(side, false);
        let gap = bound * mean(long) / mean(short) - 1.0;
        let needed = rules.calls_for_mean(gap);
        let calls = if short.bound { long.n } else { short.n };
        {
            if (calls as f64) < needed {
                let what = format!(
                    "a mean this near to its limit needs {needed:.0} calls, so that rare long ones are among them; there are {}",
                    calls
                );
                let windows = self.windows as f64 * needed / calls as f64;
                return Some(Need::new(what, Some(windows)));
            }
        }
        if self.mean(short, true) >= bound * self.mean(long, true) {
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
        let part = self.windows.div_ceil(PARTS);
        let contrary = |from: usize| {
            let windows = from..(from + part).min(self.windows);
            let mean = |side: &Side| {
                let totals = side.totals_of(windows.clone());
                side.scaled(side.mean_of(&totals, &self.weights, false) - self.probe_ns)
            };
            mean(short) >= bound * mean(long)
        };
        different > 0 && (0..self.windows).step_by(part).any(contrary)
    }

    /// A side's mean, scaled, without the probe's time; of the times clipped, or as they came.
    fn mean(&self, side: &Side, whole: bool) -> f64 {
        side.scaled(side.mean_of(&side.totals, &self.weights, whole) - self.probe_ns)
    }

    fn too_few(&self) -> Option<Need> {
        let needed = Rules::MIN_WINDOWS;
        (self.windows < needed as usize).then(|| {
            let what = format!(
                "{needed} windows with calls of all its methods are needed, and there are {}",
                self.windows
            );
            Need::new(what, Some(needed as f64))
        })
    }

    /// The ratio of the short side to the long one, with all that is uncertain against the short side: for the least and the most
    /// that the probe may take.
    fn estimates(&self, short: &Side, long: &Side) -> Vec<RatioEstimate> {
        let whole = !short.bound && (long.bound || has_longer_tail(short, long));
        let doubts: &[f64] =
            if self.probe_ns > 0.0 { &[-Rules::PROBE_DOUBT, Rules::PROBE_DOUBT] } else { &[0.0] };
        // As if one more window as bad as the worst had come: few long calls say little of how many there are.
        let off = if whole { short.worst() / short.n as f64 } else { 0.0 } + short.doubt;
        let estimate = |doubt: &f64| {
            let probe = self.probe_ns * (1.0 + doubt);
            let (x, of_short) = self.shares(short, whole, off - probe);
            let (y, of_long) = self.shares(long, false, -long.doubt - probe);
            let differences: Vec<f64> = of_short.iter().zip(&of_long).map(|(x, y)| x - y).collect();
            if x > 0.0 && y > 0.0 { RatioEstimate::of_differences(x / y, &differences) } else { None }
        };
        let found: Vec<_> = doubts.iter().filter_map(estimate).collect();
        if found.len() == doubts.len() { found } else { Vec::new() }
    }

    /// A side's mean, scaled, with `off` added to each time, and what each window adds to the mean's logarithm.
    fn shares(&self, side: &Side, whole: bool, off: f64) -> (f64, Vec<f64>) {
        if side.bound {
            return (side.factor, vec![0.0; self.windows]);
        }
        let mean = side.mean_of(&side.totals, &self.weights, whole) + off;
        let windows = self.windows as f64;
        let share = |cells: &Vec<(usize, Cell)>| {
            let of_cell = |(bucket, cell): &(usize, Cell)| {
                let total = &side.totals[*bucket];
                let excess = cell.sum(whole) - cell.n * total.sum(whole) / total.n;
                self.weights[*bucket] * excess * windows / total.n
            };
            cells.iter().map(of_cell).sum::<f64>() / mean
        };
        (side.factor * mean, side.windows.iter().map(share).collect())
    }

    /// Blocks of windows of the ratio against their neighbours: how many comparisons, and how many differ.
    pub(super) fn self_check(&self) -> (u64, u64) {
        let (_, left) = self.shares(&self.left, false, -self.probe_ns);
        let (_, right) = self.shares(&self.right, false, -self.probe_ns);
        block_contrasts(&left.iter().zip(&right).map(|(x, y)| x - y).collect::<Vec<_>>())
    }

    /// What there is to be seen; `None` before there are two windows.
    pub(super) fn look(&self, level: f64) -> Option<Look> {
        let high = self.estimates(&self.left, &self.right);
        let low = self.estimates(&self.right, &self.left);
        let central = high.first()?;
        let end = |estimates: &[RatioEstimate]| {
            estimates.iter().map(|one| one.interval(level, Rules::SCALE).1).fold(0.0, f64::max)
        };
        let ratio = |whole: bool| self.mean(&self.left, whole) / self.mean(&self.right, whole);
        let (ratio, raw_ratio) = (ratio(false), ratio(true));
        let (low, high) = (end(&low).recip(), end(&high));
        Some(Look {
            windows: self.windows as u64,
            pairs: self.left.n.min(self.right.n),
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
            Some((summary.scaled(side.factor).ok()?, self.effective(side, &summary)))
        };
        let (left, right) = (side(&self.left)?, side(&self.right)?);
        Some(welch_effective((&left.0, left.1), (&right.0, right.1)))
    }

    /// Independent calls that would tell as much of a side's mean.
    fn effective(&self, side: &Side, summary: &Summary) -> f64 {
        let (_, shares) = self.shares(side, true, 0.0);
        let n = side.n as f64;
        let relative = RatioEstimate::of_differences(1.0, &shares).map_or(0.0, |one| one.variance);
        let squared_error = relative * summary.mean() * summary.mean();
        if squared_error > 0.0 { (summary.variance() / squared_error).min(n) } else { n }
    }
}

impl Side {
    fn of(shared: &[Vec<&Turn>], index: usize, factor: f64, buckets: &[&Bucket], probe_ns: f64) -> Self {
        let mut side = Self { factor, totals: vec![Cell::default(); buckets.len()], ..Self::default() };
        let clips = clips(shared, index, buckets, probe_ns);
        for turns in shared {
            let mut cells = Vec::new();
            for (at, bucket) in buckets.iter().enumerate() {
                let Some(calls) = turns[index].calls.get(*bucket) else { continue };
                let mut cell = Cell { n: calls.len() as f64, ..Cell::default() };
                for &time in calls {
                    let time = time as f64;
                    cell.raw += time;
                    cell.clipped += time.min(clips[at]);
                    side.cut += u64::from(time > clips[at]);
                    side.longest = side.longest.max(time);
                }
                side.n += calls.len() as u64;
                side.times.extend(calls);
                side.totals[at].add(cell);
                cells.push((at, cell));
            }
            side.censored += u64::from(turns[index].censored);
            side.windows.push(cells);
        }
        side.doubt = clock_step(&side.times) / 2.0;
        side
    }

    /// The longest that a window's calls took together over what the clipped mean lets expect, or the longest call.
    fn worst(&self) -> f64 {
        let over = |cells: &Vec<(usize, Cell)>| {
            let of_cell = |(bucket, cell): &(usize, Cell)| {
                let total = &self.totals[*bucket];
                cell.raw - cell.n * total.clipped / total.n
            };
            cells.iter().map(of_cell).sum::<f64>()
        };
        self.windows.iter().map(over).fold(self.longest, f64::max)
    }

    fn totals_of(&self, windows: Range<usize>) -> Vec<Cell> {
        let mut totals = vec![Cell::default(); self.totals.len()];
        for (bucket, cell) in self.windows.get(windows).into_iter().flatten().flatten() {
            totals[*bucket].add(*cell);
        }
        totals
    }

    /// The mean of times whose buckets have these totals and weights; the weights of buckets without calls fall to the others.
    fn mean_of(&self, totals: &[Cell], weights: &[f64], whole: bool) -> f64 {
        let seen = || totals.iter().zip(weights).filter(|(total, _)| total.n > 0.0);
        let sum: f64 = seen().map(|(total, weight)| weight * total.sum(whole) / total.n).sum();
        sum / seen().map(|(_, weight)| weight).sum::<f64>()
    }

    /// A mean of times, scaled; or the bound.
    fn scaled(&self, mean: f64) -> f64 {
        if self.bound { self.factor } else { self.factor * mean }
    }
}

/// Whether calls that are clipped are more frequent on the one side than chance would have it.
fn has_longer_tail(side: &Side, other: &Side) -> bool {
    let part = side.n as f64 / (side.n + other.n) as f64;
    let cut = side.cut + other.cut;
    let chance = if cut < Rules::MANY_LONG { Rules::UNLIKE_FEW } else { Rules::UNLIKE_TAILS };
    share_at_least(side.cut, cut, part) <= chance
}

/// The buckets that all sides have calls in, of those that are meant.
fn common_buckets<'a>(shared: &[Vec<&'a Turn>], methods: usize, scope: Option<&Bucket>) -> Vec<&'a Bucket> {
    let of = |side: usize| -> BTreeSet<&'a Bucket> {
        let turns = shared.iter().filter_map(|turns| turns.get(side).copied());
        turns
            .flat_map(|turn| turn.calls.keys())
            .filter(|bucket| scope.is_none_or(|scope| scope == *bucket))
            .collect()
    };
    let all = (1..methods).fold(of(0), |common, side| &common & &of(side));
    all.into_iter().collect()
}

/// Where the calls of a side are clipped in each bucket.
fn clips(shared: &[Vec<&Turn>], side: usize, buckets: &[&Bucket], probe_ns: f64) -> Vec<f64> {
    let clip = |bucket: &&Bucket| {
        let turns = shared.iter().filter_map(|turns| turns[side].calls.get(*bucket));
        let mut times: Vec<f64> = turns.flatten().map(|&time| time as f64).collect();
        median(&mut times)
            .map_or(f64::INFINITY, |median| (median - probe_ns).max(1.0) * Rules::CLIP + probe_ns)
    };
    buckets.iter().map(clip).collect()
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
