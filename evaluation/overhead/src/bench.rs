//! Inputs of every part of the measurement.

use std::path::PathBuf;

/// Inputs of all parts.
pub struct Bench {
    /// The JVMs' launcher.
    pub java: PathBuf,
    /// The agent's library.
    pub agent: PathBuf,
    /// The library of another build, for starts in turn with this one's.
    pub other: Option<PathBuf>,
    /// The folder of the compiled programs.
    pub classes: PathBuf,
    /// JVMs for each figure.
    pub forks: usize,
    /// Bursts of each kind in a JVM.
    pub rounds: usize,
}
