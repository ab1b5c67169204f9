//! A measurement with its JVMs: connections, the loop that owns it, its files, and recorded ones gone through
//! again.
//!
//! [`setup::Setup`] is its configuration, [`door`] accepts agents, [`measure`] has the loop, [`session`] the
//! state that the loop owns, with a [`peer`] for each JVM. Progress goes to an [`observer::Observer`]: this
//! crate knows neither terminal nor command line. [`output`] writes its files, [`replay`] goes through the
//! samples of a run again. The pure crates decide: `spl-scheduler` what is measured when, `spl-verdict` what
//! the samples prove.

#![forbid(unsafe_code)]

pub mod agents;
pub mod buckets;
pub mod carry;
mod clock;
pub mod config;
pub mod context;
mod cost;
mod cpu;
mod decisions;
pub mod door;
pub mod files;
pub mod instances;
pub mod measure;
pub mod numbered;
pub mod observer;
pub mod output;
pub mod owner;
pub mod peer;
mod private_folder;
mod probe_time;
pub mod recorded;
pub mod replay;
pub mod results;
pub mod resume;
pub mod sequential;
pub mod session;
pub mod setup;
pub mod status;
pub mod strangers;
pub mod until;
mod warming;
pub mod which;
