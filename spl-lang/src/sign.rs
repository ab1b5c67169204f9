//! The five comparison signs (thesis 3.3.3).

use crate::problem::{Problem, first_word};
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

/// Whether signs, or their usual misspellings, consist of such characters.
pub(crate) fn is_sign_char(c: char) -> bool {
    matches!(c, '<' | '>' | '=' | '!' | '~' | '≤' | '≥' | '≠')
}

/// The sign at the start of `input`, or the one that was probably meant, with what follows it; and what is wrong.
pub(crate) fn take(input: &str) -> Result<(Sign, &str, Option<Problem<'_>>), Problem<'_>> {
    let (word, rest) = input.split_at(input.find(|c| !is_sign_char(c)).unwrap_or(input.len()));
    if let Ok(sign) = word.parse() {
        return Ok((sign, rest, None));
    }
    if word.is_empty() {
        return Err(Problem::new(first_word(input), "expected a comparison sign")
            .label(if input.is_empty() { "the line ends here" } else { "not a sign" })
            .help("the signs are `<`, `<=`, `=`, `>=` and `>`"));
    }
    let nearest = nearest(word);
    let help = if word.contains(['!', '≠']) {
        "that two methods differ is no assertion: say with `<` or `>` which one is faster".to_owned()
    } else {
        format!("did you mean `{nearest}`? The signs are `<`, `<=`, `=`, `>=` and `>`")
    };
    let problem =
        Problem::new(word, format!("`{word}` is no comparison sign")).label("not a sign").help(help);
    Ok((nearest, rest, Some(problem)))
}

/// The sign that `word` was probably meant to be, once doubled characters are single: the same characters in another
/// order, else the one with the fewest edits, of those the longest.
fn nearest(word: &str) -> Sign {
    let mut letters: Vec<char> = word.replace('≤', "<=").replace('≥', ">=").chars().collect();
    letters.dedup();
    let word: String = letters.into_iter().collect();
    let sorted = |text: &str| {
        let mut chars: Vec<char> = text.chars().collect();
        chars.sort_unstable();
        chars
    };
    let key = |sign: &Sign| {
        let text = sign.as_str();
        (
            sorted(text) != sorted(&word),
            strsim::damerau_levenshtein(text, &word),
            std::cmp::Reverse(text.len()),
        )
    };
    Sign::ALL.into_iter().min_by_key(key).unwrap_or(Sign::Equal)
}

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
    fn misspelt_signs_have_a_nearest_one() {
        let check = |word: &str, expected: &str| assert_eq!(nearest(word).as_str(), expected, "{word}");
        check("=<", "<=");
        check("=>", ">=");
        check("==", "=");
        check("===", "=");
        check("≤", "<=");
        check("≥", ">=");
        check("<<", "<");
        check("<==", "<=");
    }
}
