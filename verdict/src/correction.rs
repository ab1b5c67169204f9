//! Several claims at once: with their number the number of wrong decisions by chance grows. A correction
//! bounds it for all of them together.

use crate::assertion::Asserted;
use crate::classic::one_sided;
use crate::evidence::Evidence;
use crate::relation::standing_alone;
use crate::types::{Basis, Evaluation, Verdict};
use spl_lang::ast::Formula;
use spl_lang::{Assertion, Comparison, Sign};
use spl_stats::{benjamini_hochberg, holm};
use std::fmt;

/// Adjustment of the p-values of a family of claims.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Correction {
    /// No adjustment: each claim errs with the probability that the limit allows.
    #[default]
    None,
    /// Holm (1979): the limit is the probability that any claim is decided wrongly.
    Holm,
    /// Benjamini and Hochberg (1995): the limit is the expected share of wrong decisions among the decided
    /// claims.
    BenjaminiHochberg,
}

/// The correction's name in the configuration.
impl fmt::Display for Correction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::None => "none",
            Self::Holm => "holm",
            Self::BenjaminiHochberg => "bh",
        })
    }
}

impl Correction {
    /// The p-values of a family, adjusted, in the same order.
    #[must_use]
    pub fn adjusted(self, p_values: &[f64]) -> Vec<f64> {
        match self {
            Self::None => p_values.to_vec(),
            Self::Holm => holm(p_values),
            Self::BenjaminiHochberg => benjamini_hochberg(p_values),
        }
    }
}

/// Corrects the results of a run for their number. Every evaluation with a verdict by Welch's test, and every
/// assertion, is one claim of the family. Results refer to comparisons and assertions by their indices in
/// these lists.
pub fn correct(
    correction: Correction,
    limit_p: f64,
    (comparisons, evaluations): (&[Comparison], &mut [Evaluation]),
    (assertions, asserted): (&[Assertion], &mut [Asserted]),
) {
    let mut verdicts: Vec<(Sign, &mut Verdict)> = evaluations
        .iter_mut()
        .filter_map(|one| Some((comparisons.get(one.comparison)?.sign, one.verdict.as_mut().ok()?)))
        .collect();
    let of_verdicts = verdicts.iter().map(|(sign, verdict)| verdict.decisive_p(*sign));
    let p_values: Vec<f64> = of_verdicts.chain(asserted.iter().map(Asserted::decisive_p)).collect();
    let adjusted = correction.adjusted(&p_values);
    let (of_verdicts, of_assertions) = adjusted.split_at(verdicts.len());
    for ((sign, verdict), &p) in verdicts.iter_mut().zip(of_verdicts) {
        verdict.correct(*sign, p, limit_p);
    }
    for (one, &p) in asserted.iter_mut().zip(of_assertions) {
        if let Some(assertion) = assertions.get(one.assertion) {
            one.correct(assertion, p);
        }
    }
}

impl Verdict {
    /// The p-value of the one test that can decide a comparison of this sign, by proof or refutation: the
    /// p-value of the other direction is over one half.
    fn decisive_p(&self, sign: Sign) -> f64 {
        match one_sided(sign, &self.welch) {
            Some(one) if sign.demand().strictly || one.points_there => one.p,
            _ => self.welch.p_two,
        }
    }

    /// Judges again with the adjusted decisive p-value, which only weakens a verdict.
    fn correct(&mut self, sign: Sign, adjusted: f64, limit_p: f64) {
        let strong = self.basis.is_strong() && adjusted < limit_p;
        (self.basis, self.p_value) = match one_sided(sign, &self.welch) {
            _ if strong => (self.basis, adjusted),
            _ if sign.demand().strictly => (Basis::NotProved, adjusted),
            // A comparison that is not proved is reported with the two-sided test, which did not refute it.
            Some(one) if one.points_there => (Basis::NotRefuted, (2.0 * adjusted).min(1.0)),
            _ => (Basis::NotRefuted, adjusted),
        };
        self.holds = self.basis.holds();
    }
}

impl Asserted {
    /// The p-value of the answer that the evidence supports.
    fn decisive_p(&self) -> f64 {
        self.evidence.p_true.min(self.evidence.p_false)
    }

    /// Judges again with the adjusted decisive p-value, at the assertion's own level.
    fn correct(&mut self, assertion: &Assertion, adjusted: f64) {
        let Evidence { p_true, p_false } = self.evidence;
        self.evidence = Evidence {
            p_true: if p_true <= p_false { adjusted } else { p_true.max(adjusted) },
            p_false: if p_true <= p_false { p_false.max(adjusted) } else { adjusted },
        };
        self.truth = self.evidence.truth(self.level);
        if let (Some(_), Formula::Relation(atom)) = (self.basis, &assertion.formula.value) {
            self.basis = Some(standing_alone(atom, &self.evidence, self.level).0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classic::evaluate;
    use proptest::prelude::*;
    use spl_model::Bucket;

    const SIGNS: [Sign; 5] =
        [Sign::Less, Sign::LessOrEqual, Sign::Equal, Sign::GreaterOrEqual, Sign::Greater];

    fn comparison(sign: Sign) -> Comparison {
        Comparison { left: 0, right: 1, sign, left_factor: 1.0, right_factor: 1.0, line: 1, member: None }
    }

    fn evaluation(comparison: usize, sign: Sign, left: &[u64], right: &[u64]) -> Evaluation {
        let verdict = evaluate(sign, 1.0, 1.0, left, right, 0.05);
        let (bucket, n_left, n_right) = (Bucket::All, left.len() as u64, right.len() as u64);
        Evaluation { comparison, bucket, verdict, leftover: false, n_left, n_right, drops: 0, so_far: None }
    }

    /// Corrects comparisons of the same times, and gives basis and p-value of each.
    fn corrected(correction: Correction, signs: &[Sign], left: &[u64], right: &[u64]) -> Vec<(Basis, f64)> {
        let comparisons: Vec<_> = signs.iter().map(|&sign| comparison(sign)).collect();
        let mut evaluations: Vec<_> =
            signs.iter().enumerate().map(|(index, &sign)| evaluation(index, sign, left, right)).collect();
        correct(correction, 0.05, (&comparisons, &mut evaluations), (&[], &mut []));
        let said = |one: Evaluation| one.verdict.map(|verdict| (verdict.basis, verdict.p_value)).unwrap();
        evaluations.into_iter().map(said).collect()
    }

    #[test]
    fn a_family_asks_for_more_evidence_than_one_claim() {
        let (left, right) = ([10, 11, 12, 13, 14], [12, 13, 14, 15, 16]);
        let check = |sign, alone, p_alone: f64, of_three, p_of_three: f64| {
            for (correction, count, expected, p) in [
                (Correction::Holm, 1, alone, p_alone),
                (Correction::Holm, 3, of_three, p_of_three),
                (Correction::None, 3, alone, p_alone),
                (Correction::BenjaminiHochberg, 3, alone, p_alone),
            ] {
                let got = corrected(correction, &vec![sign; count], &left, &right);
                let close = got.iter().all(|(basis, got)| *basis == expected && (got - p).abs() < 1e-9);
                assert!(close, "{sign} by {correction}: {got:?}, not {expected} at {p}");
            }
        };
        // Student's t is -2 at 8 degrees of freedom: 0.0403 one-sided, 0.0805 two-sided.
        let (one, two) = (0.040_258_118_978_0, 0.080_516_237_956_1);
        check(Sign::Less, Basis::Proved, one, Basis::NotProved, 3.0 * one);
        check(Sign::LessOrEqual, Basis::Proved, one, Basis::NotRefuted, 6.0 * one);
        check(Sign::Equal, Basis::NotRefuted, two, Basis::NotRefuted, 3.0 * two);
        check(Sign::GreaterOrEqual, Basis::NotRefuted, two, Basis::NotRefuted, 3.0 * two);
    }

    #[test]
    fn a_weak_claim_does_not_hide_a_strong_one() {
        let (left, right) = ([10, 11, 12, 13, 14], [22, 23, 24, 25, 26]);
        let mut evaluations =
            [evaluation(0, Sign::Less, &left, &right), evaluation(1, Sign::Less, &left, &left)];
        let comparisons = [comparison(Sign::Less), comparison(Sign::Less)];
        correct(Correction::Holm, 0.05, (&comparisons, &mut evaluations), (&[], &mut []));
        let bases = evaluations.map(|one| one.verdict.unwrap().basis);
        assert_eq!(bases, [Basis::Proved, Basis::NotProved]);
    }

    proptest! {
        #[test]
        fn a_single_claim_stays_as_it_is(
            left in proptest::collection::vec(0_u64..100, 2..20), right in proptest::collection::vec(0_u64..100, 2..20),
        ) {
            for sign in SIGNS {
                let alone = evaluation(0, sign, &left, &right).verdict.unwrap();
                for correction in [Correction::None, Correction::Holm, Correction::BenjaminiHochberg] {
                    let [(basis, p)] = corrected(correction, &[sign], &left, &right).try_into().unwrap();
                    prop_assert_eq!(basis, alone.basis);
                    prop_assert!((p - alone.p_value).abs() < 1e-12, "{} {} {}", sign, p, alone.p_value);
                }
            }
        }

        #[test]
        fn a_correction_never_decides_more(
            left in proptest::collection::vec(0_u64..100, 2..20), right in proptest::collection::vec(0_u64..100, 2..20),
        ) {
            let plain = corrected(Correction::None, &SIGNS, &left, &right);
            for correction in [Correction::Holm, Correction::BenjaminiHochberg] {
                for (weak, plain) in corrected(correction, &SIGNS, &left, &right).into_iter().zip(&plain) {
                    prop_assert!(weak.0 == plain.0 || !weak.0.is_strong());
                    prop_assert!(weak.1 >= plain.1 * (1.0 - 1e-12) || plain.0 != weak.0);
                }
            }
        }
    }
}
