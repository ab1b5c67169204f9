use super::*;
use std::os::unix::fs::FileExt;
use std::sync::atomic::AtomicU64;

/// A table outside a JVM.
impl Table for Memory {
    fn lead(&self, slot: usize, address: u64) {
        self.u64_at(slot * 8).store(address, Ordering::Release);
    }
}

/// Arenas with their table.
fn mapped() -> (Arenas, Memory) {
    let (arenas, table) = (Arenas::map().unwrap(), Memory::map(SLOTS * 8).unwrap());
    (0..SLOTS).for_each(|slot| table.lead(slot, arenas.address(SHARED)));
    arenas.lead_by(table);
    (arenas, table)
}

/// The arena to which the table leads a thread.
fn arena(arenas: &Arenas, table: &Memory, thread: u64) -> usize {
    let address = table.u64_at(slot_of(thread) * 8).load(Ordering::Acquire);
    (address - arenas.arenas.address() as u64) as usize / ARENA_BYTES
}

fn java_and_rust_agree_on_rings() {
    let source = include_str!("../../java/java/lang/SplTrace.java");
    assert!(source.contains("MASK = (1 << 14) - 1;") && source.contains("ENTRY = 8;"));
    assert!(source.contains("RING = 8 * 31;"));
    assert_eq!(RING, 31);
    for (name, place) in [
        ("HEAD", arena::RING_HEAD),
        ("DEPTH", arena::RING_DEPTH),
        ("LOST", arena::RING_LOST),
        ("OWNER", arena::RING_OWNER),
        ("TOLD", arena::RING_TOLD),
        ("UNTRACED", arena::RING_UNTRACED),
        ("FREED", arena::RING_FREED),
        ("LIMIT", arena::RING_LIMIT),
        ("WAITS", arena::RING_WAITS),
        ("GIVEN_UP", arena::RING_GIVEN_UP),
        ("WORDS", arena::RING_DATA),
    ] {
        assert!(source.contains(&format!("{name} = {place};")), "{name}");
    }
    assert!(source.contains("CHUNK = 12;") && source.contains("IN_RING = (1 << CHUNK + 8) - 1;"));
    assert_eq!((arena::CHUNK_SHIFT, arena::RING_CHUNKS), (12, 1 << 8));
    const { assert!(arena::RING_DATA + 4 * arena::RING_WORDS <= arena::RING_BYTES) };
}

#[test]
fn java_and_rust_agree() {
    let source = include_str!("../../java/java/lang/SplCounters.java");
    assert!(source.contains("MASK = (1 << 14) - 1;"));
    assert_eq!(SLOTS, 1 << 14);
    assert!(include_str!("../../java/java/lang/SplFlags.java").contains("new byte[1 << 21];"));
    assert_eq!(MOST_FLAGS, 1 << 21);
    let source = include_str!("../../java/java/lang/SplRoots.java");
    assert!(source.contains("MASK = (1 << 14) - 1;") && source.contains("ENTRY = 8;"));
    assert_eq!(ENTRY_BYTES, 1 << 8);
    assert!(source.contains("CALLS = (1 << 24) - 8;") && source.contains("WANTS = 8 * (2 + 28);"));
    assert_eq!(WANTS, 2 + 28);
    assert!(source.contains("FACTS = 1 << (14 + 8);") && source.contains("FACT = 4;"));
    assert_eq!((FACTS, FACT_BYTES), (1 << (14 + 8), 1 << 4));
    assert!(source.contains("SIZES = (1 << 24) - (1 << 12);") && source.contains("MOST = 1L << 61;"));
    assert_eq!((arena::SIZES, arena::MOST_BITS), ((1 << 24) - (1 << 12), 63));
    assert_eq!((ARENA_BYTES as u64, arena::ROOT_CALLS), (1 << 24, (1 << 24) - 8));
    let source = include_str!("../../java/java/lang/SplArcs.java");
    assert!(source.contains("DISPATCHED = 1L << 62;"));
    assert_eq!(spl_bytecode::names::DISPATCHED, 1 << (62 - 32));
    assert!(source.contains("LOST = (1 << 24) - 24;") && source.contains("CALLED = (1 << 24) - 16;"));
    assert!(source.contains("ARCS = (1 << 24) - (1 << 12) - (1 << 20);"));
    assert!(source.contains("LAST_ARC = (1 << 16) - 1;") && source.contains("ENTRY_BITS = 16;"));
    assert_eq!((arena::LOST_ARCS, arena::ARCS), ((1 << 24) - 24, (1 << 24) - (1 << 12) - (1 << 20)));
    assert_eq!(arena::MOST_ARCS, 1 << 16);
    assert!(source.contains("LAST = 8;") && source.contains("FIRST = 16;"));
    assert_eq!([arena::Received::Last as u32 * 8, arena::Received::First as u32 * 8], [8, 16]);
    assert!(source.contains("OWN = 1L << 63;") && source.contains("HASH_BITS = 11;"));
    assert_eq!((arena::Received::OWN, arena::Received::HASH_BITS), (1 << 63, 11));
    assert!(source.contains("CLASS_BITS = 22;") && source.contains("METHOD_BITS = 21;"));
    assert_eq!((arena::CLASS_BITS, arena::METHOD_BITS), (22, 21));
    java_and_rust_agree_on_rings();
    let source = include_str!("../../java/java/lang/SplTimes.java");
    assert!(source.contains("MASK = (1 << 14) - 1;") && source.contains("ENTRY = 8;"));
    assert!(source.contains("INSIDE = (1 << 24) - 40;") && source.contains("OUTSIDE = (1 << 24) - 48;"));
    assert_eq!((arena::COST_INSIDE, arena::COST_OUTSIDE), ((1 << 24) - 40, (1 << 24) - 48));
    assert!(source.contains("BEGAN = (1 << 24) - 56;"));
    assert_eq!(arena::TIMES_BEGAN, (1 << 24) - 56);
    assert!(source.contains("STACK = (1 << 24) - (1 << 12) - (1 << 21);"));
    assert!(source.contains("TOP = (1 << 24) - 32;"));
    assert_eq!(arena::STACK_TOP, (1 << 24) - 32);
    assert_eq!(arena::STACK, (1 << 24) - (1 << 12) - (1 << 21));
    assert!(source.contains("CALLS = 0;") && source.contains("UNTIMED = 56;"));
    assert_eq!(arena::Timed::WORDS, 8);
    const { assert!(MOST_COUNTERS < 1 << arena::METHOD_BITS) };
}

#[test]
fn no_two_threads_share_an_arena_of_their_own() {
    let (arenas, table) = mapped();
    assert_eq!(arena(&arenas, &table, 7), SHARED);
    (1..=300).for_each(|thread| arenas.assign(thread));
    let mut owned: Vec<usize> = (1..=300).map(|thread| arena(&arenas, &table, thread)).collect();
    assert_eq!(owned.iter().filter(|arena| **arena == SHARED).count(), 300 - ARENAS);
    owned.retain(|arena| *arena != SHARED);
    owned.sort_unstable();
    owned.dedup();
    assert_eq!(owned.len(), ARENAS);
    arenas.release(5);
    assert_eq!(arena(&arenas, &table, 5), SHARED);
    arenas.assign(400);
    assert!(arena(&arenas, &table, 400) < ARENAS, "an arena is used again");
}

#[test]
fn threads_of_one_entry_share() {
    let (arenas, table) = mapped();
    let (one, other) = (3, 3 + SLOTS as u64);
    arenas.assign(one);
    assert!(arena(&arenas, &table, one) < ARENAS);
    arenas.assign(other);
    assert_eq!(arena(&arenas, &table, one), SHARED, "neither writes where the other does");
    arenas.release(one);
    let third = 3 + 2 * SLOTS as u64;
    arenas.assign(third);
    assert_eq!(arena(&arenas, &table, third), SHARED, "the second one still lives");
    arenas.release(other);
    arenas.release(third);
    arenas.assign(other);
    assert!(arena(&arenas, &table, other) < ARENAS);
    arenas.assign_own(9);
    assert_eq!(arena(&arenas, &table, 9), OWN);
    arenas.release(9);
    let owners = arenas.owners.lock().unwrap();
    assert_eq!((owners.free.as_slice(), owners.unused), ([0].as_slice(), 2));
}

/// A table within whose first change another thread begins.
#[derive(Debug)]
struct Interrupted {
    arenas: &'static Arenas,
    table: Memory,
    other: AtomicU64,
}

impl Table for Interrupted {
    fn lead(&self, slot: usize, address: u64) {
        match self.other.swap(0, Ordering::AcqRel) {
            0 => {}
            other => self.arenas.assign(other),
        }
        self.table.lead(slot, address);
    }
}

#[test]
fn a_thread_that_begins_while_another_is_led_does_not_wait_and_is_seen() {
    let arenas: &'static Arenas = Box::leak(Box::new(Arenas::map().unwrap()));
    let table = Memory::map(SLOTS * 8).unwrap();
    let (one, other) = (3, 3 + SLOTS as u64);
    arenas.lead_by(Interrupted { arenas, table, other: AtomicU64::new(other) });
    arenas.assign(one);
    assert_eq!(arena(arenas, &table, one), SHARED, "the change that came late is made good");
}

#[test]
fn an_arena_tells_how_many_threads_had_it() {
    let (arenas, table) = mapped();
    let owners = |arena: usize| arenas.arenas.u64_at(owners_at(arena)).load(Ordering::Acquire);
    let both = |thread| {
        arenas.assign(thread);
        let had = arena(&arenas, &table, thread);
        arenas.release(thread);
        had
    };
    let first: Vec<usize> = (1..=ALONE as u64).map(both).collect();
    assert_eq!(first, (0..ALONE).collect::<Vec<_>>(), "none is used again yet");
    let again = both(1000);
    assert_eq!((again, owners(again), owners(0)), (ALONE - 1, 4, 2));
    arenas.assign(2000);
    assert_eq!((owners(again), owners(ALONE)), (5, 0), "one lives, and no other is touched");
    arenas.assign(3000);
    arenas.release(2000);
    arenas.release(3000);
    assert_eq!(both(4000), again, "an arena of few threads stays theirs");
}

#[test]
fn the_file_has_what_is_counted_and_keeps_its_size() {
    let arenas = Arenas::map().unwrap();
    arenas.arenas.u64_at(ARENA_BYTES + 40).store(42, Ordering::Relaxed);
    let Drilled::Counters { descriptor: fd, bytes, .. } = arenas.place() else { panic!() };
    let file = File::open(format!("/proc/self/fd/{fd}")).unwrap();
    let mut word = [0; 8];
    file.read_exact_at(&mut word, ARENA_BYTES as u64 + 40).unwrap();
    assert_eq!((u64::from_le_bytes(word), file.metadata().unwrap().len()), (42, bytes));
    let writable = File::options().write(true).open(format!("/proc/self/fd/{fd}")).unwrap();
    assert!(writable.set_len(0).is_err(), "nobody can cut it under the JVM");
}

#[test]
fn a_thread_that_is_alone_and_asks_has_an_arena_for_each_root() {
    let (arenas, table) = mapped();
    let word = |thread: u64, word: usize| arenas.roots.u64_at(slot_of(thread) * ENTRY_BYTES + 8 * word);
    let entry = |thread: u64, at: usize| word(thread, at).load(Ordering::Acquire);
    let ask = |thread: u64| word(thread, WANTS).store(1, Ordering::Release);
    let place = |thread, root: usize| {
        (entry(thread, 2 + root) - arenas.arenas.address() as u64) as usize / ARENA_BYTES - OF_ROOTS
    };
    arenas.assign(1);
    assert_eq!((entry(1, 0), arenas.give_wanted()), (NOBODY, false), "no drill has roots");
    assert_eq!(entry(0, 0), NOBODY, "a thread that is being attached has nothing");
    let scope = Scope { roots: vec![String::new(); 3], ..Scope::default() };
    arenas.begin_roots(&scope, Uses::Counters);
    (1..=100).for_each(|thread| arenas.assign(thread));
    assert!(arenas.give_wanted());
    assert_eq!((entry(5, 0), entry(5, 2)), (5, 0), "nobody asks");
    (1..=100).for_each(ask);
    arenas.give_wanted();
    let of_roots = |thread| (0..3).map(move |root| (thread, root));
    let mut places: Vec<usize> = Vec::new();
    for (thread, root) in (1..=100).flat_map(of_roots).filter(|(thread, root)| entry(*thread, 2 + root) != 0)
    {
        assert_eq!(place(thread, root) % 3, root);
        places.push(place(thread, root));
    }
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 85 * 3, "256 arenas are for 85 threads");
    let has = |thread| entry(thread, 2) != 0;
    let owner = (1..=100).find(|thread| has(*thread)).unwrap();
    arenas.assign(owner + SLOTS as u64);
    assert_eq!(entry(owner, 0), NOBODY, "two threads of one entry have none");
    let next = (1..=100).find(|thread| has(*thread)).unwrap();
    arenas.release(next);
    arenas.assign(200);
    ask(200);
    let waiting: Vec<u64> =
        (1..=100).filter(|thread| *thread != owner && *thread != next && !has(*thread)).collect();
    arenas.give_wanted();
    let served = waiting.iter().chain([&200]).filter(|thread| has(**thread)).count();
    assert_eq!(served, 1, "a group is used again");
    // A thread that is in a root's call when the drill ends goes back to its own.
    let within = (1..=100).find(|thread| has(*thread)).unwrap();
    let first = entry(within, 2);
    table.lead(slot_of(within), entry(within, 2));
    arenas.end_roots();
    assert_eq!((entry(within, 0), entry(within, 2), entry(within, WANTS)), (NOBODY, 0, 0));
    assert!(arena(&arenas, &table, within) < ARENAS && !arenas.give_wanted());
    // The next drill gives it the same arenas.
    arenas.begin_roots(&scope, Uses::Counters);
    arenas.assign(within);
    ask(within);
    arenas.give_wanted();
    assert_eq!((entry(within, 0), entry(within, 2)), (within, first));
}
