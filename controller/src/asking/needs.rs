//! Classes and methods that are looked for in a JVM.

use crate::tasks::Open;
use spl_lang::Program;

/// Classes and methods that a JVM needs to be measured.
#[derive(Clone, Copy, Debug)]
pub enum Needs<'a> {
    /// All methods that a task file names.
    Methods(&'a Open),
    /// A class of these tasks, whose methods are known.
    Class(&'a Program),
}
