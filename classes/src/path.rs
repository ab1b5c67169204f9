//! A class path as Java reads it: its files and folders (java(1), `--class-path`).

use super::{container, nested};
use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The entries of a class path: parts between colons. An empty part is the current folder, and a part that
/// ends with `/*` stands for all JARs in its folder.
#[must_use]
pub fn entries(class_path: &OsStr) -> Vec<PathBuf> {
    let mut entries = Vec::new();
    for part in env::split_paths(class_path) {
        if part.as_os_str().is_empty() {
            entries.push(PathBuf::from("."));
        } else if part.ends_with("*") {
            entries.extend(jars_in(part.parent().unwrap_or(Path::new("."))));
        } else {
            entries.push(part);
        }
    }
    entries
}

/// JARs in the order of their names, so that the same files always give the same class path.
fn jars_in(folder: &Path) -> Vec<PathBuf> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let Ok(files) = fs::read_dir(folder) else { return Vec::new() };
    let jars = files.flatten().map(|file| file.path());
    let mut jars: Vec<PathBuf> =
        jars.filter(|path| path.extension().is_some_and(|end| end.eq_ignore_ascii_case("jar"))).collect();
    jars.sort();
    jars
}

/// Most entries that are looked at, those of manifests included.
const MOST_ENTRIES: usize = 5_000;

/// The entries and those of their manifests, each once, the latter after the JAR whose manifest names them.
/// As in Java, entries of a manifest need not exist.
#[must_use]
pub fn with_manifests(entries: &[PathBuf]) -> Vec<PathBuf> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    let mut open: Vec<PathBuf> = entries.iter().rev().cloned().collect();
    while let Some(entry) = open.pop().filter(|_| all.len() < MOST_ENTRIES) {
        // Another name of the same file has the same classes.
        let same = fs::metadata(&entry).map(|found| (found.dev(), found.ino()));
        if !seen.insert(same.map_err(|_| entry.clone())) {
            continue;
        }
        if entry.is_dir() {
            // An executable archive that was unpacked has its libraries as files.
            let inside = nested::LIBRARIES.iter().flat_map(|folder| jars_in(&entry.join(folder)));
            open.extend(inside.collect::<Vec<_>>().into_iter().rev());
        } else if entry.is_file() {
            let named = container::named_in_manifest(&entry).unwrap_or_default();
            let folder = entry.parent().unwrap_or(Path::new("."));
            let paths = named.iter().map(|path| folder.join(path.strip_prefix("file:").unwrap_or(path)));
            open.extend(paths.filter(|path| path.exists()).collect::<Vec<_>>().into_iter().rev());
        }
        all.push(entry);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn jar(path: &Path, class_path: &str) {
        let mut jar = zip::ZipWriter::new(fs::File::create(path).unwrap());
        jar.start_file("META-INF/MANIFEST.MF", zip::write::SimpleFileOptions::default()).unwrap();
        write!(jar, "Manifest-Version: 1.0\r\nClass-Path: {class_path}\r\n\r\n").unwrap();
        jar.finish().unwrap();
    }

    #[test]
    fn class_paths_name_folders_and_jars() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        // A line of a manifest has at most 72 bytes; a line that begins with a blank continues it.
        jar(&at("b.jar"), "lib/c.jar li\r\n b/missing.jar b.jar");
        fs::create_dir(at("lib")).unwrap();
        jar(&at("lib/c.jar"), "../a.jar");
        jar(&at("a.jar"), "");
        let class_path = env::join_paths([at("x"), PathBuf::new(), at("lib/*"), at("b.jar")]).unwrap();
        let found = entries(&class_path);
        assert_eq!(found, [at("x"), ".".into(), at("lib/c.jar"), at("b.jar")]);
        let found = with_manifests(&[at("b.jar")]);
        assert_eq!(found, [at("b.jar"), at("lib/c.jar"), at("lib/../a.jar")]);
    }
}
