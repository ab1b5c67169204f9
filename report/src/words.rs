//! Verdicts in words for people without knowledge of statistics.

use crate::figure::{count, counted, digits, odds, percent, quotient, time};
use crate::names::Names;
use crate::reasons;
use spl_model::{Demand, Shorter, Sign};
use spl_records::Context;
use spl_records::context::{Asked, Operand};
use spl_verdict::{Basis, Evaluation, NotEvaluated, Ratio, Side, Truth, Verdict};

/// One-word summary of a result, with an icon so that no reader depends on colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Badge {
    Refuted,
    NotProved,
    Undecided,
    NotEvaluated,
    NotRefuted,
    Proved,
}

impl Badge {
    /// Every badge, the most urgent ones first.
    pub const ALL: [Self; 6] =
        [Self::Refuted, Self::NotProved, Self::Undecided, Self::NotEvaluated, Self::NotRefuted, Self::Proved];

    /// Badge of a comparison in one bucket.
    pub fn of(evaluation: &Evaluation) -> Self {
        match &evaluation.verdict {
            Ok(verdict) => Self::of_basis(verdict.basis),
            Err(NotEvaluated::Undecided { .. } | NotEvaluated::Open { .. }) => Self::Undecided,
            Err(_) => Self::NotEvaluated,
        }
    }

    /// Badge of a verdict's basis.
    pub fn of_basis(basis: Basis) -> Self {
        match basis {
            Basis::Proved => Self::Proved,
            Basis::NotRefuted => Self::NotRefuted,
            Basis::Refuted => Self::Refuted,
            Basis::NotProved => Self::NotProved,
        }
    }

    /// Badge of a formula's truth.
    pub fn of_truth(truth: Truth) -> Self {
        match truth {
            Truth::True => Self::Proved,
            Truth::False => Self::Refuted,
            Truth::Undecided => Self::Undecided,
        }
    }

    /// Class in the style sheet, icon, verdict and basis.
    pub fn parts(self) -> (&'static str, &'static str, &'static str, &'static str) {
        match self {
            Self::Proved => ("proved", "✓", "Holds", "proved"),
            Self::NotRefuted => ("not-refuted", "≈", "Holds", "not refuted"),
            Self::Refuted => ("refuted", "✗", "Fails", "refuted"),
            Self::NotProved => ("not-proved", "!", "Fails", "not proved"),
            Self::Undecided => ("undecided", "?", "Undecided", "not enough evidence"),
            Self::NotEvaluated => ("not-evaluated", "–", "Undecided", "nothing to judge"),
        }
    }

    /// Class in the style sheet.
    pub fn class(self) -> &'static str {
        self.parts().0
    }

    /// Meaning of the badge, in a sentence.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Proved => "The measurements show that it holds.",
            Self::NotRefuted => {
                "The claim counts as holding because the measurements do not show the contrary. They do not \
                 show that it holds either: this is not a proof."
            }
            Self::Refuted => "The measurements show that it does not hold.",
            Self::NotProved => "The claim asks for proof, and the measurements do not give one.",
            Self::Undecided => "The measurements show neither that it holds nor that it does not.",
            Self::NotEvaluated => {
                "There were no measurements to judge, or too few; the reason stands with it."
            }
        }
    }
}

/// A comparison in everyday words: one side takes at most `limit` times as long as the other.
#[derive(Clone, Debug)]
pub struct Claim<'a> {
    pub asked: &'a Asked,
    /// The side that is the sentence's subject, and the other side.
    pub subject: &'a str,
    pub object: &'a str,
    /// Whether the subject is the right side.
    turned: bool,
    /// Factor of time that the subject may take.
    pub limit: f64,
}

/// Relation between the subject of a claim and the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Below,
    AtMost,
    Same,
}

impl Bound {
    /// The words between "takes" and the factor.
    fn before_a_figure(self) -> &'static str {
        match self {
            Self::Below => "less than ",
            Self::AtMost => "at most ",
            Self::Same => "",
        }
    }
}

impl<'a> Claim<'a> {
    /// The comparison in words, with the claimed shorter side as subject.
    pub fn of(asked: &'a Asked, names: &'a Names) -> Self {
        let (left, right) = (names.get(asked.left), names.get(asked.right));
        let turned = asked.sign.demand().shorter == Shorter::Right;
        let limit = asked.right_factor / asked.left_factor;
        if turned {
            Self { asked, subject: right, object: left, turned, limit: limit.recip() }
        } else {
            Self { asked, subject: left, object: right, turned, limit }
        }
    }

    /// Short formula: `A ≤ 2 × B`.
    pub fn formula(&self) -> String {
        let sign = match self.bound() {
            Bound::Below => "<",
            Bound::Same => "=",
            Bound::AtMost => "≤",
        };
        if self.limit == 1.0 {
            format!("{} {sign} {}", self.subject, self.object)
        } else {
            format!("{} {sign} {} × {}", self.subject, digits(self.limit), self.object)
        }
    }

    /// The claim as a sentence.
    pub fn sentence(&self) -> String {
        let times = if self.limit == 1.0 {
            "as long as".to_owned()
        } else {
            format!("{} times as long as", digits(self.limit))
        };
        if self.bound() == Bound::Below && self.limit == 1.0 {
            return format!("{} takes less time than {}", self.subject, self.object);
        }
        format!("{} takes {}{times} {}", self.subject, self.bound().before_a_figure(), self.object)
    }

    /// Required relation of the subject to the limit.
    fn bound(&self) -> Bound {
        match self.asked.sign.demand() {
            Demand { shorter: Shorter::Neither, .. } => Bound::Same,
            Demand { strictly: true, .. } => Bound::Below,
            Demand { strictly: false, .. } => Bound::AtMost,
        }
    }

    /// Factor of time that the subject took, and the ends of the interval.
    pub fn ratio(&self, ratio: &Ratio) -> (f64, f64, f64) {
        let Ratio { value, low, high, .. } = *ratio;
        if self.turned {
            (self.limit / value, self.limit / high, self.limit / low)
        } else {
            (self.limit * value, self.limit * low, self.limit * high)
        }
    }

    /// Items of the left and of the right side in the order of the sentence.
    pub fn in_order<T>(&self, left: T, right: T) -> (T, T) {
        if self.turned { (right, left) } else { (left, right) }
    }

    /// The sides' figures in the order subject, object.
    pub fn sides<'v>(&self, verdict: &'v Verdict) -> [&'v Side; 2] {
        if self.turned { [&verdict.right, &verdict.left] } else { [&verdict.left, &verdict.right] }
    }
}

/// A side's time without the comparison's constant.
pub fn unscaled(side: &Side, scaled_ns: f64) -> f64 {
    scaled_ns / side.factor
}

/// Explanation of the verdict: paragraphs.
pub fn explain(claim: &Claim<'_>, evaluation: &Evaluation, context: &Context) -> Vec<String> {
    match &evaluation.verdict {
        Ok(verdict) => vec![found(claim, verdict), because(claim, verdict, context)],
        Err(why) => vec![reasons::why_not(why)],
    }
}

/// Whether the interval shows the contrary of a claim that was not proved.
fn is_contradicted(claim: &Claim<'_>, ratio: &Ratio) -> bool {
    let (_, low, high) = claim.ratio(ratio);
    match claim.bound() {
        Bound::Same => high < claim.limit || claim.limit < low,
        Bound::Below | Bound::AtMost => claim.limit < low,
    }
}

fn found(claim: &Claim<'_>, verdict: &Verdict) -> String {
    let [subject, object] = claim.sides(verdict);
    let mean = |side: &Side| time(unscaled(side, side.mean_ns));
    let times = format!("{} against {}", mean(subject), mean(object));
    let Some(ratio) = &verdict.ratio else {
        return format!("On average the times were {times}; one of them is too short for a ratio.");
    };
    let (value, low, high) = claim.ratio(ratio);
    let allowed = match claim.bound() {
        Bound::Same => format!("{} is asserted", digits(claim.limit)),
        Bound::Below => format!("less than {} is asserted", digits(claim.limit)),
        Bound::AtMost => format!("at most {} is allowed", digits(claim.limit)),
    };
    format!(
        "On average {} took {} times as long as {} ({times}); {allowed}. With {} confidence the true figure lies between {} and {}.",
        claim.subject,
        quotient(value),
        claim.object,
        percent(ratio.confidence),
        quotient(low),
        quotient(high)
    )
}

fn because(claim: &Claim<'_>, verdict: &Verdict, context: &Context) -> String {
    let chance = odds(verdict.p_value);
    let accepted = odds(context.limit_p);
    let across = verdict.ratio.as_ref().is_some_and(|ratio| {
        let (_, low, high) = claim.ratio(ratio);
        low <= claim.limit && claim.limit <= high
    });
    let reach = if across {
        format!(" The limit of {} lies within that range.", digits(claim.limit))
    } else {
        String::new()
    };
    match verdict.basis {
        Basis::Proved => format!(
            "If the truth lay just at the limit, chance alone would give a result as clear as this {chance}; accepted is {accepted}. So the measurements show that it holds."
        ),
        Basis::Refuted => format!(
            "If it held, chance alone would give a result as far from it as this {chance}; accepted is {accepted}. \
             So the measurements show that it does not hold."
        ),
        Basis::NotRefuted => format!(
            "The measurements decide nothing: a difference from the limit like this comes by chance {chance}.{reach} \
             What says “{}” counts as holding until measurements show the contrary. This is not a proof \
             that it holds.",
            if claim.bound() == Bound::Same { "as long as" } else { "at most" }
        ),
        Basis::NotProved if verdict.ratio.as_ref().is_some_and(|ratio| is_contradicted(claim, ratio)) => {
            format!(
                "The whole interval lies beyond the limit of {}: the measurements do not only fail to prove it, they show the contrary.",
                digits(claim.limit)
            )
        }
        Basis::NotProved => format!(
            "The measurements do not show it: a result like this comes by chance {chance}, and a proof has to be rarer, {accepted} at most.{reach} \
             What says “less than” fails until it is proved."
        ),
    }
}

/// Largest factor of additional samples that advice still names: more would take too long.
const PATIENCE: f64 = 100.0;

/// Advice about a judged comparison; `None` for a proof, or where no action is needed.
pub fn advice(claim: &Claim<'_>, evaluation: &Evaluation, context: &Context) -> Option<String> {
    let verdict = evaluation.verdict.as_ref().ok().filter(|verdict| verdict.basis != Basis::Proved)?;
    let ratio = verdict.ratio.as_ref()?;
    let (value, ..) = claim.ratio(ratio);
    if verdict.basis == Basis::Refuted || (verdict.basis == Basis::NotProved && is_contradicted(claim, ratio))
    {
        return Some(format!(
            "{} takes {} times as long as {}, not {}{}: find out why, or change the claim if that is as it should be.",
            claim.subject,
            quotient(value),
            claim.object,
            claim.bound().before_a_figure(),
            digits(claim.limit)
        ));
    }
    if claim.bound() == Bound::Same {
        return None;
    }
    // The interval narrows with the square root of the number of samples.
    let width = (ratio.high / ratio.low).ln() / 2.0;
    let distance = ratio.value.ln().abs();
    let now = evaluation.n_smaller().max(1) as f64;
    let n = now * (width / distance).powi(2);
    Some(if n.is_finite() && n < PATIENCE * now && n > now {
        let power = 10_f64.powf(n.log10().floor());
        let needed = ((n / power * 2.0).ceil() / 2.0 * power) as u64;
        format!(
            "For a clear answer about {} on each side would be needed instead of {}: raise min-method-measurements ({}) and, if that is \
             lower, max-method-measurements ({}).",
            counted(needed, "measurement", "measurements"),
            count(evaluation.n_smaller()),
            context.min_samples,
            context.max_samples
        )
    } else {
        format!(
            "The times are so close to the limit ({} against {}) that measuring more will hardly decide; assert something with more room.",
            quotient(value),
            digits(claim.limit)
        )
    })
}

/// Name of a side of an assertion's comparison: `the median of A.f`, `2 × the average of A.f`.
pub fn operand(operand: &Operand, names: &Names) -> String {
    let figure = statistic(operand.share);
    let factor =
        if operand.factor == 1.0 { String::new() } else { format!("{} × ", digits(operand.factor)) };
    format!("{factor}the {figure} of {}", names.get(operand.method))
}

/// Name of the compared statistic.
pub fn statistic(share: Option<f64>) -> String {
    match share {
        None => "average".to_owned(),
        Some(0.5) => "median".to_owned(),
        Some(share) => format!("p{}", digits(share * 100.0)),
    }
}

/// Requirement of a sign.
pub fn asks(sign: Sign) -> &'static str {
    let Demand { shorter, strictly } = sign.demand();
    match (shorter, strictly) {
        (Shorter::Left, true) => "less than",
        (Shorter::Left, false) => "at most",
        (Shorter::Right, true) => "more than",
        (Shorter::Right, false) => "at least",
        (Shorter::Neither, _) => "the same as",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(sign: &str, left_factor: f64, right_factor: f64) -> Asked {
        Asked { line: 1, left: 0, sign: sign.parse().unwrap(), left_factor, right_factor, right: 1 }
    }

    #[test]
    fn comparisons_are_told_from_the_shorter_side() {
        let names = Names::of(["a/A.f()V", "a/B.g()V"].into_iter());
        let check = |sign: &str, left: f64, right: f64, sentence: &str, formula: &str| {
            let asked = asked(sign, left, right);
            let claim = Claim::of(&asked, &names);
            assert_eq!((claim.sentence().as_str(), claim.formula().as_str()), (sentence, formula));
        };
        check("<=", 1.0, 2.0, "A.f takes at most 2 times as long as B.g", "A.f ≤ 2 × B.g");
        check(">=", 2.0, 1.0, "B.g takes at most 2 times as long as A.f", "B.g ≤ 2 × A.f");
        check(">", 1.0, 1.0, "B.g takes less time than A.f", "B.g < A.f");
        check("=", 1.0, 1.0, "A.f takes as long as B.g", "A.f = B.g");
    }

    #[test]
    fn ratios_are_those_of_the_sentence() {
        let names = Names::of(["a/A.f()V", "a/B.g()V"].into_iter());
        // Twice the left mean is 0.8 of the right one: the right side takes 2.5 times as long as the left
        // one.
        let ratio = Ratio { value: 0.8, low: 0.5, high: 1.0, confidence: 0.95 };
        assert_eq!(Claim::of(&asked(">=", 2.0, 1.0), &names).ratio(&ratio), (2.5, 2.0, 4.0));
        assert_eq!(Claim::of(&asked("<=", 1.0, 2.0), &names).ratio(&ratio), (1.6, 1.0, 2.0));
    }
}
