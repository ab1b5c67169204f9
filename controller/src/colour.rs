//! Colours, where somebody sees them: on a terminal, unless `NO_COLOR` asks for none (no-color.org), or wherever
//! `CLICOLOR_FORCE` asks for them (bixense.com/clicolors).

use crossterm::style::{Attribute, Color, ContentStyle, StyledContent};
use std::io::{IsTerminal, stderr};
use std::sync::OnceLock;

/// How a piece of text is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tone {
    /// As the rest.
    #[default]
    Plain,
    /// What it is about.
    Strong,
    /// Less important than the rest.
    Faint,
    /// All is well.
    Good,
    /// Something fails.
    Bad,
    /// Something is not known, or not yet.
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

/// Whether standard error is to have colours.
pub fn is_wanted() -> bool {
    static WANTED: OnceLock<bool> = OnceLock::new();
    *WANTED.get_or_init(|| {
        let variable = |name: &str| std::env::var(name).unwrap_or_default();
        let wanted = decide(&variable, stderr().is_terminal());
        // The library looks at NO_COLOR too; what was forced is forced.
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

/// Words of our lines that say how it stands, each with its tone.
const WORDS: [(&str, Tone); 6] = [
    ("error:", Tone::Bad),
    ("FAILS", Tone::Bad),
    ("holds", Tone::Good),
    ("undecided", Tone::Open),
    ("not evaluated", Tone::Open),
    ("suspicious", Tone::Open),
];

/// A line of ours with the word that says how it stands in its tone.
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
