//! The version exchange. Its bytes never change, whatever becomes of the messages after it.
//!
//! The agent speaks first:
//!
//! | bytes | meaning |
//! |---|---|
//! | 4 | `SPLW` |
//! | 2 | protocol number, little-endian |
//! | 2 | length of the product version, little-endian, at most 256 |
//! | … | product version, UTF-8 without control characters |
//!
//! The controller answers with the same four fields of its own and one byte: 0 accepts, anything else refuses.

use std::fmt;

/// The protocol that this crate speaks; it changes with every change of a message's encoding.
pub const PROTOCOL: u16 = 8;

/// The longest product version, in bytes.
pub const MAX_VERSION_BYTES: usize = 256;

const MAGIC: [u8; 4] = *b"SPLW";
const HEADER_BYTES: usize = MAGIC.len() + 4;
const ACCEPT: u8 = 0;
const REFUSE: u8 = 1;

/// What each side says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    protocol: u16,
    version: String,
}

/// The controller's greeting and its decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The controller.
    pub greeting: Greeting,
    /// Its decision.
    pub answer: Answer,
}

/// Whether the connection goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Frames follow.
    Accept,
    /// The controller closes the connection.
    Refuse,
}

impl Greeting {
    /// This build: [`PROTOCOL`] and the product's version.
    #[must_use]
    pub fn ours() -> Self {
        Self { protocol: PROTOCOL, version: env!("CARGO_PKG_VERSION").to_owned() }
    }

    /// Any side.
    ///
    /// # Errors
    /// When the version is over [`MAX_VERSION_BYTES`] or has control characters.
    pub fn new(protocol: u16, version: &str) -> Result<Self, HandshakeError> {
        if version.len() > MAX_VERSION_BYTES {
            return Err(HandshakeError::VersionTooLong { bytes: version.len() });
        }
        // The version is shown to the operator: an unknown peer must not write control codes to a terminal.
        if version.chars().any(char::is_control) {
            return Err(HandshakeError::VersionText);
        }
        Ok(Self { protocol, version: version.to_owned() })
    }

    /// Protocol number.
    #[must_use]
    pub fn protocol(&self) -> u16 {
        self.protocol
    }

    /// Product version.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Appends the greeting's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&self.protocol.to_le_bytes());
        out.extend_from_slice(&(self.version.len() as u16).to_le_bytes());
        out.extend_from_slice(self.version.as_bytes());
    }

    /// The greeting at the start of `bytes` and its length; `None` when more bytes are needed. What follows it
    /// belongs to the [`Decoder`](crate::Decoder).
    ///
    /// # Errors
    /// As soon as the bytes cannot become a greeting.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Self, usize)>, HandshakeError> {
        if bytes.iter().zip(MAGIC).any(|(found, expected)| *found != expected) {
            return Err(HandshakeError::NotSpl);
        }
        let &[_, _, _, _, p0, p1, n0, n1, ref rest @ ..] = bytes else { return Ok(None) };
        let length = usize::from(u16::from_le_bytes([n0, n1]));
        if length > MAX_VERSION_BYTES {
            return Err(HandshakeError::VersionTooLong { bytes: length });
        }
        let Some(version) = rest.get(..length) else { return Ok(None) };
        let version = std::str::from_utf8(version).map_err(|_| HandshakeError::VersionText)?;
        Ok(Some((Self::new(u16::from_le_bytes([p0, p1]), version)?, HEADER_BYTES + length)))
    }

    /// The controller's decision about an agent: only the same protocol is accepted.
    #[must_use]
    pub fn reply_to(&self, agent: &Self) -> Reply {
        let answer = if self.protocol == agent.protocol { Answer::Accept } else { Answer::Refuse };
        Reply { greeting: self.clone(), answer }
    }
}

/// `0.1.0 (protocol 1)`
impl fmt::Display for Greeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (protocol {})", self.version, self.protocol)
    }
}

impl Reply {
    /// Appends the reply's bytes.
    pub fn encode(&self, out: &mut Vec<u8>) {
        self.greeting.encode(out);
        out.push(if self.answer == Answer::Accept { ACCEPT } else { REFUSE });
    }

    /// The reply at the start of `bytes` and its length; `None` when more bytes are needed.
    ///
    /// # Errors
    /// As soon as the bytes cannot become a reply.
    pub fn decode(bytes: &[u8]) -> Result<Option<(Self, usize)>, HandshakeError> {
        let Some((greeting, used)) = Greeting::decode(bytes)? else { return Ok(None) };
        let Some(&answer) = bytes.get(used) else { return Ok(None) };
        let answer = if answer == ACCEPT { Answer::Accept } else { Answer::Refuse };
        Ok(Some((Self { greeting, answer }, used + 1)))
    }

    /// Whether the connection with the agent that was replied to goes on. Both sides ask this: the agent of what
    /// it received, the controller of what it sent.
    ///
    /// # Errors
    /// [`HandshakeError::Mismatch`] when it was refused or the protocols differ all the same.
    pub fn check(&self, agent: &Greeting) -> Result<(), HandshakeError> {
        if self.answer == Answer::Accept && self.greeting.protocol == agent.protocol {
            return Ok(());
        }
        Err(HandshakeError::Mismatch { agent: agent.clone(), controller: self.greeting.clone() })
    }
}

/// Why a connection doesn't begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// Something else is at the other end.
    #[error("the peer does not speak the spl protocol")]
    NotSpl,
    /// A version over the limit.
    #[error("the peer's version is {bytes} bytes long, the limit is {MAX_VERSION_BYTES}")]
    VersionTooLong {
        /// As announced.
        bytes: usize,
    },
    /// A version that cannot be shown.
    #[error("the peer's version is not a plain UTF-8 text")]
    VersionText,
    /// The two sides come from different releases.
    #[error(
        "the agent library is spl {agent}, the controller is spl {controller}: use the library that came with this spl"
    )]
    Mismatch {
        /// The agent's side.
        agent: Greeting,
        /// The controller's side.
        controller: Greeting,
    },
}
