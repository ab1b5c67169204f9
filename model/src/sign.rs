//! The five comparison signs (thesis 3.3.3), and the demand of each.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The asserted relation of the left side's times to the right side's times.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Sign {
    /// `<`: the left side is faster.
    #[serde(rename = "<")]
    Less,
    /// `<=`: the left side is faster or as fast.
    #[serde(rename = "<=")]
    LessOrEqual,
    /// `=`: both sides are as fast.
    #[serde(rename = "=")]
    Equal,
    /// `>=`: the left side is slower or as fast.
    #[serde(rename = ">=")]
    GreaterOrEqual,
    /// `>`: the left side is slower.
    #[serde(rename = ">")]
    Greater,
}

/// The side that a sign demands to be shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shorter {
    /// The left side's times.
    Left,
    /// The right side's times.
    Right,
    /// Neither side: both should be the same.
    Neither,
}

/// The demand of a sign on the two sides (thesis 3.2.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Demand {
    /// The side that should be shorter.
    pub shorter: Shorter,
    /// Whether that has to be proved. Otherwise the demand holds by Welch's test until it is refuted.
    pub strictly: bool,
}

impl Sign {
    /// Every sign, from `<` to `>`.
    pub const ALL: [Self; 5] =
        [Self::Less, Self::LessOrEqual, Self::Equal, Self::GreaterOrEqual, Self::Greater];

    /// The sign as it is written in a task file.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Equal => "=",
            Self::GreaterOrEqual => ">=",
            Self::Greater => ">",
        }
    }

    /// The sign's demand. All code that judges, words or reports a comparison uses this table.
    #[must_use]
    pub fn demand(self) -> Demand {
        let (shorter, strictly) = match self {
            Self::Less => (Shorter::Left, true),
            Self::LessOrEqual => (Shorter::Left, false),
            Self::Equal => (Shorter::Neither, false),
            Self::GreaterOrEqual => (Shorter::Right, false),
            Self::Greater => (Shorter::Right, true),
        };
        Demand { shorter, strictly }
    }

    /// The sign with the same meaning when the sides are swapped: `a < b` is `b > a`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Less => Self::Greater,
            Self::LessOrEqual => Self::GreaterOrEqual,
            Self::Equal => Self::Equal,
            Self::GreaterOrEqual => Self::LessOrEqual,
            Self::Greater => Self::Less,
        }
    }
}

/// The sign as it is written in a task file.
impl fmt::Display for Sign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Sign {
    type Err = UnknownSign;
    fn from_str(text: &str) -> Result<Self, UnknownSign> {
        Self::ALL.into_iter().find(|sign| sign.as_str() == text).ok_or_else(|| UnknownSign(text.to_owned()))
    }
}

/// The text is not a comparison sign.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a comparison sign: expected <, <=, =, >= or >")]
pub struct UnknownSign(String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_are_read_as_written_and_mirrored() {
        let check = |text: &str, mirrored: &str| {
            let sign: Sign = text.parse().unwrap();
            assert_eq!((sign.to_string().as_str(), sign.mirrored().as_str()), (text, mirrored));
        };
        check("<", ">");
        check("<=", ">=");
        check("=", "=");
        check(">=", "<=");
        check(">", "<");
        assert!("=<".parse::<Sign>().is_err() && "".parse::<Sign>().is_err());
    }

    #[test]
    fn mirrored_signs_demand_the_same_of_the_other_side() {
        for sign in Sign::ALL {
            let (one, other) = (sign.demand(), sign.mirrored().demand());
            let turned = match one.shorter {
                Shorter::Left => Shorter::Right,
                Shorter::Right => Shorter::Left,
                Shorter::Neither => Shorter::Neither,
            };
            assert_eq!(other, Demand { shorter: turned, strictly: one.strictly }, "{sign}");
        }
        // The demands of all signs differ.
        let all = Sign::ALL.map(Sign::demand);
        assert!((1..all.len()).all(|index| !all[..index].contains(&all[index])));
    }
}
