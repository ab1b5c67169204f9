//! The version exchange: its exact bytes, pieces of it, other versions, other protocols.

use crate::{Answer, Greeting, HandshakeError, MAX_VERSION_BYTES, Reply};
use proptest::prelude::*;

fn greeting(protocol: u16, version: &str) -> Greeting {
    Greeting::new(protocol, version).unwrap()
}

#[test]
fn the_bytes_never_change() {
    let mut bytes = Vec::new();
    greeting(0x0102, "0.1.0").encode(&mut bytes);
    assert_eq!(bytes, b"SPLW\x02\x01\x05\x000.1.0");
    bytes.clear();
    greeting(1, "9").reply_to(&greeting(1, "8")).encode(&mut bytes);
    assert_eq!(bytes, b"SPLW\x01\x00\x01\x009\x00");
    bytes.clear();
    greeting(1, "9").reply_to(&greeting(2, "8")).encode(&mut bytes);
    assert_eq!(bytes, b"SPLW\x01\x00\x01\x009\x01");
}

#[test]
fn a_mismatch_names_both_versions_and_the_remedy() {
    let (agent, controller) = (greeting(1, "0.1.0"), greeting(2, "0.2.0"));
    let reply = controller.reply_to(&agent);
    assert_eq!(reply.answer, Answer::Refuse);
    assert_eq!(
        reply.check(&agent).unwrap_err().to_string(),
        "the agent library is spl 0.1.0 (protocol 1), the controller is spl 0.2.0 (protocol 2): \
         use the library that came with this spl"
    );
    let careless = Reply { greeting: controller, answer: Answer::Accept };
    assert!(careless.check(&agent).is_err(), "accepted in another protocol");
    let refused = Reply { greeting: agent.clone(), answer: Answer::Refuse };
    assert!(refused.check(&agent).is_err(), "refused in the same protocol");
}

#[test]
fn releases_of_one_protocol_go_together() {
    let (agent, controller) = (greeting(1, "0.1.0"), greeting(1, "0.1.7"));
    assert_eq!(controller.reply_to(&agent).check(&agent), Ok(()));
    assert_eq!(Greeting::ours().reply_to(&Greeting::ours()).check(&Greeting::ours()), Ok(()));
}

#[test]
fn strangers_are_told_apart_at_once() {
    let check = |bytes: &[u8], expected| assert_eq!(Greeting::decode(bytes), Err(expected), "{bytes:?}");
    check(b"G", HandshakeError::NotSpl);
    check(b"GET / HTTP/1.1\r\n", HandshakeError::NotSpl);
    check(b"SPLX", HandshakeError::NotSpl);
    check(b"SPLW\x01\x00\x01\x01", HandshakeError::VersionTooLong { bytes: 257 });
    check(b"SPLW\x01\x00\x02\x00\xff\xfe", HandshakeError::VersionText);
    check(b"SPLW\x01\x00\x04\x00\x1b[2J", HandshakeError::VersionText);
    assert!(Greeting::new(1, &"x".repeat(MAX_VERSION_BYTES + 1)).is_err());
}

proptest! {
    #[test]
    fn both_messages_arrive_in_pieces(protocol: u16, version in "[^\\p{Cc}]{0,60}", rest: Vec<u8>, agent: u16) {
        let reply = greeting(protocol, &version).reply_to(&greeting(agent, "1"));
        let mut bytes = Vec::new();
        reply.encode(&mut bytes);
        let length = bytes.len();
        bytes.extend_from_slice(&rest);
        for cut in 0..length {
            prop_assert_eq!(Reply::decode(&bytes[..cut]), Ok(None), "cut at {}", cut);
        }
        prop_assert_eq!(Greeting::decode(&bytes), Ok(Some((reply.greeting.clone(), length - 1))));
        prop_assert_eq!(Reply::decode(&bytes), Ok(Some((reply, length))));
    }

    #[test]
    fn no_bytes_panic(bytes: Vec<u8>, protocol: u16, length: u16) {
        let _: Result<_, _> = Reply::decode(&bytes);
        let mut framed = b"SPLW".to_vec();
        framed.extend_from_slice(&protocol.to_le_bytes());
        framed.extend_from_slice(&length.to_le_bytes());
        framed.extend_from_slice(&bytes);
        let _: Result<_, _> = Reply::decode(&framed);
    }
}
