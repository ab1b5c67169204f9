//! Why a method has no graph.

use spl_model::Refusal;
use std::error::Error;
use std::fmt;

/// Why a method has no graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoGraph {
    /// The method is abstract or native.
    NoCode,
    /// Its code breaks the format, or has subroutines (`jsr`, `ret`).
    Refused(Refusal),
    /// Its handlers cover the same code more than 1,048,576 times together.
    TooInvolved,
}

impl From<Refusal> for NoGraph {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl fmt::Display for NoGraph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoCode => write!(f, "the method has no code: it is abstract or native"),
            Self::Refused(refusal) => refusal.fmt(f),
            Self::TooInvolved => {
                write!(f, "the method's exception handlers cover the same code too often for a graph")
            }
        }
    }
}

impl Error for NoGraph {}
