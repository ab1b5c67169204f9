//! Proofs of the token: their exact bytes, their inputs, and secrecy of the token.

use crate::{AgentProof, ControllerProof, Nonces, Proof, Side, Token};
use proptest::array::{uniform3, uniform4, uniform32};
use proptest::prelude::*;

const NONCES: Nonces = Nonces { agent: [1; 32], controller: [2; 32] };

fn token(text: &str) -> Token {
    Token::new(text).unwrap()
}

fn bytes(proof: Proof) -> [u8; 36] {
    AgentProof { pid: 0x0102_0304, proof: Some(proof) }.to_bytes()
}

/// From Python's `hmac.new(b"secret", b"spl agent     " + b"\x15\0" + b"\1" * 32 + b"\2" * 32, "sha256")`,
/// and for the controller likewise.
#[test]
fn the_proofs_of_this_protocol_have_these_bytes() {
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let proof = |side| hex(&bytes(NONCES.proof(&token("secret"), side)));
    assert_eq!(
        proof(Side::Agent),
        "0403020107e8976ab9714507ebbcd93ffae4dbe6535778cfb8d46e8b8dd7be0c37054bba"
    );
    assert_eq!(
        proof(Side::Controller),
        "04030201491478ebcdff0fa4212800b62da780480f5a0df917c9913cee75c986ba2d6aa6"
    );
}

#[test]
fn a_proof_is_of_one_token_one_side_and_one_connection() {
    let ours = NONCES.proof(&token("secret"), Side::Agent);
    assert_eq!(NONCES.proof(&token(" secret\n"), Side::Agent), ours);
    assert_ne!(NONCES.proof(&token("secret"), Side::Controller), ours, "it could be sent back");
    for other in ["secre", "secret2", "Secret"] {
        assert_ne!(NONCES.proof(&token(other), Side::Agent), ours, "{other}");
    }
    for (agent, controller) in [([2; 32], [1; 32]), ([1; 32], [1; 32]), ([2; 32], [2; 32])] {
        assert_ne!(Nonces { agent, controller }.proof(&token("secret"), Side::Agent), ours);
    }
}

#[test]
fn no_secret_is_shown_and_nothing_is_none() {
    let secret = token("secret");
    assert_eq!(format!("{secret:?} {:?}", NONCES.proof(&secret, Side::Agent)), "Token(..) Proof(..)");
    // Everybody knows an empty token.
    assert!(Token::new("").is_none() && Token::new(" \n").is_none());
    assert!(Token::new("\0\0").is_none() && Token::new("a\nb").is_none());
}

proptest! {
    #[test]
    fn all_bytes_are_an_answer(
        [a, b, c] in uniform3(uniform32(any::<u8>())), pid in uniform4(any::<u8>()), zeros: bool,
    ) {
        let answer = [a, b].concat().try_into().unwrap();
        prop_assert_eq!(ControllerProof::from_bytes(&answer).to_bytes(), answer);
        let proof = if zeros { [0; 32] } else { c };
        let answer = [&pid[..], &proof].concat().try_into().unwrap();
        prop_assert_eq!(AgentProof::from_bytes(&answer).to_bytes(), answer);
        prop_assert_eq!(AgentProof::from_bytes(&answer).proof.is_none(), proof == [0; 32]);
    }
}
