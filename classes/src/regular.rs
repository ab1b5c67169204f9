//! Files of programs that may be hostile: only regular ones are read, and no more of them than is wanted.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Does not wait for a writer of a pipe (`O_NONBLOCK` of Linux).
const NONBLOCK: i32 = 0o4000;

/// Opens a regular file.
///
/// # Errors
/// When it cannot be opened, or is a pipe, a device or a folder.
pub fn open(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().read(true).custom_flags(NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is not a regular file")) }
}

/// The bytes of a regular file.
///
/// # Errors
/// When it cannot be read, or has more bytes than `most`.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::ErrorKind::FileTooLarge.into()) } else { Ok(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_folders_and_large_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, "1234").unwrap();
        assert_eq!(read(&path, 4).unwrap(), b"1234");
        assert_eq!(read(&path, 3).unwrap_err().kind(), io::ErrorKind::FileTooLarge);
        assert!(open(folder.path()).is_err() && open(Path::new("/dev/zero")).is_err());
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(open(&pipe).is_err(), "it would wait for a writer");
    }
}
