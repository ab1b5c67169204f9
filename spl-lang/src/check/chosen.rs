//! A method that one claim of a set is about.

use crate::tasks;

/// The methods that one claim of a set is about.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// Index of the method that stands for the set.
    pub(super) method: usize,
    /// The claim's place in its set.
    pub(super) member: tasks::Member,
}
