//! `spl fmt`: task files in their one form.

use crate::check::{mode_of, read_text};
use crate::cli::Fmt;
use spl_verdict::ExitStatus;
use std::io::Write;
use std::path::Path;

/// Prints task files formatted, writes them, or says which are not formatted.
///
/// # Errors
/// When a file cannot be read or written, or has lines that cannot be read, as text for the operator. Files before it
/// are done.
pub fn fmt(arguments: &Fmt) -> Result<ExitStatus, String> {
    let mut status = ExitStatus::AllHold;
    for path in &arguments.files {
        let text = read_text(path)?;
        let mode = mode_of(arguments.mode.as_deref(), &text);
        let formatted = spl_lang::format(&text, mode).map_err(|found| {
            let name = path.display().to_string();
            let shown = found.iter().map(|one| one.render(&name, &text)).collect::<Vec<_>>();
            format!("{name} is left as it is\n{}", shown.join("\n"))
        })?;
        if arguments.check {
            if formatted != text {
                println!("{} is not formatted", path.display());
                status = ExitStatus::SomeFail;
            }
        } else if !arguments.write {
            print!("{formatted}");
        } else if formatted != text {
            replace(path, &formatted).map_err(|e| format!("cannot write {}: {e}", path.display()))?;
        }
    }
    Ok(status)
}

/// The file is there whole, old or new, and keeps its permissions; a link keeps leading to it.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let path = std::fs::canonicalize(path)?;
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(std::fs::metadata(&path)?.permissions())?;
    file.persist(&path).map(drop).map_err(|e| e.error)
}
