//! Three-valued truth (Kleene 1952): an undecided claim may turn out either way.

use crate::exit::Standing;

/// Truth of an assertion, as far as the data show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Truth {
    /// The data show that it is true.
    True,
    /// The data show that it is false.
    False,
    /// The data don't decide.
    Undecided,
}

impl Truth {
    /// Truth of "both": false as soon as one is.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::False, _) | (_, Self::False) => Self::False,
            (Self::True, Self::True) => Self::True,
            _ => Self::Undecided,
        }
    }

    /// Truth of "either": true as soon as one is.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        !(!self).and(!other)
    }

    /// Truth of "if the first, then the second".
    #[must_use]
    pub fn implies(self, other: Self) -> Self {
        (!self).or(other)
    }

    /// Result for the exit status.
    #[must_use]
    pub fn standing(self) -> Standing {
        match self {
            Self::True => Standing::Holds,
            Self::False => Standing::Fails,
            Self::Undecided => Standing::Undecided,
        }
    }
}

impl std::ops::Not for Truth {
    type Output = Self;
    fn not(self) -> Self {
        match self {
            Self::True => Self::False,
            Self::False => Self::True,
            Self::Undecided => Self::Undecided,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connectives_follow_kleene() {
        use Truth::{False, True, Undecided};
        let check = |left: Truth, right: Truth, and, or, implies| {
            assert_eq!((left.and(right), left.or(right), left.implies(right)), (and, or, implies));
        };
        check(True, True, True, True, True);
        check(True, Undecided, Undecided, True, Undecided);
        check(True, False, False, True, False);
        check(Undecided, True, Undecided, True, True);
        check(Undecided, Undecided, Undecided, Undecided, Undecided);
        check(Undecided, False, False, Undecided, Undecided);
        check(False, True, False, True, True);
        check(False, Undecided, False, Undecided, True);
        check(False, False, False, False, True);
    }
}
