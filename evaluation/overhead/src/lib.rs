//! A controller without decisions of its own, for tests and benchmarks of the agent: it starts JVMs with the
//! agent and keeps everything that the agent says.
#![forbid(unsafe_code)]

mod program;
mod session;

pub use program::{Program, java_classes};
pub use session::{Door, Session};

use std::time::Duration;

/// Longest wait for any event.
pub const DEADLINE: Duration = Duration::from_secs(120);

/// Why a JVM or its agent did not do what it should.
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
    Late(String),
    /// The other side broke the protocol, or the program its own.
    #[error("{0}")]
    Unexpected(String),
}

/// Names what was tried when the system refuses.
pub fn system(what: &'static str) -> impl FnOnce(std::io::Error) -> Fault {
    move |source| Fault::System { what, source }
}
