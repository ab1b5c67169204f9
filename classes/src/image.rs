//! A JDK's runtime image, `lib/modules`: its classes and their bytes.
//!
//! The format has no specification; its description is OpenJDK's source,
//! `src/java.base/share/native/libjimage/imageFile.hpp`. The index consists of a header, a hash table (not
//! needed here, where all names are read), the offsets of the resources' descriptions, the descriptions, and
//! zero-terminated strings. The resources follow the index.

use super::regular;
use super::sharing;
use flate2::read::ZlibDecoder;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::Path;

const MAGIC: u32 = 0xcafe_dada;
const HEADER_BYTES: usize = 28;
/// Start of a compressed resource, once for each compression that was applied.
const COMPRESSED_MAGIC: u32 = 0xcafe_fafa;
/// Bytes of the magic number, compressed size, size, the compressor's name, its configuration, and the mark
/// of the last compression.
const COMPRESSED_HEADER_BYTES: usize = 29;
/// Most compressions of one resource; jlink applies one or two.
const MAX_COMPRESSIONS: usize = 4;
/// Bytes of an index above which it counts as damaged; the JDK's own index has less than 2 MiB.
const MAX_INDEX_BYTES: usize = 1 << 28;
/// Bytes of the largest class; the JVM itself loads no larger one.
const MAX_CLASS_BYTES: u64 = 1 << 27;

/// An open image whose index is in memory.
#[derive(Debug)]
pub struct Image {
    file: File,
    index: Index,
    /// Start of the resources, bytes from the start of the file.
    data: u64,
}

/// Place of a class in an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location {
    offset: u64,
    /// 0 if it is not compressed.
    compressed: u64,
    size: u64,
}

#[derive(Debug)]
struct Index {
    big_endian: bool,
    /// The offsets of the descriptions, four bytes each.
    offsets: Vec<u8>,
    descriptions: Vec<u8>,
    strings: Vec<u8>,
}

impl Image {
    /// Opens an image and reads its index.
    ///
    /// # Errors
    /// When the file cannot be read or is not an image.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = regular::open(path)?;
        let mut header = [0; HEADER_BYTES];
        file.read_exact_at(&mut header, 0)?;
        let big_endian = u32_at(&header, 0, true) == Some(MAGIC);
        if !big_endian && u32_at(&header, 0, false) != Some(MAGIC) {
            return Err(damaged("it does not begin with 0xCAFEDADA"));
        }
        let number = |at| u32_at(&header, at, big_endian).map_or(0, |number| number as usize);
        // The version has two numbers of 16 bits, the major one first: 1.0 in JDK 9 to 25.
        if number(4) >> 16 != 1 {
            return Err(damaged(&format!("its format has the version {}, known is 1", number(4) >> 16)));
        }
        let (table, descriptions, strings) = (number(16), number(20), number(24));
        let lengths = [table.saturating_mul(4), table.saturating_mul(4), descriptions, strings];
        let length = lengths.iter().fold(0, |sum: usize, one| sum.saturating_add(*one));
        if length > MAX_INDEX_BYTES || length as u64 > file.metadata()?.len() {
            return Err(damaged("its index is longer than the file"));
        }
        let mut at = HEADER_BYTES as u64;
        let mut part = |length: usize| {
            let mut bytes = vec![0; length];
            file.read_exact_at(&mut bytes, at)?;
            at += length as u64;
            Ok::<_, io::Error>(bytes)
        };
        part(lengths[0])?;
        let [offsets, descriptions, strings] = [part(lengths[1])?, part(lengths[2])?, part(lengths[3])?];
        Ok(Self { file, index: Index { big_endian, offsets, descriptions, strings }, data: at })
    }

    /// The classes, as binary names with slashes. Unreadable descriptions are left out: a damaged image still
    /// gives its other classes.
    pub fn classes(&self) -> impl Iterator<Item = (String, Location)> {
        let (offsets, _) = self.index.offsets.as_chunks::<4>();
        offsets.iter().filter_map(|offset| {
            let offset = u32_at(offset, 0, self.index.big_endian)?;
            self.index.class(self.index.descriptions.get(offset as usize..)?)
        })
    }

    /// The bytes of a class.
    ///
    /// # Errors
    /// When the file cannot be read, is damaged, or has its classes compressed in an unknown way.
    pub fn read(&self, location: Location) -> io::Result<Vec<u8>> {
        let stored = if location.compressed == 0 { location.size } else { location.compressed };
        if stored > MAX_CLASS_BYTES {
            return Err(damaged("a class is too large"));
        }
        let start = self.data.checked_add(location.offset).ok_or_else(|| damaged("a class lies nowhere"))?;
        let mut bytes = vec![0; stored as usize];
        self.file.read_exact_at(&mut bytes, start)?;
        for _ in 0..MAX_COMPRESSIONS {
            if location.compressed == 0 || u32_at(&bytes, 0, self.index.big_endian) != Some(COMPRESSED_MAGIC)
            {
                break;
            }
            bytes = self.index.decompress(&bytes)?;
        }
        Ok(bytes)
    }
}

/// Kinds of the parts of a resource's description.
mod kind {
    pub const PARENT: usize = 2;
    pub const BASE: usize = 3;
    pub const EXTENSION: usize = 4;
    pub const OFFSET: usize = 5;
    pub const COMPRESSED: usize = 6;
    pub const SIZE: usize = 7;
    pub const COUNT: usize = 8;
}

impl Index {
    /// The class of a description; `None` if it describes another resource.
    fn class(&self, description: &[u8]) -> Option<(String, Location)> {
        let parts = parts(description)?;
        let name = |kind: usize| self.string(usize::try_from(parts[kind]).ok()?);
        let (parent, base) = (name(kind::PARENT)?, name(kind::BASE)?);
        if name(kind::EXTENSION)? != "class" || base == "module-info" {
            return None;
        }
        let class = if parent.is_empty() { base.to_owned() } else { format!("{parent}/{base}") };
        let [offset, compressed, size] = [parts[kind::OFFSET], parts[kind::COMPRESSED], parts[kind::SIZE]];
        Some((class, Location { offset, compressed, size }))
    }

    fn string(&self, at: usize) -> Option<&str> {
        str::from_utf8(self.bytes(at)?).ok()
    }

    /// A string in the encoding of class files.
    fn bytes(&self, at: usize) -> Option<&[u8]> {
        let rest = self.strings.get(at..)?;
        Some(&rest[..rest.iter().position(|byte| *byte == 0)?])
    }

    /// Undoes the last compression.
    fn decompress(&self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        let number = |at| u64_at(bytes, at, self.big_endian);
        let header = (number(4), number(12), u32_at(bytes, 20, self.big_endian));
        let (Some(stored), Some(size), Some(name)) = header else {
            return Err(damaged("a compressed class ends in its header"));
        };
        let stored =
            usize::try_from(stored).ok().and_then(|stored| COMPRESSED_HEADER_BYTES.checked_add(stored));
        let stored = stored.and_then(|end| bytes.get(COMPRESSED_HEADER_BYTES..end));
        let Some(stored) = stored.filter(|_| size <= MAX_CLASS_BYTES) else {
            return Err(damaged("a compressed class ends early"));
        };
        match self.string(name as usize) {
            Some("zip") => {
                let mut plain = Vec::new();
                ZlibDecoder::new(stored).take(size).read_to_end(&mut plain)?;
                Ok(plain)
            }
            Some("compact-cp") => {
                let plain = sharing::unshared(stored, size as usize, |at| self.bytes(at as usize));
                plain.ok_or_else(|| damaged("a class with shared strings is not whole"))
            }
            name => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!("its classes are compressed by {}, which is not supported", name.unwrap_or("?")),
            )),
        }
    }
}

/// A description: for each part a byte with its kind and length, then the number, the highest byte first.
fn parts(description: &[u8]) -> Option<[u64; kind::COUNT]> {
    let mut parts = [0; kind::COUNT];
    let mut rest = description;
    loop {
        let (&first, after) = rest.split_first()?;
        let (kind, length) = (usize::from(first >> 3), usize::from(first & 7) + 1);
        if kind == 0 {
            return Some(parts);
        }
        let number = after.get(..length)?.iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        // Kinds of later releases are ignored.
        if let Some(part) = parts.get_mut(kind) {
            *part = number;
        }
        rest = &after[length..];
    }
}

fn u32_at(bytes: &[u8], at: usize, big_endian: bool) -> Option<u32> {
    let four = *bytes.get(at..)?.first_chunk()?;
    Some(if big_endian { u32::from_be_bytes(four) } else { u32::from_le_bytes(four) })
}

fn u64_at(bytes: &[u8], at: usize, big_endian: bool) -> Option<u64> {
    let eight = *bytes.get(at..)?.first_chunk()?;
    Some(if big_endian { u64::from_be_bytes(eight) } else { u64::from_le_bytes(eight) })
}

fn damaged(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a runtime image of a JDK: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// An image with one class, `p/C`, whose stored bytes are these.
    fn image(stored: &[u8], compressed: bool, size: usize) -> Vec<u8> {
        let strings = b"\0m\0p\0C\0class\0zip\0";
        let part = |kind: u8, number: u8| [kind << 3, number];
        let small = |length: usize| u8::try_from(length).unwrap();
        let packed = if compressed { small(stored.len()) } else { 0 };
        let parts = [
            part(1, 1),
            part(2, 3),
            part(3, 5),
            part(4, 7),
            part(5, 0),
            part(6, packed),
            part(7, small(size)),
        ];
        let mut description = parts.concat();
        description.push(0);
        let header = [MAGIC, 1 << 16, 0, 1, 1, description.len() as u32, strings.len() as u32];
        let mut bytes = header.map(u32::to_le_bytes).concat();
        bytes.extend([0; 8]);
        bytes.extend(description);
        bytes.extend(strings);
        bytes.extend(stored);
        bytes
    }

    fn packed(plain: &[u8], name: u32) -> Vec<u8> {
        let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        zlib.write_all(plain).unwrap();
        let zlib = zlib.finish().unwrap();
        let mut bytes = COMPRESSED_MAGIC.to_le_bytes().to_vec();
        bytes.extend([zlib.len() as u64, plain.len() as u64].map(u64::to_le_bytes).concat());
        bytes.extend([name, 0].map(u32::to_le_bytes).concat());
        bytes.push(1);
        bytes.extend(zlib);
        bytes
    }

    /// All classes of the image, or the read error.
    fn read(bytes: &[u8]) -> io::Result<Vec<(String, Vec<u8>)>> {
        let mut file = tempfile::NamedTempFile::new()?;
        file.write_all(bytes)?;
        let image = Image::open(file.path())?;
        image.classes().map(|(name, location)| Ok((name, image.read(location)?))).collect()
    }

    #[test]
    fn classes_are_found_and_read() {
        let check = |bytes: &[u8]| assert_eq!(read(bytes).unwrap(), [("p/C".to_owned(), b"class!".to_vec())]);
        check(&image(b"class!", false, 6));
        check(&image(&packed(b"class!", 13), true, 6));
        let unknown = read(&image(&packed(b"class!", 1), true, 6)).unwrap_err();
        assert_eq!(unknown.to_string(), "its classes are compressed by m, which is not supported");
        let other = read(b"not an image at all, but longer than its header").unwrap_err();
        assert_eq!(other.to_string(), "not a runtime image of a JDK: it does not begin with 0xCAFEDADA");
    }

    #[test]
    fn damaged_images_do_no_harm() {
        for whole in [image(b"class!", false, 6), image(&packed(b"class!", 13), true, 6)] {
            for at in 0..whole.len() {
                // One image is cut off there; others have one of several wrong bytes there. Reading must end,
                // with any result.
                let _ = read(&whole[..at]);
                for wrong in [0, 0x7f, 0xff] {
                    let mut bytes = whole.clone();
                    bytes[at] = wrong;
                    let _ = read(&bytes);
                }
            }
        }
    }
}
