//! Files that are there whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Writes a file by way of another beside it, which takes its name when it is complete.
///
/// # Errors
/// When the folder is missing or cannot be written to; an older file stays as it is.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map(drop).map_err(|e| e.error)
}
