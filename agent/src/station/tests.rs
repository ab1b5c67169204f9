//! Tests of definitions and of complete closings.

use super::closings::{LOOK_FOR_CALLS, MOST_CLOSINGS};
use super::*;
use crate::layout::GATES_BYTES;
use crate::memory::Memory;
use spl_model::{ProbeKind, Sizing};

/// The first id that is assigned.
const FIRST: InstrumentId = InstrumentId(2);

fn instrument(class: &str) -> Instrument {
    let method = MethodRef::new(class, "f", "()V").unwrap();
    Instrument { method, kind: ProbeKind::Times(Sizing::None) }
}

/// A station with one method, handle 3 with the first id, whose gate is open.
fn station() -> Station {
    let gates: &'static Gates = Box::leak(Box::new(Gates::new(Memory::map(GATES_BYTES).unwrap())));
    let mut station = Station::new(gates);
    station.define(Handle(3), instrument("C")).unwrap();
    assert!(station.arm(Handle(3), 1, 0, 100));
    assert_eq!(station.id(Handle(3)), Some(FIRST));
    station
}

#[test]
fn names_that_are_too_long_together_are_not_defined() {
    let mut station = station();
    let long = "x".repeat(60_000);
    let define = |handle| station.define(Handle(handle), instrument(&format!("{long}{handle}"))).is_ok();
    let defined = (10..400).map(define).filter(|defined| *defined).count();
    assert!((200..300).contains(&defined), "{defined}");
}

#[test]
fn a_number_names_one_method_and_a_method_has_one_number() {
    let mut station = station();
    for (handle, class) in [(3, "D"), (4, "C")] {
        let refused = station.define(Handle(handle), instrument(class)).unwrap_err();
        assert!(refused.contains(&format!("{class}.f()V was not defined as number {handle}")), "{refused}");
    }
    assert_eq!(station.define(Handle(4), instrument("D")), Ok(()));
}

#[test]
fn calls_behind_a_closed_gate_are_looked_for_less_and_less_often() {
    let mut station = station();
    assert_eq!(station.look_pause(), None, "no gate was closed");
    station.disarm(Handle(3));
    let pauses = [(); 9].map(|()| station.look_pause().unwrap().as_millis());
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 100, 100]);
    station.disarm(Handle(3));
    assert_eq!(station.look_pause(), Some(LOOK_FOR_CALLS.0), "a gate was closed just now");
    station.forget_closings();
    assert_eq!(station.look_pause(), None);
}

#[test]
fn a_closing_is_over_when_its_own_calls_have_ended() {
    let mut station = station();
    let gates = station.gates;
    let open = || gates.open(FIRST, 1, 9);
    // A thread runs a call that the first opening admitted.
    let first = gates.epoch(FIRST);
    let said = |station: &mut Station, runs: bool| {
        let running = |_| runs.then_some(first).into_iter().collect();
        station.take_idle(running).into_iter().map(|(_, number)| number).collect::<Vec<_>>()
    };
    station.disarm(Handle(3));
    assert_eq!(said(&mut station, true), [0; 0]);
    // No call of the next openings runs, and the controller did not order the closing of this one.
    open();
    assert_eq!(said(&mut station, true), [0; 0]);
    station.disarm(Handle(3));
    assert_eq!(said(&mut station, true), [2]);
    open();
    open();
    station.disarm(Handle(3));
    assert_eq!(said(&mut station, true), [3]);
    // The call ends, or the thread's next call belongs to a later opening.
    assert_eq!(said(&mut station, false), [1]);
    assert_eq!(said(&mut station, false), [0; 0], "each once");
    // The end of calls of a restored method is not reported.
    open();
    station.shut(Handle(3));
    assert_eq!(said(&mut station, false), [0; 0]);
    station.disarm(Handle(3));
    (0..MOST_CLOSINGS).for_each(|_| station.disarm(Handle(3)));
    assert_eq!(station.closings.len(Handle(3)), MOST_CLOSINGS);
}
