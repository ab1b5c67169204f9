//! Why there is no answer.

use std::io;

/// The reason of a question without an answer.
pub enum Unanswered {
    /// The answer cannot be printed.
    Io(io::Error),
    /// One line of text.
    Why(String),
}

impl From<io::Error> for Unanswered {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<String> for Unanswered {
    fn from(why: String) -> Self {
        Self::Why(why)
    }
}
