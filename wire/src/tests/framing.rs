//! Frames on a connection: whole, in pieces, damaged, hostile.

use super::messages::{to_agent, to_controller};
use crate::{
    Decoder, Drilled, Encoder, EventCounts, EventPlace, Events, HeapClass, Lifetimes, Listening, LoadedClass,
    LoadedMethod, MAX_FRAME_BYTES, MAX_SAMPLES, OfClass, OfPlace, Readings, ToAgent, ToController, Wanted,
    WireError, WireSample, WireSize, clip,
};
use proptest::collection::vec;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use spl_model::{Clock, DrillKind, Facts, Handle, Instrument, OfCalls, Outcome, ProbeKind, Scope, Sizing};
use std::fmt::Debug;

fn stream<T: Serialize>(messages: &[T]) -> Vec<u8> {
    let (mut encoder, mut bytes) = (Encoder::default(), Vec::new());
    for message in messages {
        encoder.encode(message, &mut bytes).unwrap();
    }
    bytes
}

/// All messages of a stream that arrives in the given pieces, and the error that ended it.
fn receive<'a, T: DeserializeOwned>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Vec<T>, Result<bool, WireError>) {
    let (mut decoder, mut messages) = (Decoder::default(), Vec::new());
    for piece in pieces {
        decoder.push(piece);
        loop {
            match decoder.next() {
                Ok(Some(message)) => messages.push(message),
                Ok(None) => break,
                Err(error) => return (messages, Err(error)),
            }
        }
    }
    (messages, Ok(decoder.is_empty()))
}

fn check_round_trip<T: Serialize + DeserializeOwned + PartialEq + Debug>(messages: &[T], chunk: usize) {
    let bytes = stream(messages);
    let (got, end) = receive::<T>(bytes.chunks(chunk));
    assert_eq!(got, messages);
    assert_eq!(end, Ok(true));
}

/// Any bytes give messages or a typed error, and the error is permanent.
fn check_survives<T: DeserializeOwned + Debug>(bytes: &[u8]) {
    let mut decoder = Decoder::default();
    decoder.push(bytes);
    let error = loop {
        match decoder.next::<T>() {
            Ok(Some(_)) => {}
            Ok(None) => return,
            Err(error) => break error,
        }
    };
    decoder.push(&stream(&[ToAgent::Drain]));
    assert_eq!(decoder.next::<T>().unwrap_err(), error);
    assert!(!decoder.is_empty());
}

proptest! {
    #[test]
    fn every_message_to_the_controller_arrives(messages in vec(to_controller(), 1..6), chunk in 1_usize..64) {
        check_round_trip(&messages, chunk);
    }

    #[test]
    fn every_message_to_the_agent_arrives(messages in vec(to_agent(), 1..6), chunk in 1_usize..64) {
        check_round_trip(&messages, chunk);
    }

    #[test]
    fn damaged_streams_give_errors(
        messages in vec(to_controller(), 1..4),
        damage in vec(any::<(proptest::sample::Index, u8)>(), 1..4),
        cut: proptest::sample::Index,
    ) {
        let mut bytes = stream(&messages);
        for (at, value) in damage {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        check_survives::<ToController>(&bytes[..cut.index(bytes.len() + 1)]);
        check_survives::<ToAgent>(&bytes);
    }

    #[test]
    fn garbage_in_a_frame_gives_errors(payload in vec(any::<u8>(), 0..200)) {
        let mut bytes = (payload.len() as u32 + 4).to_le_bytes().to_vec();
        bytes.extend_from_slice(&[0; 4]);
        bytes.extend_from_slice(&payload);
        check_survives::<ToController>(&bytes);
        check_survives::<ToAgent>(&bytes);
    }
}

#[test]
fn the_most_samples_fit_in_a_frame() {
    let largest = WireSample {
        handle: Handle(u32::MAX),
        start_ns: u64::MAX,
        end_ns: u64::MAX,
        thread: u64::MAX,
        depth: Some(u32::MAX),
        size: WireSize::Value(u64::MAX),
        flags: u16::MAX,
    };
    let samples = vec![largest; MAX_SAMPLES];
    let message =
        ToController::Readings { readings: Readings::Times(samples), dropped: u64::MAX, anomalies: u64::MAX };
    assert_eq!(Encoder::default().encode(&message, &mut Vec::new()), Ok(()));
}

#[test]
fn a_stream_may_be_cut_anywhere() {
    let messages = [
        ToAgent::Define {
            handle: Handle(300),
            instrument: Instrument {
                method: "p/C.f(I)V".parse().unwrap(),
                kind: ProbeKind::Times(Sizing::Deep),
            },
        },
        ToAgent::Drain,
        ToAgent::Arm { handle: Handle(300), every: 10, quota: u64::MAX },
    ];
    let bytes = stream(&messages);
    for cut in 0..=bytes.len() {
        let (got, end) = receive::<ToAgent>([&bytes[..cut], &bytes[cut..]]);
        assert_eq!((got.as_slice(), end), (messages.as_slice(), Ok(true)), "cut at {cut}");
    }
    let (got, end) = receive::<ToAgent>([&bytes[..bytes.len() - 1]]);
    assert_eq!((got.as_slice(), end), (&messages[..2], Ok(false)), "a connection that ended within a frame");
}

#[test]
fn lost_and_repeated_frames_are_noticed() {
    let one = stream(&[ToAgent::Drain]);
    let bytes = stream(&[ToAgent::Drain, ToAgent::Detach]);
    let (first, second) = bytes.split_at(one.len());
    let (_, repeated) = receive::<ToAgent>([first, first]);
    assert_eq!(repeated, Err(WireError::OutOfOrder { expected: 1, found: 0 }));
    let (_, lost) = receive::<ToAgent>([second]);
    assert_eq!(lost, Err(WireError::OutOfOrder { expected: 0, found: 1 }));
}

#[test]
fn hostile_lengths_are_refused_before_anything_is_allocated() {
    let refused = |length: u32| {
        let (messages, end) = receive::<ToAgent>([&length.to_le_bytes()[..], &[0; 3]]);
        assert!(messages.is_empty());
        assert_eq!(end, Err(WireError::BadLength { length }));
    };
    for length in [0, 3, MAX_FRAME_BYTES as u32 + 1, u32::MAX] {
        refused(length);
    }
    let (_, waits) = receive::<ToAgent>([&(MAX_FRAME_BYTES as u32).to_le_bytes()[..]]);
    assert_eq!(waits, Ok(false));
    // A frame of 11 bytes whose list of samples (variant 2, of the first kind) claims 2^32 - 1 elements.
    let (_, list) =
        receive::<ToController>([&[11, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0xff, 0xff, 0xff, 0xff, 0x0f][..]]);
    assert!(matches!(list, Err(WireError::Malformed { frame: 0, .. })), "{list:?}");
}

#[test]
fn a_frame_holds_one_message_and_nothing_else() {
    let mut bytes = stream(&[ToAgent::Drain]);
    bytes.push(0);
    bytes[0] += 1;
    let (_, end) = receive::<ToAgent>([&bytes[..]]);
    assert_eq!(end, Err(WireError::TrailingBytes { frame: 0, bytes: 1 }));
}

#[test]
fn an_oversized_message_leaves_the_connection_usable() {
    let (mut encoder, mut bytes) = (Encoder::default(), Vec::new());
    encoder.encode(&ToAgent::Drain, &mut bytes).unwrap();
    let large = ToAgent::Reject { reason: "x".repeat(MAX_FRAME_BYTES) };
    assert_eq!(encoder.encode(&large, &mut bytes), Err(WireError::TooLarge));
    encoder.encode(&ToAgent::Detach, &mut bytes).unwrap();
    let (got, end) = receive::<ToAgent>([&bytes[..]]);
    assert_eq!((got, end), (vec![ToAgent::Drain, ToAgent::Detach], Ok(true)));
}

#[test]
fn clipping_keeps_whole_characters() {
    let check = |text, bytes, expected| assert_eq!(clip(text, bytes), expected);
    check("java -jar a.jar", 4, "java");
    check("měř", 1, "m");
    check("měř", 2, "m");
    check("měř", 3, "mě");
    check("měř", 99, "měř");
    check("", 0, "");
}

fn check<T: Serialize>(message: T, expected: &[u8]) {
    assert_eq!(&stream(&[message])[8..], expected);
}

/// The encoding of [`crate::PROTOCOL`] 21. If this test fails, the number has to change.
#[test]
fn the_messages_of_this_protocol_have_these_bytes() {
    assert_eq!(crate::PROTOCOL, 21);
    let hello = ToController::Hello {
        pid: 300,
        java_version: "17".to_owned(),
        instance: "pod-7".to_owned(),
        command: "M".to_owned(),
        now_ns: 1,
        kinds: vec!["times".to_owned()],
        max_measurements: None,
        probe_cost_ps: Some(2),
        probe_empty_ps: None,
        clock_reads_ps: Some(3),
    };
    check(hello, b"\x00\xac\x02\x0217\x05pod-7\x01M\x01\x01\x05times\x00\x01\x02\x00\x01\x03");
    let sample = WireSample {
        handle: Handle(1),
        start_ns: 200,
        end_ns: 300,
        thread: 4,
        depth: Some(5),
        size: WireSize::Value(6),
        flags: 7,
    };
    let samples = [2, 0, 1, 1, 200, 1, 172, 2, 4, 1, 5, 1, 6, 7, 8, 9];
    let readings = Readings::Times(vec![sample]);
    check(ToController::Readings { readings, dropped: 8, anomalies: 9 }, &samples);
    check(ToController::Restored { handles: vec![Handle(1), Handle(2)] }, &[5, 2, 1, 2]);
    check(ToController::Ping { id: 1 }, &[8, 1]);
    check(ToController::Pong { id: 1, now_ns: 2, clock_reads_ps: 300 }, &[9, 1, 2, 172, 2]);
    check(ToController::Bye { reason: crate::ByeReason::Detached }, &[10, 1]);
    check(ToController::Idle { handle: Handle(5), number: 300 }, &[11, 5, 172, 2]);
    check(ToController::Dear { handles: vec![Handle(1)], bytes: 300 }, &[12, 1, 1, 172, 2]);
    check(ToController::Metaspace { kept: 1, reserved: 2, limit: 300 }, &[13, 1, 2, 172, 2]);
    check(ToController::Removed { handles: vec![Handle(1)], times: 2, gap_ns: 300 }, &[14, 1, 1, 2, 172, 2]);
    check(ToAgent::Arm { handle: Handle(1), every: 2, quota: 3 }, &[4, 1, 2, 3]);
    check(ToAgent::Pong { id: 1 }, &[10, 1]);
    check(ToAgent::Discarded { handle: Handle(1), count: 200 }, &[11, 1, 200, 1]);
    check(ToAgent::VisitLimit { objects: 300 }, &[12, 172, 2]);
    check(ToAgent::MetaspaceLimit { bytes: 300 }, &[13, 172, 2]);
    let wanted = vec![Wanted { class: "a.B".to_owned(), method: "*".to_owned() }];
    check(ToAgent::Survey { wanted }, b"\x0e\x01\x03a.B\x01*");
    let method = LoadedMethod { name: "f".to_owned(), descriptor: "()V".to_owned(), access: 300 };
    let answer = ToController::Surveyed {
        class_path: "p".to_owned(),
        module_path: String::new(),
        java_home: "h".to_owned(),
        loaded: 2,
        classes: vec![LoadedClass { name: "a/B".to_owned(), methods: vec![method] }],
        is_whole: true,
    };
    check(answer, b"\x0f\x01p\x00\x01h\x02\x01\x03a/B\x01\x01f\x03()V\xac\x02\x01");
    let method = "C.f()V".parse().unwrap();
    let instrument = Instrument { method, kind: ProbeKind::Times(Sizing::Deep) };
    check(ToAgent::Define { handle: Handle(1), instrument }, b"\x02\x01\x01C\x01f\x03()V\x00\x02");
    let outcome =
        Outcome::Instrumented(Facts { bytes_before: 5, bytes_after: 40, large: false, intrinsic: true });
    check(
        ToController::Outcome { handle: Handle(1), class_loader: String::new(), outcome },
        &[1, 1, 0, 0, 5, 40, 0, 1],
    );
}

#[test]
fn the_messages_of_drills_have_these_bytes() {
    check(ToController::Drilled(Drilled::VirtualThreads), &[16, 6]);
    check(ToController::Drilled(Drilled::Uncounted { times: 300 }), &[16, 8, 172, 2]);
    check(ToController::Drilled(Drilled::Begun { classes: 3, took_ns: 300 }), &[16, 5, 3, 172, 2]);
    check(ToController::Drilled(Drilled::Bytes { class: 1, bytes: vec![7, 8] }), &[16, 3, 1, 2, 7, 8]);
    let scope = Scope { jdk: true, ..Scope::default() };
    check(ToAgent::Drill { what: DrillKind::Cover, scope }, &[15, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]);
    let scope = Scope {
        roots: vec!["A.b()V".to_owned()],
        larges: vec![300],
        one_in: 300,
        total: true,
        ..Scope::default()
    };
    check(
        ToAgent::Drill { what: DrillKind::Blocks, scope },
        b"\x0f\x00\x00\x00\x00\x01\x06A.b()V\x01\xac\x02\x00\xac\x02\x01\x00\x00",
    );
    check(ToAgent::CountersOpened, &[16]);
    check(ToAgent::StopCounting { methods: vec!["A.b()V".to_owned()] }, b"\x11\x01\x06A.b()V");
    let receivers = Drilled::Receivers { classes: vec![(300, "A".to_owned())] };
    check(ToController::Drilled(receivers), b"\x10\x07\x01\xac\x02\x01A");
    let sizes = Drilled::Sizes { object: 16, classes: vec![("A".to_owned(), 300)] };
    check(ToController::Drilled(sizes), b"\x10\x09\x10\x01\x01A\xac\x02");
    let scope = Scope::default();
    check(
        ToAgent::Drill { what: DrillKind::Calls(OfCalls::Receivers), scope: scope.clone() },
        &[15, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    check(
        ToAgent::Drill { what: DrillKind::Time(Clock::Four), scope: scope.clone() },
        &[15, 3, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    );
    let paths = DrillKind::Paths { blocks: true };
    check(ToAgent::Drill { what: paths, scope: scope.clone() }, &[15, 4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    check(
        ToAgent::Drill { what: DrillKind::Trace { blocks: true }, scope: Scope { timed: true, ..scope } },
        &[15, 5, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1],
    );
    let place = Drilled::Counters { descriptor: 3, bytes: 300, arena_bytes: 4, arenas: 5, root_arenas: 6 };
    check(ToController::Drilled(place), &[16, 0, 6, 172, 2, 4, 5, 6]);
}

#[test]
fn the_messages_of_events_have_these_bytes() {
    let listening = Listening { alone: true, interval_bytes: 300, look_ms: 10, heap: true };
    check(ToAgent::Listen(listening), &[18, 1, 172, 2, 10, 1]);
    let begun = Events::Begun { at_ns: 300, live: 1, without: vec!["a".to_owned()] };
    check(ToController::Events(begun), b"\x11\x00\xac\x02\x01\x01\x01a");
    check(ToController::Events(Events::Refused { why: "b".to_owned() }), b"\x11\x01\x01b");
    let place = EventPlace {
        number: 2,
        class: "A".to_owned(),
        method: "f".to_owned(),
        descriptor: "()V".to_owned(),
        lock: 1,
    };
    check(
        ToController::Events(Events::Places { places: vec![place] }),
        b"\x11\x02\x01\x02\x01A\x01f\x03()V\x01",
    );
    check(
        ToController::Events(Events::Classes { classes: vec![(3, "B".to_owned())] }),
        b"\x11\x03\x01\x03\x01B",
    );
    let counts =
        EventCounts { at_ns: 1, waits: 2, waited_ns: 300, runnable: [1, 2, 3, 4], ..EventCounts::default() };
    check(
        ToController::Events(Events::Counts(Box::new(counts))),
        &[17, 4, 1, 2, 172, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4, 0, 0, 0, 0, 0, 0],
    );
    let places = vec![OfPlace { number: 1, waits: 2, waited_ns: 3 }];
    let classes = vec![OfClass { number: 4, samples: 5, bytes: 6, variance: 300 }];
    check(ToController::Events(Events::Of { places, classes }), &[17, 5, 1, 1, 2, 3, 1, 4, 5, 6, 172, 2]);
    let lifetimes = Lifetimes { gone: vec![1, 300], gone_at_least: vec![4], there: vec![2], unfollowed: 3 };
    check(
        ToController::Events(Events::Lifetimes(Box::new(lifetimes))),
        &[17, 6, 2, 1, 172, 2, 1, 4, 1, 2, 3],
    );
    let class = HeapClass { name: "A".to_owned(), objects: [1, 2, 3, 4, 300], places: [5, 6, 7, 8, 9] };
    check(
        ToController::Events(Events::Heap { classes: vec![class] }),
        b"\x11\x07\x01\x01A\x01\x02\x03\x04\xac\x02\x05\x06\x07\x08\x09",
    );
    let walked = Events::Walked { objects: 1, stopped_ns: 300, why: Some("b".to_owned()) };
    check(ToController::Events(walked), b"\x11\x08\x01\xac\x02\x01\x01b");
}
