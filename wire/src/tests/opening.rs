//! Openings of both sides with each other, in pieces of any size, and with sides that have another token or
//! version.

use crate::{
    AGENT_PROOF_BYTES, AgentProof, ControllerProof, Greeting, HandshakeError, Nonces, Opening, OpeningError,
    PROTOCOL, Side, Step, Token,
};
use proptest::prelude::*;

const PID: u32 = 0x0102_0304;
const AGENT: [u8; 32] = [1; 32];
const CONTROLLER: [u8; 32] = [2; 32];

fn token(text: &str) -> Token {
    Token::new(text).unwrap()
}

type Opened = Result<Vec<u8>, OpeningError>;

/// Runs both sides to their end, with pieces of this many bytes, and returns their ends and the bytes sent.
fn meet(
    mut agent: Opening,
    mut controller: Opening,
    known: Option<&Token>,
    piece: usize,
) -> ([Opened; 2], [Vec<u8>; 2]) {
    let mut said = [Vec::new(), Vec::new()];
    let mut heard = [0, 0];
    let mut ended = [None, None];
    while ended.iter().any(Option::is_none) {
        let mut moved = false;
        for (side, opening) in [&mut agent, &mut controller].into_iter().enumerate() {
            if ended[side].is_some() {
                continue;
            }
            match opening.next() {
                Ok(Step::Send(bytes)) => said[side].extend(bytes),
                Ok(Step::Token) => opening.know(known),
                Ok(Step::Open { rest }) => ended[side] = Some(Ok(rest)),
                Err(error) => {
                    assert_eq!(opening.next(), Err(error.clone()), "an error stays");
                    ended[side] = Some(Err(error));
                }
                Ok(Step::Receive) => {
                    let left = &said[1 - side][heard[side]..];
                    let left = &left[..left.len().min(piece)];
                    heard[side] += left.len();
                    opening.push(left);
                    if left.is_empty() {
                        continue;
                    }
                }
            }
            moved = true;
        }
        // The side that left closes the connection, and the other one waits in vain.
        if !moved {
            break;
        }
    }
    (ended.map(|ended| ended.unwrap_or(Ok(b"waits".to_vec()))), said)
}

fn at_port(theirs: &str) -> (Opening, Opening) {
    (Opening::agent_at_port(PID, AGENT), Opening::controller_at_port(token(theirs), CONTROLLER))
}

proptest! {
    #[test]
    fn sides_that_know_the_token_open_in_pieces_of_any_size(piece in 1..200_usize) {
        let (agent, controller) = at_port("secret");
        let (ended, said) = meet(agent, controller, Some(&token("secret")), piece);
        prop_assert_eq!(ended, [Ok(Vec::new()), Ok(Vec::new())]);
        let (mut greeting, nonces) = (Vec::new(), Nonces { agent: AGENT, controller: CONTROLLER });
        Greeting::ours().encode(&mut greeting);
        let proof = Some(nonces.proof(&token("secret"), Side::Agent));
        prop_assert_eq!(&said[0], &[&greeting[..], &AGENT, &AgentProof { pid: PID, proof }.to_bytes()].concat());
    }

    #[test]
    fn no_bytes_panic_and_all_end_or_wait(bytes: Vec<u8>, greeted: bool) {
        let (agent, controller) = at_port("secret");
        for mut opening in [agent, controller, Opening::agent_at_socket(), Opening::controller_at_socket()] {
            if greeted {
                let mut reply = Vec::new();
                Greeting::ours().reply_to(&Greeting::ours()).encode(&mut reply);
                opening.push(&reply);
            }
            opening.push(&bytes);
            let mut steps = 0;
            while let Ok(Step::Send(_) | Step::Token) = opening.next() {
                opening.know(None);
                steps += 1;
                prop_assert!(steps < 10);
            }
        }
    }
}

#[test]
fn a_side_without_the_token_ends_the_opening_and_shows_nothing() {
    for known in [None, Some(token("secre"))] {
        let (agent, controller) = at_port("secret");
        let (ended, said) = meet(agent, controller, known.as_ref(), 64);
        assert_eq!(ended, [Err(OpeningError::Unbelieved), Err(OpeningError::Unproved { pid: PID })]);
        assert_eq!(said[0][said[0].len() - AGENT_PROOF_BYTES + 4..], [0; 32], "an answer to nobody");
    }
}

#[test]
fn what_follows_the_opening_is_left_to_the_decoder() {
    let mut agent = Opening::agent_at_socket();
    let Ok(Step::Send(greeting)) = agent.next() else { panic!("the agent speaks first") };
    let mut controller = Opening::controller_at_socket();
    controller.push(&[&greeting[..], b"frames"].concat());
    assert!(!controller.has_greeted());
    let Ok(Step::Send(mut reply)) = controller.next() else { panic!("the controller replies") };
    assert!(controller.has_greeted());
    assert_eq!(controller.next(), Ok(Step::Open { rest: b"frames".to_vec() }));
    reply.extend(b"more");
    agent.push(&reply);
    assert_eq!(agent.next(), Ok(Step::Open { rest: b"more".to_vec() }));
}

#[test]
fn another_version_hears_ours_before_the_controller_leaves() {
    let other = Greeting::new(PROTOCOL + 1, "9").unwrap();
    let mut controller = Opening::controller_at_port(token("secret"), CONTROLLER);
    let mut greeting = Vec::new();
    other.encode(&mut greeting);
    controller.push(&greeting);
    let mut reply = Vec::new();
    Greeting::ours().reply_to(&other).encode(&mut reply);
    assert_eq!(controller.next(), Ok(Step::Send(reply.clone())));
    let mismatch = HandshakeError::Mismatch { agent: other, controller: Greeting::ours() };
    assert_eq!(controller.next(), Err(mismatch.into()));
    assert!(!controller.has_greeted());
    let mut agent = Opening::agent_at_socket();
    agent.next().unwrap();
    agent.push(&reply);
    assert!(matches!(agent.next(), Err(OpeningError::Handshake(HandshakeError::Mismatch { .. }))));
}

#[test]
fn an_agent_does_not_believe_its_own_side_of_the_proof() {
    let secret = token("secret");
    for (side, believes) in [(Side::Controller, true), (Side::Agent, false)] {
        let (mut agent, mut greeting, mut reply) =
            (Opening::agent_at_port(PID, AGENT), Vec::new(), Vec::new());
        Greeting::ours().encode(&mut greeting);
        Greeting::ours().reply_to(&Greeting::ours()).encode(&mut reply);
        let nonces = Nonces { agent: AGENT, controller: CONTROLLER };
        agent.push(&reply);
        agent.push(&ControllerProof { nonce: CONTROLLER, proof: nonces.proof(&secret, side) }.to_bytes());
        let mut said = Vec::new();
        let ended = loop {
            match agent.next() {
                Ok(Step::Send(bytes)) => said.extend(bytes),
                Ok(Step::Token) => agent.know(Some(&secret)),
                Ok(Step::Open { .. }) => break Ok(()),
                Ok(Step::Receive) => panic!("there is no more to come"),
                Err(error) => break Err(error),
            }
        };
        assert_eq!(ended, if believes { Ok(()) } else { Err(OpeningError::Unbelieved) });
        let proof = believes.then(|| nonces.proof(&secret, Side::Agent));
        assert_eq!(said, [&greeting[..], &AGENT, &AgentProof { pid: PID, proof }.to_bytes()].concat());
    }
}
