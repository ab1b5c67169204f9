//! Takes samples out of the rings that the probes write.
//!
//! A thread's ring has one producer, which publishes by its head. A stripe's ring has many, which publish
//! slot by slot (`SplRecorder.shared`): only the sequence number that is due is accepted. A slot that was
//! claimed and stays unpublished for [`GRACE_NS`] is skipped and counted; it stays out of use until its
//! writer publishes it after all.

#[cfg(test)]
mod model;
#[cfg(test)]
mod probe;
#[cfg(test)]
mod tests;

use crate::layout::*;
use crate::memory::Memory;
use spl_model::InstrumentId;
use std::collections::{BTreeSet, HashMap};
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

/// Time that a claimed slot may stay unpublished before it is skipped: far longer than a time slice.
pub const GRACE_NS: u64 = 100_000_000;

/// Samples taken out of a thread's ring before the thread sees the room: its probe reads that word each time,
/// and each store here makes that read slow.
const TAIL_EVERY: u64 = 256;

/// The words that probes and drain share: in the agent a mapping, in its tests small ones that a model
/// checker watches.
pub trait Words {
    /// Blocks that belong to one thread each.
    const THREAD_BLOCKS: usize;
    /// Blocks that the other threads share.
    const STRIPES: usize;
    /// Cells of a block.
    const CELLS: usize;
    /// Slots of a thread's ring, a power of two.
    const OWN_SLOTS: u64;
    /// Slots of a stripe's ring, a power of two.
    const SLOTS: u64;

    /// The word at a byte offset.
    fn load(&self, offset: usize, order: Ordering) -> u64;
    /// Gives the word at a byte offset this value.
    fn store(&self, offset: usize, value: u64, order: Ordering);
    /// Marks these words as unused; they may become zeros.
    fn give_back(&self, _offset: usize, _bytes: usize) {}
}

impl Words for Memory {
    const THREAD_BLOCKS: usize = THREAD_BLOCKS;
    const STRIPES: usize = STRIPES;
    const CELLS: usize = GATES;
    const OWN_SLOTS: u64 = OWN_SLOTS;
    const SLOTS: u64 = SLOTS;

    fn load(&self, offset: usize, order: Ordering) -> u64 {
        self.u64_at(offset).load(order)
    }

    fn store(&self, offset: usize, value: u64, order: Ordering) {
        self.u64_at(offset).store(value, order);
    }

    fn give_back(&self, offset: usize, bytes: usize) {
        Self::give_back(self, offset, bytes);
    }
}

/// One sample as the probe wrote it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raw {
    /// Permanent method id.
    pub id: InstrumentId,
    /// Start, nanoseconds.
    pub start_ns: u64,
    /// End, nanoseconds.
    pub end_ns: u64,
    /// Thread id.
    pub thread: u64,
    /// Measured activations below; `None` if unknown.
    pub depth: Option<u32>,
    /// Size and whether it was cut short.
    pub size: Option<(u64, bool)>,
    /// Whether the call ended by an exception.
    pub threw: bool,
}

/// The reading side of all rings.
#[derive(Debug)]
pub struct Rings<W = Memory> {
    words: W,
    dropped_before: Vec<u64>,
    /// Start of the wait for a claimed slot, by stripe.
    waiting: HashMap<usize, u64>,
    lost: u64,
}

impl<W: Words> Rings<W> {
    /// The rings in these words.
    pub fn new(words: W) -> Self {
        Self {
            words,
            dropped_before: vec![0; W::THREAD_BLOCKS + W::STRIPES],
            waiting: HashMap::new(),
            lost: 0,
        }
    }

    /// Passes every published sample to `take`, in each ring by the end of the call. Returns the samples that
    /// the fullest ring held.
    pub fn drain(&mut self, now_ns: u64, take: &mut impl FnMut(Raw)) -> u64 {
        let mut fullest = 0;
        for index in 0..W::THREAD_BLOCKS + W::STRIPES {
            if !is_used(&self.words, index) {
                continue;
            }
            let held = if index < W::THREAD_BLOCKS {
                self.drain_thread(index, take)
            } else {
                self.drain_stripe(index, now_ns, take)
            };
            fullest = fullest.max(held);
        }
        fullest
    }

    /// Samples lost up to the last drain, since the last call: dropped by the probes, or skipped here.
    pub fn lost(&mut self) -> u64 {
        std::mem::take(&mut self.lost)
    }

    fn count_dropped(&mut self, index: usize) {
        let now = self.words.load((index << BLOCK_SHIFT) + DROPPED, Relaxed);
        self.lost += now.wrapping_sub(std::mem::replace(&mut self.dropped_before[index], now));
    }

    fn drain_thread(&mut self, index: usize, take: &mut impl FnMut(Raw)) -> u64 {
        let block = index << BLOCK_SHIFT;
        // Read before the head, so that all samples of a thread are taken before its block is freed.
        let retired = self.words.load(block + RETIRED, Acquire) != 0;
        self.count_dropped(index);
        let head = self.words.load(block + HEAD, Acquire);
        let from = self.words.load(block + TAIL, Relaxed);
        if from < head {
            // The owner of a block stays the same while its ring is not empty.
            let owner = self.words.load(block + OWNER, Acquire);
            let thread = if owner as i64 >= 0 { owner } else { !owner };
            // The probe drops when the ring is full, so there are never more than OWN_SLOTS to take.
            for at in from..head {
                take(self.read(own_slot::<W>(block, at), thread));
                if at % TAIL_EVERY == 0 {
                    self.words.store(block + TAIL, at + 1, Release);
                }
            }
            self.words.store(block + TAIL, head, Release);
        }
        if retired {
            self.free(index);
        }
        head - from
    }

    /// Frees the block of a thread that has ended, so that another thread can claim it.
    fn free(&self, index: usize) {
        let block = index << BLOCK_SHIFT;
        for offset in (block + CELLS..block + CELLS + (W::CELLS << CELL_SHIFT)).step_by(8) {
            // Most cells were never written, and the kernel need not allocate memory for them now.
            if self.words.load(offset, Relaxed) != 0 {
                self.words.store(offset, 0, Relaxed);
            }
        }
        // A block without its ring is a page or two.
        self.words.give_back(block + RING, (1 << BLOCK_SHIFT) - RING);
        self.words.store(block + RETIRED, 0, Relaxed);
        self.words.store(USED + index * 8, 0, Relaxed);
        self.words.store(block + OWNER, 0, Release);
    }

    fn drain_stripe(&mut self, index: usize, now_ns: u64, take: &mut impl FnMut(Raw)) -> u64 {
        let block = index << BLOCK_SHIFT;
        self.count_dropped(index);
        let head = self.words.load(block + HEAD, Acquire);
        let from = self.words.load(block + TAIL, Relaxed);
        for at in from..head {
            let slot = slot::<W>(block, at);
            let free = at / W::SLOTS * 2;
            let found = self.words.load(slot + SEQUENCE, Acquire);
            if found == free + 1 || (found < free && found % 2 == 1) {
                // The writer of a smaller number was given up and has published late. Its sample was counted
                // as lost. It replaces the sample of the slot's new claimer, which found the slot in use and
                // dropped it.
                take(self.read(slot, self.words.load(slot + THREAD, Relaxed)));
                self.words.store(slot + SEQUENCE, free + 2, Release);
            } else if found == free {
                let since = *self.waiting.entry(index).or_insert(now_ns);
                if now_ns.saturating_sub(since) < GRACE_NS {
                    return head - from;
                }
                self.lost += 1;
            } else {
                // Given up in an earlier lap and still unpublished: the thread that claimed it now has
                // dropped its sample.
                self.lost += 1;
            }
            self.waiting.remove(&index);
            self.words.store(block + TAIL, at + 1, Release);
        }
        head - from
    }

    fn read(&self, slot: usize, thread: u64) -> Raw {
        let word = |field: usize| self.words.load(slot + field, Relaxed);
        let (meta, size) = (word(META), word(SIZE));
        let depth = (meta >> 32) as u16;
        Raw {
            id: InstrumentId((meta as usize >> CELL_SHIFT & (GATES - 1)) as u32),
            start_ns: word(START),
            end_ns: word(END),
            thread,
            depth: (depth != u16::MAX).then_some(u32::from(depth)),
            size: (size != u64::MAX).then_some((size & !SIZE_TRUNCATED, size & SIZE_TRUNCATED != 0)),
            threw: meta >> 48 & 1 == 1,
        }
    }

    /// Lets the block of an ending thread be freed when its ring is empty, so that another thread can claim
    /// it.
    ///
    /// To be called by the thread itself after its last Java code.
    pub fn release(words: &W, thread: u64) {
        for probe in 0..PROBES.min(W::THREAD_BLOCKS) {
            let block = ((thread as usize + probe) & (W::THREAD_BLOCKS - 1)) << BLOCK_SHIFT;
            let owner = words.load(block + OWNER, Acquire);
            if owner == !thread || (owner == thread && thread != 0) {
                words.store(block + RETIRED, 1, Release);
            }
        }
    }
}

impl Rings {
    /// The openings of a method's gate that admitted calls which still run, as far as the threads with a
    /// block of their own show it.
    pub fn running(&self, id: InstrumentId) -> BTreeSet<u32> {
        let opening = |index: usize| {
            let block = index << BLOCK_SHIFT;
            let cell = block + CELLS + (id.index() << CELL_SHIFT);
            let epoch = self.words.u32_at(cell + CELL_EPOCH).load(Relaxed);
            let runs = self.words.load(block + OWNER, Relaxed) != 0
                && self.words.u32_at(cell + CELL_DEPTH).load(Acquire) != 0;
            runs.then_some(epoch)
        };
        (0..THREAD_BLOCKS).filter(|index| is_used(&self.words, *index)).filter_map(opening).collect()
    }
}

/// Whether a call was measured in this block since it changed hands.
fn is_used<W: Words>(words: &W, index: usize) -> bool {
    words.load(USED + index * 8, Relaxed) != 0
}

/// A slot of a stripe's ring.
fn slot<W: Words>(block: usize, at: u64) -> usize {
    block + RING + (((at & (W::SLOTS - 1)) as usize) << SLOT_SHIFT)
}

/// A slot of a thread's ring.
fn own_slot<W: Words>(block: usize, at: u64) -> usize {
    block + RING + (((at & (W::OWN_SLOTS - 1)) as usize) << OWN_SLOT_SHIFT)
}
