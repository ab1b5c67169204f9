//! The protocol: arbitrary bytes in arbitrary pieces, and the version exchange before it.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test is about some of the values")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde::Serialize;
use serde::de::DeserializeOwned;
use spl_fuzz::{Campaign, Rng, corpus, outcome};
use spl_model::{Handle, Instrument, MethodRef, Outcome, ProbeKind, Refusal, Sizing};
use spl_wire::{
    AGENT_PROOF_BYTES, AgentProof, ByeReason, CONTROLLER_PROOF_BYTES, Change, ControllerProof, Decoder,
    Encoder, Greeting, Label, Labels, LoadedClass, LoadedMethod, NONCE_BYTES, Nonces, Readings, Reply, Side,
    ToAgent, ToController, Token, Wanted, WireError, WireSample, WireSize,
};
use std::fmt::Debug;
use std::mem::discriminant;

const WORDS: [&[u8]; 6] =
    [b"SPLW", b"\xff\xff\xff\xff\x0f", b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", b"\x02", b"p/C", b"(I)V"];

#[test]
fn no_bytes_harm_either_side() {
    let campaign = Campaign {
        name: "wire",
        seeds: [corpus("wire"), streams(), payloads()].concat(),
        words: &WORDS,
        mutations: 4,
        max_bytes: 4096,
        iterations: 40_000,
        failures: env!("CARGO_TARGET_TMPDIR").into(),
    };
    campaign.run(|bytes, rng| {
        let mut labels = Labels::default();
        let to_controller = check_stream::<ToController>(bytes, rng);
        to_controller.0.iter().for_each(|message| check_samples(message, &mut labels));
        let to_agent = check_stream::<ToAgent>(bytes, rng);
        // The same bytes as the content of one frame, so that the messages themselves are reached.
        let framed = frame(bytes);
        check_proof(bytes);
        let content = check_stream::<ToController>(&framed, rng);
        content.0.iter().for_each(|message| check_samples(message, &mut labels));
        outcome((
            check_greeting(bytes, rng),
            kinds(&to_controller),
            kinds(&to_agent),
            kinds(&content),
            kinds(&check_stream::<ToAgent>(&framed, rng)),
        ))
    });
}

type Received<T> = (Vec<T>, Result<bool, WireError>);

fn kinds<T>((messages, end): &Received<T>) -> u64 {
    let end = match end {
        Err(WireError::Malformed { reason, .. }) => (None, outcome(reason)),
        Err(error) => (Some(discriminant(error)), 0),
        Ok(is_empty) => (None, u64::from(*is_empty)),
    };
    outcome((messages.iter().map(discriminant).collect::<Vec<_>>(), end))
}

fn receive<'a, T: DeserializeOwned>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Received<T> {
    let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => {
                    assert!(!decoder.is_empty(), "a failed stream has no end without loss");
                    return (messages, Err(error));
                }
            }
        }
    }
    (messages, Ok(decoder.is_empty()))
}

/// The cuts between pieces make no difference, and received messages can be sent on.
fn check_stream<T>(bytes: &[u8], rng: &mut Rng) -> Received<T>
where
    T: Serialize + DeserializeOwned + PartialEq + Debug,
{
    let whole = receive::<T>([bytes]);
    let chunk = 1 + rng.below(64);
    assert_eq!(receive::<T>(bytes.chunks(chunk)), whole, "in pieces of {chunk} bytes");
    let (mut encoder, mut again) = (Encoder::default(), Vec::new());
    for message in &whole.0 {
        encoder.encode(message, &mut again).unwrap();
    }
    let (messages, end) = receive::<T>([&again[..]]);
    assert_eq!((&messages, end), (&whole.0, Ok(true)));
    whole
}

fn check_samples(message: &ToController, labels: &mut Labels) {
    match message {
        ToController::Labels { labels: new } => labels.learn(new.iter().cloned()),
        ToController::Readings { readings: Readings::Times(samples), .. } => {
            for wire in samples {
                if let Ok(sample) = wire.to_sample(labels) {
                    assert!(sample.start_ns() <= sample.end_ns());
                    let id = |_: &str| if let WireSize::Label(id) = wire.size { id } else { 0 };
                    assert_eq!(WireSample::from_sample(wire.handle, &sample, id), *wire);
                }
            }
        }
        _ => {}
    }
}

/// A greeting is read from any piece that contains it, and from no other. An error comes early or never
/// disappears.
fn check_greeting(bytes: &[u8], rng: &mut Rng) -> u64 {
    let cut = &bytes[..rng.below(bytes.len() + 1)];
    let (whole, part) = (Greeting::decode(bytes), Greeting::decode(cut));
    match (&whole, &part) {
        (Ok(Some((greeting, used))), part) => {
            let mut again = Vec::new();
            greeting.encode(&mut again);
            assert_eq!(again, bytes[..*used]);
            assert_eq!(part, if cut.len() >= *used { &whole } else { &Ok(None) });
        }
        (Ok(None), part) => assert_eq!(part, &Ok(None)),
        (Err(_), Ok(part)) => assert_eq!(part, &None),
        (Err(error), Err(part)) => assert_eq!(part, error),
    }
    let reply = Reply::decode(bytes);
    if let Ok(Some((reply, used))) = &reply {
        assert!(*used <= bytes.len());
        // For any bytes: the same protocol, or a reason.
        let _ = reply.check(&Greeting::ours()).map_err(|error| error.to_string());
    }
    outcome((whole.map_err(|error| discriminant(&error)).map(|found| found.is_some()), reply.is_ok()))
}

/// Bytes that only look like a proof are rejected for any nonces; a true proof is accepted.
fn check_proof(bytes: &[u8]) {
    let token = Token::new("secret").unwrap();
    let Some(answer) = bytes.first_chunk::<CONTROLLER_PROOF_BYTES>() else { return };
    let ControllerProof { nonce: controller, proof } = ControllerProof::from_bytes(answer);
    let nonces = Nonces { agent: [1; NONCE_BYTES], controller };
    assert_ne!(nonces.proof(&token, Side::Controller), proof);
    let said = bytes.first_chunk::<AGENT_PROOF_BYTES>().map(AgentProof::from_bytes).unwrap();
    let ours = nonces.proof(&token, Side::Agent);
    assert_ne!(said.proof.as_ref(), Some(&ours));
    let true_one = AgentProof { pid: said.pid, proof: Some(ours) };
    assert_eq!(AgentProof::from_bytes(&true_one.to_bytes()), true_one);
}

fn frame(payload: &[u8]) -> Vec<u8> {
    [&(payload.len() as u32 + 4).to_le_bytes()[..], &[0; 4], payload].concat()
}

fn stream<T: Serialize>(messages: &[T]) -> Vec<u8> {
    let (mut encoder, mut bytes) = (Encoder::default(), Vec::new());
    messages.iter().for_each(|message| encoder.encode(message, &mut bytes).unwrap());
    bytes
}

fn streams() -> Vec<Vec<u8>> {
    let (mut greeting, mut reply) = (Vec::new(), Vec::new());
    Greeting::ours().encode(&mut greeting);
    Greeting::ours().reply_to(&Greeting::ours()).encode(&mut reply);
    vec![greeting, reply, stream(&to_controller()), stream(&to_agent())]
}

fn payloads() -> Vec<Vec<u8>> {
    let payload = |bytes: Vec<u8>| bytes[8..].to_vec();
    let to_controller = to_controller().into_iter().map(|message| payload(stream(&[message])));
    to_controller.chain(to_agent().into_iter().map(|message| payload(stream(&[message])))).collect()
}

fn method() -> MethodRef {
    "p/C$D.f(I[JLjava/util/List;)V".parse().unwrap()
}

fn to_controller() -> Vec<ToController> {
    let sample = |size| WireSample {
        handle: Handle(1),
        start_ns: 1 << 40,
        end_ns: (1 << 40) + 300,
        thread: 7,
        depth: Some(2),
        size,
        flags: 1,
    };
    vec![
        ToController::Hello {
            pid: 1,
            java_version: "17.0.15".to_owned(),
            instance: "host".to_owned(),
            command: "Main a b".to_owned(),
            now_ns: 1 << 50,
            kinds: vec!["times".to_owned()],
            max_measurements: None,
            probe_cost_ps: Some(45_000),
            probe_empty_ps: Some(25_000),
            clock_reads_ps: Some(60_000),
        },
        ToController::Outcome {
            handle: Handle(1),
            class_loader: "boot".to_owned(),
            outcome: Outcome::NoSuchMethod { nearest: vec!["f(I)V".to_owned()] },
        },
        ToController::Outcome {
            handle: Handle(2),
            class_loader: String::new(),
            outcome: Outcome::Refused(Refusal::OwnClass("java/lang/SplProbe".to_owned())),
        },
        ToController::Labels { labels: vec![Label { id: 3, text: "small".to_owned() }] },
        ToController::Readings {
            readings: Readings::Times(
                [WireSize::Unchecked, WireSize::Value(64), WireSize::Label(3)].map(sample).to_vec(),
            ),
            dropped: 1,
            anomalies: 0,
        },
        ToController::Retransformed {
            handles: vec![Handle(1), Handle(2)],
            change: Change::Added,
            took_ns: 9,
            at_ns: 8,
        },
        ToController::Restored { handles: vec![Handle(1)] },
        ToController::Idle { handle: Handle(1), number: 2 },
        ToController::Limit { handle: Handle(1) },
        ToController::Warning { text: "w".to_owned() },
        ToController::Ping { id: 1 },
        ToController::Pong { id: 1, now_ns: 2, clock_reads_ps: 60_000 },
        ToController::Surveyed {
            class_path: "a.jar".to_owned(),
            module_path: String::new(),
            java_home: "/jdk".to_owned(),
            loaded: 1,
            classes: vec![LoadedClass {
                name: "a/B".to_owned(),
                methods: vec![LoadedMethod { name: "f".to_owned(), descriptor: "()V".to_owned(), access: 1 }],
            }],
            is_whole: true,
        },
        ToController::Bye { reason: ByeReason::Failed("why".to_owned()) },
    ]
}

fn to_agent() -> Vec<ToAgent> {
    vec![
        ToAgent::ProcessorJar { path: "p.jar".to_owned() },
        ToAgent::Define {
            handle: Handle(1),
            instrument: Instrument {
                method: method(),
                kind: ProbeKind::Times(Sizing::Processor("p.Size".to_owned())),
            },
        },
        ToAgent::Instrument { handles: vec![Handle(1), Handle(300), Handle(70_000)] },
        ToAgent::Arm { handle: Handle(1), every: 10, quota: 1000 },
        ToAgent::Disarm { handle: Handle(1) },
        ToAgent::Restore { handles: vec![Handle(1)] },
        ToAgent::Drain,
        ToAgent::Ping { id: 5 },
        ToAgent::Pong { id: 5 },
        ToAgent::Discarded { handle: Handle(1), count: 5 },
        ToAgent::Survey { wanted: vec![Wanted { class: "a.*".to_owned(), method: "f".to_owned() }] },
        ToAgent::Detach,
        ToAgent::Reject { reason: "token".to_owned() },
    ]
}
