//! Comparison signs and their misspellings.

use crate::problem::{Problem, first_word};
use spl_model::Sign;

/// Whether a character occurs in signs or in their usual misspellings.
pub(crate) fn is_sign_char(c: char) -> bool {
    matches!(c, '<' | '>' | '=' | '!' | '~' | '≤' | '≥' | '≠')
}

/// The sign at the start of `input`, or the probably intended one, with the rest of the text and the error.
pub(crate) fn take(input: &str) -> Result<(Sign, &str, Option<Problem<'_>>), Problem<'_>> {
    let (word, rest) = input.split_at(input.find(|c| !is_sign_char(c)).unwrap_or(input.len()));
    if let Ok(sign) = word.parse() {
        return Ok((sign, rest, None));
    }
    if word.is_empty() {
        return Err(Problem::new(first_word(input), "expected a comparison sign")
            .label(if input.is_empty() { "the line ends here" } else { "not a sign" })
            .help(no_sign(input)));
    }
    let nearest = nearest(word);
    let help = if word.contains(['!', '≠']) {
        "that two methods differ is not a claim: say with `<` or `>` which one is faster".to_owned()
    } else {
        format!("did you mean `{nearest}`? The signs are `<`, `<=`, `=`, `>=` and `>`")
    };
    let problem =
        Problem::new(word, format!("`{word}` is not a comparison sign")).label("not a sign").help(help);
    Ok((nearest, rest, Some(problem)))
}

/// Correction of another operator.
fn no_sign(input: &str) -> &'static str {
    match input.chars().next() {
        Some('/') => {
            "a ratio is written with a factor: `f <= 2 * g` says that f takes at most twice as long as g"
        }
        Some('*') => "a factor stands before its method, as in `2 * method`",
        Some('+' | '-') => "times are not added up: compare single methods, or a method that calls both",
        _ => "the signs are `<`, `<=`, `=`, `>=` and `>`",
    }
}

/// The sign that `word` was probably meant to be, with doubled characters made single: the same characters in
/// another order, else the longest of those with the fewest edits.
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
