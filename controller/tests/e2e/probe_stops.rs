//! Exceptions that come from outside at any moment, and gates that open in the middle of a recursion: the depth of a call
//! is right or unknown.

use crate::harness::{self, DEADLINE, many};
use crate::witness::Witness;
use spl_model::{SampleFlags, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::{WireSample, WireSize};
use std::time::Instant;

/// Bytes of an array in addition to its elements.
const HEADER: u64 = 16;
const STOPS: u64 = 30;
/// Openings at least, and at most: until one came in the middle of the recursion.
const OPENINGS: std::ops::Range<usize> = 15..500;

fn start(sizes: Sizing, options: &[&str]) -> (Program, Session, Witness, Door) {
    let door = Door::open().unwrap();
    let socket = door.path().with_file_name("witness.sock");
    let classes = harness::classes().display().to_string();
    let agents = [door.option(&harness::agent()), Witness::option(&socket)];
    let arguments = [options, &[&agents[0], &agents[1], "-cp", &classes, "Stopped"]].concat();
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    let mut agent = door.accept().unwrap();
    program.expect("ready").unwrap();
    let witness = Witness::connect(&socket);
    agent.define(1, "Stopped.level([B)I", sizes).unwrap();
    agent.instrument(&[1]).unwrap();
    (program, agent, witness, door)
}

/// How deep the program says that a call stands; `None` where an exception has come while the size was taken.
fn level(sample: &WireSample) -> Option<u64> {
    let WireSize::Value(bytes) = sample.size else { panic!("{sample:?} has no size") };
    let cut = SampleFlags(sample.flags).contains(SampleFlags::SIZE_TRUNCATED);
    (!cut).then(|| (bytes - HEADER) / 8)
}

#[test]
fn exceptions_from_outside_never_make_a_depth_wrong() {
    let (mut program, mut agent, mut witness, _door) = start(Sizing::Shallow, &[]);
    agent.arm(1, 1).unwrap();
    // The gate may open in the middle of the recursion, whose first calls are then not known; a round later
    // all are.
    program.tell("").unwrap();
    agent.line_of(&mut program).unwrap();
    agent.settle().unwrap();
    agent.samples.clear();
    // An exception within the probe leaves the depths behind it unknown; those before the first one are known.
    program.tell("").unwrap();
    agent.line_of(&mut program).unwrap();
    agent.settle().unwrap();
    for _ in 0..STOPS {
        witness.stop("victim");
        // One at a time: of several that wait for a thread without a processor, the third comes behind both handlers.
        program.tell("").unwrap();
        agent.line_of(&mut program).unwrap();
        agent.settle().unwrap();
    }
    program.tell("").unwrap();
    let stops = agent.line_of(&mut program).unwrap().parse::<u64>().unwrap();
    agent.settle().unwrap();
    let known = agent.samples.iter().filter(|sample| sample.depth.is_some()).count();
    println!("{stops} exceptions, {} samples, {known} of known depth", agent.samples.len());
    assert!(stops > 0 && stops <= STOPS, "{stops} exceptions came");
    for sample in &agent.samples {
        if let (Some(depth), Some(level)) = (sample.depth, level(sample)) {
            assert_eq!(u64::from(depth), level, "{sample:?}");
        }
    }
    assert!(known > 0);
    program.end().unwrap();
}

/// The program says how many have come, some rounds later.
fn stops(program: &mut Program, agent: &mut Session) -> u64 {
    program.tell("").unwrap();
    let stops = agent.line_of(program).unwrap().parse().unwrap();
    agent.samples.clear();
    stops
}

#[test]
fn what_stops_a_thread_at_an_open_gate_reaches_the_program() {
    // In compiled code a thread can be stopped at few places only.
    let (mut program, mut agent, mut witness, _door) = start(Sizing::None, &["-Xint"]);
    agent.arm(1, 1).unwrap();
    for stop in 1..=many(200, 2000) {
        witness.stop("victim");
        let until = Instant::now() + DEADLINE;
        while stops(&mut program, &mut agent) < stop {
            assert!(Instant::now() < until, "exception {stop} has not come");
        }
    }
    program.end().unwrap();
}

#[test]
fn gates_that_open_in_mid_recursion_count_the_calls_since() {
    let (mut program, mut agent, _witness, _door) = start(Sizing::Shallow, &[]);
    agent.arm(1, 1).unwrap();
    let (mut inner_first, mut rounds) = (0, 0);
    while rounds < OPENINGS.start || (inner_first == 0 && rounds < OPENINGS.end) {
        rounds += 1;
        agent.arm(1, 0).unwrap();
        agent.samples.clear();
        agent.arm(1, 1).unwrap();
        program.tell("").unwrap();
        agent.line_of(&mut program).unwrap();
        agent.settle().unwrap();
        agent.samples.sort_by_key(|sample| sample.start_ns);
        for sample in &agent.samples {
            let (depth, level) = (sample.depth.unwrap(), level(sample).unwrap());
            assert!(u64::from(depth) <= level, "{sample:?} stands at {level}");
        }
        // The first call since: nothing measured lies below it, wherever it stands.
        inner_first += usize::from(agent.samples.first().is_some_and(|first| level(first) > Some(0)));
    }
    println!("in {inner_first} of {rounds} rounds the gate opened in the middle of the recursion");
    assert!(inner_first > 0);
    program.end().unwrap();
}
