//! Files of lines, such as those of JSON objects.

use super::cannot_write;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// A file of lines that is there once it has one.
#[derive(Debug)]
pub struct Lines {
    /// Where it is.
    pub path: PathBuf,
    file: Option<File>,
}

impl Lines {
    /// A file of this name in the folder of the results.
    pub fn beside(result_file: &Path, name: &str) -> Self {
        Self { path: result_file.with_file_name(name), file: None }
    }

    /// Removes an older file, or goes on with it, without a half-written last line.
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

    /// Adds a line, which has its end.
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
