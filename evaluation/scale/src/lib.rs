//! Throughput of one controller: the real one, over the real protocol, with agents that are simulated.
#![forbid(unsafe_code)]

mod agent;
mod controller;
mod plan;

pub use agent::{Agent, Turn};
pub use controller::{Controller, Used};
pub use plan::{Plan, Shape};

use std::time::Duration;

/// Longest wait for any event.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// Why an experiment has no figures.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// Something that the operating system refused.
    #[error("{what}: {source}")]
    System {
        /// The failed step.
        what: &'static str,
        /// The system's answer.
        source: std::io::Error,
    },
    /// An awaited event did not come in time.
    #[error("waited {DEADLINE:?} in vain for {0}")]
    Late(&'static str),
    /// The controller did something else than it should.
    #[error("{0}")]
    Unexpected(String),
}

/// Names what was tried when the system refuses.
fn system(what: &'static str) -> impl FnOnce(std::io::Error) -> Fault {
    move |source| Fault::System { what, source }
}
