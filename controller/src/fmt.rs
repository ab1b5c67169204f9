//! `spl fmt`: task files in their standard form.

use crate::check::{mode_of, read_text};
use crate::cli::Fmt;
use crate::stdout;
use serde::Serialize;
use spl_verdict::ExitStatus;
use std::io::{IsTerminal, Write};
use std::path::Path;

/// Prints task files formatted, writes them, or says which are not formatted.
///
/// # Errors
/// When a file cannot be read or written, or has unreadable lines, as text for the operator. Files before it
/// are done.
pub fn fmt(arguments: &Fmt) -> Result<ExitStatus, String> {
    let mut status = ExitStatus::AllHold;
    let mut files = Vec::new();
    for path in &arguments.files {
        let text = read_text(path)?;
        let mode = mode_of(arguments.mode.as_deref(), &text);
        let formatted = spl_lang::format(&text, mode).map_err(|found| {
            let name = path.display().to_string();
            let shown = found.iter().map(|one| one.render(&name, &text)).collect::<Vec<_>>();
            format!("{name} is left as it is\n{}", shown.join("\n"))
        })?;
        let was_formatted = formatted == text;
        if arguments.write && !was_formatted {
            replace(path, &formatted).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        }
        if arguments.check && !was_formatted {
            status = ExitStatus::SomeFail;
        }
        if arguments.json {
            let text = (!arguments.check && !arguments.write).then_some(formatted);
            files.push(JsonFile { file: path.display().to_string(), was_formatted, text });
        } else if arguments.check && !was_formatted {
            stdout::print(&format!("{} is not formatted\n", path.display()))?;
        } else if !arguments.check && !arguments.write {
            if std::io::stdout().is_terminal() {
                stdout::print(&formatted)?;
            } else {
                stdout::print_as_it_is(&formatted)?;
            }
        }
    }
    if arguments.json {
        let done = Done { schema: "spl.fmt/1", files };
        stdout::print_json(&done)?;
    }
    Ok(status)
}

/// The document of `--json` (`docs/schema/fmt-1.json`).
#[derive(Serialize)]
struct Done {
    schema: &'static str,
    files: Vec<JsonFile>,
}

#[derive(Serialize)]
struct JsonFile {
    file: String,
    was_formatted: bool,
    /// The formatted text, when it was neither checked nor written.
    text: Option<String>,
}

/// Replaces a file as a whole and keeps its permissions; a link keeps leading to it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    file.persist(&path).map(drop).map_err(|e| e.error)
}
