//! The state machine of the sequential mode: each window that goes in gives one look.

use super::pairs::Pairs;
use super::{Evidence, RatioEstimate};

/// Settings of a sequential comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The ratio to compare with; 1 if the constants are already in the times.
    pub bound: f64,
    /// Limit of the probability that either wrong decision is ever taken.
    pub alpha: f64,
    /// Scale of the mixture: the |ln(ratio/bound)| to detect early.
    pub tau: f64,
    /// Fewest effective pairs of a decision: the e-values are valid asymptotically.
    pub min_effective: f64,
    /// Fewest windows of a decision: whole windows may be disturbed.
    pub min_windows: u64,
}

impl Settings {
    /// Mixture scale: effects around 20% are found earliest.
    pub const TAU: f64 = 0.2;
    /// Fewest effective pairs of a decision.
    pub const MIN_EFFECTIVE: f64 = 50.0;
    /// Fewest windows of a decision.
    pub const MIN_WINDOWS: u64 = 20;

    /// The usual settings for a bound and an error probability.
    ///
    /// # Errors
    /// When `bound` is not positive and finite, or `alpha` not between 0 and 1.
    pub fn new(bound: f64, alpha: f64) -> Result<Self, SettingsError> {
        if bound <= 0.0 || !bound.is_finite() {
            return Err(SettingsError::Bound(bound));
        }
        if alpha <= 0.0 || alpha >= 1.0 || alpha.is_nan() {
            return Err(SettingsError::Alpha(alpha));
        }
        let (min_effective, min_windows) = (Self::MIN_EFFECTIVE, Self::MIN_WINDOWS);
        Ok(Self { bound, alpha, tau: Self::TAU, min_effective, min_windows })
    }
}

/// The reason why a sequential comparison cannot be set up.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The bound must be a positive ratio of times.
    #[error("a ratio cannot be compared with {0}: the bound must be positive and finite")]
    Bound(f64),
    /// The error probability must lie strictly between 0 and 1.
    #[error("{0} is not an error probability: it must lie between 0 and 1")]
    Alpha(f64),
}

/// The location of the ratio.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Decision {
    /// The data do not suffice yet.
    Undecided,
    /// Below the bound.
    Below,
    /// Above the bound.
    Above,
}

/// The result after a window.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Windows so far with at least one pair.
    pub windows: u64,
    /// The estimate from the clipped values, which decides.
    pub estimate: RatioEstimate,
    /// The ratio of the means of the unclipped values.
    pub raw_ratio: f64,
    /// Number of clipped values, of `2 * estimate.n` in all.
    pub clipped: u64,
    /// Lower end of the interval of the clipped ratio, valid at every look.
    pub low: f64,
    /// Upper end of that interval.
    pub high: f64,
    /// Evidence about the bound at this look.
    pub evidence: Evidence,
    /// Whether there are enough effective pairs and windows for a decision.
    pub enough: bool,
    /// The decision; the first look with sufficient evidence fixes it.
    pub decision: Decision,
    /// Whether rare long calls, which are clipped, move the ratio out of its interval. The decision is then
    /// about usual calls only.
    pub tail_dependent: bool,
}

/// A comparison in progress. It keeps 16 bytes a pair.
#[derive(Clone, Debug)]
pub struct Sequential {
    settings: Settings,
    pairs: Stage,
    windows: u64,
    unpaired: u64,
    /// The evidence of the last look, if a decision is allowed.
    evidence: Option<Evidence>,
    decision: Decision,
}

/// The pairs before and after the clipping limit is known.
#[derive(Clone, Debug)]
enum Stage {
    Calibrating(Vec<(f64, f64)>),
    Clipping(Pairs),
}

impl Sequential {
    /// Pairs that fix the clipping limit: the first 50 of either side.
    pub const CALIBRATION: usize = 50;
    /// Multiple of the calibration's upper median at which values are clipped.
    pub const CLIP_MULTIPLE: f64 = 10.0;

    /// A comparison without data.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        let pairs = Stage::Calibrating(Vec::new());
        Self { settings, pairs, windows: 0, unpaired: 0, evidence: None, decision: Decision::Undecided }
    }

    /// Takes the scaled times of both sides of a closed window, each in order of arrival, and looks.
    ///
    /// The k-th time of one side pairs with the k-th of the other; surplus times are not used. There is no
    /// look before the clipping limit is known, nor if a mean is not positive. The time of a look is
    /// proportional to the pairs so far, times their autocorrelation time.
    pub fn close_window(&mut self, left: &[f64], right: &[f64]) -> Option<Look> {
        let pairs = left.iter().copied().zip(right.iter().copied());
        self.windows += u64::from(pairs.len() > 0);
        self.unpaired += left.len().abs_diff(right.len()) as u64;
        match &mut self.pairs {
            Stage::Calibrating(waiting) => {
                waiting.extend(pairs);
                let mut clipping = Pairs::new(clip_from(waiting.get(..Self::CALIBRATION)?));
                waiting.iter().for_each(|&pair| clipping.push(pair));
                self.pairs = Stage::Clipping(clipping);
            }
            Stage::Clipping(clipping) => pairs.for_each(|pair| clipping.push(pair)),
        }
        self.look()
    }

    fn look(&mut self) -> Option<Look> {
        let Stage::Clipping(pairs) = &self.pairs else { return None };
        let Settings { bound, alpha, tau, min_effective, min_windows } = self.settings;
        let estimate = pairs.estimate()?;
        let (raw_ratio, clipped) = (pairs.raw_ratio(), pairs.cut());
        let evidence = estimate.evidence(bound, tau);
        let enough = estimate.n_eff >= min_effective && self.windows >= min_windows;
        self.evidence = enough.then_some(evidence);
        let (low, high) = estimate.interval(alpha, tau);
        Some(Look {
            windows: self.windows,
            estimate,
            raw_ratio,
            clipped,
            low,
            high,
            evidence,
            enough,
            decision: self.decide_at(alpha),
            tail_dependent: !(low..=high).contains(&raw_ratio),
        })
    }

    /// Decides by the last look with another error probability, if the evidence suffices. With several
    /// comparisons, the probability available to each depends on the evidence of the others.
    pub fn decide_at(&mut self, alpha: f64) -> Decision {
        let threshold = -alpha.ln();
        if let (Decision::Undecided, Some(evidence)) = (self.decision, self.evidence) {
            self.decision = match evidence {
                Evidence { ln_e_above, .. } if ln_e_above >= threshold => Decision::Above,
                Evidence { ln_e_below, .. } if ln_e_below >= threshold => Decision::Below,
                _ => Decision::Undecided,
            };
        }
        self.decision
    }

    /// The location of the ratio, as far as decided.
    #[must_use]
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// Samples without a partner in their window.
    #[must_use]
    pub fn unpaired(&self) -> u64 {
        self.unpaired
    }
}

/// The clipping limit: a multiple of the upper median of both sides' values together.
fn clip_from(pairs: &[(f64, f64)]) -> f64 {
    let mut values: Vec<f64> = pairs.iter().flat_map(|pair| [pair.0, pair.1]).collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).map_or(f64::INFINITY, |median| median * Sequential::CLIP_MULTIPLE)
}
