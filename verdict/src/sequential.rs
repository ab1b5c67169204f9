//! A comparison that is judged after every window and decided as soon as the evidence suffices.

use crate::classic::evaluate;
use crate::truth::Truth;
use crate::types::{Basis, NotEvaluated, Verdict};
use spl_lang::Sign;
use spl_model::Shorter;
use spl_stats::Ratio;
use spl_stats::sequential::{Decision, Look, Sequential, Settings, SettingsError};

/// One comparison in the sequential mode: windows go in until it is decided.
///
/// `<` and `<=` mean the same here, as do `>` and `>=`: no data can show a difference of exactly zero. `=`
/// can be refuted; it can be proved only with a margin, inside which two methods count as equally fast.
#[derive(Clone, Debug)]
pub struct SequentialComparison {
    sign: Sign,
    factors: (f64, f64),
    alpha: f64,
    /// Compares the ratio with 1, or with the lower end of the margin.
    lower: Sequential,
    /// Compares the ratio with the upper end of the margin.
    upper: Option<Sequential>,
    looks: Option<Looks>,
    decided: Option<Looks>,
}

/// Results of one look.
#[derive(Clone, Copy, Debug)]
struct Looks {
    lower: Look,
    upper: Option<Look>,
}

impl SequentialComparison {
    /// `left_factor`·left `sign` `right_factor`·right with the probability `alpha` of a wrong decision,
    /// either way. `margin` is the part by which neither side may be longer for `=` to hold: 0.05 is 5%;
    /// other signs ignore it.
    ///
    /// # Errors
    /// When `alpha` doesn't lie between 0 and 1, or 1 + `margin` is not a positive number.
    pub fn new(
        sign: Sign,
        left_factor: f64,
        right_factor: f64,
        alpha: f64,
        margin: Option<f64>,
    ) -> Result<Self, SettingsError> {
        let machine = |bound, alpha| Settings::new(bound, alpha).map(Sequential::new);
        // `=` can be wrongly refuted in two directions, which share the error probability.
        let (lower, upper) = match (sign.demand().shorter, margin) {
            (Shorter::Neither, Some(margin)) => {
                let bound = 1.0 + margin;
                (machine(bound.recip(), alpha / 2.0)?, Some(machine(bound, alpha / 2.0)?))
            }
            (Shorter::Neither, None) => (machine(1.0, alpha / 2.0)?, None),
            (Shorter::Left | Shorter::Right, _) => (machine(1.0, alpha)?, None),
        };
        let factors = (left_factor, right_factor);
        Ok(Self { sign, factors, alpha, lower, upper, looks: None, decided: None })
    }

    /// Takes the durations (nanoseconds) of a closed window, each side in order of arrival, and gives the
    /// decision. The first decision is final.
    pub fn close_window(&mut self, left: &[u64], right: &[u64]) -> Truth {
        let (x, y) = (scaled(left, self.factors.0), scaled(right, self.factors.1));
        let upper = self.upper.as_mut().and_then(|upper| upper.close_window(&x, &y));
        if let Some(lower) = self.lower.close_window(&x, &y) {
            self.looks = Some(Looks { lower, upper });
        }
        self.note_decision()
    }

    /// Decides by the last look with another probability of a wrong decision, if its evidence suffices. With
    /// several comparisons the probability for each depends on the evidence of the others.
    pub fn decide_at(&mut self, alpha: f64) -> Truth {
        let alpha = if self.is_equality() { alpha / 2.0 } else { alpha };
        self.lower.decide_at(alpha);
        if let Some(upper) = &mut self.upper {
            upper.decide_at(alpha);
        }
        self.note_decision()
    }

    fn note_decision(&mut self) -> Truth {
        if self.decided.is_none() && self.truth() != Truth::Undecided {
            self.decided = self.looks;
        }
        self.truth()
    }

    /// The p-value of the decision, or else of the answer that is nearest to one: 1 while there are too few
    /// data. It is valid for any number of looks.
    #[must_use]
    pub fn p_value(&self) -> f64 {
        let enough = |looks: &Looks| looks.lower.enough;
        self.decided.or(self.looks.filter(enough)).map_or(1.0, |looks| self.p_at(&looks))
    }

    /// The decision so far. Each test keeps its first decision, so this changes at most once.
    #[must_use]
    pub fn truth(&self) -> Truth {
        let upper = self.upper.as_ref().map(Sequential::decision);
        match (self.sign.demand().shorter, self.lower.decision(), upper) {
            (Shorter::Neither, Decision::Below, _) | (Shorter::Neither, _, Some(Decision::Above)) => {
                Truth::False
            }
            (Shorter::Neither, Decision::Above, Some(Decision::Below)) => Truth::True,
            (Shorter::Neither, Decision::Above, None) => Truth::False,
            (Shorter::Neither, ..) | (_, Decision::Undecided, _) => Truth::Undecided,
            (Shorter::Left, Decision::Below, _) | (Shorter::Right, Decision::Above, _) => Truth::True,
            (Shorter::Left, Decision::Above, _) | (Shorter::Right, Decision::Below, _) => Truth::False,
        }
    }

    /// Whether the sign claims equality, which can be wrongly refuted in two directions.
    fn is_equality(&self) -> bool {
        self.sign.demand().shorter == Shorter::Neither
    }

    /// The deciding look, or else the last one: estimates, evidence, and whether rare long calls matter.
    #[must_use]
    pub fn look(&self) -> Option<&Look> {
        self.decided.as_ref().or(self.looks.as_ref()).map(|looks| &looks.lower)
    }

    /// The decision as a verdict, with figures of the given samples, which must be those of the windows.
    /// Its p-value is the reciprocal of the deciding e-value, which is valid for any number of looks. Its
    /// ratio is that of the clipped pairs, with an interval that holds at every look. Welch's test is for
    /// information and decides nothing.
    /// # Errors
    /// While nothing is decided, and when [`evaluate`] has no figures.
    ///
    /// # Errors
    /// While nothing is decided, and when [`evaluate`] has no figures.
    pub fn verdict(&self, left: &[u64], right: &[u64]) -> Result<Verdict, NotEvaluated> {
        let figures = evaluate(self.sign, self.factors.0, self.factors.1, left, right, self.alpha)?;
        let windows = self.looks.map_or(0, |looks| looks.lower.windows);
        let looks = self.decided.ok_or(NotEvaluated::Undecided { windows })?;
        let basis = match self.truth() {
            Truth::True => Basis::Proved,
            Truth::False => Basis::Refuted,
            Truth::Undecided => return Err(NotEvaluated::Undecided { windows }),
        };
        let Look { estimate, low, high, .. } = looks.lower;
        // Each end of the interval errs with the probability of one direction.
        let confidence = 1.0 - if self.is_equality() { self.alpha } else { 2.0 * self.alpha };
        let ratio = Ratio { value: estimate.ratio, low, high, confidence };
        Ok(Verdict { holds: basis.holds(), basis, p_value: self.p_at(&looks), ratio: Some(ratio), ..figures })
    }

    /// The reciprocal of the deciding e-value: of the weaker one for both ends of the margin, of the stronger
    /// one for either of two directions, doubled.
    fn p_at(&self, looks: &Looks) -> f64 {
        let p = |ln_e: f64| (-ln_e).exp().min(1.0);
        let (lower, upper) = (looks.lower.evidence, looks.upper.map(|look| look.evidence));
        let doubled = |p: f64| (2.0 * p).min(1.0);
        let Some(upper) = upper else {
            let stronger = p(lower.ln_e_below).min(p(lower.ln_e_above));
            return if self.is_equality() { doubled(stronger) } else { stronger };
        };
        let inside = p(lower.ln_e_above).max(p(upper.ln_e_below));
        let outside = doubled(p(lower.ln_e_below).min(p(upper.ln_e_above)));
        match self.truth() {
            Truth::True => inside,
            Truth::False => outside,
            Truth::Undecided => inside.min(outside),
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a call of 2⁵³ ns would take 104 days")]
fn scaled(times: &[u64], factor: f64) -> Vec<f64> {
    times.iter().map(|&time| time as f64 * factor).collect()
}
