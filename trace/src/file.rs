//! The files of traces: one for each thread, of frames that can be read without the ones before them. Version first; a file may end
//! anywhere.

use std::io::{self, ErrorKind, Read, Seek, SeekFrom};

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"SPLTRACE";
/// The version of the form, behind them.
pub const VERSION: u32 = 1;
/// Bytes in front of the first frame: these, the version, four bytes for later use, and the thread's id.
pub const HEAD_BYTES: usize = 24;
/// Most words of a frame.
pub const MOST_WORDS: usize = 1 << 18;
const FRAME: [u8; 4] = *b"FRAM";
const FRAME_HEAD: usize = 40;
/// LZ4 makes nothing longer than this.
const MOST_BYTES: usize = MOST_WORDS * 4 + MOST_WORDS * 4 / 255 + 64;

/// Why a file cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum NoTrace {
    /// The file is something else.
    #[error("it is not a trace: it does not begin with SPLTRACE")]
    Other,
    /// The file has another version.
    #[error("it is of version {0}, and this spl reads version {VERSION}; use the spl that wrote it")]
    Version(u32),
    /// The system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// The bytes in front of the frames of a thread.
#[must_use]
pub fn head(thread: u64) -> [u8; HEAD_BYTES] {
    let mut head = [0; HEAD_BYTES];
    head[..8].copy_from_slice(&MAGIC);
    head[8..12].copy_from_slice(&VERSION.to_le_bytes());
    head[16..].copy_from_slice(&thread.to_le_bytes());
    head
}

/// A frame of these words, at most [`MOST_WORDS`]: whole events. `depth` is the depth in front of them, `time` the last clock there.
#[must_use]
pub fn frame(words: &[u32], depth: u32, time: u64) -> Vec<u8> {
    let raw: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let packed = lz4_flex::block::compress(&raw);
    let (form, bytes) = if packed.len() < raw.len() { (1_u32, packed) } else { (0, raw) };
    let mut frame = Vec::with_capacity(FRAME_HEAD + bytes.len());
    frame.extend(FRAME);
    for number in [form, words.len() as u32, bytes.len() as u32, depth, 0] {
        frame.extend(number.to_le_bytes());
    }
    frame.extend(time.to_le_bytes());
    frame.extend(digest(&bytes).to_le_bytes());
    frame.extend(bytes);
    frame
}

/// FNV-1a over the bytes, eight at once as a little-endian number; the last ones are filled up with zeros.
pub(crate) fn digest(bytes: &[u8]) -> u64 {
    let step = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x0100_0000_01b3);
    let (whole, rest) = bytes.as_chunks::<8>();
    let hash = whole.iter().fold(0xcbf2_9ce4_8422_2325, |hash, word| step(hash, u64::from_le_bytes(*word)));
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    if rest.is_empty() { hash } else { step(hash, u64::from_le_bytes(last)) }
}

/// Bytes of damaged frames that are looked through. A file with more is not looked at any further.
const MOST_WASTED: u64 = 1 << 28;

/// A part of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Part<'r> {
    /// A frame.
    Words {
        /// Depth in front of it.
        depth: u32,
        /// The last clock in front of it, nanoseconds; 0 if there was none.
        time: u64,
        /// Its words.
        words: &'r [u32],
    },
    /// Bytes between frames.
    Damaged {
        /// Offset of the first.
        from: u64,
        /// Offset behind them.
        to: u64,
    },
}

/// Reads a file from its beginning on.
#[derive(Debug)]
pub struct Reader<R> {
    source: R,
    /// The thread's id.
    pub thread: u64,
    /// Bytes that were read and not used; offset of the first.
    buffer: Vec<u8>,
    at: u64,
    words: Vec<u32>,
    raw: Vec<u8>,
    /// Beginning of the bytes in the buffer that are not read yet.
    start: usize,
    /// Bytes of damaged frames so far.
    wasted: u64,
}

impl<R: Read> Reader<R> {
    /// Reads the beginning of a file.
    ///
    /// # Errors
    /// When it is not a trace, has another version, or cannot be read.
    pub fn new(mut source: R) -> Result<Self, NoTrace> {
        let mut bytes = Vec::new();
        source.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut bytes)?;
        let head: [u8; HEAD_BYTES] = bytes.try_into().map_err(|_| NoTrace::Other)?;
        let number = |at: usize| u32::from_le_bytes(std::array::from_fn(|byte| head[at + byte]));
        if head[..8] != MAGIC {
            return Err(NoTrace::Other);
        }
        if number(8) != VERSION {
            return Err(NoTrace::Version(number(8)));
        }
        let thread = u64::from_le_bytes(std::array::from_fn(|byte| head[16 + byte]));
        Ok(Self { thread, at: HEAD_BYTES as u64, ..Self::of_frames(source) })
    }

    /// Reads frames without the beginning of a file.
    pub(crate) fn of_frames(source: R) -> Self {
        let (buffer, words, raw) = (Vec::new(), Vec::new(), Vec::new());
        Self { source, thread: 0, buffer, at: 0, words, raw, start: 0, wasted: 0 }
    }

    /// The next part; `None` at the end. A frame that the file ends in is a damaged part.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn part(&mut self) -> io::Result<Option<Part<'_>>> {
        let from = self.at;
        loop {
            if !self.fill(FRAME_HEAD)? && self.rest().is_empty() {
                return Ok((from < self.at).then_some(Part::Damaged { from, to: self.at }));
            }
            if let Some(length) = self.frame()? {
                if from < self.at {
                    // The frame behind it is read again.
                    return Ok(Some(Part::Damaged { from, to: self.at }));
                }
                let (depth, time) =
                    (self.number(16), u64::from(self.number(24)) | u64::from(self.number(28)) << 32);
                self.skip(length);
                return Ok(Some(Part::Words { depth, time, words: &self.words }));
            }
            // Frames begin with a mark; the next one may be anywhere, and the last bytes may be its beginning.
            let is_mark =
                |at: &usize| FRAME.starts_with(&self.rest()[*at..self.rest().len().min(at + FRAME.len())]);
            let mark = (1..self.rest().len()).find(is_mark);
            self.skip(mark.unwrap_or(self.rest().len()));
        }
    }

    /// Reads the frame at the beginning of the buffer; gives its length.
    fn frame(&mut self) -> io::Result<Option<usize>> {
        if self.rest().len() < FRAME_HEAD || self.rest()[..4] != FRAME {
            return Ok(None);
        }
        let [form, words, bytes] = [4, 8, 12].map(|at| self.number(at) as usize);
        let is_packed = form == 1 && bytes < words * 4;
        if !is_packed && (form != 0 || bytes != words * 4)
            || words > MOST_WORDS
            || bytes > MOST_BYTES
            || !self.fill(FRAME_HEAD + bytes)?
        {
            return Ok(None);
        }
        if self.wasted > MOST_WASTED {
            return Ok(None);
        }
        let payload = &self.buffer[self.start..][FRAME_HEAD..FRAME_HEAD + bytes];
        let check = u64::from_le_bytes(std::array::from_fn(|byte| self.rest()[32 + byte]));
        if digest(payload) != check {
            self.wasted += bytes as u64;
            return Ok(None);
        }
        self.raw.resize(words * 4, 0);
        let length = match form {
            0 if bytes == self.raw.len() => {
                self.raw.copy_from_slice(payload);
                Some(bytes)
            }
            0 => None,
            _ => lz4_flex::block::decompress_into(payload, &mut self.raw).ok(),
        };
        if length != Some(self.raw.len()) {
            return Ok(None);
        }
        self.words.clear();
        self.words.extend(self.raw.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)));
        Ok(Some(FRAME_HEAD + bytes))
    }

    fn number(&self, at: usize) -> u32 {
        u32::from_le_bytes(std::array::from_fn(|byte| self.rest()[at + byte]))
    }

    /// The bytes that are not read yet.
    fn rest(&self) -> &[u8] {
        &self.buffer[self.start..]
    }

    /// Reads until there is this number of bytes or the file ends; whether there is.
    fn fill(&mut self, bytes: usize) -> io::Result<bool> {
        if let Some(missing) = bytes.checked_sub(self.rest().len()).filter(|missing| *missing > 0) {
            // Not at each step: what is left is moved.
            if self.start > MOST_BYTES {
                self.buffer.drain(..self.start);
                self.start = 0;
            }
            self.source.by_ref().take(missing as u64).read_to_end(&mut self.buffer)?;
        }
        Ok(self.rest().len() >= bytes)
    }

    fn skip(&mut self, bytes: usize) {
        self.start += bytes.min(self.rest().len());
        self.at += bytes as u64;
    }
}

impl<R: Read + Seek> Reader<R> {
    /// Goes to the last frame in front of which the clock was before `time`, from the beginning of one frame to that of the next. Nothing has been
    /// read yet.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn seek(&mut self, time: u64) -> io::Result<()> {
        let (mut place, mut next) = (self.at, self.at);
        loop {
            self.source.seek(SeekFrom::Start(next))?;
            let mut head = [0; FRAME_HEAD];
            match self.source.read_exact(&mut head) {
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => break,
                Err(error) => return Err(error),
                Ok(()) => {}
            }
            let number =
                |at: usize| u64::from(u32::from_le_bytes(std::array::from_fn(|byte| head[at + byte])));
            // Behind a damaged one the frames are looked for.
            if head[..4] != FRAME || number(24) | number(28) << 32 >= time {
                break;
            }
            place = next;
            next += FRAME_HEAD as u64 + number(12);
        }
        self.source.seek(SeekFrom::Start(place))?;
        self.at = place;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn file(frames: &[Vec<u32>]) -> Vec<u8> {
        let mut file = head(7).to_vec();
        frames.iter().for_each(|words| file.extend(frame(words, 3, 4)));
        file
    }

    fn read(bytes: &[u8]) -> (Vec<Vec<u32>>, usize) {
        let (mut frames, mut damaged) = (Vec::new(), 0);
        let mut reader = Reader::new(bytes).unwrap();
        assert_eq!(reader.thread, 7);
        while let Some(part) = reader.part().unwrap() {
            match part {
                Part::Words { depth, time, words } => {
                    assert_eq!((depth, time), (3, 4));
                    frames.push(words.to_vec());
                }
                Part::Damaged { from, to } => damaged += (to - from) as usize,
            }
        }
        (frames, damaged)
    }

    fn frames() -> impl Strategy<Value = Vec<Vec<u32>>> {
        let word = prop_oneof![any::<u32>(), 0_u32..4];
        proptest::collection::vec(proptest::collection::vec(word, 1..60), 0..6)
    }

    proptest! {
        #[test]
        fn a_file_that_ends_anywhere_is_read_up_to_there(frames in frames(), cut in any::<usize>()) {
            let file = file(&frames);
            prop_assert_eq!(&read(&file), &(frames.clone(), 0));
            let cut = HEAD_BYTES + cut % (file.len() - HEAD_BYTES + 1);
            let (read, damaged) = read(&file[..cut]);
            prop_assert_eq!(&read[..], &frames[..read.len()]);
            let lengths: usize = frames[..read.len()].iter().map(|words| frame(words, 3, 4).len()).sum();
            prop_assert_eq!(damaged, cut - HEAD_BYTES - lengths);
        }

        #[test]
        fn damage_takes_its_frame_and_no_other(frames in frames(), at in any::<usize>(), value in 1_u8..) {
            let mut file = file(&frames);
            let at = HEAD_BYTES + at % (file.len() - HEAD_BYTES).max(1);
            // Depth and clock in front of a frame are not in its digest.
            if let Some(byte) = file.get_mut(at) {
                *byte ^= value;
                let mut reader = Reader::new(&file[..]).unwrap();
                let mut left = frames.clone();
                while let Some(part) = reader.part().unwrap() {
                    if let Part::Words { words, .. } = part {
                        let place = left.iter().position(|one| one == words).expect("words that were written");
                        left.remove(place);
                    }
                }
                prop_assert!(left.len() <= 1);
            }
        }
    }

    #[test]
    fn other_files_are_told_apart() {
        assert!(matches!(Reader::new(&b"PK"[..]), Err(NoTrace::Other)));
        let mut other = head(1);
        other[8] = 2;
        assert!(matches!(Reader::new(&other[..]), Err(NoTrace::Version(2))));
    }
}
