//! The drain, on rings that the test fills.

use super::*;
use crate::layout::{self, GATES_BYTES};
use crate::memory::Memory;
use spl_model::{Handle, Instrument, MethodRef, ProbeKind, Sizing};
use std::sync::atomic::Ordering::Relaxed;

/// A station with one method, handle 3 with id 2, whose gate is open for this number of samples; its reader;
/// its gates and its rings.
fn station(left: u64) -> (Station, Times, [Memory; 2]) {
    let gates = Memory::map(GATES_BYTES).unwrap();
    let shared: &'static Shared = Box::leak(Box::new(Shared::new(gates)));
    let blocks = shared.map_blocks().unwrap();
    let (mut station, mut times) = (Station::new(&shared.gates), Times::new(shared));
    let method = MethodRef::new("C", "f", "()V").unwrap();
    station.define(Handle(3), Instrument { method, kind: ProbeKind::Times(Sizing::None) }).unwrap();
    assert_eq!(station.targets(&[Handle(3)]).0[0].id, InstrumentId(2));
    times.begin();
    assert!(station.arm(Handle(3), 1, left, 1000));
    blocks.u64_at(layout::USED).store(1, Relaxed);
    (station, times, [gates, blocks])
}

/// Writes a sample into the first thread's ring, as a probe of the method with this id would.
pub(crate) fn record(blocks: Memory, id: u64, start_ns: u64, end_ns: u64) {
    let head = blocks.u64_at(layout::HEAD);
    let at = head.load(Relaxed);
    let slot = layout::RING + (((at % layout::OWN_SLOTS) as usize) << layout::OWN_SLOT_SHIFT);
    let fields = [
        (layout::START, start_ns),
        (layout::END, end_ns),
        (layout::META, id << layout::CELL_SHIFT),
        (layout::SIZE, u64::MAX),
    ];
    for (field, value) in fields {
        blocks.u64_at(slot + field).store(value, Relaxed);
    }
    head.store(at + 1, Ordering::Release);
}

#[test]
fn a_call_that_ends_before_it_starts_is_dropped_and_counted() {
    let (mut station, mut times, [_, blocks]) = station(100);
    record(blocks, 2, 10, 20);
    record(blocks, 2, 30, 29);
    record(blocks, 2, 40, 40);
    times.drain(&mut station);
    let calls = times.waiting.iter().map(|sample| (sample.handle, sample.start_ns, sample.end_ns));
    assert_eq!(calls.collect::<Vec<_>>(), [(Handle(3), 10, 20), (Handle(3), 40, 40)]);
    assert_eq!((times.anomalies, times.dropped), (1, 0));
}

#[test]
fn calls_of_methods_that_nobody_asked_for_are_passed_over() {
    let (mut station, mut times, [_, blocks]) = station(100);
    for id in [0, 3, u64::from(u32::MAX)] {
        record(blocks, id, 10, 20);
    }
    times.drain(&mut station);
    assert_eq!((times.waiting.len(), times.anomalies, times.dropped), (0, 0, 0));
}

#[test]
fn the_gate_closes_with_the_last_sample_of_its_quota() {
    let (mut station, mut times, [gates, blocks]) = station(2);
    let is_open = || gates.u32_at((2 << layout::GATE_SHIFT) + layout::GATE_EVERY).load(Relaxed) != 0;
    record(blocks, 2, 10, 20);
    times.drain(&mut station);
    assert!(is_open());
    // Each thread may take the quota; samples beyond it are sent and counted as well.
    (0..3).for_each(|_| record(blocks, 2, 30, 40));
    times.drain(&mut station);
    assert!(!is_open());
    assert_eq!(times.waiting.len(), 4);
    assert_eq!((station.newly_limited(5), station.newly_limited(4)), (vec![], vec![Handle(3)]));
}
