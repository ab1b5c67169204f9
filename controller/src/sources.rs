//! Source files of a program, looked up in folders and archives by package and file name.

use spl_model::one_line;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::path::{Component, Path, PathBuf};
use zip::ZipArchive;

/// Largest source file that is read, in bytes.
const LARGEST: u64 = 4 << 20;
/// Most bytes of all source files of a page.
const MOST_BYTES: usize = 64 << 20;
/// Most entries of an archive; that of a JDK has some 20,000.
const MOST_ENTRIES: usize = 500_000;

/// Folders and archives with source files.
#[derive(Debug, Default)]
pub struct Sources {
    places: Vec<Place>,
    bytes: usize,
}

#[derive(Debug)]
enum Place {
    /// A folder, without links in its path.
    Folder(PathBuf),
    /// A JAR or ZIP. Names without a first folder, as that of a module in a JDK's `src.zip`, lead to their entries too.
    Archive { path: PathBuf, names: BTreeMap<String, usize>, zip: ZipArchive<BufReader<File>> },
}

/// A source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Where it was found.
    pub place: String,
    /// Its lines.
    pub lines: Vec<String>,
}

impl Sources {
    /// Opens the places.
    ///
    /// # Errors
    /// When one is neither a folder nor an archive; text for the operator.
    pub fn open(paths: &[PathBuf]) -> Result<Self, String> {
        let places = paths.iter().map(|path| {
            let cannot = |why: &dyn std::fmt::Display| {
                format!("--sources {}: {why}; name a folder, JAR or ZIP with source files", path.display())
            };
            if fs::metadata(path).map_err(|error| cannot(&error))?.is_dir() {
                return fs::canonicalize(path).map(Place::Folder).map_err(|error| cannot(&error));
            }
            let file = File::open(path).map_err(|error| cannot(&error))?;
            let zip = ZipArchive::new(BufReader::new(file)).map_err(|error| cannot(&error))?;
            if zip.len() > MOST_ENTRIES {
                return Err(cannot(&format_args!("it has over {MOST_ENTRIES} entries")));
            }
            Ok(Place::Archive { path: path.clone(), names: names(&zip), zip })
        });
        Ok(Self { places: places.collect::<Result<_, _>>()?, bytes: 0 })
    }

    /// Whether there are no places to look in.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The source file `file` of a class, whose name has slashes.
    ///
    /// # Errors
    /// When there is none that can be shown; one line without a full stop.
    pub fn find(&mut self, class: &str, file: &str) -> Result<Text, String> {
        let package = class.rsplit_once('/').map_or("", |(package, _)| package);
        let name = if package.is_empty() { file.to_owned() } else { format!("{package}/{file}") };
        let shown = one_line(&name);
        // Class files may be hostile: a name never leads out of a place.
        let is_plain =
            |part: &str| !part.is_empty() && part != "." && part != ".." && !part.contains(['\\', '\0']);
        if !name.split('/').all(is_plain) || file.contains('/') {
            return Err(format!("the class names no file of its package, but {shown}"));
        }
        for place in &mut self.places {
            let Some((place, bytes)) = place.read(&name)? else { continue };
            self.bytes += bytes.len();
            if self.bytes > MOST_BYTES {
                return Err(format!("the source files of the page have over {} MiB", MOST_BYTES >> 20));
            }
            let text = String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", one_line(&place)))?;
            return Ok(Text { place: one_line(&place), lines: text.lines().map(one_line).collect() });
        }
        Err(format!("{shown} is in none of the places that --sources names"))
    }
}

impl Place {
    /// A file of this name, with its whole name; `None` if there is none.
    fn read(&mut self, name: &str) -> Result<Option<(String, Vec<u8>)>, String> {
        match self {
            Self::Folder(folder) => {
                let path = folder.join(name);
                let shown = one_line(&path.display().to_string());
                let Ok(real) = fs::canonicalize(&path) else { return Ok(None) };
                if !is_below(&real, folder) {
                    return Err(format!("{shown} is a link out of {}", folder.display()));
                }
                let cannot = |error: std::io::Error| format!("cannot read {shown}: {error}");
                // A pipe would be waited for.
                if !fs::metadata(&real).map_err(cannot)?.is_file() {
                    return Err(format!("{shown} is not a file"));
                }
                let bytes = bounded(File::open(&real).map_err(cannot)?, &shown)?;
                Ok(Some((shown, bytes)))
            }
            Self::Archive { path, names, zip } => {
                let Some(entry) = names.get(name) else { return Ok(None) };
                let shown = one_line(&format!("{}!/{name}", path.display()));
                let entry = zip.by_index(*entry).map_err(|error| format!("cannot read {shown}: {error}"))?;
                let bytes = bounded(entry, &shown)?;
                Ok(Some((shown, bytes)))
            }
        }
    }
}

fn is_below(path: &Path, folder: &Path) -> bool {
    path.strip_prefix(folder)
        .is_ok_and(|rest| rest.components().all(|part| matches!(part, Component::Normal(_))))
}

fn bounded(from: impl Read, shown: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    from.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("cannot read {shown}: {error}"))?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!("{shown} has over {} MiB", LARGEST >> 20));
    }
    Ok(bytes)
}

/// Entries of an archive by their names, and by their names without the first folder where no other entry has that name.
fn names(zip: &ZipArchive<BufReader<File>>) -> BTreeMap<String, usize> {
    let mut names: BTreeMap<String, usize> = BTreeMap::new();
    for place in 0..zip.len() {
        // A name that cannot be read is never looked for.
        if let Some(Ok(name)) = zip.name_for_index(place) {
            names.insert(name.into_owned(), place);
        }
    }
    let shorter: Vec<(String, usize)> = names
        .iter()
        .filter_map(|(name, place)| Some((name.split_once('/')?.1.to_owned(), *place)))
        .filter(|(name, _)| !names.contains_key(name))
        .collect();
    for (name, place) in shorter {
        names.entry(name).or_insert(place);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    #[test]
    fn files_are_found_in_folders_and_archives() {
        let work = tempfile::tempdir().unwrap();
        fs::create_dir_all(work.path().join("src/p")).unwrap();
        fs::write(work.path().join("src/p/A.java"), "a\r\nb\u{1b}\n").unwrap();
        let path = work.path().join("b.zip");
        let mut zip = ZipWriter::new(File::create(&path).unwrap());
        for (name, text) in [("m/p/B.java", "of a module"), ("../p/C.java", "out"), ("p/D.java", "d")] {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        let mut sources = Sources::open(&[work.path().join("src"), path]).unwrap();
        assert_eq!(sources.find("p/A$B", "A.java").unwrap().lines, ["a", "b\u{fffd}"]);
        assert_eq!(sources.find("p/B", "B.java").unwrap().lines, ["of a module"]);
        assert_eq!(sources.find("p/D", "D.java").unwrap().lines, ["d"]);
        let missing = sources.find("p/E", "E.java").unwrap_err();
        assert!(missing.contains("p/E.java is in none of the places"), "{missing}");
        for (class, file) in [
            ("p/A", "../../etc/passwd"),
            ("../p/C", "C.java"),
            ("p/A", ".."),
            ("p/A", ""),
            ("/p/A", "A.java"),
        ] {
            let why = sources.find(class, file).unwrap_err();
            assert!(why.contains("the class names no file of its package"), "{why}");
        }
        let why = Sources::open(&[work.path().join("missing")]).unwrap_err();
        assert!(why.contains("name a folder, JAR or ZIP"), "{why}");
        let why = Sources::open(&[work.path().join("src/p/A.java")]).unwrap_err();
        assert!(why.contains("name a folder, JAR or ZIP"), "{why}");
    }

    #[test]
    fn links_out_of_the_folder_and_odd_files_are_named() {
        let work = tempfile::tempdir().unwrap();
        let src = work.path().join("src");
        fs::create_dir_all(src.join("p/Folder.java")).unwrap();
        fs::write(work.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(work.path().join("secret"), src.join("p/Link.java")).unwrap();
        fs::write(src.join("p/Latin.java"), [b'a', 0xe9]).unwrap();
        let huge = File::create(src.join("p/Huge.java")).unwrap();
        huge.set_len(LARGEST + 1).unwrap();
        let mut sources = Sources::open(&[src]).unwrap();
        for (file, expected) in [
            ("Link.java", "is a link out of"),
            ("Folder.java", "is not a file"),
            ("Latin.java", "is not UTF-8"),
            ("Huge.java", "has over 4 MiB"),
        ] {
            let why = sources.find("p/A", file).unwrap_err();
            assert!(why.contains(expected), "{file}: {why}");
        }
    }
}
