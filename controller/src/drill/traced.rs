//! Traces of a finished drill: where their files go, the table of methods next to them, and what the operator is shown.

use super::collected::Profile;
use super::rings::Traced;
use super::shown::say_left;
use crate::drilled::digest;
use crate::numbers::{number, plural};
use crate::progress::Progress;
use spl_profile::CountedClass;
use spl_session::files::write_whole;
use std::fs;
use std::path::Path;

/// The folder of the traces in that of the drill.
pub const FOLDER: &str = "trace";
/// The table of methods in it.
pub const METHODS: &str = "methods.csv";
/// The first line of this table.
const METHODS_HEAD: &str = "number,sha256,method\n";

/// Moves the traces of a JVM to their folder, next to what else was written of it, and adds the table of methods.
///
/// # Errors
/// When that cannot be written; one line of text.
pub fn write(traced: &Traced, profile: &Profile, drill: &Path) -> Result<(), String> {
    let folder = drill.join(FOLDER);
    let cannot = |error: std::io::Error| format!("cannot write to {}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(cannot)?;
    }
    fs::rename(&traced.folder, &folder).map_err(cannot)?;
    let lines = profile.classes.iter().map(lines);
    let table: String = std::iter::once(METHODS_HEAD.to_owned()).chain(lines).collect();
    write_whole(&folder.join(METHODS), table.as_bytes()).map_err(cannot)
}

/// Removes the traces of JVMs that have no results, and with `all` those of an earlier drill.
pub fn clear(drill: &Path, all: bool) {
    let Ok(entries) = fs::read_dir(drill) else { return };
    for entry in entries.filter_map(Result::ok) {
        let name = entry.file_name();
        let is_left = name.as_encoded_bytes().starts_with(b"trace.");
        if is_left || all && name == FOLDER {
            // A folder that cannot be removed stays.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn lines(class: &CountedClass) -> String {
    let digest = digest(&class.bytes);
    let traced = class.methods.iter().filter(|method| method.counters.is_ok());
    let line = |method: &spl_profile::CountedMethod| {
        let name = format!("{}.{}{}", class.name, method.name, method.descriptor).replace('"', "\"\"");
        format!("{},{digest},\"{name}\"\n", method.first)
    };
    traced.map(line).collect()
}

/// Prints the summary.
pub fn say(traced: &Traced, profile: &Profile, folder: &Path, progress: &Progress) {
    let words: u64 = traced.threads.values().map(|(words, _)| words).sum();
    let bytes: u64 = traced.threads.values().map(|(_, bytes)| bytes).sum();
    progress.note(&format!(
        "traced {}: {} words, {} bytes, {} on the disk, {} lost",
        plural(traced.threads.len() as u64, "thread"),
        number(words),
        number(words * 4),
        number(bytes),
        plural(traced.lost, "event"),
    ));
    for doubt in &profile.doubts {
        progress.note(&format!("the trace is not all that ran: {doubt}"));
    }
    say_left(profile, progress);
    progress.note(&format!("traces are in {}; look at them with `spl trace`", folder.join(FOLDER).display()));
}
