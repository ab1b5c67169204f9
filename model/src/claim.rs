//! Numbers of claims.

use serde::{Deserialize, Serialize};

/// Number of a claim in a task file. Comparisons have the first numbers, assertions the following ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ClaimIx(pub usize);

/// The kind of a claim, with its index within that kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claimed {
    /// A comparison on a line of its own.
    Comparison(usize),
    /// An assertion of the full language.
    Assertion(usize),
}

/// The numbering of the claims of one task file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimNumbers {
    comparisons: usize,
}

impl ClaimNumbers {
    /// A numbering with this number of comparisons before the first assertion.
    #[must_use]
    pub fn new(comparisons: usize) -> Self {
        Self { comparisons }
    }

    /// The number of a comparison.
    #[must_use]
    pub fn comparison(self, index: usize) -> ClaimIx {
        ClaimIx(index)
    }

    /// The number of an assertion.
    #[must_use]
    pub fn assertion(self, index: usize) -> ClaimIx {
        ClaimIx(self.comparisons.saturating_add(index))
    }

    /// The claim with this number. A number beyond the last claim gives an assertion that does not exist.
    #[must_use]
    pub fn claimed(self, claim: ClaimIx) -> Claimed {
        match claim.0.checked_sub(self.comparisons) {
            None => Claimed::Comparison(claim.0),
            Some(assertion) => Claimed::Assertion(assertion),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assertions_are_numbered_after_comparisons() {
        let numbers = ClaimNumbers::new(2);
        let check = |number: usize, claimed: Claimed| {
            assert_eq!(numbers.claimed(ClaimIx(number)), claimed);
            let back = match claimed {
                Claimed::Comparison(index) => numbers.comparison(index),
                Claimed::Assertion(index) => numbers.assertion(index),
            };
            assert_eq!(back, ClaimIx(number));
        };
        check(0, Claimed::Comparison(0));
        check(1, Claimed::Comparison(1));
        check(2, Claimed::Assertion(0));
        check(5, Claimed::Assertion(3));
    }
}
