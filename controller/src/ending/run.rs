//! What the end of a run is told of.

use spl_scheduler::Scheduler;
use spl_session::results::Results;
use spl_session::sequential::Sequential;
use spl_session::setup::Setup;

/// Before each of our lines stands `spl: `.
pub const PREFIX: usize = 5;

/// What is known of a run at its end.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// What it began with.
    pub setup: &'a Setup,
    /// What came of its claims.
    pub results: &'a Results,
    /// What was measured.
    pub scheduler: &'a Scheduler,
    /// What the sequential mode saw.
    pub sequential: Option<&'a Sequential>,
    /// Samples that never arrived.
    pub lost: u64,
}
