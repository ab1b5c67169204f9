//! The files of a finished drill, for the commands that read them. They may be damaged, or not be a drill's at all.

use crate::said::say;
use spl_export::{CLASSES, CountedClass, DOCUMENT, Fault, archive_fault, no_classes};
use spl_model::one_line;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Most bytes of a file of a drill, which is kept in memory.
const MOST_BYTES: u64 = 1 << 30;
/// Most bytes of a class file; the drill takes no larger ones.
pub const MOST_CLASS_BYTES: u64 = 256 << 20;

/// A fault with its file's path.
pub fn in_folder(folder: &Path, fault: &Fault) -> String {
    let Fault { place, reason, remedy } = fault;
    format!("{}: {reason}; {remedy}", one_line(&folder.join(place).display().to_string()))
}

/// Says that the command had several JVMs, if it had.
pub fn say_second(folder: &Path) {
    let second = folder.join("jvm-2");
    if second.join(DOCUMENT).exists() {
        say(&format!(
            "this is the first JVM of the command; name {} for the second, and so on",
            second.display()
        ));
    }
}

/// The folder of a drill, given itself or the folder that it is in.
///
/// # Errors
/// When there is none, or more than one; one line of text.
pub fn drill_folder(given: &Path) -> Result<PathBuf, String> {
    if given.join(DOCUMENT).exists() {
        return Ok(given.to_owned());
    }
    let cannot = |error| format!("cannot read {}: {error}", given.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(given).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let is_drill = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"drill"));
        if is_drill && path.join(DOCUMENT).exists() {
            found.push(path);
        }
    }
    found.sort();
    match &found[..] {
        [] => Err(format!("{} has no drill: name the folder that `spl drill` has written", given.display())),
        [one] => Ok(one.clone()),
        [first, .., last] => {
            let (first, last) = (first.display(), last.display());
            Err(format!("{} has {} drills: name one of {first} to {last}", given.display(), found.len()))
        }
    }
}

/// Refuses what is there in place of a file: a pipe would let its reader wait.
///
/// # Errors
/// When it is something else; one line of text.
pub fn regular(path: &Path) -> Result<(), String> {
    match fs::metadata(path) {
        Ok(of) if !of.is_file() => Err(format!("cannot read {}: it is not a file", path.display())),
        _ => Ok(()),
    }
}

/// The bytes of a file that is not too large.
///
/// # Errors
/// When it cannot be read; one line of text.
pub fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| {
        let missing =
            if error.kind() == ErrorKind::NotFound { "; the drill was cut short: run it again" } else { "" };
        format!("cannot read {}: {error}{missing}", path.display())
    };
    regular(path)?;
    let bytes = first_bytes(path, MOST_BYTES + 1).map_err(cannot)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!(
            "{} has more than {MOST_BYTES} bytes, which is too much here: drill fewer methods",
            path.display()
        ));
    }
    Ok(bytes)
}

/// The first bytes of a file, as many as are asked for or as it has.
///
/// # Errors
/// When it cannot be read.
pub fn first_bytes(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a table of a drill, compared with the digest among those of its document.
///
/// # Errors
/// When it cannot be read, or was changed since; one line of text.
pub fn table(
    folder: &Path,
    digests: &BTreeMap<String, String>,
    name: &'static str,
) -> Result<Vec<u8>, String> {
    let bytes = bytes(&folder.join(name))?;
    match digests.get(name) {
        Some(written) if *written != digest(&bytes) => {
            let reason = format!("it is not as the drill wrote it: {DOCUMENT} has another digest");
            let remedy = "bring back the file that was written, or drill again";
            Err(in_folder(folder, &Fault { place: name.to_owned(), reason, remedy }))
        }
        _ => Ok(bytes),
    }
}

/// The digest of some bytes, as files of a drill have it: SHA-256 in hexadecimal digits.
pub fn digest(bytes: &[u8]) -> String {
    spl_wire::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A field of a table, always in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The text of a field, with or without quotes.
pub fn unquoted(field: &str) -> String {
    let text = field.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(field);
    text.replace("\"\"", "\"")
}

/// The class files of a drill.
#[derive(Debug)]
pub struct Classes {
    from: From,
}

#[derive(Debug)]
enum From {
    Archive(Box<ZipArchive<File>>),
    /// The folder in which each has a file of its own.
    Loose(PathBuf),
}

impl Classes {
    /// Those in the archive of a drill.
    ///
    /// # Errors
    /// When it is missing or damaged.
    pub fn open(folder: &Path) -> Result<Self, Fault> {
        let file = File::open(folder.join(CLASSES)).map_err(|error| {
            if error.kind() == ErrorKind::NotFound { no_classes() } else { archive_fault(error) }
        })?;
        let archive = ZipArchive::new(file).map_err(archive_fault)?;
        Ok(Self { from: From::Archive(Box::new(archive)) })
    }

    /// Those in a folder of a drill that was not finished.
    pub fn loose(folder: PathBuf) -> Self {
        Self { from: From::Loose(folder) }
    }

    /// A class file, which has to be the one that was counted over.
    ///
    /// # Errors
    /// When it is not there, or another one.
    pub fn bytes(&mut self, class: &CountedClass) -> Result<Vec<u8>, Fault> {
        let wrong = |why: &dyn std::fmt::Display| {
            archive_fault(format!("the class file of {} cannot be read: {why}", one_line(&class.name)))
        };
        if class.bytes > MOST_CLASS_BYTES {
            return Err(wrong(&format!("{DOCUMENT} says that it has {} bytes", class.bytes)));
        }
        // One byte more, so that a longer one is seen.
        self.of_digest(&class.sha256, class.bytes + 1).map_err(|why| wrong(&why))
    }

    /// The class file with a digest, of at most this number of bytes.
    ///
    /// # Errors
    /// When it is not there, or has other bytes; the reason.
    pub fn of_digest(&mut self, sha256: &str, most: u64) -> Result<Vec<u8>, String> {
        // Digests stand in tables, which another program may have changed.
        if sha256.len() != 64 || !sha256.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(format!("{} is not a SHA-256", one_line(sha256)));
        }
        let (name, mut bytes) = (format!("{sha256}.class"), Vec::new());
        let read = match &mut self.from {
            From::Archive(archive) => {
                let entry = archive.by_name(&name).map_err(|error| error.to_string())?;
                entry.take(most).read_to_end(&mut bytes)
            }
            From::Loose(folder) => {
                let path = folder.join(name);
                regular(&path)?;
                File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
            }
        };
        read.map_err(|error| error.to_string())?;
        if digest(&bytes) != sha256 {
            return Err("its bytes are not those of its digest".to_owned());
        }
        Ok(bytes)
    }
}
