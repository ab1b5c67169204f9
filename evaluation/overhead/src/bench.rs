//! What every part of the measurement is told.

use std::path::PathBuf;

/// What all parts need.
pub struct Bench {
    /// The JVMs' launcher.
    pub java: PathBuf,
    /// The agent's library.
    pub agent: PathBuf,
    /// The folder of the compiled programs.
    pub classes: PathBuf,
    /// JVMs for each figure.
    pub forks: usize,
    /// Bursts of each kind in a JVM.
    pub rounds: usize,
}
