//! Medians and percentiles, compared with a bound, with one another or with a mean, by way of every bound between them.
//!
//! The number of calls that are longer than a bound says on which side of it a quantile lies, whatever the distribution. If the
//! left location is not below the right one, some bound lies between them: the evidence against that is, for the least favourable
//! bound, the product of both sides' evidence.

use super::history::Turn;
use super::rules::{Need, Rules, Weight};
use spl_model::Bucket;
use spl_stats::sequential::{RatioEstimate, autocorrelation_of, calls_for_share, ln_e_share_over};
use std::collections::BTreeMap;

/// One side's location.
#[derive(Clone, Debug)]
pub(super) enum Location {
    Quantile(Quantile),
    Mean { estimate: RatioEstimate, n: u64 },
    Bound(f64),
}

/// A quantile of scaled times without the probe's.
#[derive(Clone, Debug)]
pub(super) struct Quantile {
    ascending: Vec<f64>,
    share: f64,
    /// The times of each window, ascending.
    windows: Vec<Vec<f64>>,
    censored: u64,
}

impl Quantile {
    /// Of the calls of one side in windows, in one bucket or in all; where there are several buckets, of each as many as the side with
    /// fewest has, evenly spread.
    pub(super) fn of(
        shared: &[Vec<&Turn>],
        side: usize,
        scope: Option<&Bucket>,
        (factor, share): (f64, f64),
        probe_ns: f64,
    ) -> Self {
        let mut counts: BTreeMap<&Bucket, Vec<usize>> = BTreeMap::new();
        for turns in shared {
            for (at, turn) in turns.iter().enumerate() {
                for (bucket, calls) in &turn.calls {
                    counts.entry(bucket).or_insert_with(|| vec![0; turns.len()])[at] += calls.len();
                }
            }
        }
        let several = counts.keys().filter(|bucket| scope.is_none_or(|scope| scope == **bucket)).count() > 1;
        let mut windows: Vec<Vec<f64>> = Vec::new();
        let mut seen: BTreeMap<&Bucket, usize> = BTreeMap::new();
        let mut censored = 0;
        for turns in shared {
            let mut chosen = Vec::new();
            for (bucket, calls) in &turns[side].calls {
                let Some(counts) = counts.get(bucket).filter(|_| scope.is_none_or(|scope| scope == bucket))
                else {
                    continue;
                };
                // Of each bucket as many as the side with fewest has, evenly spread.
                let wanted = if several { counts.iter().copied().min().unwrap_or(0) } else { counts[side] };
                let all = counts[side];
                let seen = seen.entry(bucket).or_default();
                for &time in calls {
                    if (*seen + 1) * wanted / all > *seen * wanted / all {
                        chosen.push((time as f64 - probe_ns).max(0.0) * factor);
                    }
                    *seen += 1;
                }
            }
            censored += u64::from(turns[side].censored);
            windows.extend((!chosen.is_empty()).then_some(chosen));
        }
        windows.iter_mut().for_each(|window| window.sort_by(f64::total_cmp));
        let mut ascending: Vec<f64> = windows.iter().flatten().copied().collect();
        ascending.sort_by(f64::total_cmp);
        Self { ascending, share, windows, censored }
    }

    /// How much calls, and windows, depend on each other in being longer than a bound: so many tell as much as one.
    fn effects(&self, bound: f64) -> (f64, f64) {
        let longer = |times: &[f64]| (times.len() - times.partition_point(|&time| time <= bound)) as f64;
        let n = self.ascending.len() as f64;
        let part = longer(&self.ascending) / n;
        let counts: Vec<f64> =
            self.windows.iter().map(|window| longer(window) - part * window.len() as f64).collect();
        let independent = n * part * (1.0 - part);
        if independent <= 0.0 {
            return (1.0, 1.0);
        }
        let (squares, tau) = autocorrelation_of(&counts);
        (f64::max(1.0, squares * tau / independent), tau)
    }

    /// The effects at a bound, or where the quantile itself seems to be, if they are greater there.
    fn effect(&self, bound: f64) -> f64 {
        self.effects(bound).0.max(self.effects(self.estimate()).0)
    }

    pub(super) fn n(&self) -> u64 {
        self.ascending.len() as u64
    }

    /// The smallest time that the part `share` of the times doesn't exceed.
    pub(super) fn estimate(&self) -> f64 {
        let rank = (self.share * self.ascending.len() as f64).ceil() as usize;
        self.ascending.get(rank.clamp(1, self.ascending.len().max(1)) - 1).copied().unwrap_or(f64::NAN)
    }

    /// ln of the e-value against "the quantile is at least `bound`".
    fn ln_e_below(&self, bound: f64) -> f64 {
        let (effect, n) = (self.effect(bound), self.ascending.len() as f64);
        let under = self.ascending.partition_point(|&time| time < bound) as f64;
        ln_e_share_over(under / effect, n / effect, self.share)
    }

    /// ln of the e-value against "the quantile is at most `bound`".
    fn ln_e_above(&self, bound: f64) -> f64 {
        let (effect, n) = (self.effect(bound), self.ascending.len() as f64);
        let over = n - self.ascending.partition_point(|&time| time <= bound) as f64;
        ln_e_share_over(over / effect, n / effect, 1.0 - self.share)
    }

    /// What is missing to say anything of it.
    fn need(&self, bound: f64, level: f64) -> Option<Need> {
        let (windows, fewest) = (self.windows.len() as f64, Rules::MIN_WINDOWS as f64);
        if windows < fewest {
            let what = format!(
                "{fewest:.0} windows with calls of all its methods are needed, and there are {windows:.0}"
            );
            return Some(Need::new(what, Some(fewest)));
        }
        let (own, at_bound) = (self.effects(self.estimate()), self.effects(bound));
        let (n, rare) = (self.ascending.len() as f64, f64::min(self.share, 1.0 - self.share));
        let needed = calls_for_share(rare, level.recip()) as f64 * own.0.max(at_bound.0);
        if n < needed {
            let what = format!(
                "{} needs {needed:.0} calls at least, and there are {n:.0}",
                percent_name(self.share)
            );
            return Some(Need::new(what, Some(windows * needed / n)));
        }
        let effective = windows / own.1.max(at_bound.1);
        (effective < Rules::MIN_EFFECTIVE).then(|| {
            let what = format!(
                "the times depend on each other: {windows:.0} windows tell as much as {effective:.0}, and {:.0} are needed",
                Rules::MIN_EFFECTIVE
            );
            Need::new(what, Some(windows * Rules::MIN_EFFECTIVE / effective))
        })
    }
}

impl Location {
    fn ln_e_below(&self, bound: f64) -> f64 {
        match self {
            Self::Quantile(quantile) => quantile.ln_e_below(bound),
            Self::Mean { .. } if bound <= 0.0 => f64::NEG_INFINITY,
            Self::Mean { estimate, .. } if bound.is_finite() => {
                estimate.evidence(bound, Rules::SCALE).ln_e_below
            }
            Self::Mean { .. } => f64::INFINITY,
            Self::Bound(own) => certain(*own < bound),
        }
    }

    fn ln_e_above(&self, bound: f64) -> f64 {
        match self {
            Self::Quantile(quantile) => quantile.ln_e_above(bound),
            Self::Mean { .. } if bound <= 0.0 => f64::INFINITY,
            Self::Mean { estimate, .. } if bound.is_finite() => {
                estimate.evidence(bound, Rules::SCALE).ln_e_above
            }
            Self::Mean { .. } => f64::NEG_INFINITY,
            Self::Bound(own) => certain(*own > bound),
        }
    }

    fn need(&self, bound: f64, level: f64) -> Option<Need> {
        match self {
            Self::Quantile(quantile) => quantile.need(bound, level),
            Self::Mean { .. } | Self::Bound(_) => None,
        }
    }

    /// Estimate, scaled.
    pub(super) fn estimate(&self) -> f64 {
        match self {
            Self::Quantile(quantile) => quantile.estimate(),
            Self::Mean { estimate, .. } => estimate.ratio,
            Self::Bound(bound) => *bound,
        }
    }
}

/// Weight of "left is less than `by` times right".
pub(super) fn below(left: &Location, right: &Location, by: f64, rules: &Rules) -> Weight {
    let need = left
        .need(right.estimate() * by, rules.level)
        .or_else(|| right.need(left.estimate() / by, rules.level));
    if let Some(need) = need {
        return Weight::none(need);
    }
    let ln_e = match (left, right) {
        (_, Location::Bound(bound)) => left.ln_e_below(bound * by),
        (Location::Bound(bound), _) => right.ln_e_above(bound / by),
        _ => between(left, right, by, -rules.level.ln()),
    };
    let weight = Weight::of(ln_e);
    if weight.p > rules.level {
        let windows = [left, right].into_iter().filter_map(|one| match one {
            Location::Quantile(quantile) => Some(quantile.windows.len() as f64),
            _ => None,
        });
        let reach =
            windows.reduce(f64::max).filter(|_| ln_e > 0.5).map(|windows| windows * -rules.level.ln() / ln_e);
        return Weight { need: Some(Need::new("the evidence does not suffice either way", reach)), ..weight };
    }
    match left {
        Location::Quantile(Quantile { censored, .. }) if *censored > 0 => {
            let what = format!("calls of {censored} windows had not ended when they were judged");
            Weight::none(Need::new(what, None))
        }
        _ => weight,
    }
}

/// The least that the evidence of both sides comes to at any bound; some value under the threshold when it is under it.
fn between(left: &Location, right: &Location, by: f64, threshold: f64) -> f64 {
    const TRIALS: usize = 8;
    let at = |bound: f64| left.ln_e_below(bound) + right.ln_e_above(bound / by);
    let (low, high) = (left.estimate(), right.estimate() * by);
    let trial = |index: usize| low + (high - low) * index as f64 / TRIALS as f64;
    let tried = (0..=TRIALS).map(|index| at(trial(index))).fold(f64::INFINITY, f64::min);
    if tried < threshold {
        return tried;
    }
    // Between neighbouring values of a quantile its own evidence stays and the other side's is monotone, so the least lies on a
    // value, or beyond all of them. From one value to the next of those that are tried it changes little.
    match (left, right) {
        (Location::Quantile(one), _) => spread(&one.ascending).map(at).fold(at(f64::INFINITY), f64::min),
        (_, Location::Quantile(two)) => {
            spread(&two.ascending).map(|value| at(value * by)).fold(at(0.0), f64::min)
        }
        _ => f64::NEG_INFINITY,
    }
}

/// Values from all of them: every one of few, and as many of many, evenly spread.
fn spread(ascending: &[f64]) -> impl Iterator<Item = f64> {
    const MOST: usize = 200;
    ascending.iter().copied().step_by(ascending.len().div_ceil(MOST).max(1)).chain(ascending.last().copied())
}

fn certain(yes: bool) -> f64 {
    if yes { f64::INFINITY } else { f64::NEG_INFINITY }
}

fn percent_name(share: f64) -> String {
    if share == 0.5 { "a median".to_owned() } else { format!("a p{}", (share * 1e8).round() / 1e6) }
}
