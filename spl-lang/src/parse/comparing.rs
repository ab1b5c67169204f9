//! One comparison, before it is known what its whole claim is about.

use crate::ast::{MetricRelation, Relation};

/// A comparison of a formula.
#[derive(Clone)]
pub(super) enum Comparing {
    /// Of times.
    Times(Relation),
    /// Of metrics.
    Metrics(MetricRelation),
}
