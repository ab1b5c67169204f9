//! Framing: length, frame number, one message.

use postcard::ser_flavors::Flavor;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most bytes that follow a frame's length field.
pub const MAX_FRAME_BYTES: usize = 1 << 20;

const LENGTH_BYTES: usize = 4;
const NUMBER_BYTES: usize = 4;

/// Writes frames of one direction of one connection.
#[derive(Clone, Debug, Default)]
pub struct Encoder {
    next: u32,
}

impl Encoder {
    /// Appends one message's frame to `out`.
    ///
    /// # Errors
    /// [`WireError::TooLarge`] when the message exceeds [`MAX_FRAME_BYTES`]; then `out` is as before and the
    /// connection is still usable.
    pub fn encode<T: Serialize>(&mut self, message: &T, out: &mut Vec<u8>) -> Result<(), WireError> {
        let start = out.len();
        out.extend_from_slice(&[0; LENGTH_BYTES]);
        out.extend_from_slice(&self.next.to_le_bytes());
        let limit = start + LENGTH_BYTES + MAX_FRAME_BYTES;
        if postcard::serialize_with_flavor(message, Bounded { out, limit }).is_err() {
            out.truncate(start);
            return Err(WireError::TooLarge);
        }
        let length = (out.len() - start - LENGTH_BYTES) as u32;
        out[start..start + LENGTH_BYTES].copy_from_slice(&length.to_le_bytes());
        self.next = self.next.wrapping_add(1);
        Ok(())
    }
}

/// Appends to a vector up to a length, so that an oversized message costs no more than a full frame.
struct Bounded<'a> {
    out: &'a mut Vec<u8>,
    limit: usize,
}

impl Flavor for Bounded<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.try_extend(&[byte])
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if bytes.len() > self.limit - self.out.len() {
            return Err(postcard::Error::SerializeBufferFull);
        }
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

/// Reads frames of one direction of one connection, from pieces of any size.
///
/// Call [`next`](Self::next) until it returns `None` after each [`push`](Self::push). Then at most one frame
/// and one piece are held. After an error the stream cannot be trusted, and every later call returns the same
/// error.
#[derive(Clone, Debug, Default)]
pub struct Decoder {
    buffer: Vec<u8>,
    read: usize,
    next: u32,
    failed: Option<WireError>,
}

impl Decoder {
    /// Adds bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed.is_some() {
            return;
        }
        // Read bytes are discarded when they are at least half, so that each byte is moved once on average.
        if self.read >= self.buffer.len() - self.read {
            self.buffer.drain(..self.read);
            self.read = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole message; `None` when more bytes are needed.
    ///
    /// # Errors
    /// When the bytes are not a frame, not the next frame, or not a message `T`.
    #[expect(
        clippy::should_implement_trait,
        reason = "an iterator has one item type, here the caller names it"
    )]
    pub fn next<T: DeserializeOwned>(&mut self) -> Result<Option<T>, WireError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.take().inspect_err(|error| {
            self.failed = Some(error.clone());
            self.buffer = Vec::new();
            self.read = 0;
        })
    }

    /// Whether the bytes so far end between two frames, where a connection may end without loss.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.failed.is_none() && self.read == self.buffer.len()
    }

    fn take<T: DeserializeOwned>(&mut self) -> Result<Option<T>, WireError> {
        let bytes = &self.buffer[self.read..];
        let Some((length, rest)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
        // Checked before the rest arrives: a hostile length must cause no wait and no allocation.
        let length = u32::from_le_bytes(*length);
        if length > MAX_FRAME_BYTES as u32 {
            return Err(WireError::BadLength { length });
        }
        let Some(frame) = rest.get(..length as usize) else { return Ok(None) };
        let Some((number, payload)) = frame.split_first_chunk::<NUMBER_BYTES>() else {
            return Err(WireError::BadLength { length });
        };
        let found = u32::from_le_bytes(*number);
        if found != self.next {
            return Err(WireError::OutOfOrder { expected: self.next, found });
        }
        let (message, rest) = postcard::take_from_bytes(payload)
            .map_err(|reason| WireError::Malformed { frame: found, reason: reason.to_string() })?;
        if !rest.is_empty() {
            return Err(WireError::TrailingBytes { frame: found, bytes: rest.len() });
        }
        self.read += LENGTH_BYTES + frame.len();
        self.next = self.next.wrapping_add(1);
        Ok(Some(message))
    }
}

/// The reason why bytes and messages don't correspond.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// The message to send is over the limit.
    #[error("the message is over the limit of {MAX_FRAME_BYTES} bytes for a frame")]
    TooLarge,
    /// The length field is out of range.
    #[error(
        "a frame of {length} bytes was announced, between {NUMBER_BYTES} and {MAX_FRAME_BYTES} are \
         possible: the peer is not an spl or the stream is damaged"
    )]
    BadLength {
        /// The announced length.
        length: u32,
    },
    /// A frame was lost, repeated or moved.
    #[error("frame {found} arrived where frame {expected} was expected")]
    OutOfOrder {
        /// The expected number.
        expected: u32,
        /// The received number.
        found: u32,
    },
    /// The content of a frame is not a message.
    #[error("frame {frame} holds no message: {reason}")]
    Malformed {
        /// Frame number.
        frame: u32,
        /// The deserializer's reason.
        reason: String,
    },
    /// The frame holds more than a message.
    #[error("{bytes} bytes follow the message in frame {frame}")]
    TrailingBytes {
        /// Frame number.
        frame: u32,
        /// Number of bytes after the message.
        bytes: usize,
    },
}

/// The longest prefix of `text` that has at most `bytes` bytes and ends between two characters. For texts of
/// unknown length, such as command lines, that must fit in a frame.
#[must_use]
pub fn clip(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or(0)]
}
