//! The claims and methods of a task file of the full language, once every method in it is known.

use crate::ast::{Formula, Instances, Node, Percent, Sizes, Statistic};
use crate::{Member, Sign, Span, Tasks};
use spl_model::ClaimNumbers;
use std::collections::BTreeSet;

/// A checked task file of the full language.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Program {
    /// The methods of the whole file, and its plain comparisons: mean times of two methods, with factors at
    /// most.
    pub tasks: Tasks,
    /// All claims beyond plain comparisons, in file order.
    pub assertions: Vec<Assertion>,
}

impl Program {
    /// Numbering of its claims.
    #[must_use]
    pub fn claim_numbers(&self) -> ClaimNumbers {
        ClaimNumbers::new(self.tasks.comparisons.len())
    }
}

/// A formula to be decided.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// Title in reports; for a comparison that stands alone its text. That of a member of a set ends with its place.
    pub title: String,
    /// Its place among the claims of a set; `None` without a set.
    pub member: Option<Member>,
    /// The asserted formula.
    pub formula: Node<Formula<Atom>>,
    /// Whether it is a comparison on a line of its own: the first full bucket decides it, as with plain
    /// comparisons.
    pub alone: bool,
    /// Its significance level, if not the configured one.
    pub level: Option<Percent>,
    /// Line in the file, counted from 1.
    pub line: usize,
    /// The bytes of its line.
    pub span: Span,
}

/// One comparison within a formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    /// Two methods' times.
    Pair {
        /// Before the sign.
        left: Scaled,
        /// The sign between the sides.
        sign: Sign,
        /// After the sign.
        right: Scaled,
        /// Largest difference of equal sides; only with `=`.
        within: Option<Percent>,
    },
    /// A method's times and a fixed length of time.
    Bound {
        /// Before the sign; if the bound was written there, both were swapped and the sign mirrored.
        times: Scaled,
        /// The sign between the sides.
        sign: Sign,
        /// After the sign, in nanoseconds; finite and positive.
        bound_ns: f64,
        /// Largest difference of equal sides; only with `=`.
        within: Option<Percent>,
    },
}

impl Atom {
    /// The methods whose times are compared, as indices into [`Tasks::methods`].
    pub fn methods(&self) -> impl Iterator<Item = usize> + use<> {
        let (first, second) = match self {
            Self::Pair { left, right, .. } => (left.method, Some(right.method)),
            Self::Bound { times, .. } => (times.method, None),
        };
        std::iter::once(first).chain(second)
    }
}

impl Assertion {
    /// Whether a part of it is for certain workload sizes, or for each.
    #[must_use]
    pub fn speaks_of_sizes(&self) -> bool {
        any_part(&self.formula.value, &|part| matches!(part, Formula::For(..)))
    }

    /// Whether a part of it is for each measured JVM by itself.
    #[must_use]
    pub fn speaks_of_instances(&self) -> bool {
        any_part(&self.formula.value, &|part| matches!(part, Formula::ForInstances(..)))
    }

    /// Whether one measured JVM, one size or one of several formulas is enough for a part of it.
    #[must_use]
    pub fn is_one_of_several_enough(&self) -> bool {
        any_part(&self.formula.value, &|part| match part {
            Formula::ForInstances(instances, _) => instances.value == Instances::Some,
            Formula::For(sizes, _) => sizes.value == Sizes::Some,
            Formula::Or(_) => true,
            Formula::Relation(_) | Formula::Not(_) | Formula::And(_) | Formula::Implies(..) => false,
        })
    }

    /// Its methods, each once, in ascending order.
    #[must_use]
    pub fn methods(&self) -> Vec<usize> {
        let mut methods = BTreeSet::new();
        self.formula.value.for_each(&mut |atom| methods.extend(atom.methods()));
        methods.into_iter().collect()
    }
}

/// Whether the formula or a formula within it is as asked.
fn any_part(formula: &Formula<Atom>, is: &impl Fn(&Formula<Atom>) -> bool) -> bool {
    let inside = |part: &Formula<Atom>| any_part(part, is);
    is(formula)
        || match formula {
            Formula::Relation(_) => false,
            Formula::Not(inner) | Formula::For(_, inner) | Formula::ForInstances(_, inner) => {
                inside(&inner.value)
            }
            Formula::And(parts) | Formula::Or(parts) => parts.iter().any(|part| inside(&part.value)),
            Formula::Implies(premise, conclusion) => inside(&premise.value) || inside(&conclusion.value),
        }
}

/// A statistic of one method's times, multiplied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scaled {
    /// Index into [`Tasks::methods`].
    pub method: usize,
    /// Statistic of its times.
    pub statistic: Statistic,
    /// Multiplies the times; finite, positive, 1 by default.
    pub factor: f64,
}
