//! The writing side of the rings for tests: what `SplRecorder.java` does, with the same accesses in the same
//! order. Java's plain accesses are relaxed ones here, its volatile ones sequentially consistent.

use super::{Words, own_slot, slot};
use crate::layout::*;
use crate::memory::Memory;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};

/// The method's id and the depth in every sample.
pub const ID: u64 = 5;
/// See [`ID`].
pub const DEPTH: u64 = 3;

/// Operations that only probes need.
pub trait Shared: Words {
    /// `Unsafe.getAndAddLong`
    fn add(&self, offset: usize, value: u64, order: Ordering) -> u64;
    /// `Unsafe.compareAndSetLong`
    fn compare_and_set(&self, offset: usize, expected: u64, value: u64) -> bool;
}

impl Shared for Memory {
    fn add(&self, offset: usize, value: u64, order: Ordering) -> u64 {
        self.u64_at(offset).fetch_add(value, order)
    }

    fn compare_and_set(&self, offset: usize, expected: u64, value: u64) -> bool {
        self.u64_at(offset).compare_exchange(expected, value, SeqCst, SeqCst).is_ok()
    }
}

/// `SplRecorder.begin`, as far as the drain sees it.
pub fn begin<W: Words>(words: &W, block: usize) {
    words.store(USED + (block >> BLOCK_SHIFT) * 8, 1, Relaxed);
}

/// `SplRecorder.find` for a thread without a block: claims and begins its home block, if that is free.
pub fn find<W: Shared>(words: &W, thread: u64) -> Option<usize> {
    let block = (thread as usize & (W::THREAD_BLOCKS - 1)) << BLOCK_SHIFT;
    let owner = block + OWNER;
    let is_ours = words.load(owner, Relaxed) == 0 && words.compare_and_set(owner, 0, !thread);
    is_ours.then(|| {
        begin(words, block);
        block
    })
}

/// `SplRecorder.record` into a thread's own ring; false when it was full.
pub fn own<W: Shared>(words: &W, block: usize, start: u64) -> bool {
    let head = words.load(block + HEAD, Relaxed);
    if head - words.load(block + TAIL, Acquire) >= W::OWN_SLOTS {
        words.store(block + DROPPED, words.load(block + DROPPED, Relaxed) + 1, Relaxed);
        return false;
    }
    payload(words, own_slot::<W>(block, head), start);
    words.store(block + HEAD, head + 1, Release);
    true
}

/// `SplRecorder.shared` up to its claim.
pub fn claim<W: Shared>(words: &W, block: usize) -> Option<u64> {
    let slots = W::SLOTS as i64;
    let head = words.load(block + HEAD, SeqCst) as i64;
    // The drain may have passed that head by now.
    if head - words.load(block + TAIL, SeqCst) as i64 >= slots - slots / 4 {
        words.add(block + DROPPED, 1, SeqCst);
        return None;
    }
    Some(words.add(block + HEAD, 1, SeqCst))
}

/// `SplRecorder.shared` after its claim; false when the slot was in use.
pub fn publish<W: Shared>(words: &W, block: usize, claim: u64, start: u64, thread: u64) -> bool {
    let slot = slot::<W>(block, claim);
    let free = claim / W::SLOTS * 2;
    if words.load(slot + SEQUENCE, Acquire) != free {
        return false;
    }
    payload(words, slot, start);
    words.store(slot + THREAD, thread, Relaxed);
    words.store(slot + SEQUENCE, free + 1, Release);
    true
}

/// A call that threw, of one nanosecond and without a size.
fn payload<W: Words>(words: &W, slot: usize, start: u64) {
    for (field, value) in [
        (START, start),
        (END, start + 1),
        (META, 1 << 48 | DEPTH << 32 | ID << CELL_SHIFT | DEPTH),
        (SIZE, u64::MAX),
    ] {
        words.store(slot + field, value, Relaxed);
    }
}
