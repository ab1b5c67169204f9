//! Places in the order of all threads under a model checker (loom, https://docs.rs/loom): as in `SplTrace.java`, a thread takes one in front of
//! what it tells, unless the last one is its own. Here each tells that it is behind a lock, which knows the order.

use loom::sync::atomic::AtomicU64;
use loom::sync::{Arc, Mutex};
use loom::thread;
use std::sync::atomic::Ordering::SeqCst;

const THREADS: u64 = 2;
const ENTRIES: u64 = 2;

struct State {
    last: AtomicU64,
    /// Place and thread of each entry, in the order of the lock.
    entries: Mutex<Vec<(u64, u64)>>,
}

impl State {
    /// A drill begins. The count may be of a drill before; rings have told none, which is 0.
    fn begin(last: u64) -> Self {
        Self { last: AtomicU64::new(last), entries: Mutex::new(Vec::new()) }
    }

    fn place(&self, taken: &mut u64) {
        if self.last.load(SeqCst) != *taken {
            *taken = self.last.fetch_add(1, SeqCst) + 1;
        }
    }
}

fn check(last: u64, is_behind_lock: bool) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let state = Arc::new(State::begin(last));
        let enter = move |state: Arc<State>, thread: u64| {
            let mut taken = 0;
            for _ in 0..ENTRIES {
                if !is_behind_lock {
                    state.place(&mut taken);
                }
                let mut entries = state.entries.lock().unwrap();
                if is_behind_lock {
                    state.place(&mut taken);
                }
                entries.push((taken, thread));
            }
        };
        let others = (1..THREADS).map(|thread| {
            let state = Arc::clone(&state);
            thread::spawn(move || enter(state, thread))
        });
        let others: Vec<_> = others.collect();
        enter(Arc::clone(&state), 0);
        others.into_iter().for_each(|other| other.join().unwrap());
        let entries = state.entries.lock().unwrap();
        let is_after = |two: &[(u64, u64)]| two[0].0 < two[1].0 || two[0] == two[1];
        assert!(entries.windows(2).all(is_after), "places come in the order of the lock: {entries:?}");
    });
}

#[test]
fn places_have_the_order_of_a_lock() {
    check(1, true);
}

#[test]
#[should_panic(expected = "in the order of the lock")]
fn the_checker_finds_places_that_are_taken_in_front_of_the_lock() {
    check(1, false);
}

#[test]
#[should_panic(expected = "in the order of the lock")]
fn the_checker_finds_a_count_that_begins_with_none() {
    check(0, true);
}
