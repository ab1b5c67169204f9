//! Where methods are looked for that are named as in Java.

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
    /// Those that are named, else those of the program that is to be started by this command.
    #[must_use]
    pub fn new(class_path: Option<&OsStr>, jdk: Option<&Path>, command: &[OsString]) -> Self {
        let (of_command, its_jdk) = launch::of_command(command);
        Self { class_path: class_path.map_or(of_command, path::entries), jdk: jdk.map(Jdk::at).or(its_jdk) }
    }

    /// What is there, read as it is asked for.
    #[must_use]
    pub fn catalogue(&self) -> Catalogue {
        Catalogue::open(&self.class_path, self.jdk.as_ref())
    }
}
