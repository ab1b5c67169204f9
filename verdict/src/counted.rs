//! Claims about counts: each value lies between two bounds, and a comparison is decided if all of them agree.

use crate::exit::Standing;
use crate::truth::Truth;
use crate::types::Basis;
use spl_lang::ast::{Formula, Percent};
use spl_lang::{MetricAtom, MetricOf, MetricOperand, Sign};
use spl_model::Shorter;

/// A counted value, multiplied by a claim's factor or not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Counted {
    /// Its least possible value.
    pub least: f64,
    /// Its greatest possible value.
    pub most: f64,
    /// Whether it is about all that it should be about. Otherwise it and its bounds are about a part.
    pub is_whole: bool,
}

impl Counted {
    /// A number that is known.
    fn number(value: f64) -> Self {
        Self { least: value, most: value, is_whole: true }
    }

    fn times(self, factor: f64) -> Self {
        Self { least: self.least * factor, most: self.most * factor, ..self }
    }
}

/// The result of a claim about counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountVerdict {
    /// Basis of the verdict: weak where only values of a part decide. `None` where nothing decides.
    pub basis: Option<Basis>,
}

impl CountVerdict {
    /// Result for the exit status.
    #[must_use]
    pub fn standing(self) -> Standing {
        match self.basis {
            Some(basis) if basis.holds() => Standing::Holds,
            Some(_) => Standing::Fails,
            None => Standing::Undecided,
        }
    }
}

/// Judges a claim; `value` gives the value of a metric without the claim's factor, `None` where there is none.
///
/// First only values of the whole count. If they leave the claim open, those of parts count too, and the verdict is not a proof.
pub fn judge_counts(
    formula: &Formula<MetricAtom>,
    value: &mut impl FnMut(&MetricOf) -> Option<Counted>,
) -> CountVerdict {
    let basis = |truth, [holds, fails]: [Basis; 2]| match truth {
        Truth::True => Some(holds),
        Truth::False => Some(fails),
        Truth::Undecided => None,
    };
    let proof = truth(formula, &mut |atom| atom_truth(atom, &mut |of| value(of).filter(|one| one.is_whole)));
    let strong = basis(proof, [Basis::Proved, Basis::Refuted]);
    let weak =
        || basis(truth(formula, &mut |atom| atom_truth(atom, value)), [Basis::NotRefuted, Basis::NotProved]);
    CountVerdict { basis: strong.or_else(weak) }
}

/// The value of one side; `None` where a metric has none.
pub fn side(side: &MetricOperand, value: &mut impl FnMut(&MetricOf) -> Option<Counted>) -> Option<Counted> {
    match side {
        MetricOperand::Metric(of) => value(of).map(|one| one.times(of.factor)),
        MetricOperand::Number(number) => Some(Counted::number(*number)),
    }
}

/// Truth of one comparison for all values between the bounds.
pub fn atom_truth(atom: &MetricAtom, value: &mut impl FnMut(&MetricOf) -> Option<Counted>) -> Truth {
    match (side(&atom.left, value), side(&atom.right, value)) {
        (Some(left), Some(right)) => compared(left, atom.sign, right, atom.within),
        _ => Truth::Undecided,
    }
}

fn compared(left: Counted, sign: Sign, right: Counted, within: Option<Percent>) -> Truth {
    let demand = sign.demand();
    match demand.shorter {
        Shorter::Left => below(left, right, demand.strictly),
        Shorter::Right => below(right, left, demand.strictly),
        Shorter::Neither => {
            let reach = 1.0 + within.map_or(0.0, Percent::fraction);
            below(left, right.times(reach), false).and(below(right, left.times(reach), false))
        }
    }
}

/// Truth of "the first is less", or not greater.
fn below(first: Counted, second: Counted, strictly: bool) -> Truth {
    let holds = |first: f64, second: f64| if strictly { first < second } else { first <= second };
    if holds(first.most, second.least) {
        Truth::True
    } else if holds(first.least, second.most) {
        Truth::Undecided
    } else {
        Truth::False
    }
}

/// Truth of a formula by Kleene's rules. A quantifier has no meaning here, and the parser refuses it.
fn truth<R>(formula: &Formula<R>, judge: &mut impl FnMut(&R) -> Truth) -> Truth {
    match formula {
        Formula::Relation(relation) => judge(relation),
        Formula::Not(inner) => !truth(&inner.value, judge),
        Formula::And(parts) => parts.iter().fold(Truth::True, |all, part| all.and(truth(&part.value, judge))),
        Formula::Or(parts) => parts.iter().fold(Truth::False, |all, part| all.or(truth(&part.value, judge))),
        Formula::Implies(premise, conclusion) => {
            let premise = truth(&premise.value, judge);
            premise.implies(truth(&conclusion.value, judge))
        }
        Formula::For(..) | Formula::ForInstances(..) => Truth::Undecided,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_lang::{KnownMetric, MetricUnit, RunMode, parse_file};

    const WHOLE: bool = true;
    const PART: bool = false;

    /// The verdict of a formula over metrics `a.x`, `a.y` and `a.z` with these bounds; the last has no value.
    fn verdict(formula: &str, x: (f64, f64, bool), y: (f64, f64, bool)) -> Option<Basis> {
        let known = ["a.x.value", "a.y.value", "a.z.value"].map(|name| KnownMetric {
            id: "-".to_owned(),
            name: name.to_owned(),
            unit: MetricUnit::Count,
            keys: Vec::new(),
        });
        let mut text = format!("assert \"t\": {formula}");
        for name in ["x", "y", "z"] {
            text = text.replace(&format!("${name}"), &format!("metric(a.{name}, app)"));
        }
        let claims = parse_file(&text, RunMode::Comparison).unwrap().metric_claims(&text, &known).unwrap();
        let values = [Some(x), Some(y), None];
        let mut value = |of: &MetricOf| {
            values[of.metric].map(|(least, most, is_whole)| Counted { least, most, is_whole })
        };
        judge_counts(&claims.claims[0].formula.value, &mut value).basis
    }

    #[test]
    fn a_comparison_is_decided_if_all_values_between_the_bounds_agree() {
        use Basis::{Proved, Refuted};
        let check = |formula: &str, least: f64, most: f64, expected: Option<Basis>| {
            assert_eq!(
                verdict(formula, (least, most, WHOLE), (3.0, 3.0, WHOLE)),
                expected,
                "{formula} {least} {most}"
            );
        };
        for (least, most, less, at_most, equal, at_least, greater) in [
            (1.0, 2.0, Some(Proved), Some(Proved), Some(Refuted), Some(Refuted), Some(Refuted)),
            (1.0, 3.0, None, Some(Proved), None, None, Some(Refuted)),
            (3.0, 3.0, Some(Refuted), Some(Proved), Some(Proved), Some(Proved), Some(Refuted)),
            (2.0, 4.0, None, None, None, None, None),
            (3.0, 5.0, Some(Refuted), None, None, Some(Proved), None),
            (4.0, 5.0, Some(Refuted), Some(Refuted), Some(Refuted), Some(Proved), Some(Proved)),
        ] {
            for right in ["3", "$y"] {
                check(&format!("$x < {right}"), least, most, less);
                check(&format!("$x <= {right}"), least, most, at_most);
                check(&format!("$x = {right}"), least, most, equal);
                check(&format!("$x >= {right}"), least, most, at_least);
                check(&format!("$x > {right}"), least, most, greater);
                check(&format!("{right} > $x"), least, most, less);
            }
        }
        check("$x = 3 within 50%", 2.0, 4.5, Some(Proved));
        check("$x = 3 within 50%", 1.9, 4.5, None);
        check("$x = 3 within 50%", 4.6, 5.0, Some(Refuted));
        check("2 * $x <= 3", 1.0, 1.5, Some(Proved));
        check("$x <= 2 * $y", 6.0, 6.0, Some(Proved));
        check("$x = 0", 0.0, 0.0, Some(Proved));
        check("$x = 0 within 5%", 0.0, 0.0, Some(Proved));
    }

    #[test]
    fn formulas_are_three_valued_and_a_value_may_be_missing() {
        use Basis::{Proved, Refuted};
        let check = |formula: &str, expected: Option<Basis>| {
            assert_eq!(verdict(formula, (1.0, 1.0, WHOLE), (5.0, 9.0, WHOLE)), expected, "{formula}");
        };
        check("$z < 1", None);
        check("! $z < 1", None);
        check("$z < 1 | $x = 1", Some(Proved));
        check("$z < 1 & $x = 2", Some(Refuted));
        check("$z < 1 & $x = 1", None);
        check("$y < 7 => $x = 1", Some(Proved));
        check("$x = 1 => $y < 7", None);
        check("$x = 1 => $y < 5", Some(Refuted));
        check("! $y < 5 & ! $y > 9", Some(Proved));
    }

    #[test]
    fn values_of_a_part_prove_nothing() {
        use Basis::{NotProved, NotRefuted, Proved, Refuted};
        let check = |formula: &str, expected: Option<Basis>| {
            assert_eq!(verdict(formula, (1.0, 1.0, PART), (5.0, 9.0, WHOLE)), expected, "{formula}");
        };
        check("$x <= 1", Some(NotRefuted));
        check("$x > 1", Some(NotProved));
        check("! $x > 1", Some(NotRefuted));
        check("$x <= 1 | $y >= 5", Some(Proved));
        check("$x <= 1 & $y < 5", Some(Refuted));
        check("$x <= 1 & $y >= 5", Some(NotRefuted));
        check("$x <= 1 & $y < 7", None);
    }
}
