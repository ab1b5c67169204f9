//! The rings under a model checker (loom, https://docs.rs/loom): every interleaving of the probes and the
//! drain, and every value that the memory model lets a load see. The drain is the agent's own; the probes are
//! those of [`probe`], which are written after `SplRecorder.java`, because the checker runs Rust only. Rings
//! have two slots, so that they come round.

use super::probe::{self, Shared};
use super::{GRACE_NS, Raw, Rings, Words};
use crate::layout::*;
use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};

/// The only block.
const BLOCK: usize = 0;
const SLOTS: usize = 2;

/// The words of one block of a thread (`OWN` is 1), or of one stripe (`OWN` is 0).
#[derive(Clone)]
struct Tracked<const OWN: usize> {
    words: Arc<BTreeMap<usize, AtomicU64>>,
    /// Touched before each access. Loom leaves out interleavings when a thread reads a word just before it
    /// writes to it (its issues 166 and 392). With this word any two accesses conflict, and none is left out.
    turns: Arc<AtomicU64>,
    /// Memory order of publishing stores, so that the checker itself can be checked.
    publishing: Ordering,
}

impl<const OWN: usize> Tracked<OWN> {
    fn new() -> Self {
        let (slot_shift, fields) = match OWN {
            0 => (SLOT_SHIFT, &[START, END, META, SIZE, THREAD, SEQUENCE][..]),
            _ => (OWN_SLOT_SHIFT, &[START, END, META, SIZE][..]),
        };
        let slots = (0..SLOTS).flat_map(|n| fields.iter().map(move |field| RING + (n << slot_shift) + field));
        let offsets = [OWNER, HEAD, DROPPED, RETIRED, TAIL, CELLS, CELLS + 8, USED].into_iter().chain(slots);
        let words = offsets.map(|at| (at, AtomicU64::new(0))).collect();
        Self { words: Arc::new(words), turns: Arc::new(AtomicU64::new(0)), publishing: Release }
    }

    fn at(&self, offset: usize) -> &AtomicU64 {
        self.turns.fetch_add(1, Relaxed);
        &self.words[&offset]
    }
}

impl<const OWN: usize> Words for Tracked<OWN> {
    const THREAD_BLOCKS: usize = OWN;
    const STRIPES: usize = 1 - OWN;
    const CELLS: usize = 1;
    const OWN_SLOTS: u64 = SLOTS as u64;
    const SLOTS: u64 = SLOTS as u64;

    fn load(&self, offset: usize, order: Ordering) -> u64 {
        self.at(offset).load(order)
    }

    fn store(&self, offset: usize, value: u64, order: Ordering) {
        self.at(offset).store(value, if order == Release { self.publishing } else { order });
    }
}

impl<const OWN: usize> Shared for Tracked<OWN> {
    fn add(&self, offset: usize, value: u64, order: Ordering) -> u64 {
        self.at(offset).fetch_add(value, order)
    }

    fn compare_and_set(&self, offset: usize, expected: u64, value: u64) -> bool {
        self.at(offset).compare_exchange(expected, value, SeqCst, SeqCst).is_ok()
    }
}

/// Checks `check` in all executions with at most this number of preemptions. Loom's documentation recommends
/// two or three: most bugs need no more.
fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(preemptions);
    builder.check(check);
}

/// The drain, and the samples it has taken: threads and starts.
struct Drain<const OWN: usize> {
    rings: Rings<Tracked<OWN>>,
    taken: Vec<(u64, u64)>,
    lost: u64,
}

impl<const OWN: usize> Drain<OWN> {
    fn new(words: &Tracked<OWN>) -> Self {
        Self { rings: Rings::new(words.clone()), taken: Vec::new(), lost: 0 }
    }

    fn drain(&mut self, now_ns: u64) {
        let taken = &mut self.taken;
        self.rings.drain(now_ns, &mut |raw| {
            let whole = Raw {
                id: spl_model::InstrumentId(probe::ID as u32),
                end_ns: raw.start_ns + 1,
                depth: Some(probe::DEPTH as u32),
                size: None,
                threw: true,
                ..raw
            };
            assert_eq!(raw, whole, "a torn sample");
            taken.push((raw.thread, raw.start_ns));
        });
        self.lost += self.rings.lost();
    }

    /// Drains the rest and returns the sorted samples. `recorded` is the number of samples written.
    fn end(mut self, recorded: u64) -> Vec<(u64, u64)> {
        for round in 1..=recorded + 1 {
            self.drain(round * GRACE_NS);
        }
        self.taken.sort_unstable();
        let seen = self.taken.len() as u64;
        self.taken.dedup();
        assert_eq!(self.taken.len() as u64, seen, "a sample was seen twice");
        assert_eq!(seen + self.lost, recorded, "a sample is neither seen nor counted");
        self.taken
    }
}

/// Three samples of a thread, in a ring that has room for two.
fn one_thread(words: Tracked<1>) {
    let mut drain = Drain::new(&words);
    let producer = words.clone();
    let thread = thread::spawn(move || {
        let block = probe::find(&producer, 7).expect("the block is free");
        (1..=3)
            .filter(|start| probe::own(&producer, block, *start))
            .map(|start| (7, start))
            .collect::<Vec<_>>()
    });
    drain.drain(0);
    let kept = thread.join().expect("the probe has not panicked");
    assert_eq!(drain.end(3), kept);
}

#[test]
fn a_threads_samples_are_seen_once_and_whole_or_counted() {
    model(4, || one_thread(Tracked::new()));
}

/// The checker finds a head that is published before the payload.
#[test]
#[should_panic(expected = "a torn sample")]
fn the_checker_sees_samples_that_are_published_too_early() {
    model(4, || one_thread(Tracked { publishing: Relaxed, ..Tracked::new() }));
}

#[test]
fn a_block_that_changes_hands_attributes_each_sample_to_its_thread() {
    model(3, || {
        let words = Tracked::<1>::new();
        let mut drain = Drain::new(&words);
        let run = |thread: u64| {
            let words = words.clone();
            thread::spawn(move || {
                let Some(block) = probe::find(&words, thread) else { return Vec::new() };
                words.store(block + CELLS, thread, Relaxed);
                let kept = probe::own(&words, block, thread);
                assert_eq!(
                    words.load(block + CELLS, Relaxed),
                    thread,
                    "another thread has written to the block"
                );
                Rings::release(&words, thread);
                if kept { vec![(thread, thread)] } else { Vec::new() }
            })
        };
        let threads = [run(8), run(9)];
        drain.drain(0);
        let kept = threads.map(|thread| thread.join().expect("the probe has not panicked")).concat();
        assert_eq!(drain.end(kept.len() as u64), kept);
        assert_eq!(
            [OWNER, RETIRED, CELLS].map(|at| words.load(BLOCK + at, Acquire)),
            [0; 3],
            "the block is free again"
        );
    });
}

/// The samples of two threads in a stripe; `drains` are the times at which it is drained meanwhile. A writer
/// that the drain skips as stuck may still publish.
fn two_threads(each: u64, drains: &'static [u64]) {
    model(2, move || {
        let words = Tracked::<0>::new();
        probe::begin(&words, BLOCK);
        let mut drain = Drain::new(&words);
        let run = |thread: u64| {
            let words = words.clone();
            thread::spawn(move || {
                for n in 0..each {
                    if let Some(claimed) = probe::claim(&words, BLOCK) {
                        probe::publish(&words, BLOCK, claimed, thread * 10 + n, thread);
                    }
                }
            })
        };
        let threads = [run(1), run(2)];
        drains.iter().for_each(|now_ns| drain.drain(*now_ns));
        threads.into_iter().for_each(|thread| thread.join().expect("the probe has not panicked"));
        let seen = drain.end(2 * each);
        assert!(seen.iter().all(|(thread, start)| start / 10 == *thread), "{seen:?}");
    });
}

#[test]
fn the_samples_of_a_stripe_are_seen_once_and_whole_or_counted() {
    two_threads(2, &[0]);
}

#[test]
fn a_writer_that_was_given_up_publishes_once_or_is_counted() {
    two_threads(1, &[1, 1 + GRACE_NS]);
}
