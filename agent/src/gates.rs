//! Switches in native memory that let a method's probe take samples; flipped in nanoseconds.

use crate::layout::{GATE_EPOCH, GATE_EVERY, GATE_QUOTA, GATE_SHIFT};
use crate::memory::Memory;
use spl_model::InstrumentId;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

/// The largest N of one call in N: the probe draws from 2N.
const MOST_SKIPPED: u32 = 1 << 30;

/// All gates, one a permanent method id.
#[derive(Debug)]
pub struct Gates {
    memory: Memory,
    /// One more than the largest id of a gate that was ever opened. Gates after it are closed, and their
    /// memory is untouched.
    used: AtomicU32,
}

impl Gates {
    /// The gates in this mapping.
    pub fn new(memory: Memory) -> Self {
        Self { memory, used: AtomicU32::new(0) }
    }

    /// Samples one call in `every` of a method, at most `quota` in each thread (0: no quota). A new epoch
    /// begins: each thread's count, depth and spacing start over.
    pub fn open(&self, id: InstrumentId, every: u32, quota: u64) {
        self.used.fetch_max(id.0 + 1, Release);
        let gate = id.index() << GATE_SHIFT;
        let quota = if quota == 0 { i32::MAX as u32 } else { quota.min(i32::MAX as u64) as u32 };
        self.memory.u32_at(gate + GATE_EVERY).store(0, Relaxed);
        // Each store comes after the one before it: a thread that sees the new epoch sees the gate closed or
        // wholly open.
        self.memory.u32_at(gate + GATE_QUOTA).store(quota, Release);
        let epoch = self.memory.u32_at(gate + GATE_EPOCH);
        // Epoch 0 means a cell that was never used.
        epoch.store(epoch.load(Relaxed).wrapping_add(1).max(1), Release);
        self.memory.u32_at(gate + GATE_EVERY).store(every.clamp(1, MOST_SKIPPED), Release);
    }

    /// The number of the latest opening; 0 before the first.
    pub fn epoch(&self, id: InstrumentId) -> u32 {
        self.memory.u32_at((id.index() << GATE_SHIFT) + GATE_EPOCH).load(Relaxed)
    }

    /// Takes no more samples of a method. Calls that have begun are still recorded.
    pub fn close(&self, id: InstrumentId) {
        self.memory.u32_at((id.index() << GATE_SHIFT) + GATE_EVERY).store(0, Release);
    }

    /// Takes no more samples at all.
    pub fn close_all(&self) {
        (0..self.used.load(Acquire)).for_each(|id| self.close(InstrumentId(id)));
    }
}
