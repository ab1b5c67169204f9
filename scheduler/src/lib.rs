//! What to measure when: state, event and time to new state and actions.
//!
//! The scheduler decides which methods are measured at each moment (thesis 1.5, 3.2.4, 3.2.5). It reads no clock and
//! does no I/O: its owner feeds it [`Event`]s with the time at which they happened and carries out the [`Decision`]s
//! that come back. Equal events at equal times give equal decisions.
//!
//! # The owner's part
//!
//! | action | what the owner does |
//! |---|---|
//! | [`Action::Measure`] | opens the method's gate; its probes are in or come with the next `Retransform` |
//! | [`Action::Suspend`] | closes the gate at once; the probes stay until a `Retransform` takes them out |
//! | [`Action::Finished`] | closes the gate for good, writes what is left of the method's samples |
//! | [`Action::Retransform`] | one request to the JVM: puts the probes of some methods in, takes those of others out |
//! | [`Action::Evaluated`] | writes the evaluation to the results |
//! | [`Action::Done`] | detaches: nothing is left to measure; it comes once |
//!
//! Times are nanoseconds of two clocks which are never compared with each other: `now_ns` is the owner's monotonic
//! clock, a [`Sample`](spl_model::Sample) carries the monotonic clock of the JVM.

#![forbid(unsafe_code)]

mod decision;
mod event;
mod settings;

pub use decision::{Action, Cause, Decision, Situation};
pub use event::{Event, MethodIx};
pub use settings::{Settings, SettingsError, WarmUp};
