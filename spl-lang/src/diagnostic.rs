//! Findings about a task file: the error, its place, and the correction.

use std::fmt;

/// A range of bytes in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// First byte after the range.
    pub end: usize,
}

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file has a meaning, though perhaps another one than its author intended.
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
    /// Severity of the finding.
    pub severity: Severity,
    /// The error, in a sentence without a full stop.
    pub message: String,
    /// The bytes concerned.
    pub span: Span,
    /// Line of the first of them, counted from 1.
    pub line: usize,
    /// Column of the first of them, in characters, counted from 1.
    pub column: usize,
    /// Text about the place; may be empty.
    pub label: String,
    /// The correction.
    pub help: Option<String>,
    /// Other places that belong to the finding.
    pub related: Vec<Related>,
}

/// Another place of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// The bytes concerned.
    pub span: Span,
    /// Line of the first of them, counted from 1.
    pub line: usize,
    /// Text about the place.
    pub label: String,
}

/// `line:column: severity: message`, for logs.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}: {}", self.line, self.column, self.severity, self.message)
    }
}
