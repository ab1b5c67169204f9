//! The layout of the memory that the probes write and the agent reads.
//!
//! `SplRecorder.java` has the same numbers; a test compares them.

use spl_model::InstrumentId;

/// Bytes of a gate, as a power of two.
pub const GATE_SHIFT: usize = 4;
/// Gate: 0 closed, 1 every call, N one call in N (u32).
pub const GATE_EVERY: usize = 0;
/// Gate: counts the openings, never 0 once opened (u32).
pub const GATE_EPOCH: usize = 4;
/// Gate: samples that one thread may take in this epoch (u32).
pub const GATE_QUOTA: usize = 8;
/// Number of gates, and so of permanent method ids.
pub const GATES: usize = 4096;
/// The gate that is never opened. Classes with probes on disk have this id (`spl instrument`), and belong to
/// no controller. Anything without an id of its own uses this id.
pub const NOBODYS_GATE: InstrumentId = InstrumentId(0);
/// The agent's own gate, open during the probe's warm-up and calibration.
pub const OWN_GATE: InstrumentId = InstrumentId(1);

/// Bytes of a block, as a power of two.
pub const BLOCK_SHIFT: usize = 18;
/// Block: the complement of its thread's id, or the id itself while that thread computes a workload size; 0
/// for a free block, and in a stripe (u64).
pub const OWNER: usize = 0;
/// Block: samples claimed so far (u64).
pub const HEAD: usize = 8;
/// Block: samples dropped because the ring was full (u64).
pub const DROPPED: usize = 16;
/// Block: state of the generator that spaces 1-in-N samples; 0 before its first use (u64).
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the probe's own; named here to keep the block's map whole")
)]
pub const RANDOM: usize = 24;
/// Block: 1 when its thread has ended. The drain frees the block when it has emptied the ring (u64).
pub const RETIRED: usize = 40;
/// Block: samples taken out so far, in a separate cache line (u64).
pub const TAIL: usize = 64;
/// Block: one cell for each method.
pub const CELLS: usize = 128;
/// Cell: number of its opening (u32), which is the upper half of the gate's first word. The lower half shows
/// whether the cell may take the usual path through the probe.
pub const CELL_EPOCH: usize = 4;
/// Cell: measured activations (u32).
pub const CELL_DEPTH: usize = 8;
/// Bytes of a cell, as a power of two.
pub const CELL_SHIFT: usize = 4;
/// Block: the rest of each cell, which only unusual calls need (8 bytes each): calls to skip (u32), and the
/// probe's count of lost exits (u16).
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the probe's own; named here to keep the block's map whole")
)]
pub const SPARES: usize = 65_664;
/// Bytes of a spare, as a power of two.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the probe's own; named here to keep the block's map whole")
)]
pub const SPARE_SHIFT: usize = 3;
/// Block: in a stripe, ids of the threads that compute a workload size, or 0 (u64 each), found by the
/// thread's id.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the probe's own; named here to keep the block's map whole")
)]
pub const GUARDS: usize = 98_432;
/// Number of guards in a stripe.
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the probe's own; named here to keep the block's map whole")
)]
pub const GUARD_COUNT: usize = 1 << 10;
/// In the first block, which belongs to a thread: a word for each block, 1 from the first measured call until
/// the block changes hands. The words are adjacent, so that the drain need not read unused blocks.
pub const USED: usize = 98_432;
/// Block: the ring of samples.
pub const RING: usize = 1 << 17;
/// Bytes of a slot of a stripe's ring, as a power of two.
pub const SLOT_SHIFT: usize = 6;
/// Slots of a stripe's ring, as a power of two.
pub const SLOT_COUNT_SHIFT: usize = 11;
/// Slots of a stripe's ring.
pub const SLOTS: u64 = 1 << SLOT_COUNT_SHIFT;
/// Bytes of a slot of a thread's ring, as a power of two: it lacks the last two fields.
pub const OWN_SLOT_SHIFT: usize = 5;
/// Slots of a thread's ring.
pub const OWN_SLOTS: u64 = 1 << 12;

/// Slot: start, nanoseconds (u64).
pub const START: usize = 0;
/// Slot: end, nanoseconds (u64).
pub const END: usize = 8;
/// Slot: the call's token (32 bits, with the method's id in bits 4 to 15), depth (16 bits, all ones for
/// unknown), 1 if the call threw (u64).
pub const META: usize = 16;
/// Slot: workload size, all ones for none; bit 62 marks a truncated size (u64).
pub const SIZE: usize = 24;
/// Slot of a stripe's ring: thread id (u64).
pub const THREAD: usize = 32;
/// Slot of a stripe's ring: in lap n it holds 2n when free, 2n + 1 when published (u64).
pub const SEQUENCE: usize = 40;
/// Mark of a size that is the number of a label.
pub const SIZE_LABEL: u64 = 1 << 61;
/// Mark of a truncated size.
pub const SIZE_TRUNCATED: u64 = 1 << 62;

/// Blocks that belong to one thread each.
pub const THREAD_BLOCKS: usize = 1 << 9;
/// Blocks that the other threads share.
pub const STRIPES: usize = 1 << 6;
/// Blocks that a thread tries, from the block of its id on.
pub const PROBES: usize = 4;

/// Bytes of all gates, and of all blocks. This is address space; only touched pages take memory.
pub const GATES_BYTES: usize = GATES << GATE_SHIFT;
/// See [`GATES_BYTES`].
pub const BLOCKS_BYTES: usize = (THREAD_BLOCKS + STRIPES) << BLOCK_SHIFT;

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of `NAME = expression;` in the Java source: a number, or `1L << n`, or `1L << NAME`.
    fn java(name: &str) -> u64 {
        let source = include_str!("../java/java/lang/SplRecorder.java");
        let start =
            source.find(&format!(" {name} = ")).unwrap_or_else(|| panic!("no {name}")) + name.len() + 4;
        let text = &source[start..start + source[start..].find(';').unwrap()];
        let number = |t: &str| t.trim_end_matches('L').parse::<u64>();
        match text.split_once(" << ") {
            Some((one, shift)) => number(one).unwrap() << number(shift).unwrap_or_else(|_| java(shift)),
            None => number(text).unwrap(),
        }
    }

    #[test]
    fn java_and_rust_agree() {
        let all: [(&str, u64); 32] = [
            ("GATE_SHIFT", GATE_SHIFT as u64),
            ("GATE_EVERY", GATE_EVERY as u64),
            ("GATE_QUOTA", GATE_QUOTA as u64),
            ("BLOCK_SHIFT", BLOCK_SHIFT as u64),
            ("OWNER", OWNER as u64),
            ("HEAD", HEAD as u64),
            ("DROPPED", DROPPED as u64),
            ("RANDOM", RANDOM as u64),
            ("SPARES", SPARES as u64),
            ("SPARE_SHIFT", SPARE_SHIFT as u64),
            ("GUARDS", GUARDS as u64),
            ("GUARD_COUNT", GUARD_COUNT as u64),
            ("TAIL", TAIL as u64),
            ("CELLS", CELLS as u64),
            ("CELL_SHIFT", CELL_SHIFT as u64),
            ("CELL_DEPTH", CELL_DEPTH as u64),
            ("CELL_EPOCH", CELL_EPOCH as u64),
            ("USED", USED as u64),
            ("RING", RING as u64),
            ("SLOT_SHIFT", SLOT_SHIFT as u64),
            ("SLOTS", SLOTS),
            ("OWN_SLOT_SHIFT", OWN_SLOT_SHIFT as u64),
            ("OWN_SLOTS", OWN_SLOTS),
            ("SEQUENCE", SEQUENCE as u64),
            ("START", START as u64),
            ("END", END as u64),
            ("THREAD", THREAD as u64),
            ("META", META as u64),
            ("SIZE", SIZE as u64),
            ("THREAD_BLOCKS", THREAD_BLOCKS as u64),
            ("STRIPES", STRIPES as u64),
            ("PROBES", PROBES as u64),
        ];
        for (name, value) in all {
            assert_eq!(java(name), value, "{name}");
        }
        const { assert!(GATES << CELL_SHIFT <= 1 << 16, "a token has 12 bits for the id") };
        const { assert!(CELLS + (GATES << CELL_SHIFT) <= SPARES, "cells end before the spares begin") };
        const { assert!(SPARES + (GATES << SPARE_SHIFT) <= GUARDS, "spares end before the guards begin") };
        const { assert!(GUARDS + GUARD_COUNT * 8 <= RING, "guards end before the ring begins") };
        const { assert!(SPARES + (GATES << SPARE_SHIFT) <= USED, "spares end before the words of use begin") };
        const { assert!(USED + (THREAD_BLOCKS + STRIPES) * 8 <= RING, "and those before the ring begins") };
        for ring in [(SLOTS as usize) << SLOT_SHIFT, (OWN_SLOTS as usize) << OWN_SLOT_SHIFT] {
            assert_eq!(RING + ring, 1 << BLOCK_SHIFT, "the ring fills its block");
        }
    }
}
