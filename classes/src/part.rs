//! The bytes of an archive: a file, a part of a file that an outer archive stores uncompressed, or unpacked bytes.

use super::regular;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// Bytes that are read at any place. Several parts of one file share its descriptor.
#[derive(Clone, Debug)]
pub struct Part {
    bytes: Bytes,
    /// Start within the file or the bytes.
    start: u64,
    length: u64,
    /// Next byte to read, from `start`.
    at: u64,
}

#[derive(Clone, Debug)]
enum Bytes {
    File(Arc<File>),
    Unpacked(Arc<[u8]>),
}

impl Part {
    /// A whole file.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = regular::open(path)?;
        let length = file.metadata()?.len();
        Ok(Self { bytes: Bytes::File(Arc::new(file)), start: 0, length, at: 0 })
    }

    /// Bytes that were unpacked.
    pub fn unpacked(bytes: Vec<u8>) -> Self {
        let length = bytes.len() as u64;
        Self { bytes: Bytes::Unpacked(bytes.into()), start: 0, length, at: 0 }
    }

    /// A part of this part; `None` if it reaches beyond its end.
    pub fn part(&self, from: u64, length: u64) -> Option<Self> {
        let end = from.checked_add(length)?;
        let start = self.start.checked_add(from)?;
        (end <= self.length).then(|| Self { bytes: self.bytes.clone(), start, length, at: 0 })
    }
}

impl Read for Part {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let left = self.length.saturating_sub(self.at);
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(into.len());
        let from = self.start + self.at.min(self.length);
        let count = match &self.bytes {
            Bytes::File(file) => file.read_at(&mut into[..most], from)?,
            Bytes::Unpacked(bytes) => {
                let rest = usize::try_from(from).ok().and_then(|from| bytes.get(from..)).unwrap_or_default();
                let count = most.min(rest.len());
                into[..count].copy_from_slice(&rest[..count]);
                count
            }
        };
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Part {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.length.checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = at.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    fn text(part: &mut Part) -> String {
        let mut text = String::new();
        part.read_to_string(&mut text).unwrap();
        text
    }

    #[test]
    fn parts_of_files_and_of_bytes_read_the_same() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(b"0123456789").unwrap();
        for whole in [Part::open(file.path()).unwrap(), Part::unpacked(b"0123456789".to_vec())] {
            assert_eq!(text(&mut whole.clone()), "0123456789");
            let mut part = whole.part(2, 6).unwrap();
            assert_eq!(text(&mut part), "234567");
            assert_eq!((part.seek(SeekFrom::End(-2)).unwrap(), text(&mut part)), (4, "67".to_owned()));
            assert_eq!((part.seek(SeekFrom::Start(9)).unwrap(), text(&mut part)), (9, String::new()));
            part.rewind().unwrap();
            assert_eq!(part.seek(SeekFrom::Current(5)).unwrap(), 5);
            assert_eq!((text(&mut part), part.seek(SeekFrom::Current(-7)).is_err()), ("7".to_owned(), true));
            assert_eq!(text(&mut part.part(1, 2).unwrap()), "34");
            assert!(part.part(1, 6).is_none() && part.part(u64::MAX, 2).is_none());
        }
    }
}
