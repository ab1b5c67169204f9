//! A measurement with its JVMs: connections, the loop that owns it, its files, and recorded ones gone through again.
//!
//! [`setup::Setup`] is what it goes by, [`door`] is where agents come in, [`measure`] has the loop, [`session`] the state that the
//! loop owns, with a [`peer`] for each JVM. What it tells while it goes on, it tells an [`observer::Observer`]: nothing here knows a
//! terminal or a command line. [`output`] writes its files, [`replay`] goes through the samples of one again.
//! What it decides, the pure crates decide: `spl-scheduler` what to measure when, `spl-verdict` what the samples say.

#![forbid(unsafe_code)]

pub mod agents;
pub mod buckets;
mod clock;
pub mod config;
pub mod context;
mod cost;
mod decisions;
pub mod door;
pub mod files;
pub mod measure;
pub mod numbered;
pub mod observer;
pub mod output;
mod owner;
pub mod peer;
mod private_folder;
pub mod recorded;
pub mod replay;
pub mod results;
pub mod resume;
pub mod sequential;
pub mod session;
pub mod setup;
pub mod status;
mod strangers;
pub mod until;
pub mod which;
