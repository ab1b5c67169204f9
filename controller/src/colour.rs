//! Colours on terminals, unless `NO_COLOR` switches them off (no-color.org), or anywhere with
//! `CLICOLOR_FORCE` (bixense.com/clicolors).

use crossterm::style::{Attribute, Color, ContentStyle, StyledContent};
use std::io::{IsTerminal, stderr};
use std::sync::OnceLock;

/// Meaning of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// Usual text.
    #[default]
    Plain,
    /// The subject of the line.
    Strong,
    /// Less important than the rest.
    Faint,
    /// A good result.
    Good,
    /// A failure.
    Bad,
    /// A result that is unknown, or not known yet.
    Open,
}

/// The text in this tone, as a terminal shows it.
pub fn paint(tone: Tone, text: &str) -> String {
    let colour = |colour| ContentStyle { foreground_color: Some(colour), ..ContentStyle::default() };
    let attribute = |one: Attribute| ContentStyle { attributes: one.into(), ..ContentStyle::default() };
    let style = match tone {
        Tone::Plain => return text.to_owned(),
        Tone::Strong => attribute(Attribute::Bold),
        Tone::Faint => attribute(Attribute::Dim),
        Tone::Good => colour(Color::DarkGreen),
        Tone::Bad => colour(Color::DarkRed),
        Tone::Open => colour(Color::DarkYellow),
    };
    StyledContent::new(style, text).to_string()
}

/// Whether standard error has colours.
pub fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let wanted = decide(&variable, stderr().is_terminal());
        // The library checks NO_COLOR too, so the decision is forced on it.
        crossterm::style::force_color_output(wanted);
        wanted
    })
}

fn decide(variable: &dyn Fn(&str) -> String, is_terminal: bool) -> bool {
    let is_set = |name: &str| !variable(name).is_empty();
    if is_set("NO_COLOR") {
        false
    } else if is_set("CLICOLOR_FORCE") && variable("CLICOLOR_FORCE") != "0" {
        true
    } else {
        is_terminal && !["", "dumb"].contains(&&*variable("TERM"))
    }
}

/// Words of our lines for a state, each with its tone.
const WORDS: [(&str, Tone); 6] = [
    ("error:", Tone::Bad),
    ("FAILS", Tone::Bad),
    ("holds", Tone::Good),
    ("undecided", Tone::Open),
    ("not evaluated", Tone::Open),
    ("suspicious", Tone::Open),
];

/// A line of ours, with its word for the state in its tone.
pub fn highlight(line: &str) -> String {
    let found = WORDS.iter().filter_map(|&(word, tone)| Some((line.find(word)?, word, tone)));
    match found.min_by_key(|&(at, ..)| at) {
        Some((at, word, tone)) => {
            format!("{}{}{}", &line[..at], paint(tone, word), &line[at + word.len()..])
        }
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_follow_the_terminal_and_the_environment() {
        let check = |variables: &[(&str, &str)], is_terminal, expected| {
            let variable = |name: &str| {
                let found = variables.iter().find(|(one, _)| *one == name);
                found.map(|(_, value)| (*value).to_owned()).unwrap_or_default()
            };
            assert_eq!(decide(&variable, is_terminal), expected, "{variables:?} {is_terminal}");
        };
        check(&[("TERM", "xterm")], true, true);
        check(&[("TERM", "xterm")], false, false);
        check(&[("TERM", "dumb")], true, false);
        check(&[], true, false);
        check(&[("TERM", "xterm"), ("NO_COLOR", "1")], true, false);
        check(&[("TERM", "xterm"), ("NO_COLOR", "")], true, true);
        check(&[("CLICOLOR_FORCE", "1")], false, true);
        check(&[("CLICOLOR_FORCE", "0")], false, false);
        check(&[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")], true, false);
    }

    #[test]
    fn one_word_of_a_line_says_how_it_stands() {
        crossterm::style::force_color_output(true);
        let green = "\u{1b}[38;5;2mholds\u{1b}[39m";
        assert_eq!(highlight("spl: a < b: holds (proved)"), format!("spl: a < b: {green} (proved)"));
        assert_eq!(highlight("spl: nothing"), "spl: nothing");
        assert!(highlight("spl: error: it holds").contains("error:\u{1b}"));
    }
}
