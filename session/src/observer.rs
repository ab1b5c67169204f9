//! Interface of everything that shows a measurement while it runs.

use crate::results::Results;
use crate::setup::Setup;
use crate::status::Status;
use spl_lang::Tasks;
use spl_scheduler::Scheduler;
use spl_verdict::{Asserted, Evaluation};
use std::fmt::Debug;
use std::time::Instant;

/// Display of a measurement for people and machines.
pub trait Observer: Debug {
    /// Something that the operator may want to know.
    fn note(&self, text: &str);

    /// Something that went wrong.
    fn problem(&self, text: &str);

    /// A cycle of communication is over; `results` are those so far.
    fn cycle(&mut self, scheduler: &Scheduler, results: &Results);

    /// The result of a comparison, which stays.
    fn evaluated(&self, tasks: &Tasks, evaluation: &Evaluation);

    /// The result of an assertion, which stays.
    fn asserted(&self, setup: &Setup, asserted: &Asserted);

    /// The measurement ends: results that still come are final and come at once.
    fn ends(&mut self);

    /// Whether the next [`show`](Self::show) is due.
    fn is_due(&self, now: Instant) -> bool;

    /// Shows the present status with the results so far.
    ///
    /// # Errors
    /// When it cannot be passed on; one line of text.
    fn show(&mut self, now: Instant, status: &Status, results: &Results) -> Result<(), String>;

    /// Shows the final status: nothing more is shown.
    ///
    /// # Errors
    /// As [`show`](Self::show).
    fn ended(&mut self, status: &Status, results: &Results) -> Result<(), String>;
}
