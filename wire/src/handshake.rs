//! The version exchange. Its bytes never change, even if later messages do.
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
//! The controller answers with the same four fields of its own and one byte: 0 accepts, anything else
//! refuses.

use std::fmt;

/// The protocol number of this crate. It changes with every change of a message's encoding.
pub const PROTOCOL: u16 = 21;

/// The longest product version, in bytes.
pub const MAX_VERSION_BYTES: usize = 256;

const MAGIC: [u8; 4] = *b"SPLW";
const HEADER_BYTES: usize = MAGIC.len() + 4;
const ACCEPT: u8 = 0;
const REFUSE: u8 = 1;

/// The identification that each side sends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Greeting {
    protocol: u16,
    version: String,
}

/// The controller's greeting and its decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The controller's identification.
    pub greeting: Greeting,
    /// Its decision.
    pub answer: Answer,
}

/// The controller's decision about the connection.
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

    /// A greeting of any side.
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

    /// The greeting at the start of `bytes` and its length; `None` when more bytes are needed. Later bytes
    /// belong to the [`Decoder`](crate::Decoder).
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

    /// Checks whether the connection with the agent that got this reply may go on. Both sides call this: the
    /// agent with the reply it received, the controller with the reply it sent.
    ///
    /// # Errors
    /// [`HandshakeError::Mismatch`] when the agent was refused, or the protocols differ in spite of an
    /// acceptance.
    pub fn check(&self, agent: &Greeting) -> Result<(), HandshakeError> {
        if self.answer == Answer::Accept && self.greeting.protocol == agent.protocol {
            return Ok(());
        }
        Err(HandshakeError::Mismatch { agent: agent.clone(), controller: self.greeting.clone() })
    }
}

/// The reason why a connection doesn't begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HandshakeError {
    /// The peer is not a part of spl.
    #[error("the peer does not speak the spl protocol")]
    NotSpl,
    /// The version is over the limit.
    #[error("the peer's version is {bytes} bytes long, the limit is {MAX_VERSION_BYTES}")]
    VersionTooLong {
        /// The announced length.
        bytes: usize,
    },
    /// The version cannot be shown.
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
