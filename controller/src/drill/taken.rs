//! A finished drill, as it is written and shown.

use super::collected::Profile;
use crate::cli::Drill;
use spl_profile::Bytecodes;

/// The contents of the files.
pub struct Taken<'a> {
    /// The command line.
    pub arguments: &'a Drill,
    /// The counts.
    pub profile: &'a Profile,
    /// Seconds from the start of the program on.
    pub seconds: f64,
}

/// Figures of a method, for the table in the terminal.
#[derive(Clone, Debug)]
pub struct Figures {
    /// The method, as in a task file.
    pub method: String,
    /// Number of calls.
    pub calls: u64,
    /// Instructions run.
    pub bytecodes: Bytecodes,
    /// Blocks run, and all.
    pub blocks: (usize, usize),
    /// Ways out of branches taken, and all.
    pub branches: (usize, usize),
    /// Why its counts may not be exact; empty for exact ones.
    pub doubt: &'static str,
}
