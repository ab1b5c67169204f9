//! Evidence for and against an assertion, and how it composes through connectives.

use crate::truth::Truth;
use std::ops::Not;

/// p-values of both answers to an assertion. Those of a composed assertion bound the probability of the wrong
/// answer like those of a simple one, for any dependence of its parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// p-value against "it is false": small when the data show that it is true.
    pub p_true: f64,
    /// p-value against "it is true": small when the data show that it is false.
    pub p_false: f64,
}

impl Evidence {
    /// No evidence either way, as of an unmeasured comparison.
    pub const NONE: Self = Self { p_true: 1.0, p_false: 1.0 };

    /// Truth at an error probability of `level`. Weak evidence either way gives undecided.
    #[must_use]
    pub fn truth(&self, level: f64) -> Truth {
        if self.p_true < level && self.p_true <= self.p_false {
            Truth::True
        } else if self.p_false < level {
            Truth::False
        } else {
            Truth::Undecided
        }
    }

    /// Evidence that all parts are true. A wrong "all true" requires a false part to be called true, so the
    /// largest p counts (intersection-union test). A wrong "one of k is false" has k chances (Bonferroni).
    #[must_use]
    pub fn all(parts: &[Self]) -> Self {
        if parts.is_empty() {
            return Self::NONE;
        }
        let p_true = parts.iter().map(|part| part.p_true).fold(0.0, f64::max);
        let smallest = parts.iter().map(|part| part.p_false).fold(1.0, f64::min);
        #[expect(clippy::cast_precision_loss, reason = "no formula has 2⁵³ parts")]
        let chances = parts.len() as f64;
        Self { p_true, p_false: (smallest * chances).min(1.0) }
    }

    /// Evidence that at least one part is true: the mirror image of [`Evidence::all`].
    #[must_use]
    pub fn any(parts: &[Self]) -> Self {
        let negated: Vec<Self> = parts.iter().map(|&part| !part).collect();
        !Self::all(&negated)
    }
}

/// Evidence for the contrary.
impl Not for Evidence {
    type Output = Self;
    fn not(self) -> Self {
        Self { p_true: self.p_false, p_false: self.p_true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn evidence(p_true: f64, p_false: f64) -> Evidence {
        Evidence { p_true, p_false }
    }

    #[test]
    fn truth_at_a_level() {
        let check = |p_true, p_false, expected| assert_eq!(evidence(p_true, p_false).truth(0.05), expected);
        check(0.01, 0.99, Truth::True);
        check(0.99, 0.01, Truth::False);
        check(0.05, 0.95, Truth::Undecided);
        check(1.0, 1.0, Truth::Undecided);
        check(0.04, 0.01, Truth::False);
    }

    #[test]
    fn errors_compose() {
        let parts = [evidence(0.01, 0.9), evidence(0.03, 0.02), evidence(0.02, 0.5)];
        assert_eq!(Evidence::all(&parts), evidence(0.03, 0.06));
        assert_eq!(Evidence::any(&parts), evidence(0.03, 0.9));
        assert_eq!(Evidence::all(&[]), Evidence::NONE);
        assert_eq!(Evidence::any(&[]), Evidence::NONE);
        assert_eq!(Evidence::any(&[Evidence::NONE, evidence(0.6, 0.7)]), evidence(1.0, 1.0));
    }

    proptest! {
        /// With one level for all, composed evidence never says more than Kleene's connectives on the parts.
        #[test]
        fn composition_is_no_bolder_than_kleene(parts in proptest::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 1..5)) {
            const LEVEL: f64 = 0.4;
            // The two p-values of a part are never both small.
            let parts: Vec<Evidence> = parts.iter().map(|&(p, q)| evidence(p, q.max(1.0 - p))).collect();
            let truths = || parts.iter().map(|part| part.truth(LEVEL));
            let all = truths().fold(Truth::True, Truth::and);
            let any = truths().fold(Truth::False, Truth::or);
            let agrees = |composed: Evidence, kleene| {
                let truth = composed.truth(LEVEL);
                truth == kleene || truth == Truth::Undecided
            };
            prop_assert!(agrees(Evidence::all(&parts), all) && agrees(Evidence::any(&parts), any));
        }
    }
}
