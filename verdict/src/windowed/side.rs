//! One side of a comparison of means: its calls by window and stratum.

use super::history::Kept;
use super::rules::Rules;
use super::strata::Strata;
use super::tail::Tail;
use spl_stats::median;
use std::ops::Range;

/// Kind of times in a mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Times {
    /// Times clipped at the longest of the calls that are not rare, or near the median if that is longer: typical
    /// times.
    Typical,
    /// Times clipped far from the typical ones.
    Clipped,
    /// Times clipped as far beyond the median as those of the other side, in nanoseconds: delays by the
    /// machine are not longer for a longer call.
    Alike,
    /// Unclipped times.
    Whole,
}

/// The calls of one side in one window, or in many, of one stratum.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cell {
    pub(super) n: f64,
    typical: f64,
    clipped: f64,
    alike: f64,
    whole: f64,
}

/// One side over all windows.
#[derive(Clone, Debug, Default)]
pub(super) struct Side {
    pub(super) factor: f64,
    /// True if the side is a bound, which has no calls.
    pub(super) bound: bool,
    /// For each window the cells of the strata that have calls.
    pub(super) windows: Vec<Vec<(usize, Cell)>>,
    /// Totals of each stratum over all windows.
    pub(super) totals: Vec<Cell>,
    /// Number of compared calls.
    pub(super) n: u64,
    /// Number of clipped calls.
    pub(super) cut: u64,
    /// Length of the longest call, nanoseconds.
    pub(super) longest: f64,
    /// Half a step of the clock, nanoseconds, by which a mean of ties may be off.
    pub(super) doubt: f64,
    /// Its calls by stratum.
    pub(super) times: Vec<Vec<u64>>,
    /// Number of windows with a call whose end is unknown.
    pub(super) censored: u64,
}

/// The times of a side by stratum, and where most of them lie.
pub(super) struct Gathered {
    times: Vec<Vec<u64>>,
    pub(super) middles: Vec<Middle>,
}

/// Where most times of a side in a stratum lie.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Middle {
    /// The median without the probe's time, at least 1 ns.
    median: f64,
    /// The longest time of the calls that are not rare, as a multiple of the median.
    spread: f64,
}

impl Gathered {
    /// Gathers the side with this index.
    pub(super) fn of(shared: &[Vec<&Kept>], index: usize, strata: &Strata, probe_ns: f64) -> Self {
        let mut times = vec![Vec::new(); strata.len()];
        for (stratum, calls) in shared.iter().flat_map(|turns| &turns[index].strata) {
            if let Some(at) = strata.index(stratum) {
                times[at].extend(&calls.times);
            }
        }
        let middles = times.iter().enumerate().map(|(at, times)| {
            let middle = Middle::of(times, probe_ns);
            let is_known = middle.spread <= Rules::TYPICAL
                || middle.are_bursts_known(shared, (index, at), strata, probe_ns);
            if is_known { middle } else { Middle { spread: 1.0, ..middle } }
        });
        Self { middles: middles.collect(), times }
    }
}

impl Cell {
    fn add(&mut self, other: Self) {
        self.n += other.n;
        self.typical += other.typical;
        self.clipped += other.clipped;
        self.alike += other.alike;
        self.whole += other.whole;
    }

    pub(super) fn sum(&self, times: Times) -> f64 {
        match times {
            Times::Typical => self.typical,
            Times::Clipped => self.clipped,
            Times::Alike => self.alike,
            Times::Whole => self.whole,
        }
    }
}

impl Side {
    /// The side with this index, whose times were gathered; `other` has those of the other side, if there is
    /// one.
    pub(super) fn of(
        shared: &[Vec<&Kept>],
        index: usize,
        factor: f64,
        strata: &Strata,
        own: Gathered,
        other: Option<&[Middle]>,
        probe_ns: f64,
    ) -> Self {
        let beside = |at: usize| other.map_or(own.middles[at], |others| others[at]);
        let clips: Vec<Clips> = own
            .middles
            .iter()
            .enumerate()
            .map(|(at, &middle)| Clips::of(middle, beside(at), probe_ns))
            .collect();
        let times = own.times;
        let mut side = Self { factor, totals: vec![Cell::default(); strata.len()], ..Self::default() };
        for turns in shared {
            let turn = turns[index];
            let mut window: Vec<(usize, Cell)> = Vec::new();
            for (stratum, calls) in &turn.strata {
                let Some(at) = strata.index(stratum) else { continue };
                let cell = side.cell(&calls.times, clips[at]);
                match window.last_mut().filter(|(last, _)| *last == at) {
                    Some((_, last)) => last.add(cell),
                    None => window.push((at, cell)),
                }
            }
            for (at, cell) in &window {
                side.totals[*at].add(*cell);
            }
            side.censored += u64::from(turn.censored);
            side.windows.push(window);
        }
        side.n = times.iter().map(|times| times.len() as u64).sum();
        side.times = times;
        side
    }

    /// The cell of these times.
    fn cell(&mut self, times: &[u64], Clips { typical, clip, alike }: Clips) -> Cell {
        let mut cell = Cell { n: times.len() as f64, ..Cell::default() };
        for &time in times {
            let time = time as f64;
            cell.whole += time;
            cell.clipped += time.min(clip);
            cell.alike += time.min(alike);
            cell.typical += time.min(typical);
            self.cut += u64::from(time > clip);
            self.longest = self.longest.max(time);
        }
        cell
    }

    /// The largest excess of a window's calls over the clipped mean, or the longest call.
    pub(super) fn worst(&self) -> f64 {
        let over = |cells: &Vec<(usize, Cell)>| {
            let of_cell = |(at, cell): &(usize, Cell)| {
                let total = &self.totals[*at];
                cell.whole - cell.n * total.clipped / total.n
            };
            cells.iter().map(of_cell).sum::<f64>()
        };
        self.windows.iter().map(over).fold(self.longest, f64::max)
    }

    pub(super) fn totals_of(&self, windows: Range<usize>) -> Vec<Cell> {
        let mut totals = vec![Cell::default(); self.totals.len()];
        for (at, cell) in self.windows.get(windows).into_iter().flatten().flatten() {
            totals[*at].add(*cell);
        }
        totals
    }

    /// The mean of times whose strata have these totals and weights; the weights of strata without calls go
    /// to the others.
    pub(super) fn mean_of(&self, totals: &[Cell], weights: &[f64], times: Times) -> f64 {
        let seen = || totals.iter().zip(weights).filter(|(total, _)| total.n > 0.0);
        let sum: f64 = seen().map(|(total, weight)| weight * total.sum(times) / total.n).sum();
        sum / seen().map(|(_, weight)| weight).sum::<f64>()
    }

    /// Contribution of each window to the mean by which `more` exceeds `less`.
    pub(super) fn beyond(&self, weights: &[f64], [more, less]: [Times; 2]) -> Vec<f64> {
        let of_cell = |(at, cell): &(usize, Cell)| {
            weights[*at] * (cell.sum(more) - cell.sum(less)) / self.totals[*at].n
        };
        self.windows.iter().map(|cells| cells.iter().map(of_cell).sum()).collect()
    }

    /// A mean of times, scaled; or the bound.
    pub(super) fn scaled(&self, mean: f64) -> f64 {
        if self.bound { self.factor } else { self.factor * mean }
    }
}

impl Middle {
    fn of(times: &[u64], probe_ns: f64) -> Self {
        let mut times: Vec<f64> = times.iter().map(|&time| time as f64).collect();
        let own = |time: f64| (time - probe_ns).max(Rules::LEAST_NS);
        let median = median(&mut times).map_or(f64::INFINITY, own);
        // A few long calls are rare in any case: their share is not known.
        let rare = f64::max(Rules::RARE * times.len() as f64, Rules::MIN_BURSTS).ceil() as usize;
        let longest = times.len().checked_sub(rare + 1).map(|rank| {
            let (_, longest, _) = times.select_nth_unstable_by(rank, f64::total_cmp);
            own(*longest)
        });
        // A median that the probe's time hides would make any call a long one.
        Self { median, spread: longest.map_or(1.0, |longest| longest / median.max(probe_ns)) }
    }

    /// Whether the calls of a side in a stratum that are over the typical times form more bursts than chance explains.
    fn are_bursts_known(
        &self,
        shared: &[Vec<&Kept>],
        (side, at): (usize, usize),
        strata: &Strata,
        probe_ns: f64,
    ) -> bool {
        let typical = self.median * Rules::TYPICAL + probe_ns;
        let of_window = |turns: &Vec<&Kept>| {
            let in_it = turns[side].strata.iter().filter(|(stratum, _)| strata.index(stratum) == Some(at));
            let times = in_it.flat_map(|(_, calls)| &calls.times);
            times.map(|&time| (time as f64 - typical).max(0.0)).sum::<f64>()
        };
        Tail::of(&shared.iter().map(of_window).collect::<Vec<_>>()).is_known()
    }
}

/// Where the times of a side in a stratum are clipped, nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Clips {
    typical: f64,
    clip: f64,
    alike: f64,
}

impl Clips {
    /// Both sides are clipped at the same multiple of their medians: otherwise the one whose long calls are just
    /// rare would lose them, and the other one not.
    fn of(own: Middle, other: Middle, probe_ns: f64) -> Self {
        let typical = own.spread.max(other.spread).max(Rules::TYPICAL);
        let clip = typical / Rules::TYPICAL * Rules::CLIP;
        let shorter = own.median.min(other.median);
        Self {
            typical: own.median * typical + probe_ns,
            clip: own.median * clip + probe_ns,
            alike: f64::max(own.median + (clip - 1.0) * shorter, own.median * typical) + probe_ns,
        }
    }
}

/// Calls of a side that are checked for ties.
const LOOKED_AT: usize = 1000;
/// Times are tied if at most one in this number differs.
const TIED: usize = 20;

/// Sets the possible error of the mean of a side whose times are nearly all tied: half a step of the clock,
/// as far as the times of both sides show it. Reading a clock at random phases of its step gives the right
/// mean, and the variance covers the rest; ties may all have the same phase.
pub(super) fn doubt_ties(sides: [&mut Side; 2]) {
    let first = |side: &Side| -> Vec<u64> {
        let mut first: Vec<u64> = side.times.iter().flatten().copied().take(LOOKED_AT).collect();
        first.sort_unstable();
        first
    };
    let is_tied = |first: &[u64]| {
        let most = first.chunk_by(|one, other| one == other).map(<[u64]>::len).max().unwrap_or(0);
        (first.len() - most) * TIED <= first.len()
    };
    let firsts = [first(sides[0]), first(sides[1])];
    let mut both: Vec<u64> = firsts.concat();
    both.sort_unstable();
    let step = both.windows(2).map(|two| two[1] - two[0]).filter(|&step| step > 0).min().unwrap_or(1);
    for (side, first) in sides.into_iter().zip(firsts) {
        side.doubt = if !first.is_empty() && is_tied(&first) { step as f64 / 2.0 } else { 0.0 };
    }
}
