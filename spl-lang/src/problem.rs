//! A finding while a line is parsed; becomes a [`Diagnostic`] once its place in the file is known.

use crate::source::Source;
use crate::{Diagnostic, Related, Severity};
use nom::error::{ErrorKind, ParseError};

/// An error in a slice of the text. The slice itself shows its place.
#[derive(Clone, Debug)]
pub(crate) struct Problem<'a> {
    /// The text concerned; empty where something is missing.
    pub(crate) at: &'a str,
    pub(crate) message: String,
    pub(crate) label: String,
    pub(crate) help: Option<String>,
    /// Other slices of the text that belong to the finding, with their labels.
    pub(crate) related: Vec<(&'a str, String)>,
}

impl<'a> Problem<'a> {
    pub(crate) fn new(at: &'a str, message: impl Into<String>) -> Self {
        Self { at, message: message.into(), label: String::new(), help: None, related: Vec::new() }
    }

    pub(crate) fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn related(mut self, at: &'a str, label: impl Into<String>) -> Self {
        self.related.push((at, label.into()));
        self
    }

    pub(crate) fn at(self, source: &Source<'_>, severity: Severity) -> Diagnostic {
        let span = source.span(self.at);
        let (line, column) = source.place(span.start);
        let related = self.related.into_iter().map(|(at, label)| {
            let span = source.span(at);
            Related { span, line: source.place(span.start).0, label }
        });
        Diagnostic {
            severity,
            message: self.message,
            span,
            line,
            column,
            label: self.label,
            help: self.help,
            related: related.collect(),
        }
    }
}

/// nom's own parsers only report that they do not match; their callers add the expected text.
impl<'a> ParseError<&'a str> for Problem<'a> {
    fn from_error_kind(input: &'a str, _kind: ErrorKind) -> Self {
        Self::new(first_word(input), "unexpected text")
    }

    fn append(_input: &'a str, _kind: ErrorKind, other: Self) -> Self {
        other
    }
}

/// Extent of a caret where `input` was unexpected: up to the next white space.
pub(crate) fn first_word(input: &str) -> &str {
    input.split(char::is_whitespace).next().unwrap_or(input)
}
