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
    /// Calls that tell as much as one that is independent.
    effect: f64,
    /// Windows that tell as much as one that is independent.
    windows_effect: f64,
    windows: u64,
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
                let Some(counts) = counts.get(bucket).filter(|_| scope.is_none_or(|scope| scope == bucket)) else { continue };
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
        let mut ascending: Vec<f64> = windows.iter().flatten().copied().collect();
        ascending.sort_by(f64::total_cmp);
        let mut quantile =
            Self { ascending, share, effect: 1.0, windows_effect: 1.0, windows: windows.len() as u64, censored };
        quantile.find_effect(&windows);
        quantile
    }

    /// How much calls of a window, and windows, depend on each other: by the calls over the estimate.
    fn find_effect(&mut self, windows: &[Vec<f64>]) {
        let middle = self.estimate();
        let (n, rare) = (self.ascending.len() as f64, 1.0 - self.share);
        let over = self.ascending.iter().filter(|&&time| time > middle).count() as f64 / n;
        let counts: Vec<f64> = windows
            .iter()
            .map(|calls| calls.iter().filter(|&&time| time > middle).count() as f64 - over * calls.len() as f64)
            .collect();
        let (squares, tau) = autocorrelation_of(&counts);
        let independent = n * over * (1.0 - over);
        if independent > 0.0 && rare > 0.0 {
            self.effect = f64::max(1.0, squares * tau / independent);
            self.windows_effect = tau;
        }
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
        let under = self.ascending.partition_point(|&time| time < bound) as f64;
        ln_e_share_over(under / self.effect, self.ascending.len() as f64 / self.effect, self.share)
    }

    /// ln of the e-value against "the quantile is at most `bound`".
    fn ln_e_above(&self, bound: f64) -> f64 {
        let n = self.ascending.len() as f64;
        let over = n - self.ascending.partition_point(|&time| time <= bound) as f64;
        ln_e_share_over(over / self.effect, n / self.effect, 1.0 - self.share)
    }

    /// What is missing to say anything of it.
    fn need(&self, level: f64) -> Option<Need> {
        let (windows, fewest) = (self.windows as f64, Rules::MIN_WINDOWS as f64);
        if windows < fewest {
            let what = format!("{fewest:.0} windows with calls of all its methods are needed, and there are {windows:.0}");
            return Some(Need::new(what, Some(fewest)));
        }
        let effective = windows / self.windows_effect;
        if effective < Rules::MIN_EFFECTIVE {
            let what = format!(
                "the times depend on each other: {windows:.0} windows tell as much as {effective:.0}, and {:.0} are needed",
                Rules::MIN_EFFECTIVE
            );
            return Some(Need::new(what, Some(windows * Rules::MIN_EFFECTIVE / effective)));
        }
        let (n, rare) = (self.ascending.len() as f64, f64::min(self.share, 1.0 - self.share));
        let needed = calls_for_share(rare, level.recip()) as f64 * self.effect;
        (n < needed).then(|| {
            let name = percent_name(self.share);
            let what = format!("{name} needs {needed:.0} calls at least, and there are {n:.0}");
            Need::new(what, Some(windows * needed / n))
        })
    }
}

impl Location {
    fn ln_e_below(&self, bound: f64) -> f64 {
        match self {
            Self::Quantile(quantile) => quantile.ln_e_below(bound),
            Self::Mean { .. } if bound <= 0.0 => f64::NEG_INFINITY,
            Self::Mean { estimate, .. } if bound.is_finite() => estimate.evidence(bound, Rules::SCALE).ln_e_below,
            Self::Mean { .. } => f64::INFINITY,
            Self::Bound(own) => certain(*own < bound),
        }
    }

    fn ln_e_above(&self, bound: f64) -> f64 {
        match self {
            Self::Quantile(quantile) => quantile.ln_e_above(bound),
            Self::Mean { .. } if bound <= 0.0 => f64::INFINITY,
            Self::Mean { estimate, .. } if bound.is_finite() => estimate.evidence(bound, Rules::SCALE).ln_e_above,
            Self::Mean { .. } => f64::NEG_INFINITY,
            Self::Bound(own) => certain(*own > bound),
        }
    }

    fn need(&self, level: f64) -> Option<Need> {
        match self {
            Self::Quantile(quantile) => quantile.need(level),
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
    if let Some(need) = left.need(rules.level).or_else(|| right.need(rules.level)) {
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
            Location::Quantile(quantile) => Some(quantile.windows as f64),
            _ => None,
        });
        let reach = windows.reduce(f64::max).filter(|_| ln_e > 0.5).map(|windows| windows * -rules.level.ln() / ln_e);
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
    // value, or beyond all of them.
    match (left, right) {
        (Location::Quantile(one), _) => distinct(&one.ascending).map(at).fold(at(f64::INFINITY), f64::min),
        (_, Location::Quantile(two)) => {
            distinct(&two.ascending).map(|value| at(value * by)).fold(at(0.0), f64::min)
        }
        _ => f64::NEG_INFINITY,
    }
}

fn distinct(ascending: &[f64]) -> impl Iterator<Item = f64> {
    ascending.chunk_by(|one, next| one == next).map(|equal| equal[0])
}

fn certain(yes: bool) -> f64 {
    if yes { f64::INFINITY } else { f64::NEG_INFINITY }
}

fn percent_name(share: f64) -> String {
    if share == 0.5 { "a median".to_owned() } else { format!("a p{}", (share * 1e8).round() / 1e6) }
}
