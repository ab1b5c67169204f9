//! Traces of a finished drill: where their files go, the table of methods next to them, and what the operator is shown.

use super::arriving::{LOOSE, METHODS, METHODS_HEAD, lines};
use super::collected::Profile;
use super::rings::{Traced, UNFINISHED};
use super::shown::say_left;
use super::streaming::Stream;
use crate::drilled::quoted;
use crate::numbers::{number, plural};
use crate::progress::Progress;
use spl_export::DOCUMENT;
use spl_session::files::write_whole;
use std::fs;
use std::path::{Path, PathBuf};

/// The names of receivers' classes, next to the files of threads.
pub const RECEIVERS: &str = "receivers.csv";
/// The folder of the traces in that of the drill.
pub const FOLDER: &str = "trace";

/// Writes the table of methods whole, next to the traces.
///
/// # Errors
/// When that cannot be written; one line of text.
pub fn write(traced: &Traced, profile: &Profile) -> Result<(), String> {
    let lines = profile.classes.iter().map(lines);
    let table: String = std::iter::once(METHODS_HEAD.to_owned()).chain(lines).collect();
    let path = traced.folder.join(METHODS);
    write_whole(&path, table.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Writes the names of receivers' classes with their numbers, next to the traces or into their stream. Several classes may have the same number.
///
/// # Errors
/// When that cannot be written; one line of text.
pub fn write_receivers(traced: &Traced, profile: &Profile) -> Result<(), String> {
    let mut classes: Vec<&(u64, String)> = profile.receivers.iter().collect();
    classes.sort();
    let lines = classes.into_iter().map(|(number, name)| format!("{number},{}\n", quoted(name)));
    let table: String = std::iter::once("class,name\n".to_owned()).chain(lines).collect();
    if let Some(stream) = &traced.stream {
        // Its faults are said at the end of the rings.
        let _ = stream.receivers(table);
        return Ok(());
    }
    let path = traced.folder.join(RECEIVERS);
    write_whole(&path, table.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Moves the traces of a JVM to their folder, next to what else was written of it. This comes last: its name says that the drill was
/// finished.
///
/// # Errors
/// When they cannot be moved; one line of text.
pub fn settle(traced: &Traced, drill: &Path) -> Result<(), String> {
    let folder = drill.join(FOLDER);
    let cannot = |error: std::io::Error| format!("cannot write to {}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(cannot)?;
    }
    fs::rename(&traced.folder, &folder).map_err(cannot)?;
    // The archive has these classes. A folder that cannot be removed stays.
    let _ = fs::remove_dir_all(folder.join(LOOSE));
    Ok(())
}

/// Ends a stream with the document of the drill. A stream that cannot be written keeps the reason.
///
/// # Errors
/// When the document cannot be read; one line of text.
pub fn finish(stream: &Stream, drill: &Path) -> Result<(), String> {
    let path = drill.join(DOCUMENT);
    let document =
        fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let _ = stream.end(document);
    Ok(())
}

/// Removes the traces of an earlier drill in this folder.
pub fn forget(drill: &Path) {
    for folder in unfinished(drill).into_iter().chain([drill.join(FOLDER)]) {
        // A folder that cannot be removed stays.
        let _ = fs::remove_dir_all(folder);
    }
}

/// Removes the folders of traces that nobody can read, of JVMs in which no class was traced; whether no other ones are left.
pub fn tidy(drill: &Path) -> bool {
    let (left, empty): (Vec<_>, Vec<_>) =
        unfinished(drill).into_iter().partition(|folder| folder.join(METHODS).exists());
    for folder in empty {
        // A folder that cannot be removed stays.
        let _ = fs::remove_dir_all(folder);
    }
    left.is_empty() && !drill.join(FOLDER).exists()
}

/// The folders of traces of a drill that was not finished, in their order.
pub fn unfinished(drill: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(drill) else { return Vec::new() };
    let is_one = |path: &PathBuf| is_unfinished(path) && path.is_dir();
    let mut all: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(is_one).collect();
    all.sort();
    all
}

/// Whether a folder has the name of such traces.
pub fn is_unfinished(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(UNFINISHED.as_bytes()))
}

/// Prints the summary. `doubts` say why the traces of methods are not all that they ran.
pub fn say(traced: &Traced, (profile, doubts): (&Profile, &[String]), folder: &Path, progress: &Progress) {
    let words: u64 = traced.threads.values().map(|(words, _)| words).sum();
    let bytes: u64 = traced.threads.values().map(|(_, bytes)| bytes).sum();
    let place = if traced.stream.is_some() { "packed" } else { "on the disk" };
    progress.note(&format!(
        "traced {}: {} words, {} bytes, {} {place}, {} lost",
        plural(traced.threads.len() as u64, "thread"),
        number(words),
        number(words * 4),
        number(bytes),
        plural(traced.lost, "event"),
    ));
    if let Some((told, all)) = traced.within {
        let all = plural(all, "call");
        progress.note(&format!("traced within {} of {all} of the methods of --within", number(told)));
    }
    for doubt in profile.doubts.iter().chain(doubts) {
        progress.note(&format!("the trace is not all that ran: {doubt}"));
    }
    say_left(profile, progress);
    progress.note(&match traced.stream.as_ref().map(|stream| (stream, stream.fault())) {
        Some((_, Some(fault))) => fault,
        Some((stream, None)) => {
            format!("the trace went to {}, {} bytes with its classes", stream.to(), number(stream.bytes()))
        }
        None => format!("traces are in {}; look at them with `spl trace`", folder.join(FOLDER).display()),
    });
}
