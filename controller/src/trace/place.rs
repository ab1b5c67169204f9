//! Where a trace is: in the folder of a finished drill, or of one that was cut short.

use crate::drill::arriving::METHODS;
use crate::drill::traced::{FOLDER, is_unfinished, unfinished};
use crate::drilled::drill_folder;
use crate::said::say;
use spl_export::DOCUMENT;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The folders of a trace.
#[derive(Debug)]
pub struct Place {
    /// That of the drill.
    pub drill: PathBuf,
    /// That of the files of threads.
    pub traces: PathBuf,
    /// Whether the drill came to its end.
    pub is_finished: bool,
}

impl Place {
    /// Finds the trace in a folder: that of a drill, the one that it is in, or that of the traces themselves.
    ///
    /// # Errors
    /// When there is none, or more than one; one line of text.
    pub fn find(given: &Path) -> Result<Self, String> {
        let is_traces = is_unfinished(given) || given.file_name().is_some_and(|name| name == FOLDER);
        if is_traces && !given.join(DOCUMENT).exists() && given.is_dir() {
            let drill =
                given.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
            return Ok(Self {
                drill: drill.to_owned(),
                traces: given.to_owned(),
                is_finished: !is_unfinished(given),
            });
        }
        // A drill that was cut short may have left no more than the trace.
        let has_trace = given.join(FOLDER).join(METHODS).exists() || !unfinished(given).is_empty();
        let drill = if has_trace { given.to_owned() } else { drill_folder(given)? };
        let (traces, unfinished) = (drill.join(FOLDER), unfinished(&drill));
        match (fs::read_dir(&traces), &unfinished[..]) {
            (Ok(_), more) => {
                for folder in more {
                    say(&format!(
                        "{} is a trace that was not finished; name it to read it",
                        folder.display()
                    ));
                }
                Ok(Self { drill, traces, is_finished: true })
            }
            (Err(error), _) if error.kind() != ErrorKind::NotFound => Err(cannot(&traces, &error)),
            (Err(_), []) => Err(none(&drill)),
            (Err(_), [one]) => Ok(Self { drill, traces: one.clone(), is_finished: false }),
            (Err(_), [first, .., last]) => Err(format!(
                "{} has traces of {} JVMs, of a drill that was not finished: name one of {} to {}",
                drill.display(),
                unfinished.len(),
                first.display(),
                last.display()
            )),
        }
    }
}

/// Why there is no trace.
fn none(drill: &Path) -> String {
    let is_cut = fs::metadata(drill.join(DOCUMENT)).is_ok_and(|document| document.len() == 0);
    let drill = drill.display();
    if is_cut {
        return format!(
            "{drill} has no trace: the drill was cut short before a thread was traced; drill again"
        );
    }
    format!("{drill} has no trace; take one with `spl drill --what trace`")
}

/// Why something of a trace cannot be read.
pub fn cannot(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("cannot read {}: {why}", path.display())
}
