//! Many threads in few rings: each call is seen once, whole and as its own thread's, or is counted as lost.

use crate::harness;
use spl_model::{SampleFlags, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::{WireSample, WireSize};
use std::collections::BTreeMap;

/// As in `Stress.java`.
const THREADS: usize = 12;
const SIZES: u64 = 64;
/// Bytes of an array in addition to its elements.
const HEADER: u64 = 16;
/// Blocks that a thread tries before it shares a stripe: this number of threads find one of their own.
const OWN: usize = 4;

fn start() -> (Program, Session, Door) {
    let door = Door::open().unwrap();
    let classes = harness::classes().display().to_string();
    let option = door.option(&harness::agent());
    let mut program = Program::start(&harness::java(), [&option, "-cp", &classes, "Stress"]).unwrap();
    let mut agent = door.accept().unwrap();
    program.expect("ready").unwrap();
    agent.define(1, "Stress.bare(I)I", Sizing::None).unwrap();
    agent.define(2, "Stress.sized([B)I", Sizing::Shallow).unwrap();
    agent.instrument(&[1, 2]).unwrap();
    (program, agent, door)
}

/// The samples of each thread in the order of their starts, which no two of a thread have in common.
fn by_thread(samples: &[WireSample]) -> Vec<Vec<&WireSample>> {
    let mut threads = BTreeMap::<u64, Vec<&WireSample>>::new();
    for sample in samples {
        threads.entry(sample.thread).or_default().push(sample);
    }
    for calls in threads.values_mut() {
        calls.sort_by_key(|call| call.start_ns);
        for pair in calls.windows(2) {
            assert!(pair[0].end_ns <= pair[1].start_ns, "{:?} and {:?} overlap", pair[0], pair[1]);
            assert!(pair[0].start_ns < pair[1].start_ns, "{:?} was seen twice", pair[0]);
        }
    }
    threads.into_values().collect()
}

#[test]
fn calls_at_full_speed_are_seen_once_or_counted() {
    let (mut program, mut agent, _door) = start();
    const CALLS: usize = 100_000;
    agent.arm(1, 1).unwrap();
    program.tell(&format!("bare {CALLS}")).unwrap();
    assert_eq!(agent.line_of(&mut program).unwrap(), "done");
    agent.settle().unwrap();
    println!("{} calls seen, {} lost", agent.samples.len(), agent.dropped);
    assert_eq!(agent.samples.len() as u64 + agent.dropped, (THREADS * CALLS) as u64);
    assert_eq!(agent.anomalies, 0);
    let threads = by_thread(&agent.samples);
    // Depth is known where the thread has a block of its own.
    let own = threads.iter().filter(|calls| calls.iter().all(|call| call.depth == Some(0))).count();
    let shared = threads.iter().filter(|calls| calls.iter().all(|call| call.depth.is_none())).count();
    // A thread may lose all: threads that run before it in its stripe fill the ring.
    assert!((1..=OWN).contains(&own) && (1..=THREADS - OWN).contains(&shared), "{own} and {shared} threads");
    program.end().unwrap();
}

#[test]
fn calls_that_rings_have_room_for_are_all_seen() {
    let (mut program, mut agent, _door) = start();
    // Together fewer than a stripe has slots.
    const CALLS: u64 = 2 * SIZES;
    const ROUNDS: usize = 20;
    agent.arm(2, 1).unwrap();
    for _ in 0..ROUNDS {
        agent.samples.clear();
        program.tell(&format!("sized {CALLS}")).unwrap();
        program.expect("done").unwrap();
        agent.settle().unwrap();
        assert_eq!((agent.samples.len() as u64, agent.dropped), (THREADS as u64 * CALLS, 0));
        let mut seen = Vec::new();
        for calls in by_thread(&agent.samples) {
            let number = |call: &&WireSample| match call.size {
                WireSize::Value(bytes) if !SampleFlags(call.flags).contains(SampleFlags::SIZE_TRUNCATED) => {
                    (bytes - HEADER) / 8
                }
                _ => panic!("{call:?} has no size, or not a whole one"),
            };
            let numbers = calls.iter().map(number).collect::<Vec<_>>();
            let thread = numbers[0] / SIZES;
            let expected = (0..CALLS).map(|n| thread * SIZES + n % SIZES).collect::<Vec<_>>();
            assert_eq!(numbers, expected, "calls of another thread, or in another order");
            seen.push(thread);
        }
        seen.sort_unstable();
        assert_eq!(seen, (0..THREADS as u64).collect::<Vec<_>>());
    }
    program.end().unwrap();
}

/// Systematic sampling of one call in 2, 4, 8 or 64 would see the same sizes again and again.
#[test]
fn one_call_in_n_is_taken_without_bias_at_every_period_of_the_calls() {
    let (mut program, mut agent, _door) = start();
    const ROUNDS: u32 = 15;
    const CALLS: u32 = 256;
    /// Standard deviations: passed over by chance once in a million runs.
    const LIMIT: f64 = 5.0;
    for every in [2, 4, 8, 64] {
        agent.arm(2, every).unwrap();
        agent.samples.clear();
        for _ in 0..ROUNDS {
            program.tell(&format!("sized {CALLS}")).unwrap();
            program.expect("done").unwrap();
            agent.settle().unwrap();
        }
        let taken = agent.samples.len() as f64;
        let expected = f64::from(THREADS as u32 * ROUNDS * CALLS / every);
        // The gap between two samples is uniform in 1..2N-1, so its deviation is below N / √3.
        let off = (taken - expected) / (expected / 3.0).sqrt();
        assert!(off.abs() < LIMIT, "one in {every}: {taken} samples where {expected} are due");
        let odd = agent
            .samples
            .iter()
            .filter(|call| matches!(call.size, WireSize::Value(bytes) if (bytes - HEADER) / 8 % 2 == 1));
        let share = odd.count() as f64 / taken;
        let off = (share - 0.5) / (0.25 / taken).sqrt();
        println!("one in {every}: {taken} samples of {expected}, {share:.3} of them of every other call");
        assert!(off.abs() < LIMIT, "one in {every}: {share} of the samples are of every other call");
    }
    assert_eq!(agent.dropped, 0);
    program.end().unwrap();
}
