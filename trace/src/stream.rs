//! A trace in one stream, for a pipe, a socket or a file: classes, their methods, and frames of all threads as they come. Version first;
//! a stream may end anywhere.

use crate::file::{NoTrace, Part, Reader as Frames, digest};
use std::io::{self, Read};

/// The first bytes of a stream.
pub const MAGIC: [u8; 8] = *b"SPLSTREM";
/// The version of the form, behind them.
pub const VERSION: u32 = 1;
/// Bytes in front of the first record: these, the version, and four bytes for later use.
pub const HEAD_BYTES: usize = 16;
/// Bytes in front of what a record has: its kind, its length, and the digest of these and of what it has.
const RECORD_HEAD: usize = 16;
/// Most bytes of a record: a class file has fewer.
const MOST_BYTES: u32 = 256 << 20;

/// A record of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Record {
    /// A class file.
    Class(Vec<u8>),
    /// Lines of the table of methods, of a class that came before.
    Methods(String),
    /// A frame of a thread, as its file would have it.
    Frame {
        /// The thread's id.
        thread: u64,
        /// The frame.
        bytes: Vec<u8>,
    },
    /// The table of receivers' classes.
    Receivers(String),
    /// The drill is over: its document, JSON.
    End(String),
}

/// A part of a stream, or what is left of one.
#[derive(Debug, PartialEq, Eq)]
pub enum Item {
    /// A record.
    Record(Record),
    /// Bytes that cannot be read, by their number. Behind a damaged length of a record, all others are among them, or follow as such parts.
    Damaged(u64),
}

/// The bytes in front of the records.
#[must_use]
pub fn head() -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head
}

impl Record {
    /// The bytes of the record in a stream.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let thread;
        let (kind, first, rest): (u32, &[u8], &[u8]) = match self {
            Self::Class(bytes) => (1, &[], bytes),
            Self::Methods(lines) => (2, &[], lines.as_bytes()),
            Self::Frame { thread: id, bytes } => {
                thread = id.to_le_bytes();
                (3, &thread, bytes)
            }
            Self::End(facts) => (4, &[], facts.as_bytes()),
            Self::Receivers(table) => (5, &[], table.as_bytes()),
        };
        let length = (first.len() + rest.len()) as u32;
        let mut bytes = [&kind.to_le_bytes(), &length.to_le_bytes(), first, rest].concat();
        let check = digest(&bytes);
        bytes.splice(8..8, check.to_le_bytes());
        bytes
    }

    /// The record of a kind; `None` of a kind that is not known here, or with other contents.
    fn of(kind: u32, payload: Vec<u8>) -> Option<Self> {
        let text = |payload| String::from_utf8(payload).ok();
        Some(match kind {
            1 => Self::Class(payload),
            2 => Self::Methods(text(payload)?),
            3 => {
                let (thread, bytes) = payload.split_first_chunk::<8>()?;
                Self::Frame { thread: u64::from_le_bytes(*thread), bytes: bytes.to_vec() }
            }
            4 => Self::End(text(payload)?),
            5 => Self::Receivers(text(payload)?),
            _ => return None,
        })
    }
}

/// The depth and the last clock in front of a frame, and its words; `None` if it is damaged.
#[must_use]
pub fn words(frame: &[u8]) -> Option<(u32, u64, Vec<u32>)> {
    match Frames::of_frames(frame).part() {
        Ok(Some(Part::Words { depth, time, words })) => Some((depth, time, words.to_vec())),
        _ => None,
    }
}

/// Reads a stream as it comes.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    is_over: bool,
}

impl<R: Read> Reader<R> {
    /// Reads the beginning of a stream.
    ///
    /// # Errors
    /// When it is something else, has another version, or cannot be read.
    pub fn new(mut source: R) -> Result<Self, NoTrace> {
        let mut bytes = Vec::new();
        source.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes)?;
        if !bytes.starts_with(&MAGIC) || bytes.len() < HEAD_BYTES {
            return Err(NoTrace::Other);
        }
        let version = u32::from_le_bytes(std::array::from_fn(|byte| bytes[8 + byte]));
        if version != VERSION {
            return Err(NoTrace::Version(version));
        }
        Ok(Self { source, is_over: false })
    }

    /// The next part; `None` at the end. Waits until it has come.
    ///
    /// # Errors
    /// When the stream cannot be read.
    pub fn item(&mut self) -> io::Result<Option<Item>> {
        if self.is_over {
            return Ok(None);
        }
        let head = self.take(RECORD_HEAD as u64)?;
        let Some(numbers) = head.first_chunk::<RECORD_HEAD>() else {
            self.is_over = true;
            return Ok((!head.is_empty()).then_some(Item::Damaged(head.len() as u64)));
        };
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| numbers[at + byte]));
        let (kind, length) = (number(0), number(4));
        let check = u64::from_le_bytes(std::array::from_fn(|byte| numbers[8 + byte]));
        if length > MOST_BYTES {
            self.is_over = true;
            let rest = io::copy(&mut self.source, &mut io::sink())?;
            return Ok(Some(Item::Damaged(head.len() as u64 + rest)));
        }
        let payload = self.take(length.into())?;
        let bytes = (RECORD_HEAD + payload.len()) as u64;
        self.is_over = payload.len() < length as usize;
        if self.is_over || digest(&[&head[..8], &payload].concat()) != check {
            return Ok(Some(Item::Damaged(bytes)));
        }
        Ok(Some(Record::of(kind, payload).map_or(Item::Damaged(bytes), Item::Record)))
    }

    fn take(&mut self, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        self.source.by_ref().take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::frame;
    use proptest::prelude::*;

    fn records() -> impl Strategy<Value = Vec<Record>> {
        let bytes = || proptest::collection::vec(any::<u8>(), 0..40);
        let one = prop_oneof![
            bytes().prop_map(Record::Class),
            "[a-z,\n]{0,20}".prop_map(Record::Methods),
            (any::<u64>(), bytes()).prop_map(|(thread, bytes)| Record::Frame { thread, bytes }),
            "[a-z{}]{0,20}".prop_map(Record::End),
            "[a-z,]{0,20}".prop_map(Record::Receivers),
        ];
        proptest::collection::vec(one, 0..6)
    }

    fn stream(records: &[Record]) -> Vec<u8> {
        let bytes = records.iter().flat_map(Record::bytes);
        head().into_iter().chain(bytes).collect()
    }

    /// The records, and damaged bytes.
    fn read(stream: &[u8]) -> (Vec<Record>, u64) {
        let mut reader = Reader::new(stream).unwrap();
        let (mut records, mut damaged) = (Vec::new(), 0);
        while let Some(item) = reader.item().unwrap() {
            match item {
                Item::Record(record) => records.push(record),
                Item::Damaged(bytes) => damaged += bytes,
            }
        }
        (records, damaged)
    }

    proptest! {
        #[test]
        fn a_stream_that_ends_anywhere_is_read_up_to_there(records in records(), cut in any::<usize>()) {
            let stream = stream(&records);
            prop_assert_eq!(&read(&stream), &(records.clone(), 0));
            let cut = HEAD_BYTES + cut % (stream.len() - HEAD_BYTES + 1);
            let (read, damaged) = read(&stream[..cut]);
            prop_assert_eq!(&read[..], &records[..read.len()]);
            let lengths: usize = records[..read.len()].iter().map(|record| record.bytes().len()).sum();
            prop_assert_eq!(damaged, (cut - HEAD_BYTES - lengths) as u64);
        }

        #[test]
        fn damage_makes_no_record(records in records(), at in any::<usize>(), value in 1_u8..) {
            let mut stream = stream(&records);
            let at = HEAD_BYTES + at % (stream.len() - HEAD_BYTES).max(1);
            if let Some(byte) = stream.get_mut(at) {
                *byte ^= value;
                let (read, damaged) = read(&stream);
                prop_assert!(damaged > 0);
                prop_assert!(read.iter().all(|record| records.contains(record)));
            }
        }
    }

    #[test]
    fn other_streams_are_told_apart() {
        assert!(matches!(Reader::new(&b"PK"[..]), Err(NoTrace::Other)));
        let mut other = head();
        other[8] = 2;
        assert!(matches!(Reader::new(&other[..]), Err(NoTrace::Version(2))));
    }

    #[test]
    fn a_frame_has_its_words() {
        let mut bytes = frame(&[1, 2, 3], 4, 5);
        assert_eq!(words(&bytes), Some((4, 5, vec![1, 2, 3])));
        *bytes.last_mut().unwrap() ^= 1;
        assert_eq!(words(&bytes), None);
    }
}
