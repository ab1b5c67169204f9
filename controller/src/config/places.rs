//! Where keys stand: the lines of a configuration, and the options of the command line.

use std::fmt;
use std::path::Path;

/// A key that was set, in its order.
#[derive(Clone, Debug)]
pub(super) struct Named<'a> {
    pub(super) section: &'a str,
    pub(super) key: &'a str,
    pub(super) value: &'a str,
    pub(super) place: Place<'a>,
}

/// Where a key is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place<'a> {
    /// In this line of a file, from 1.
    Line(&'a Path, usize),
    /// On the command line, with this value.
    Set(&'a str, &'a str),
}

impl Place<'_> {
    /// The place in words, for the end of a sentence about another place of the same file.
    pub(super) fn beside(&self) -> String {
        match self {
            Self::Line(_, line) => format!("line {line}"),
            Self::Set(..) => self.to_string(),
        }
    }

    /// The line of the file.
    pub(super) fn line(&self) -> Option<usize> {
        match self {
            Self::Line(_, line) => Some(*line),
            Self::Set(..) => None,
        }
    }

    /// Whether it stands in the file.
    pub(super) fn is_line(&self) -> bool {
        self.line().is_some()
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(file, line) => write!(f, "{}:{line}", file.display()),
            Self::Set(key, value) => write!(f, "--set {key}={value}"),
        }
    }
}

/// The lines of a text, from 1, that set keys: section, key and line, in their order. The text is one that the INI reader
/// accepts.
pub(super) struct Lines<'t> {
    keys: Vec<(&'t str, &'t str, usize)>,
    sections: Vec<(&'t str, usize)>,
}

impl<'t> Lines<'t> {
    pub(super) fn of(text: &'t str) -> Self {
        let (mut keys, mut sections, mut current) = (Vec::new(), Vec::new(), "");
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if let Some((name, _)) = line.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
                current = name.trim();
                sections.push((current, number));
            } else if let Some((key, _)) = line.split_once(['=', ':']) {
                keys.push((current, key.trim(), number));
            }
        }
        Self { keys, sections }
    }

    /// The line of a section's next key of this name; 1 if there is none.
    pub(super) fn take(&mut self, section: &str, key: &str) -> usize {
        let at = self.keys.iter().position(|(of, name, _)| (*of, *name) == (section, key));
        at.map_or(1, |at| self.keys.remove(at).2)
    }

    /// The line of a section; 1 if there is none.
    pub(super) fn section(&self, name: &str) -> usize {
        self.sections.iter().find(|(section, _)| *section == name).map_or(1, |(_, line)| *line)
    }
}

/// The first line, from 1, that is not empty, and neither a section, a key with a value nor a comment.
pub(super) fn odd_line(text: &str) -> Option<usize> {
    let is_odd = |line: &str| match line.trim() {
        line if line.is_empty() || line.starts_with(['#', ';']) => false,
        line if line.starts_with('[') => !line.ends_with(']'),
        line => !line.contains(['=', ':']),
    };
    text.lines().position(is_odd).map(|at| at + 1)
}
