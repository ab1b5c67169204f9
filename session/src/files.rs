//! Files that exist whole or not at all, and the system's random bytes.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Mode of new files: the user's umask decides who can read them, such as a build server or an exporter of
/// metrics.
const MODE: u32 = 0o666;

/// Writes a file by way of another in the same folder, which is renamed when it is complete. A device or a pipe, such
/// as `/dev/null`, stays and is written into.
///
/// # Errors
/// When the folder is missing or cannot be written to; an older file stays as it is.
pub fn write_whole(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return OpenOptions::new().write(true).open(path)?.write_all(bytes);
    }
    let folder = folder_of(path);
    let mut builder = tempfile::Builder::new();
    let mut file = builder.permissions(Permissions::from_mode(MODE)).tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map(drop).map_err(|e| e.error)
}

/// The folder that a file is in.
fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Checks that the folders of files that are written at the end exist.
///
/// # Errors
/// When a folder is missing; one line of text.
pub fn check_folders<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), String> {
    match paths.into_iter().find(|path| !folder_of(path).is_dir()) {
        None => Ok(()),
        Some(path) => {
            Err(format!("cannot write {}: there is no folder {}", path.display(), folder_of(path).display()))
        }
    }
}

/// Unpredictable bytes from the system.
///
/// # Errors
/// When the system's source of random bytes cannot be read.
pub fn random<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_gets_the_bytes_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write_whole(&pipe, b"{}").unwrap();
        assert_eq!(reader.join().unwrap(), b"{}");
        assert!(!fs::metadata(&pipe).unwrap().is_file());
        let plain = folder.path().join("plain");
        for text in ["one", "two"] {
            write_whole(&plain, text.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&plain).unwrap(), text);
        }
    }
}
