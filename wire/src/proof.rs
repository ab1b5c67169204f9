//! How both sides of a connection through a port show that they know the token, without sending it.
//!
//! After the version exchange, where the controller asks for a token:
//!
//! | from | bytes | meaning |
//! |---|---|---|
//! | agent | 32 | its [`Nonce`] |
//! | controller | 64 | its own nonce, and its [`Proof`] |
//! | agent | 36 | process id, little-endian, and its proof; zeros in its place: it has seen no proof that it believes |
//!
//! A proof is the HMAC-SHA256 (RFC 2104), with the token as the key, of the side, the protocol number and both nonces. The
//! controller shows its own first: who only listens at a port where an agent knocks gets a nonce, which is of no use to anybody.
//! A proof is worth nothing in another connection, where the nonces are others, nor to the other side.

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

/// Random bytes that are used in one connection only.
pub type Nonce = [u8; NONCE_BYTES];

/// A shared secret. Its `Debug` form doesn't show it, so that it reaches no log.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

/// Whose proof it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The measured JVM.
    Agent,
    /// The controller.
    Controller,
}

/// What only who knows the token can say in this connection.
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

/// What the controller answers to the agent's nonce.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerProof {
    /// Its nonce.
    pub nonce: Nonce,
    /// That it knows the token.
    pub proof: Proof,
}

/// What the agent answers to that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentProof {
    /// The measured process, for the operator.
    pub pid: u32,
    /// That it knows the token; `None` when the controller's proof is wrong or the agent has no token: it leaves.
    pub proof: Option<Proof>,
}

impl Token {
    /// A secret as it stands in the token file, without the white space around it; `None` when there is nothing else, or a control character in
    /// it: half-written files and devices have those.
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
    /// What `side` says to show that it knows the token.
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

/// Compares every byte whatever the first difference is, so that the time taken doesn't tell how many were right.
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
    /// Its bytes.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; CONTROLLER_PROOF_BYTES] {
        let mut bytes = [0; CONTROLLER_PROOF_BYTES];
        let (nonce, proof) = bytes.split_at_mut(NONCE_BYTES);
        nonce.copy_from_slice(&self.nonce);
        proof.copy_from_slice(&self.proof.0);
        bytes
    }

    /// From its bytes, whatever they are.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; CONTROLLER_PROOF_BYTES]) -> Self {
        let (mut nonce, mut proof) = ([0; NONCE_BYTES], [0; PROOF_BYTES]);
        nonce.copy_from_slice(&bytes[..NONCE_BYTES]);
        proof.copy_from_slice(&bytes[NONCE_BYTES..]);
        Self { nonce, proof: Proof(proof) }
    }
}

impl AgentProof {
    /// Its bytes.
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

    /// From its bytes, whatever they are.
    #[must_use]
    pub fn from_bytes(bytes: &[u8; AGENT_PROOF_BYTES]) -> Self {
        let (mut pid, mut proof) = ([0; PID_BYTES], [0; PROOF_BYTES]);
        pid.copy_from_slice(&bytes[..PID_BYTES]);
        proof.copy_from_slice(&bytes[PID_BYTES..]);
        let proof = (proof != [0; PROOF_BYTES]).then_some(Proof(proof));
        Self { pid: u32::from_le_bytes(pid), proof }
    }
}
