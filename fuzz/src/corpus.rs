//! The stored inputs.

use std::fs;
use std::path::{Path, PathBuf};

/// The files of `corpus/NAME` in this crate, ordered by name; empty if the folder does not exist.
///
/// # Panics
/// When a file cannot be read.
#[must_use]
pub fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(name);
    let Ok(entries) = fs::read_dir(&folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let read = |path: PathBuf| fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    paths.into_iter().map(read).collect()
}
