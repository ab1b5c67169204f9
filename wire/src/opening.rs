//! How a connection begins, on either side: versions, then proofs of the token where there is one. Without I/O: the owner sends
//! and reads what it is told to.
//!
//! ```
//! use spl_wire::{Opening, Step};
//! let (mut agent, mut controller) = (Opening::agent_at_socket(), Opening::controller_at_socket());
//! let Ok(Step::Send(greeting)) = agent.next() else { panic!("the agent speaks first") };
//! controller.push(&greeting);
//! let Ok(Step::Send(reply)) = controller.next() else { panic!("the controller replies") };
//! agent.push(&reply);
//! assert_eq!(agent.next(), Ok(Step::Open { rest: Vec::new() }));
//! assert_eq!(controller.next(), Ok(Step::Open { rest: Vec::new() }));
//! ```

use crate::{
    AgentProof, ControllerProof, Greeting, HandshakeError, NONCE_BYTES, Nonce, Nonces, Proof, Reply, Side,
    Token,
};
use std::mem;

/// The beginning of one connection, as one side sees it.
#[derive(Debug)]
pub struct Opening {
    stage: Stage,
    /// Bytes that came and are not used.
    arrived: Vec<u8>,
    /// Bytes that are to be sent before anything else happens.
    out: Vec<u8>,
    greeted: bool,
}

/// What the owner does next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Read some bytes and [`push`](Opening::push) them.
    Receive,
    /// Say which token the agent has ([`know`](Opening::know)). It is asked for after the controller's proof has come: the token
    /// file is then as new as the controller.
    Token,
    /// Frames follow.
    Open {
        /// Bytes that came after the opening, for the [`Decoder`](crate::Decoder).
        rest: Vec<u8>,
    },
}

/// Why a connection does not begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The versions.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// On the agent's side: it has no token, or the controller does not show that it knows it.
    #[error("the controller does not know the token")]
    Unbelieved,
    /// On the controller's side: the agent does not show that it knows the token.
    #[error("the agent does not know the token")]
    Unproved {
        /// The agent's process, as it says.
        pid: u32,
    },
}

#[derive(Debug)]
enum Stage {
    /// The agent waits for the controller's version; afterwards it shows this nonce.
    Reply(Option<Challenge>),
    /// The agent waits for the controller's proof.
    Proof(Challenge),
    /// The agent's owner looks up the token, with which this proof has to be made.
    Token {
        pid: u32,
        nonces: Nonces,
        shown: Proof,
    },
    /// The controller waits for the agent's version; afterwards it wants to see that the agent knows this token.
    Greeting(Option<(Token, Nonce)>),
    /// The controller waits for the agent's nonce.
    Nonce(Token, Nonce),
    /// The controller waits for the agent's proof.
    Answer(Token, Nonces),
    Open,
    Failed(OpeningError),
}

#[derive(Clone, Copy, Debug)]
struct Challenge {
    pid: u32,
    nonce: Nonce,
}

impl Opening {
    /// The agent's side at a Unix socket, which only its user can reach: versions alone.
    #[must_use]
    pub fn agent_at_socket() -> Self {
        Self::greeting(None)
    }

    /// The agent's side at a port: versions and proofs. `pid` is the measured process, for the operator; `nonce` is random.
    #[must_use]
    pub fn agent_at_port(pid: u32, nonce: Nonce) -> Self {
        Self::greeting(Some(Challenge { pid, nonce }))
    }

    /// The controller's side at a Unix socket: versions alone.
    #[must_use]
    pub fn controller_at_socket() -> Self {
        Self::in_stage(Stage::Greeting(None))
    }

    /// The controller's side at a port: versions and proofs of this token; `nonce` is random.
    #[must_use]
    pub fn controller_at_port(token: Token, nonce: Nonce) -> Self {
        Self::in_stage(Stage::Greeting(Some((token, nonce))))
    }

    fn greeting(challenge: Option<Challenge>) -> Self {
        let mut opening = Self::in_stage(Stage::Reply(challenge));
        Greeting::ours().encode(&mut opening.out);
        opening
    }

    fn in_stage(stage: Stage) -> Self {
        Self { stage, arrived: Vec::new(), out: Vec::new(), greeted: false }
    }

    /// Adds bytes that arrived.
    pub fn push(&mut self, bytes: &[u8]) {
        self.arrived.extend_from_slice(bytes);
    }

    /// The agent's token, when [`Step::Token`] asks for it; `None` when it has none.
    pub fn know(&mut self, token: Option<&Token>) {
        let Stage::Token { pid, nonces, shown } = &self.stage else { return };
        let believed = token.filter(|token| nonces.proof(token, Side::Controller) == *shown);
        let proof = believed.map(|token| nonces.proof(token, Side::Agent));
        let stage = if proof.is_some() { Stage::Open } else { Stage::Failed(OpeningError::Unbelieved) };
        self.out.extend(AgentProof { pid: *pid, proof }.to_bytes());
        self.stage = stage;
    }

    /// Whether the versions were exchanged and go together.
    #[must_use]
    pub fn has_greeted(&self) -> bool {
        self.greeted
    }

    /// What is to be done next.
    ///
    /// # Errors
    /// When the connection does not begin. What the other side has to hear of it was sent before.
    #[expect(clippy::should_implement_trait, reason = "an iterator ends, this gives its last step again")]
    pub fn next(&mut self) -> Result<Step, OpeningError> {
        while let Some(stage) = self.advanced() {
            self.stage = stage;
        }
        if !self.out.is_empty() {
            return Ok(Step::Send(mem::take(&mut self.out)));
        }
        match &self.stage {
            Stage::Failed(error) => Err(error.clone()),
            Stage::Open => Ok(Step::Open { rest: mem::take(&mut self.arrived) }),
            Stage::Token { .. } => Ok(Step::Token),
            Stage::Reply(_) | Stage::Proof(_) | Stage::Greeting(_) | Stage::Nonce(..) | Stage::Answer(..) => {
                Ok(Step::Receive)
            }
        }
    }

    /// The stage that the bytes lead to; `None` when more are needed, or none.
    fn advanced(&mut self) -> Option<Stage> {
        match &self.stage {
            Stage::Reply(challenge) => {
                let challenge = *challenge;
                self.reply(challenge).unwrap_or_else(|error| Some(Stage::Failed(error.into())))
            }
            Stage::Greeting(wanted) => {
                let wanted = wanted.clone();
                self.greet(wanted).unwrap_or_else(|error| Some(Stage::Failed(error.into())))
            }
            Stage::Proof(Challenge { pid, nonce }) => {
                let (pid, agent) = (*pid, *nonce);
                let ControllerProof { nonce, proof } = ControllerProof::from_bytes(&self.take()?);
                Some(Stage::Token { pid, nonces: Nonces { agent, controller: nonce }, shown: proof })
            }
            Stage::Nonce(token, nonce) => {
                let (token, nonce) = (token.clone(), *nonce);
                let nonces = Nonces { agent: self.take::<NONCE_BYTES>()?, controller: nonce };
                let proof = nonces.proof(&token, Side::Controller);
                self.out.extend(ControllerProof { nonce, proof }.to_bytes());
                Some(Stage::Answer(token, nonces))
            }
            Stage::Answer(token, nonces) => {
                let wanted = nonces.proof(token, Side::Agent);
                let AgentProof { pid, proof } = AgentProof::from_bytes(&self.take()?);
                let proved = proof == Some(wanted);
                Some(if proved { Stage::Open } else { Stage::Failed(OpeningError::Unproved { pid }) })
            }
            Stage::Token { .. } | Stage::Open | Stage::Failed(_) => None,
        }
    }

    fn reply(&mut self, challenge: Option<Challenge>) -> Result<Option<Stage>, HandshakeError> {
        let Some((reply, used)) = Reply::decode(&self.arrived)? else { return Ok(None) };
        reply.check(&Greeting::ours())?;
        self.arrived.drain(..used);
        self.greeted = true;
        let Some(challenge) = challenge else { return Ok(Some(Stage::Open)) };
        self.out.extend(challenge.nonce);
        Ok(Some(Stage::Proof(challenge)))
    }

    fn greet(&mut self, wanted: Option<(Token, Nonce)>) -> Result<Option<Stage>, HandshakeError> {
        let Some((agent, used)) = Greeting::decode(&self.arrived)? else { return Ok(None) };
        let reply = Greeting::ours().reply_to(&agent);
        reply.encode(&mut self.out);
        reply.check(&agent)?;
        self.arrived.drain(..used);
        self.greeted = true;
        Ok(Some(wanted.map_or(Stage::Open, |(token, nonce)| Stage::Nonce(token, nonce))))
    }

    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let found = *self.arrived.first_chunk()?;
        self.arrived.drain(..N);
        Some(found)
    }
}
