//! `spl enable` and `spl disable`: a drop-in for a systemd service that loads the dormant agent at its next start; and
//! `spl copy-agent`, for pods.

mod dropin;
mod files;
mod library;
mod settings;

use crate::cli::{CopyAgent, Disable, Enable, Unit};
use crate::stdout;
use crate::{program, tryout};
use dropin::Dropin;
use files::{Root, name_of};
use settings::Settings;
use spl_classes::launch::is_launcher;
use spl_model::one_line;
use spl_session::files::write_whole;
use spl_verdict::ExitStatus;
use std::ffi::OsString;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

/// Writes the drop-in of a unit.
///
/// # Errors
/// When the unit cannot or must not get it; one line of text. Nothing is changed then.
pub fn enable(arguments: &Enable) -> Result<ExitStatus, String> {
    let (root, name) = (root(&arguments.unit)?, name_of(&arguments.unit.name)?);
    let library = match &arguments.agent {
        Some(named) => named.clone(),
        None => program::library(None)?,
    };
    library::check(&root, &library)?;
    let dropin = Dropin::new(&name, arguments.unit.runtime);
    let other = Dropin::new(&name, !arguments.unit.runtime);
    if other.is_there(&root) {
        return Err(format!(
            "{name} is enabled already, by {}: spl disable takes that back",
            other.shown(&root)
        ));
    }
    let wanted = Settings::of(&root, &name, &dropin)?;
    wanted.refuse(&name, &library)?;
    if dropin.is_there(&root) {
        return Ok(said(&format!("{name}: {}", dropin.compare(&root, &library)?)));
    }
    let tried = try_in_java(&root, &wanted, &library)?;
    dropin.write(&root, &library)?;
    let (file, reload) = (dropin.shown(&root), reload(&root));
    Ok(said(&format!(
        "{name}: {file} is written{tried}; its JVMs load the agent at the unit's next start\n{reload}systemctl restart {name}"
    )))
}

/// Removes the drop-in of a unit.
///
/// # Errors
/// When there is another one than `spl enable` writes, or it cannot be removed; one line of text.
pub fn disable(arguments: &Disable) -> Result<ExitStatus, String> {
    let (root, name) = (root(&arguments.unit)?, name_of(&arguments.unit.name)?);
    let places = if arguments.unit.runtime { &[true][..] } else { &[false, true][..] };
    let mut removed = Vec::new();
    for runtime in places {
        let dropin = Dropin::new(&name, *runtime);
        if dropin.remove(&root)? {
            removed.push(dropin.shown(&root));
        }
    }
    if removed.is_empty() {
        return Ok(said(&format!("{name} was not enabled: there is nothing to take back")));
    }
    let reload = reload(&root);
    Ok(said(&format!(
        "{name}: {} is removed; a JVM that runs keeps its dormant agent until the unit's next start\n{}",
        removed.join(" and "),
        reload.trim_end_matches(" && ")
    )))
}

/// Copies the library into a folder.
///
/// # Errors
/// When it cannot be read or written; one line of text.
pub fn copy_agent(arguments: &CopyAgent) -> Result<ExitStatus, String> {
    let library = program::library(arguments.agent.as_deref())?;
    let to = arguments.folder.join(program::LIBRARY);
    let copied = std::fs::read(&library).and_then(|bytes| write_whole(&to, &bytes));
    let readable = copied.and_then(|()| std::fs::set_permissions(&to, Permissions::from_mode(0o644)));
    readable.map_err(|error| {
        format!(
            "cannot copy {} to {}: {error}: name a folder that takes files",
            library.display(),
            to.display()
        )
    })?;
    Ok(said(&format!("the agent library: {}", to.display())))
}

fn said(text: &str) -> ExitStatus {
    // The work is done; that nobody reads about it changes nothing.
    let _ = stdout::print(&format!("{}\n", text.trim_end()));
    ExitStatus::AllHold
}

fn reload(root: &Root) -> &'static str {
    if root.is_this_system() { "systemctl daemon-reload && " } else { "" }
}

fn root(unit: &Unit) -> Result<Root, String> {
    Root::new(&unit.root)
}

/// Tries the library in the unit's java, if it has one and this is its system: a JVM whose agent cannot be loaded does not
/// start, and we would be the cause. Gives what to say when it was not tried.
fn try_in_java(root: &Root, unit: &Settings, library: &Path) -> Result<String, String> {
    let java = unit.programs().find(|word| is_launcher(word)).map(PathBuf::from);
    let Some(java) = java.filter(|java| root.is_this_system() && java.is_absolute()) else {
        return Ok(", but not tried (no java of this system stands first in ExecStart=)".to_owned());
    };
    match tryout::try_out(&[OsString::from(java)], library)? {
        Some(why) => Err(one_line(&why.replace('\n', "; "))),
        None => Ok(String::new()),
    }
}
