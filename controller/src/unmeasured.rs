//! Runs without a measurement that cannot begin: the program is still started, unless the operator wants it
//! measured or not at all.

use crate::program::{self, cannot_start};
use crate::progress::Progress;
use spl_session::setup::Setup;
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

/// Reason why a measurement did not begin; text for the operator.
#[derive(Debug)]
pub enum Trouble {
    /// An operator's mistake: the program is not started.
    Mistake(String),
    /// An obstacle of the machine, which does not concern the program.
    Obstacle(String),
}

impl From<String> for Trouble {
    fn from(text: String) -> Self {
        Self::Mistake(text)
    }
}

/// Message about an obstacle when the program is started.
pub fn warning(why: &str) -> String {
    format!("{why}\nThe program is started and is not measured; with --require it would not be started.")
}

/// The agent's library.
///
/// # Errors
/// When there is none: a mistake where it was named; an obstacle where it is missing next to this executable,
/// or its place is unknown.
pub fn library(named: Option<&Path>) -> Result<PathBuf, Trouble> {
    program::library(named).map_err(if named.is_some() { Trouble::Mistake } else { Trouble::Obstacle })
}

/// Runs a program to its end without the agent.
///
/// # Errors
/// When it cannot be started; one line of text.
pub fn run(command: &[OsString], progress: &Progress, why: &str) -> Result<ExitStatus, String> {
    progress.problem(&warning(why));
    let Some((program, arguments)) = command.split_first() else {
        return Err("no command after --".to_owned());
    };
    Command::new(program).args(arguments).status().map_err(|error| cannot_start(program, &error))
}

/// Reason of the machine's why this process cannot write to the folder of the results: a file system that is
/// full or read-only, or permissions. Other errors are reported when the files are opened.
pub fn unwritable(setup: &Setup) -> Option<String> {
    let config = &setup.config;
    let results = config.result_file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folders = [Some(&*config.output_dir), Some(results.unwrap_or(Path::new(".")))];
    for folder in folders.into_iter().flatten() {
        if let Some(error) = refusal(fs::create_dir_all(folder).and_then(|()| tempfile::tempfile_in(folder)))
        {
            return Some(format!(
                "cannot write to {}: {error}; choose another folder with --out",
                folder.display()
            ));
        }
    }
    let is_there = |path: &&Path| path.is_file();
    let old = Some(&*config.result_file).filter(is_there)?;
    let error = refusal(OpenOptions::new().append(true).open(old))?;
    Some(format!("cannot write {}: {error}", old.display()))
}

fn refusal<T>(tried: io::Result<T>) -> Option<io::Error> {
    let kinds = [
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::StorageFull,
        ErrorKind::QuotaExceeded,
    ];
    tried.err().filter(|error| kinds.contains(&error.kind()))
}
