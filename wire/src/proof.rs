//! Proofs of the token: both sides of a connection through a port prove that they know it, without sending
//! it.
//!
//! After the version exchange, if the controller requires a token:
//!
//! | from | bytes | meaning |
//! |---|---|---|
//! | agent | 32 | its [`Nonce`] |
//! | controller | 64 | its own nonce, and its [`Proof`] |
//! | agent | 36 | process id, little-endian, and its proof; zeros in its place: it has seen no proof that it believes |
//!
//! A proof is the HMAC-SHA256 (RFC 2104), with the token as the key, of the side, the protocol number and
//! both nonces. The controller sends its proof first: a program that only listens at the agent's port gets a
//! nonce, which is useless. A proof is worthless in another connection, because the nonces differ there, and
//! for the other side.

use crate::PROTOCOL;
use hmac_sha256::HMAC;
use std::fmt;

/// Bytes of a nonce.
pub const NONCE_BYTES: usize = 32;
const PROOF_BYTES: usize = 32;
const PID_BYTES: usize = 4;
/// Bytes of a [`ControllerProof`].
pub const CONTROLLER_PROOF_BYTES: usize = NONCE_BYTES + PROOF_BYTES;
/// Bytes of an [`AgentProof`].
pub const AGENT_PROOF_BYTES: usize = PID_BYTES + PROOF_BYTES;

/// SHA-256 of these bytes, by which class files are told apart.
#[must_use]
pub fn digest(bytes: &[u8]) -> [u8; 32] {
    hmac_sha256::Hash::hash(bytes)
}

/// Random bytes used in only one connection.
pub type Nonce = [u8; NONCE_BYTES];

/// A shared secret. Its `Debug` form doesn't show it, so that it reaches no log.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// The side that makes a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The measured JVM.
    Agent,
    /// The controller.
    Controller,
}

/// Bytes that only a side with the token can compute for this connection.
#[derive(Clone)]
pub struct Proof([u8; PROOF_BYTES]);

/// The nonces of both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nonces {
    /// The agent's.
    pub agent: Nonce,
    /// The controller's.
    pub controller: Nonce,
}

/// The controller's answer to the agent's nonce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerProof {
    /// The controller's nonce.
    pub nonce: Nonce,
    /// Its proof of the token.
    pub proof: Proof,
}

/// The agent's answer to the controller's proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProof {
    /// The measured process, shown to the operator.
    pub pid: u32,
    /// Its proof of the token. `None` if the controller's proof is wrong or the agent has no token; the agent
    /// then leaves.
    pub proof: Option<Proof>,
}

impl Token {
    /// A secret as written in the token file, without surrounding white space. `None` for an empty text or
    /// one with a control character, as half-written files and devices have them.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty() && !text.contains(char::is_control)).then(|| Self(text.to_owned()))
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Nonces {
    /// The proof of `side` that it knows the token.
    #[must_use]
    pub fn proof(&self, token: &Token, side: Side) -> Proof {
        let mut mac = HMAC::new(&token.0);
        // Each part has a fixed length, so that no two contents give the same bytes.
        mac.update(match side {
            Side::Agent => b"spl agent     ",
            Side::Controller => b"spl controller",
        });
        mac.update(PROTOCOL.to_le_bytes());
        mac.update(self.agent);
        mac.update(self.controller);
        Proof(mac.finalize())
    }
}

/// Compares every byte, so that the time does not reveal the number of correct bytes.
impl PartialEq for Proof {
    fn eq(&self, other: &Self) -> bool {
        let differences = self.0.iter().zip(other.0).fold(0, |all, (a, b)| all | (a ^ b));
        std::hint::black_box(differences) == 0
    }
}

impl Eq for Proof {}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Proof(..)")
    }
}

impl ControllerProof {
    /// The bytes on the wire.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; CONTROLLER_PROOF_BYTES] {
        let mut bytes = [0; CONTROLLER_PROOF_BYTES];
        let (nonce, proof) = bytes.split_at_mut(NONCE_BYTES);
        nonce.copy_from_slice(&self.nonce);
        proof.copy_from_slice(&self.proof.0);
        bytes
    }

    /// Reads any bytes of the wire.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; CONTROLLER_PROOF_BYTES]) -> Self {
        let (mut nonce, mut proof) = ([0; NONCE_BYTES], [0; PROOF_BYTES]);
        nonce.copy_from_slice(&bytes[..NONCE_BYTES]);
        proof.copy_from_slice(&bytes[NONCE_BYTES..]);
        Self { nonce, proof: Proof(proof) }
    }
}

impl AgentProof {
    /// The bytes on the wire.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; AGENT_PROOF_BYTES] {
        let mut bytes = [0; AGENT_PROOF_BYTES];
        let (pid, proof) = bytes.split_at_mut(PID_BYTES);
        pid.copy_from_slice(&self.pid.to_le_bytes());
        if let Some(Proof(found)) = &self.proof {
            proof.copy_from_slice(found);
        }
        bytes
    }

    /// Reads any bytes of the wire.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; AGENT_PROOF_BYTES]) -> Self {
        let (mut pid, mut proof) = ([0; PID_BYTES], [0; PROOF_BYTES]);
        pid.copy_from_slice(&bytes[..PID_BYTES]);
        proof.copy_from_slice(&bytes[PID_BYTES..]);
        let proof = (proof != [0; PROOF_BYTES]).then_some(Proof(proof));
        Self { pid: u32::from_le_bytes(pid), proof }
    }
}
