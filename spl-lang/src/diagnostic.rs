//! What is wrong with a task file, where, and what would be right.

use std::fmt;

/// A range of bytes in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// First byte after the range.
    pub end: usize,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file has a meaning, though perhaps not the one its author had in mind.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One finding about a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// The bytes concerned.
    pub span: Span,
    /// Line of the first of them, counted from 1.
    pub line: usize,
    /// Column of the first of them, in characters, counted from 1.
    pub column: usize,
    /// What stands at the place; may be empty.
    pub label: String,
    /// What would be right.
    pub help: Option<String>,
    /// Other places that belong to the finding.
    pub related: Vec<Related>,
}

/// Another place that a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The bytes concerned.
    pub span: Span,
    /// Line of the first of them, counted from 1.
    pub line: usize,
    /// What stands there.
    pub label: String,
}

/// `line:column: severity: message`, for logs.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.line, self.column, self.severity, self.message)
    }
}
