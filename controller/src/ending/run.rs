//! Data for the end of a run.

use spl_scheduler::Scheduler;
use spl_session::results::Results;
use spl_session::sequential::Sequential;
use spl_session::setup::Setup;

/// Length of `spl: `, the prefix of each of our lines.
pub const PREFIX: usize = 5;

/// Data of a run at its end.
#[derive(Clone, Copy, Debug)]
pub struct Run<'a> {
    /// Setup of the run.
    pub setup: &'a Setup,
    /// Results of its claims.
    pub results: &'a Results,
    /// The scheduler with its samples.
    pub scheduler: &'a Scheduler,
    /// State of the sequential mode.
    pub sequential: Option<&'a Sequential>,
    /// Samples that never arrived.
    pub lost: u64,
}
