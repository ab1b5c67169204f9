//! Files of a drill that cannot be used.

use std::fmt::Display;

/// Reason why a drill's files give nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}; {remedy}")]
pub struct Fault {
    /// The file, with the number of the line where there is one.
    pub place: String,
    /// The fault itself.
    pub reason: String,
    /// Advice for the reader.
    pub remedy: &'static str,
}

/// For files that are not as `spl drill` has written them.
pub(crate) const AGAIN: &str = "the files are damaged or belong to several drills: run `spl drill` again";
/// For files of other versions.
pub(crate) const OTHER_VERSION: &str =
    "use the version of `spl` that has written it, or run `spl drill` again";

impl Fault {
    /// A fault of a whole file.
    pub(crate) fn new(place: impl Display, reason: impl Display, remedy: &'static str) -> Self {
        Self { place: place.to_string(), reason: reason.to_string(), remedy }
    }
}
