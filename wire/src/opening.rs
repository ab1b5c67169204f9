//! The opening of a connection, for either side: versions, then proofs of the token if there is one. It does
//! no I/O: the owner sends and reads as the steps say.
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

/// The opening of one connection, as one side sees it.
#[derive(Debug)]
pub struct Opening {
    stage: Stage,
    /// Received bytes that are not used yet.
    arrived: Vec<u8>,
    /// Bytes to send before the next step.
    out: Vec<u8>,
    greeted: bool,
}

/// The owner's next action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Send these bytes.
    Send(Vec<u8>),
    /// Read some bytes and [`push`](Opening::push) them.
    Receive,
    /// Name the agent's token ([`know`](Opening::know)). This step comes after the controller's proof, so
    /// that the token file is as new as the controller.
    Token,
    /// Frames follow.
    Open {
        /// Bytes received after the opening, for the [`Decoder`](crate::Decoder).
        rest: Vec<u8>,
    },
}

/// The reason why a connection does not begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningError {
    /// The versions differ, or the peer's greeting is invalid.
    #[error(transparent)]
    Handshake(#[from] HandshakeError),
    /// On the agent's side: it has no token, or the controller does not prove that it knows the token.
    #[error("the controller does not know the token")]
    Unbelieved,
    /// On the controller's side: the agent does not prove that it knows the token.
    #[error("the agent does not know the token")]
    Unproved {
        /// The agent's process id, as it claims.
        pid: u32,
    },
}

#[derive(Debug)]
enum Stage {
    /// The agent waits for the controller's version; then it sends this nonce.
    Reply(Option<Challenge>),
    /// The agent waits for the controller's proof.
    Proof(Challenge),
    /// The agent's owner looks up the token, which must match this proof.
    Token {
        pid: u32,
        nonces: Nonces,
        shown: Proof,
    },
    /// The controller waits for the agent's version; then the agent has to prove this token.
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
    /// The agent's side at a Unix socket, which only its user can reach: versions only.
    #[must_use]
    pub fn agent_at_socket() -> Self {
        Self::greeting(None)
    }

    /// The agent's side at a port: versions and proofs. `pid` is the measured process, shown to the operator;
    /// `nonce` is random.
    #[must_use]
    pub fn agent_at_port(pid: u32, nonce: Nonce) -> Self {
        Self::greeting(Some(Challenge { pid, nonce }))
    }

    /// The controller's side at a Unix socket: versions only.
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

    /// Sets the agent's token after [`Step::Token`]; `None` if it has none.
    pub fn know(&mut self, token: Option<&Token>) {
        let Stage::Token { pid, nonces, shown } = &self.stage else { return };
        let believed = token.filter(|token| nonces.proof(token, Side::Controller) == *shown);
        let proof = believed.map(|token| nonces.proof(token, Side::Agent));
        let stage = if proof.is_some() { Stage::Open } else { Stage::Failed(OpeningError::Unbelieved) };
        self.out.extend(AgentProof { pid: *pid, proof }.to_bytes());
        self.stage = stage;
    }

    /// Whether the versions were exchanged and match.
    #[must_use]
    pub fn has_greeted(&self) -> bool {
        self.greeted
    }

    /// The next step.
    ///
    /// # Errors
    /// When the connection does not begin. The bytes that inform the other side were sent before.
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

    /// The stage that the received bytes lead to; `None` if more bytes are needed, or in a final stage.
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
