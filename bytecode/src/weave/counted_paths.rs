//! The paths of a method, for the code that counts them.

use spl_graph::{Graph, PathCounters, Place, Step};
use std::collections::BTreeMap;

/// A method's paths, as the code counts them.
pub(crate) struct CountedPaths {
    /// The steps of the code, by their places.
    pub(super) steps: BTreeMap<Place, Step>,
    /// Number of the counter of path 0.
    pub(super) first: u32,
    /// Whether a local variable has to add up the number of the path.
    pub(super) has_register: bool,
}

impl CountedPaths {
    /// The steps of a method, and the places of the counters in front of those of paths.
    pub(crate) fn of(graph: &Graph<'_>, blocks: bool) -> (Self, Vec<Place>) {
        let counters = PathCounters::of(graph, blocks);
        let (steps, places) = (counters.steps(), counters.places().to_vec());
        let has_register = steps.values().any(|step| step.register.is_some());
        (Self { steps, first: u32::try_from(places.len()).unwrap_or(u32::MAX), has_register }, places)
    }
}
