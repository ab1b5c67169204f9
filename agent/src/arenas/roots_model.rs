//! An entry of the roots' table under a model checker (loom, https://docs.rs/loom): the thread as in `SplRoots.java`, the agent as in
//! `arenas.rs`. The entry first belongs to a thread that has ended, so that what it had may be seen too late.

use loom::sync::Arc;
use loom::sync::atomic::AtomicU64;
use loom::thread;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release, SeqCst};

/// The thread that runs.
const THREAD: u64 = 2;
/// In place of a thread.
const NOBODY: u64 = u64::MAX;
// Arenas. Each number is a place in `calls`, too.
const ENDED: u64 = 1;
const ENDED_APART: u64 = 2;
const OWN: u64 = 3;
const APART: u64 = 4;
const SHARED: u64 = 5;

#[derive(Default)]
struct Entry {
    thread: AtomicU64,
    own: AtomicU64,
    apart: AtomicU64,
    /// The entry of the table that leads threads to their arenas.
    leads: AtomicU64,
    /// Calls that were counted in each arena.
    calls: [AtomicU64; 6],
}

impl Entry {
    fn tell(&self, thread: u64, own: u64) {
        self.own.store(own, Release);
        self.thread.store(thread, Release);
    }

    fn take(&self) {
        self.thread.store(NOBODY, Release);
        self.own.store(0, Release);
        self.apart.store(0, Release);
    }

    /// One call of a root; `looking` is the order of the look at the thread.
    fn call(&self, looking: Ordering) {
        let led = self.leads.load(Relaxed);
        let own = self.enter(looking);
        let at = self.leads.load(Relaxed);
        assert!([led, OWN, APART, SHARED].contains(&at), "the arena of another thread: {at}");
        let calls = &self.calls[at as usize];
        calls.store(calls.load(Relaxed) + 1, Relaxed);
        let apart = self.leads.load(Relaxed);
        if own != 0 && (apart == APART || apart == ENDED_APART) {
            let _ = self.leads.compare_exchange(apart, own, SeqCst, SeqCst);
        }
    }

    /// `begin` and `enter`: the thread's own arena if it counts apart from here on, else 0.
    fn enter(&self, looking: Ordering) -> u64 {
        if self.thread.load(looking) != THREAD {
            return 0;
        }
        let apart = self.apart.load(Relaxed);
        if apart == 0 || self.leads.load(Relaxed) != self.own.load(Relaxed) {
            return 0;
        }
        let own = self.own.load(Relaxed);
        assert!(apart == APART && [0, OWN].contains(&own), "the arena of another thread: {apart}");
        if own == 0 || self.leads.compare_exchange(own, apart, SeqCst, SeqCst).is_err() {
            return 0;
        }
        own
    }
}

/// The agent gives the entry of an ended thread to one that runs, lets it count apart, and ends that with `last`.
fn check(looking: Ordering, last: u64) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let entry = Arc::new(Entry::default());
        entry.leads.store(OWN, Relaxed);
        let running = Arc::clone(&entry);
        let thread = thread::spawn(move || {
            running.call(looking);
            running.call(looking);
        });
        entry.tell(1, ENDED);
        entry.apart.store(ENDED_APART, Release);
        entry.take();
        entry.tell(THREAD, OWN);
        entry.apart.store(APART, Release);
        entry.take();
        // The agent's store. Loom lets a compare-and-set read a value that a store has replaced; of swaps it knows the order.
        entry.leads.swap(last, Release);
        thread.join().unwrap();
        let calls: Vec<u64> = entry.calls.iter().map(|calls| calls.load(Relaxed)).collect();
        assert_eq!(calls.iter().sum::<u64>(), 2, "each call is counted once: {calls:?}");
        assert_eq!(entry.leads.load(Acquire), last, "the agent's word is the last");
    });
}

#[test]
fn a_thread_counts_in_arenas_of_its_own_and_the_agent_has_the_last_word() {
    check(Acquire, OWN);
    check(Acquire, SHARED);
}

#[test]
#[should_panic(expected = "the arena of another thread")]
fn the_checker_finds_a_look_at_the_thread_that_may_come_late() {
    check(Relaxed, OWN);
}
