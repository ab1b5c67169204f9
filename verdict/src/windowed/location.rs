//! Medians and percentiles, compared with a bound, with one another or with a mean, through every bound
//! between them.
//! If the left location is not below the right one, some bound lies between them: the evidence against that
//! is that of the least favourable bound. At each bound it is the product of both sides' evidence, or that of
//! the differences within windows, on average.

use super::quantile::Quantile;
use super::rules::{Need, Rules, Weight};
use spl_stats::sequential::RatioEstimate;
use std::f64::consts::LN_2;

/// One side's location.
#[derive(Clone, Debug)]
pub(super) enum Location {
    Quantile(Quantile),
    Mean { estimate: RatioEstimate, n: u64 },
    Bound(f64),
}

impl Location {
    fn ln_e_below(&self, bound: f64) -> f64 {
        match self {
            Self::Quantile(quantile) => quantile.ln_e_below(bound),
            Self::Mean { .. } if bound <= 0.0 => hedged(f64::NEG_INFINITY),
            Self::Mean { estimate, .. } if bound.is_finite() => {
                hedged(estimate.evidence(bound, Rules::SCALE).ln_e_below)
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
                hedged(estimate.evidence(bound, Rules::SCALE).ln_e_above)
            }
            Self::Mean { .. } => hedged(f64::NEG_INFINITY),
            Self::Bound(own) => certain(*own > bound),
        }
    }

    /// Data that are missing for every bound.
    fn too_few(&self, bound: f64, level: f64) -> Option<Need> {
        match self {
            Self::Quantile(quantile) => quantile.too_few(bound, level),
            Self::Mean { .. } | Self::Bound(_) => None,
        }
    }

    /// Data that are missing to know the dependence of its calls.
    fn dependent(&self, bound: f64, far: f64) -> Option<Need> {
        match self {
            Self::Quantile(quantile) => quantile.dependent(bound, far),
            Self::Mean { .. } | Self::Bound(_) => None,
        }
    }

    /// The estimate, scaled.
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
    let of_ratios = of_ratios(left, right, by).map(Weight::of).filter(|weight| weight.p <= rules.level);
    if let Some(weight) = of_ratios {
        return weight;
    }
    let (of_left, of_right) = (right.estimate() * by, left.estimate() / by);
    let too_few = left.too_few(of_left, rules.level).or_else(|| right.too_few(of_right, rules.level));
    if let Some(need) = too_few {
        return Weight::none(need);
    }
    // Between two locations the evidence counts at every bound, including those near both.
    let is_alone = matches!(left, Location::Bound(_)) || matches!(right, Location::Bound(_));
    let far = if is_alone { Rules::MIN_FAR } else { Rules::MIN_EFFECTIVE };
    let dependent = left.dependent(of_left, far).or_else(|| right.dependent(of_right, far));
    let threshold = -rules.level.ln();
    let ln_e = match (left, right) {
        (Location::Quantile(one), Location::Quantile(two)) => {
            // The ratios within windows are the other half.
            between_quantiles(one, two, by, dependent.is_none(), threshold + LN_2) - LN_2
        }
        _ if dependent.is_some() => f64::NEG_INFINITY,
        (_, Location::Bound(bound)) => left.ln_e_below(bound * by),
        (Location::Bound(bound), _) => right.ln_e_above(bound / by),
        _ => between(left, right, by, threshold),
    };
    let weight = Weight::of(ln_e);
    if weight.p > rules.level {
        let windows = [left, right].into_iter().filter_map(|one| match one {
            Location::Quantile(quantile) => Some(quantile.filled() as f64),
            Location::Mean { .. } | Location::Bound(_) => None,
        });
        let reach = windows.reduce(f64::max).filter(|_| ln_e > 0.5).map(|windows| windows * threshold / ln_e);
        let need = dependent.unwrap_or_else(|| Need::evidence(reach));
        return Weight { need: Some(need), ..weight };
    }
    if contradicts(left, right, by) { Weight::none(Need::contradiction()) } else { weight }
}

/// Evidence of the ratios of both sides within windows, where nearly all of them agree with each other and
/// with the sides as a whole. It is half of the weighed evidence.
fn of_ratios(left: &Location, right: &Location, by: f64) -> Option<f64> {
    let (Location::Quantile(one), Location::Quantile(two)) = (left, right) else { return None };
    let is_below = one.estimate() < two.estimate() * by;
    one.ratios(two).filter(|_| is_below)?.ln_e_far_below(by).map(|ln_e| ln_e - LN_2)
}

/// Whether parts of the measurement differ by more than chance explains, and some say the contrary.
fn contradicts(left: &Location, right: &Location, by: f64) -> bool {
    match (left, right) {
        (Location::Quantile(one), Location::Quantile(two)) => {
            let bound = f64::midpoint(left.estimate(), right.estimate() * by);
            one.contradicts_paired(bound, two, bound / by)
        }
        (Location::Quantile(one), Location::Bound(bound)) => one.contradicts_below(bound * by),
        (Location::Bound(bound), Location::Quantile(two)) => two.contradicts_above(bound / by),
        _ => false,
    }
}

/// The least evidence of both sides and their differences at any bound; once a value is under the threshold,
/// that value.
fn between_quantiles(left: &Quantile, right: &Quantile, by: f64, is_settled: bool, threshold: f64) -> f64 {
    let at = |bound: f64| {
        let of_right = bound / by;
        let sides = left.known_below(bound, is_settled) + right.known_above(of_right, is_settled);
        if sides > threshold + LN_2 {
            return sides - LN_2;
        }
        let paired = left.ln_e_paired(bound, right, of_right);
        let (less, more) = if sides < paired { (sides, paired) } else { (paired, sides) };
        if more.is_finite() { more + (less - more).exp().ln_1p() - LN_2 } else { more }
    };
    let ends = [left.estimate(), right.estimate() * by];
    let bounds =
        trials(ends).chain(spread(&left.ascending)).chain(spread(&right.ascending).map(|one| one * by));
    least(bounds.chain([0.0, f64::INFINITY]).map(at), threshold)
}

/// The least evidence of both sides together at any bound; once a value is under the threshold, that value.
fn between(left: &Location, right: &Location, by: f64, threshold: f64) -> f64 {
    let at = |bound: f64| left.ln_e_below(bound) + right.ln_e_above(bound / by);
    let ends = [left.estimate(), right.estimate() * by];
    // Between neighbouring values of a quantile its own evidence is constant and the other side's is
    // monotone, so the least lies on a value or outside all of them. It changes little from one tried value
    // to the next.
    match (left, right) {
        (Location::Quantile(one), _) => {
            least(trials(ends).chain(spread(&one.ascending)).chain([f64::INFINITY]).map(at), threshold)
        }
        (_, Location::Quantile(two)) => {
            let values = spread(&two.ascending).map(|value| value * by);
            least(trials(ends).chain(values).chain([0.0]).map(at), threshold)
        }
        _ => f64::NEG_INFINITY,
    }
}

/// Bounds between two ends.
fn trials([low, high]: [f64; 2]) -> impl Iterator<Item = f64> {
    const TRIALS: usize = 8;
    (0..=TRIALS).map(move |index| low + (high - low) * index as f64 / TRIALS as f64)
}

/// The least of these, or the first under the threshold.
fn least(evidence: impl Iterator<Item = f64>, threshold: f64) -> f64 {
    let mut least = f64::INFINITY;
    for ln_e in evidence {
        least = least.min(ln_e);
        if least < threshold {
            break;
        }
    }
    least
}

/// All of a few values, or a fixed number of many, evenly spread.
fn spread(ascending: &[f64]) -> impl Iterator<Item = f64> {
    const MOST: usize = 200;
    ascending.iter().copied().step_by(ascending.len().div_ceil(MOST).max(1)).chain(ascending.last().copied())
}

/// ln of the mean of an e-value and 1, which is an e-value too: at bounds far away, where a mean has no
/// evidence, the quantile decides.
fn hedged(ln_e: f64) -> f64 {
    if ln_e > 0.0 { ln_e + (-ln_e).exp().ln_1p() - LN_2 } else { ln_e.exp().ln_1p() - LN_2 }
}

fn certain(yes: bool) -> f64 {
    if yes { f64::INFINITY } else { f64::NEG_INFINITY }
}
