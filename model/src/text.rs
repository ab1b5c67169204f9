//! Texts from a program, made safe to display. A name must not control a terminal, nor show its letters in
//! another order.

use std::fmt::Write;

/// Whether a character changes the display of its neighbours, or ends a line: the directional formatting
/// characters (Unicode Standard Annex 9, section 2) and the line and paragraph separators.
fn misleads(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// A text on one line, with control characters other than tabs and misleading characters replaced.
///
/// ```
/// assert_eq!(spl_model::one_line("a\u{202e}b\u{1b}[2J\n"), "a\u{fffd}b\u{fffd}[2J\u{fffd}");
/// ```
#[must_use]
pub fn one_line(text: &str) -> String {
    let shown =
        |c: char| if (c.is_control() && c != '\t') || misleads(c) { char::REPLACEMENT_CHARACTER } else { c };
    text.chars().map(shown).collect()
}

/// A text of several lines, each treated by [`one_line`].
#[must_use]
pub fn lines(text: &str) -> String {
    text.split('\n').map(one_line).collect::<Vec<_>>().join("\n")
}

/// A JSON document with misleading characters escaped, with the same meaning. Outside strings, JSON contains
/// none of them.
///
/// ```
/// assert_eq!(spl_model::plain_json("[\"a\u{202e}b\"]"), r#"["a\u202eb"]"#);
/// ```
#[must_use]
pub fn plain_json(json: &str) -> String {
    let mut plain = String::with_capacity(json.len());
    for c in json.chars() {
        if misleads(c) {
            // Writing to a `String` cannot fail, and all of these are below U+10000.
            let _ = write!(plain, "\\u{:04x}", u32::from(c));
        } else {
            plain.push(c);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    /// U+202A to U+202E, U+2066 to U+2069, the marks, and the separators.
    const ALL: &str = "\u{61c}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2066}\u{2067}\u{2068}\u{2069}";

    #[test]
    fn nothing_that_misleads_is_shown() {
        assert!(one_line(ALL).chars().all(|c| c == char::REPLACEMENT_CHARACTER));
        assert_eq!(one_line("日本\tÜ𝒳 \u{200d}"), "日本\tÜ𝒳 \u{200d}");
        assert_eq!(lines("a\r\n\u{202e}b\n"), "a\u{fffd}\n\u{fffd}b\n");
    }

    #[test]
    fn json_says_the_same() {
        let text = plain_json(&format!("\"{ALL}ü\""));
        assert!(!text.chars().any(misleads));
        assert_eq!(text.matches("\\u").count(), ALL.chars().count());
        assert!(text.starts_with(r#""\u061c\u200e"#) && text.ends_with("ü\""));
    }
}
