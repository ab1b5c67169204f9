//! Class path and JDK in which Java names of methods are looked up.

use crate::{Catalogue, Jdk, launch, path};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// A class path and a JDK.
#[derive(Debug)]
pub struct Places {
    class_path: Vec<PathBuf>,
    jdk: Option<Jdk>,
}

impl Places {
    /// The given class path and JDK, else those of the program that this command starts.
    #[must_use]
    pub fn new(class_path: Option<&OsStr>, jdk: Option<&Path>, command: &[OsString]) -> Self {
        let (of_command, its_jdk) = launch::of_command(command);
        Self { class_path: class_path.map_or(of_command, path::entries), jdk: jdk.map(Jdk::at).or(its_jdk) }
    }

    /// This class path and this JDK.
    pub(crate) fn of(class_path: Vec<PathBuf>, jdk: Option<Jdk>) -> Self {
        Self { class_path, jdk }
    }

    /// The classes there, read on demand.
    #[must_use]
    pub fn catalogue(&self) -> Catalogue {
        Catalogue::open(&self.class_path, self.jdk.as_ref())
    }
}
