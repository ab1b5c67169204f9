//! Archives within an archive: the libraries of an executable JAR of Spring Boot and of a WAR (Jakarta Servlet 10.5).
//!
//! Only one level is read: no launcher looks for libraries in a library. An archive may be damaged or made to fill the
//! memory, so all archives of a class path share one [`Allowance`].

use crate::part::Part;
use std::io::{self, Read};
use zip::{CompressionMethod, ZipArchive};

/// Folders of such an archive whose classes the program sees without this prefix.
const CLASSES: [&str; 2] = ["BOOT-INF/classes/", "WEB-INF/classes/"];
/// Folders with libraries, the JARs in them.
pub const LIBRARIES: [&str; 3] = ["BOOT-INF/lib/", "WEB-INF/lib/", "WEB-INF/lib-provided/"];

/// An open archive, and its bytes for the archives in it.
#[derive(Debug)]
pub struct Archive {
    /// The entries.
    pub zip: ZipArchive<Part>,
    part: Part,
}

/// Memory and time that the libraries of a class path may still take.
#[derive(Debug)]
pub struct Allowance {
    /// Bytes of libraries that are stored compressed, and are unpacked into memory.
    bytes: u64,
    /// Entries of all libraries.
    entries: usize,
}

impl Default for Allowance {
    fn default() -> Self {
        // The largest known programs have 300 MB of libraries with 200,000 entries.
        Self { bytes: 1 << 30, entries: 4_000_000 }
    }
}

impl Archive {
    /// Opens an archive.
    ///
    /// # Errors
    /// When the bytes cannot be read, or are not an archive.
    pub fn open(part: Part) -> io::Result<Self> {
        Ok(Self { zip: ZipArchive::new(part.clone())?, part })
    }

    /// The libraries, with their names in this archive, in its order. Those beyond the allowance are errors.
    pub fn libraries(&mut self, allowance: &mut Allowance) -> Vec<(String, io::Result<Self>)> {
        let names = (0..self.zip.len()).filter_map(|index| {
            let name = self.zip.name_for_index(index)?.ok()?.into_owned();
            is_library(&name).then_some((index, name))
        });
        let names = names.collect::<Vec<_>>();
        let mut libraries = Vec::new();
        for (index, name) in names {
            if allowance.entries == 0 {
                let why = io::Error::other(
                    "it and the libraries after it are left out: they have too many entries",
                );
                libraries.push((name, Err(why)));
                break;
            }
            let library = self.library(index, allowance);
            if let Ok(library) = &library {
                allowance.entries = allowance.entries.saturating_sub(library.zip.len());
            }
            libraries.push((name, library));
        }
        libraries
    }

    fn library(&mut self, index: usize, allowance: &mut Allowance) -> io::Result<Self> {
        let mut entry = self.zip.by_index(index)?;
        // Spring Boot stores libraries as they are, so that they are read where they lie.
        if entry.compression() == CompressionMethod::Stored && !entry.encrypted() {
            let part = entry.data_start().and_then(|start| self.part.part(start, entry.size()));
            return Self::open(part.ok_or(io::ErrorKind::UnexpectedEof)?);
        }
        let mut bytes = Vec::new();
        // The size that an entry states is not to be trusted.
        entry.by_ref().take(allowance.bytes.saturating_add(1)).read_to_end(&mut bytes)?;
        let Some(left) = allowance.bytes.checked_sub(bytes.len() as u64) else {
            return Err(io::Error::other("the libraries are too large when they are unpacked"));
        };
        allowance.bytes = left;
        Self::open(Part::unpacked(bytes))
    }
}

/// Whether an entry of this name is a library of an executable archive.
#[must_use]
pub fn is_library(name: &str) -> bool {
    let file = LIBRARIES.iter().find_map(|folder| name.strip_prefix(folder));
    file.is_some_and(|file| !file.contains('/') && file.ends_with(".jar"))
}

/// The path of a class file without the folder of an executable archive; the same path in others.
pub fn without_folder(path: &str) -> &str {
    CLASSES.iter().find_map(|folder| path.strip_prefix(folder)).unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Cursor, Write};
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    fn zip(entries: &[(&str, &[u8])], method: CompressionMethod) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in entries {
            zip.start_file(*name, SimpleFileOptions::default().compression_method(method)).unwrap();
            zip.write_all(bytes).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }

    /// Names of the libraries, each with the number of its entries or its error.
    fn libraries(bytes: Vec<u8>, mut allowance: Allowance) -> Vec<(String, Result<usize, String>)> {
        let mut archive = Archive::open(Part::unpacked(bytes)).unwrap();
        let libraries = archive.libraries(&mut allowance).into_iter();
        let count = |library: io::Result<Archive>| library.map(|library| library.zip.len());
        libraries.map(|(name, library)| (name, count(library).map_err(|e| e.to_string()))).collect()
    }

    const METHODS: [CompressionMethod; 2] = [CompressionMethod::Stored, CompressionMethod::Deflated];

    #[test]
    fn libraries_are_the_jars_in_their_folders() {
        for method in METHODS {
            let jar = zip(&[("a", b"a"), ("b", b"b")], method);
            let names = [
                "BOOT-INF/lib/a.jar",
                "WEB-INF/lib/b.jar",
                "WEB-INF/lib-provided/c.jar",
                "lib/d.jar",
                "BOOT-INF/lib/more/e.jar",
                "BOOT-INF/lib/f.txt",
            ];
            let outer = zip(&names.map(|name| (name, &jar[..])), method);
            let found = libraries(outer, Allowance::default());
            assert_eq!(found, names[..3].iter().map(|name| (name.to_string(), Ok(2))).collect::<Vec<_>>());
        }
    }

    #[test]
    fn what_is_unpacked_into_memory_is_bounded() {
        let jar = zip(&[("zeros", &[0; 100_000])], CompressionMethod::Stored);
        let names = ["BOOT-INF/lib/a.jar", "BOOT-INF/lib/b.jar", "BOOT-INF/lib/c.jar"];
        let outer = |method| zip(&names.map(|name| (name, &jar[..])), method);
        let some = || Allowance { bytes: jar.len() as u64 * 2, entries: 100 };
        let too_large = || Err("the libraries are too large when they are unpacked".to_owned());
        let found = libraries(outer(CompressionMethod::Deflated), some());
        assert_eq!(
            found.into_iter().map(|(_, found)| found).collect::<Vec<_>>(),
            [Ok(1), Ok(1), too_large()]
        );
        // Libraries that are read where they lie take no memory.
        assert!(libraries(outer(CompressionMethod::Stored), some()).iter().all(|(_, found)| found.is_ok()));
    }

    #[test]
    fn a_library_that_is_listed_many_times_ends_with_the_allowance() {
        let jar = zip(&[("a", b""), ("b", b""), ("c", b"")], CompressionMethod::Stored);
        let outer = zip(&[("BOOT-INF/lib/000.jar", &jar)], CompressionMethod::Stored);
        // The end of the central directory has 22 bytes: the directory's length at 12, its start at 16.
        let (rest, end) = outer.split_at(outer.len() - 22);
        let number = |at: usize| u32::from_le_bytes(*end[at..].first_chunk().unwrap());
        let (files, listed) = rest.split_at(number(16) as usize);
        let mut bytes = files.to_vec();
        let times = 500_u16;
        for n in 0..times {
            let name = format!("BOOT-INF/lib/{n:03}.jar");
            let at =
                listed.windows(name.len()).position(|bytes| bytes.starts_with(b"BOOT-INF/lib/")).unwrap();
            bytes.extend([&listed[..at], name.as_bytes(), &listed[at + name.len()..]].concat());
        }
        let mut end = end.to_vec();
        end[8..10].copy_from_slice(&times.to_le_bytes());
        end[10..12].copy_from_slice(&times.to_le_bytes());
        end[12..16].copy_from_slice(&(number(12) * u32::from(times)).to_le_bytes());
        bytes.extend(end);
        let found = libraries(bytes.clone(), Allowance { bytes: 0, entries: 100 });
        assert_eq!(found.iter().filter(|(_, found)| *found == Ok(3)).count(), 34);
        let (_, Err(last)) = &found[34] else { panic!("{found:?}") };
        assert!(last.starts_with("it and the libraries after it are left out"), "{last}");
        assert_eq!(found.len(), 35);
        assert_eq!(libraries(bytes, Allowance::default()).len(), usize::from(times));
    }

    #[test]
    fn damaged_archives_do_no_harm() {
        for method in METHODS {
            let jar = zip(&[("a/B.class", b"bytes")], method);
            let outer = zip(&[("BOOT-INF/lib/a.jar", &jar), ("WEB-INF/classes/C.class", b"more")], method);
            for at in 0..outer.len() {
                for wrong in [0, 0x7f, 0xff] {
                    let mut bytes = outer.clone();
                    bytes[at] = wrong;
                    // Reading must end, with any result.
                    let Ok(mut archive) = Archive::open(Part::unpacked(bytes)) else { continue };
                    for (_, library) in archive.libraries(&mut Allowance { bytes: 1 << 20, entries: 100 }) {
                        let Ok(mut library) = library else { continue };
                        for index in 0..library.zip.len() {
                            let mut bytes = Vec::new();
                            let Ok(entry) = library.zip.by_index(index) else { continue };
                            let _ = entry.take(1 << 20).read_to_end(&mut bytes);
                        }
                    }
                }
            }
        }
    }
}
