//! Takes samples out of the rings that the probes write.
//!
//! A thread's ring has one producer, which publishes by its head. A stripe's ring has many, which publish slot by slot
//! (`SplProbe.shared`): only the sequence number that is due is accepted. A slot that was claimed and stays unpublished
//! for [`GRACE_NS`] is skipped and counted; it stays out of use until its writer publishes it after all.

use crate::layout::*;
use crate::memory::Memory;
use std::collections::HashMap;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// How long a claimed slot may stay unpublished before it is skipped: far longer than a time slice.
pub const GRACE_NS: u64 = 100_000_000;

/// One sample as the probe wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Permanent method id.
    pub id: u32,
    /// Start, nanoseconds.
    pub start_ns: u64,
    /// End, nanoseconds.
    pub end_ns: u64,
    /// Thread id.
    pub thread: u64,
    /// Measured activations below; `None` when not known.
    pub depth: Option<u32>,
    /// Size and whether it was cut short.
    pub size: Option<(u64, bool)>,
    /// Whether the call ended by an exception.
    pub threw: bool,
}

/// The reading side of all rings.
#[derive(Debug)]
pub struct Rings {
    memory: Memory,
    dropped_before: Vec<u64>,
    /// Since when the drain of a stripe waits for a slot.
    waiting: HashMap<usize, u64>,
    lost: u64,
}

impl Rings {
    /// The rings in this mapping.
    pub fn new(memory: Memory) -> Self {
        Self { memory, dropped_before: vec![0; THREAD_BLOCKS + STRIPES], waiting: HashMap::new(), lost: 0 }
    }

    /// Hands every published sample to `take`, in each ring in order of its end.
    pub fn drain(&mut self, now_ns: u64, take: &mut dyn FnMut(Raw)) {
        for index in 0..THREAD_BLOCKS {
            self.drain_thread(index, take);
        }
        for index in THREAD_BLOCKS..THREAD_BLOCKS + STRIPES {
            self.drain_stripe(index, now_ns, take);
        }
    }

    /// Samples lost since the last call: dropped by the probes, or skipped here.
    pub fn lost(&mut self) -> u64 {
        let mut lost = std::mem::take(&mut self.lost);
        for (index, before) in self.dropped_before.iter_mut().enumerate() {
            let now = self.memory.u64_at((index << BLOCK_SHIFT) + DROPPED).load(Relaxed);
            lost += now.wrapping_sub(*before);
            *before = now;
        }
        lost
    }

    fn drain_thread(&self, index: usize, take: &mut dyn FnMut(Raw)) {
        let block = index << BLOCK_SHIFT;
        let head = self.memory.u64_at(block + HEAD).load(Acquire);
        let tail = self.memory.u64_at(block + TAIL);
        // The probe drops when the ring is full, so there are never more than SLOTS to take.
        for at in tail.load(Relaxed)..head {
            take(self.read(block, at));
            tail.store(at + 1, Release);
        }
    }

    fn drain_stripe(&mut self, index: usize, now_ns: u64, take: &mut dyn FnMut(Raw)) {
        let block = index << BLOCK_SHIFT;
        let head = self.memory.u64_at(block + HEAD).load(Acquire);
        let tail = self.memory.u64_at(block + TAIL);
        for at in tail.load(Relaxed)..head {
            let sequence = self.memory.u64_at(slot(block, at) + SEQUENCE);
            let free = (at >> SLOT_COUNT_SHIFT) << 1;
            let found = sequence.load(Acquire);
            if found == free + 1 {
                take(self.read(block, at));
                sequence.store(free + 2, Release);
            } else if found < free && found % 2 == 1 {
                // A writer that was given up has published late: its sample is whole, and the slot is free again.
                take(self.read(block, at));
                sequence.store(free + 2, Release);
                self.lost += 1;
            } else if found == free {
                let since = *self.waiting.entry(index).or_insert(now_ns);
                if now_ns.saturating_sub(since) < GRACE_NS {
                    return;
                }
                self.lost += 1;
            } else {
                // Given up in an earlier lap and still unpublished: whoever claimed it now has dropped its sample.
                self.lost += 1;
            }
            self.waiting.remove(&index);
            tail.store(at + 1, Release);
        }
    }

    fn read(&self, block: usize, at: u64) -> Raw {
        let word = |field: usize| self.memory.u64_at(slot(block, at) + field).load(Relaxed);
        let (meta, size) = (word(META), word(SIZE));
        let depth = (meta >> 32) as u16;
        Raw {
            id: meta as u32,
            start_ns: word(START),
            end_ns: word(END),
            thread: word(THREAD),
            depth: (depth != u16::MAX).then_some(u32::from(depth)),
            size: (size != u64::MAX).then_some((size & !SIZE_TRUNCATED, size & SIZE_TRUNCATED != 0)),
            threw: meta >> 48 & 1 == 1,
        }
    }

    /// Frees the block of a thread that ends, so that another thread can have it.
    ///
    /// To be called when the thread runs no more Java code.
    pub fn release(memory: Memory, thread: u64) {
        for probe in 0..PROBES {
            let block = ((thread as usize + probe) & (THREAD_BLOCKS - 1)) << BLOCK_SHIFT;
            if memory.u64_at(block + OWNER).load(Acquire) == thread {
                for offset in (CELLS..CELLS + (GATES << CELL_SHIFT)).step_by(8) {
                    memory.u64_at(block + offset).store(0, Relaxed);
                }
                memory.u64_at(block + GUARD).store(0, Relaxed);
                memory.u64_at(block + OWNER).store(0, Release);
            }
        }
    }
}

fn slot(block: usize, at: u64) -> usize {
    block + RING + (((at & (SLOTS - 1)) as usize) << SLOT_SHIFT)
}
