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

/// So many samples are taken out of a thread's ring before the thread sees the room: its probe reads that word each time,
/// and each store here makes that read slow.
const TAIL_EVERY: u64 = 256;

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

    /// Whether some thread is still in a call of the method that was taken since its gate was opened the last time, as
    /// far as the threads that have a block of their own show it.
    pub fn is_running(&self, id: u32, epoch: u32) -> bool {
        (0..THREAD_BLOCKS).map(|index| index << BLOCK_SHIFT).any(|block| {
            let cell = block + CELLS + ((id as usize) << CELL_SHIFT);
            self.memory.u64_at(block + OWNER).load(Relaxed) != 0
                && self.memory.u32_at(cell + CELL_EPOCH).load(Relaxed) == epoch
                && self.memory.u32_at(cell + CELL_DEPTH).load(Acquire) & u32::from(u16::MAX) != 0
        })
    }

    fn drain_thread(&self, index: usize, take: &mut dyn FnMut(Raw)) {
        let block = index << BLOCK_SHIFT;
        // Before the head: what a thread recorded before it ended is taken before its block is freed.
        let retired = self.memory.u64_at(block + RETIRED).load(Acquire) != 0;
        let head = self.memory.u64_at(block + HEAD).load(Acquire);
        let tail = self.memory.u64_at(block + TAIL);
        let from = tail.load(Relaxed);
        if from < head {
            // A block has the same owner as long as its ring is not empty.
            let owner = self.memory.u64_at(block + OWNER).load(Acquire);
            let thread = if owner as i64 >= 0 { owner } else { !owner };
            // The probe drops when the ring is full, so there are never more than OWN_SLOTS to take.
            for at in from..head {
                take(self.read(own_slot(block, at), thread));
                if at % TAIL_EVERY == 0 {
                    tail.store(at + 1, Release);
                }
            }
            tail.store(head, Release);
        }
        if retired {
            self.free(block);
        }
    }

    /// Makes the block of a thread that has ended ready for another.
    fn free(&self, block: usize) {
        for offset in (CELLS..CELLS + (GATES << CELL_SHIFT)).step_by(8) {
            let word = self.memory.u64_at(block + offset);
            // Most were never written; the kernel need not give them memory now.
            if word.load(Relaxed) != 0 {
                word.store(0, Relaxed);
            }
        }
        self.memory.u64_at(block + RETIRED).store(0, Relaxed);
        self.memory.u64_at(block + OWNER).store(0, Release);
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
                take(self.read_shared(block, at));
                sequence.store(free + 2, Release);
            } else if found < free && found % 2 == 1 {
                // A writer that was given up has published late: its sample is whole, and the slot is free again.
                take(self.read_shared(block, at));
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

    fn read_shared(&self, block: usize, at: u64) -> Raw {
        let slot = slot(block, at);
        self.read(slot, self.memory.u64_at(slot + THREAD).load(Relaxed))
    }

    fn read(&self, slot: usize, thread: u64) -> Raw {
        let word = |field: usize| self.memory.u64_at(slot + field).load(Relaxed);
        let (meta, size) = (word(META), word(SIZE));
        let depth = (meta >> 32) as u16;
        Raw {
            id: meta as u32,
            start_ns: word(START),
            end_ns: word(END),
            thread,
            depth: (depth != u16::MAX).then_some(u32::from(depth)),
            size: (size != u64::MAX).then_some((size & !SIZE_TRUNCATED, size & SIZE_TRUNCATED != 0)),
            threw: meta >> 48 & 1 == 1,
        }
    }

    /// Lets the block of a thread that ends be freed when its ring is empty, so that another thread can have it.
    ///
    /// To be called by the thread itself when it runs no more Java code.
    pub fn release(memory: Memory, thread: u64) {
        for probe in 0..PROBES {
            let block = ((thread as usize + probe) & (THREAD_BLOCKS - 1)) << BLOCK_SHIFT;
            let owner = memory.u64_at(block + OWNER).load(Acquire);
            if owner == !thread || (owner == thread && thread != 0) {
                memory.u64_at(block + RETIRED).store(1, Release);
            }
        }
    }
}

/// A slot of a stripe's ring.
fn slot(block: usize, at: u64) -> usize {
    block + RING + (((at & (SLOTS - 1)) as usize) << SLOT_SHIFT)
}

/// A slot of a thread's ring.
fn own_slot(block: usize, at: u64) -> usize {
    block + RING + (((at & (OWN_SLOTS - 1)) as usize) << OWN_SLOT_SHIFT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use std::sync::atomic::Ordering::SeqCst;

    #[test]
    fn calls_that_run_are_seen_in_the_cells_of_their_thread() {
        let memory = Memory::map(BLOCKS_BYTES).unwrap();
        let rings = Rings::new(memory);
        let (block, id, epoch) = (7 << BLOCK_SHIFT, 3, 5);
        let cell = block + CELLS + (3 << CELL_SHIFT);
        let running = || [rings.is_running(id, epoch), rings.is_running(id, 4), rings.is_running(2, epoch)];
        memory.u32_at(cell + CELL_EPOCH).store(epoch, Relaxed);
        memory.u32_at(cell + CELL_DEPTH).store(9 << 16 | 2, Relaxed);
        assert_eq!(running(), [false; 3], "nobody owns the block");
        memory.u64_at(block + OWNER).store(!7, Relaxed);
        assert_eq!(running(), [true, false, false]);
        memory.u32_at(cell + CELL_DEPTH).store(9 << 16, Relaxed);
        assert_eq!(running(), [false; 3], "what is lost is no call");
    }

    /// What `SplProbe.own` does.
    fn own(memory: Memory, index: usize, start: u64) {
        let block = index << BLOCK_SHIFT;
        let head = memory.u64_at(block + HEAD).load(Relaxed);
        if head - memory.u64_at(block + TAIL).load(Acquire) >= OWN_SLOTS {
            memory.u64_at(block + DROPPED).fetch_add(1, Relaxed);
            return;
        }
        payload(memory, own_slot(block, head), start);
        memory.u64_at(block + HEAD).store(head + 1, Release);
    }

    /// What `SplProbe.shared` does up to its claim, and the rest of it.
    fn claim(memory: Memory, block: usize) -> Option<u64> {
        let full = (SLOTS - SLOTS / 4) as i64;
        let head = memory.u64_at(block + HEAD).load(SeqCst) as i64;
        // By now the drain may have passed that head.
        if head - memory.u64_at(block + TAIL).load(SeqCst) as i64 >= full {
            memory.u64_at(block + DROPPED).fetch_add(1, SeqCst);
            return None;
        }
        Some(memory.u64_at(block + HEAD).fetch_add(1, SeqCst))
    }

    fn publish(memory: Memory, block: usize, claim: u64, start: u64, thread: u64) {
        let sequence = memory.u64_at(slot(block, claim) + SEQUENCE);
        let free = (claim >> SLOT_COUNT_SHIFT) << 1;
        if sequence.load(Acquire) == free {
            payload(memory, slot(block, claim), start);
            memory.u64_at(slot(block, claim) + THREAD).store(thread, Relaxed);
            sequence.store(free + 1, Release);
        }
    }

    fn payload(memory: Memory, slot: usize, start: u64) {
        let depth = 3_u64;
        for (field, value) in
            [(START, start), (END, start + 1), (META, 1 << 48 | depth << 32 | 5), (SIZE, u64::MAX)]
        {
            memory.u64_at(slot + field).store(value, Relaxed);
        }
    }

    fn rings() -> (Memory, Rings) {
        let memory = Memory::map(BLOCKS_BYTES).unwrap();
        (memory, Rings::new(memory))
    }

    fn starts(rings: &mut Rings, now_ns: u64) -> Vec<u64> {
        let mut found = Vec::new();
        rings.drain(now_ns, &mut |raw| {
            assert_eq!((raw.end_ns, raw.id, raw.depth, raw.size), (raw.start_ns + 1, 5, Some(3), None));
            found.push(raw.start_ns);
        });
        found
    }

    #[test]
    fn a_full_ring_drops_and_counts() {
        let (memory, mut rings) = rings();
        let all = OWN_SLOTS + 10;
        (0..all).for_each(|start| own(memory, 2, start));
        assert_eq!(starts(&mut rings, 0), (0..OWN_SLOTS).collect::<Vec<_>>());
        assert_eq!((rings.lost(), rings.lost()), (10, 0));
        own(memory, 2, 99);
        assert_eq!(starts(&mut rings, 0), [99]);
    }

    #[test]
    fn an_unpublished_slot_is_skipped_after_the_grace_time_and_its_late_writer_counts() {
        let (memory, mut rings) = rings();
        let block = THREAD_BLOCKS << BLOCK_SHIFT;
        let stuck = claim(memory, block).unwrap();
        let next = claim(memory, block).unwrap();
        publish(memory, block, next, 2, 7);
        assert_eq!(starts(&mut rings, 1000), [0; 0]);
        assert_eq!(starts(&mut rings, 1000 + GRACE_NS - 1), [0; 0]);
        assert_eq!(starts(&mut rings, 1000 + GRACE_NS), [2]);
        assert_eq!(rings.lost(), 1);
        // The writer comes back; its slot is taken and freed when the ring comes round, and so is the one in its place.
        publish(memory, block, stuck, 1, 7);
        for start in 100..100 + SLOTS {
            let claimed = claim(memory, block).unwrap();
            publish(memory, block, claimed, start, 7);
            let expected = if claimed == SLOTS { 1 } else { start };
            assert_eq!(starts(&mut rings, 0), [expected], "claim {claimed}");
        }
        assert_eq!(rings.lost(), 1);
    }

    #[test]
    fn a_slot_whose_writer_never_comes_back_stays_out_of_use() {
        let (memory, mut rings) = rings();
        let block = THREAD_BLOCKS << BLOCK_SHIFT;
        claim(memory, block).unwrap();
        assert!(starts(&mut rings, 1).is_empty());
        assert!(starts(&mut rings, 1 + GRACE_NS).is_empty());
        let mut seen = 0;
        for start in 0..3 * SLOTS {
            let claimed = claim(memory, block).unwrap();
            publish(memory, block, claimed, start, 7);
            // Without waiting: the slot is known to be dead.
            seen += starts(&mut rings, 2).len() as u64;
        }
        assert!(seen >= 3 * SLOTS - 4, "{seen}");
        assert_eq!(seen + rings.lost(), 3 * SLOTS + 1);
    }

    #[test]
    fn each_sample_of_eight_threads_is_seen_once_or_counted() {
        let (memory, mut rings) = rings();
        let block = THREAD_BLOCKS << BLOCK_SHIFT;
        let each = 20_000_u64;
        let mut seen: HashMap<u64, u64> = HashMap::new();
        std::thread::scope(|scope| {
            let produce = |thread: u64| {
                move || {
                    for n in 0..each {
                        if let Some(claimed) = claim(memory, block) {
                            publish(memory, block, claimed, thread * each + n, thread);
                        }
                    }
                }
            };
            let threads = (0..8).map(|thread| scope.spawn(produce(thread))).collect::<Vec<_>>();
            loop {
                let last = threads.iter().all(|thread| thread.is_finished());
                rings.drain(sys_now(), &mut |raw| {
                    assert_eq!(
                        (raw.start_ns / each, raw.end_ns),
                        (raw.thread, raw.start_ns + 1),
                        "a torn sample"
                    );
                    *seen.entry(raw.start_ns).or_default() += 1;
                });
                if last {
                    break;
                }
                std::thread::yield_now();
            }
        });
        assert!(seen.values().all(|times| *times == 1), "a sample was seen twice");
        assert_eq!(seen.len() as u64 + rings.lost(), 8 * each);
    }

    fn sys_now() -> u64 {
        crate::sys::now_ns()
    }

    #[test]
    fn a_thread_that_ends_leaves_a_clean_block() {
        let (memory, mut rings) = rings();
        let (thread, index) = (THREAD_BLOCKS as u64 + 3, 4);
        memory.u64_at((index << BLOCK_SHIFT) + OWNER).store(!thread, Release);
        memory.u64_at((index << BLOCK_SHIFT) + CELLS + 16).store(9, Relaxed);
        own(memory, index, 1);
        Rings::release(memory, thread);
        let mut threads = Vec::new();
        rings.drain(0, &mut |raw| threads.push((raw.thread, raw.start_ns)));
        assert_eq!(threads, [(thread, 1)], "what it recorded is still there, and its own");
        assert_eq!(memory.u64_at((index << BLOCK_SHIFT) + OWNER).load(Acquire), 0);
        assert_eq!(memory.u64_at((index << BLOCK_SHIFT) + CELLS + 16).load(Relaxed), 0);
        assert_eq!(memory.u64_at((index << BLOCK_SHIFT) + RETIRED).load(Relaxed), 0);
    }
}
