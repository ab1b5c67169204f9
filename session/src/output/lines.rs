//! Append-only files of lines, such as JSON objects, and of records.

use spl_records::{Form, Reader, Record};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file of lines, created with its first line.
#[derive(Debug)]
pub struct Lines {
    /// Path of the file.
    pub path: PathBuf,
    file: Option<File>,
}

impl Lines {
    /// A file of this name in the folder of the results.
    pub fn beside(result_file: &Path, name: &str) -> Self {
        Self { path: result_file.with_file_name(name), file: None }
    }

    /// Removes an older file, or opens it to append, without a half-written last line.
    pub fn open(&mut self, overwrite: bool) -> Result<(), String> {
        let wrong = |error: std::io::Error| cannot_write(&self.path, &error);
        let bytes = match fs::read(&self.path) {
            Ok(_) if overwrite => return fs::remove_file(&self.path).map_err(wrong),
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(wrong(error)),
        };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let file = OpenOptions::new().append(true).open(&self.path).map_err(wrong)?;
        file.set_len(whole as u64).map_err(wrong)?;
        self.file = Some(file);
        Ok(())
    }

    /// Adds a line, which ends in a line feed.
    pub fn write(&mut self, line: &str) -> Result<(), String> {
        let file = match &mut self.file {
            Some(file) => Ok(file),
            None => {
                let made = OpenOptions::new().create(true).append(true).open(&self.path);
                made.map(|file| self.file.insert(file))
            }
        };
        file.and_then(|file| file.write_all(line.as_bytes())).map_err(|e| cannot_write(&self.path, &e))
    }
}

/// Opens a file to write records to, with its header. A half-written last record of an older file is cut off.
pub fn open_records<R: Record>(
    path: &Path,
    overwrite: bool,
    form: Form,
    header: &str,
) -> Result<File, String> {
    let wrong = |error: std::io::Error| cannot_write(path, &error);
    // Opening or reading a device or a pipe could block without end.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(format!("cannot write {}: it is not a regular file", path.display()));
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(wrong)?;
    if overwrite {
        file.set_len(0).map_err(wrong)?;
    } else {
        let bytes = fs::read(path).map_err(wrong)?;
        if let Some(end) =
            end_of_records::<R>(&bytes, form).map_err(|why| format!("{}: {why}", path.display()))?
        {
            file.set_len(end as u64).map_err(wrong)?;
        }
        if !bytes.is_empty() {
            return Ok(file);
        }
    }
    file.write_all(header.as_bytes()).map_err(wrong)?;
    Ok(file)
}

/// Start of a half-written last record, if there is one.
fn end_of_records<R: Record>(bytes: &[u8], form: Form) -> Result<Option<usize>, String> {
    let mut reader = Reader::<R>::new(bytes).map_err(|e| e.to_string())?;
    if reader.form() != form && !bytes.is_empty() {
        return Err(
            "the file has the other form (human-readable or comma-separated); change the configuration, \
                    overwrite it, or choose another folder with --out"
                .to_owned(),
        );
    }
    // Malformed records are reported when the file is evaluated; here only the end counts.
    reader.by_ref().for_each(drop);
    Ok(reader.cut_off().map(|cut| cut.offset))
}

/// Error text for a file that cannot be written.
pub fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}
