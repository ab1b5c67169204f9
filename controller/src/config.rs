//! The INI file (thesis 3.3.2): every key, its default, and errors with the place and the correction.

mod contradictions;
mod draft;
mod keys;
mod places;
mod settling;
mod shown;
mod values;

use draft::Draft;
use keys::section_of;
use places::{Lines, Named, Place};
pub use shown::{Written, settings, with, written};
use spl_session::config::Config;
use std::path::Path;

/// The file that is read when none is named; it may be missing.
pub const DEFAULT_FILE: &str = "splserver.ini";
/// The environment variable that names another file (the thesis's property `spl.server.config`).
pub const FILE_VARIABLE: &str = "SPL_SERVER_CONFIG";

/// The environment variable that names the JAR with size processors (thesis 3.4.3); it overrides
/// `processor-jar`.
pub const PROCESSOR_VARIABLE: &str = "PROCESSOR_JAR";

/// Reads a configuration with other values of some keys (`--set`); `file` is its name in messages.
///
/// # Errors
/// All problems of the file, one a line, each with its place and its correction.
pub fn parse(text: &str, file: &Path, changes: &[(String, String)]) -> Result<Config, String> {
    let ini = ini::Ini::load_from_str_noescape(text).map_err(|e| {
        // The reader stops behind the line that it does not understand.
        let line = places::odd_line(text).unwrap_or(e.line);
        format!(
            "{}:{line}: not understood; expected a section as [name] or a line key = value",
            file.display()
        )
    })?;
    let mut lines = Lines::of(text);
    let mut problems = Vec::new();
    let mut named = Vec::new();
    for (section, properties) in &ini {
        let section = section.unwrap_or("");
        // Keys before the first section have none.
        if let Some(problem) = settling::unknown_section(section).filter(|_| !section.is_empty()) {
            problems.push((Place::Line(file, lines.section(section)), problem));
            continue;
        }
        for (key, value) in properties {
            let place = Place::Line(file, lines.take(section, key));
            named.push(Named { section, key, value: value.trim(), place });
        }
    }
    for (key, value) in changes {
        named.push(Named { section: section_of(key), key, value, place: Place::Set(key, value) });
    }
    let mut draft = Draft::default();
    for one in &named {
        if let Err(problem) = draft.set(one.section, one.key, one.value) {
            problems.push((one.place, problem));
        }
    }
    draft.settle(&named)?;
    problems.extend(contradictions::found(&draft, &named).into_iter().map(|(one, what)| (one.place, what)));
    // In the order of the lines; what the command line sets comes last.
    problems.sort_by_key(|(place, _)| place.line().unwrap_or(usize::MAX));
    if problems.is_empty() {
        return Ok(draft.config);
    }
    let all = problems.into_iter().map(|(place, problem)| format!("{place}: {problem}"));
    Err(all.collect::<Vec<_>>().join("\n"))
}

#[cfg(test)]
mod tests;
