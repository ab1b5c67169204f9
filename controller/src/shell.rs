//! `spl completions` and `spl man`: completions and manual pages, made from the command line's definition.

use crate::cli::{Cli, Completions, Man};
use crate::stdout;
use clap::CommandFactory;
use spl_verdict::ExitStatus;
use std::fs;

/// Prints the completions of a shell.
///
/// # Errors
/// When they cannot be printed; one line of text.
pub fn completions(arguments: &Completions) -> Result<ExitStatus, String> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "spl", &mut script);
    stdout::print_as_it_is(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::AllHold)
}

/// Writes the manual pages into a folder: one for `spl`, and one for each of its commands.
///
/// # Errors
/// When they cannot be written; one line of text.
pub fn man(arguments: &Man) -> Result<ExitStatus, String> {
    let folder = &arguments.folder;
    let pages = fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(Cli::command(), folder));
    pages.map_err(|error| format!("cannot write manual pages to {}: {error}", folder.display()))?;
    let where_to = folder.display();
    stdout::print(&format!("manual pages: {where_to}; man -M reads them where they lie in a folder man1\n"))?;
    Ok(ExitStatus::AllHold)
}
