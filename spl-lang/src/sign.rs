//! The five comparison signs (thesis 3.3.3).

use std::fmt;
use std::str::FromStr;

/// How the left side's times are asserted to compare with the right side's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// `<`: the left side is faster.
    Less,
    /// `<=`: the left side is faster or as fast.
    LessOrEqual,
    /// `=`: both sides are as fast.
    Equal,
    /// `>=`: the left side is slower or as fast.
    GreaterOrEqual,
    /// `>`: the left side is slower.
    Greater,
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

    /// The sign that says the same when the sides are swapped: `a < b` is `b > a`.
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

/// A text that is no comparison sign.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is no comparison sign: expected <, <=, =, >= or >")]
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
}
