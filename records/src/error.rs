//! Errors in a file, with their places.

use spl_model::{BucketError, MethodError, SampleError};
use std::fmt;

/// A record that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct ReadError {
    /// Line, counted from 1.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
    /// The error there.
    pub problem: Problem,
}

/// Error in a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else stands there.
    #[error("expected {0}")]
    Expected(&'static str),
    /// Other characters stand there.
    #[error("expected {0:?}")]
    ExpectedText(&'static str),
    /// A number beyond the range of its field.
    #[error("the number is too large for its field")]
    TooLarge,
    /// Bytes that are not text.
    #[error("the text is not UTF-8")]
    NotUtf8,
    /// Fields that this version doesn't know.
    #[error("more fields than this version of spl knows: read the file with the spl that wrote it")]
    TooManyFields,
    /// A human-readable form that this version doesn't know.
    #[error(
        "version {found} of this form is not known, only {known}: read the file with the spl that wrote it"
    )]
    UnknownVersion {
        /// The version in the file.
        found: u64,
        /// The version that this release reads.
        known: u64,
    },
    /// A text that is not a method.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A text that is not a bucket.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// Values that are not a possible measurement.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// Two fields of a record contradict each other.
    #[error("{0} contradicts the rest of the record")]
    Contradiction(&'static str),
}

/// The last record of a file, half-written by a run that was ended. It is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutOff {
    /// Line where the record begins, counted from 1.
    pub line: usize,
    /// Length of the file without it, in bytes. Cut the file there before anything is appended: a record that
    /// is continued by another one might look like a whole one.
    pub offset: usize,
    /// Its length, in bytes.
    pub bytes: usize,
}

impl fmt::Display for CutOff {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, bytes, .. } = self;
        write!(f, "line {line}: the last record has no end and is not used ({bytes} bytes)")
    }
}

/// A problem at a byte offset; the reader turns it into line and column.
#[derive(Debug)]
pub struct Fault {
    pub(crate) at: usize,
    pub(crate) problem: Problem,
}

impl Fault {
    pub(crate) fn new(at: usize, problem: impl Into<Problem>) -> Self {
        Self { at, problem: problem.into() }
    }

    pub(crate) fn expected(at: usize, what: &'static str) -> Self {
        Self::new(at, Problem::Expected(what))
    }
}
