use super::probe::{begin, claim, own, publish};
use super::*;
use std::collections::HashMap;

#[test]
fn calls_that_run_are_seen_in_the_cells_of_their_thread() {
    let memory = Memory::map(BLOCKS_BYTES).unwrap();
    let rings = Rings::new(memory);
    let (block, id, epoch) = (7 << BLOCK_SHIFT, InstrumentId(3), 5);
    let cell = block + CELLS + (3 << CELL_SHIFT);
    let running = || {
        [
            rings.running(id).contains(&epoch),
            rings.running(id).contains(&4),
            rings.running(InstrumentId(2)).contains(&epoch),
        ]
    };
    memory.u32_at(cell + CELL_EPOCH).store(epoch, Relaxed);
    memory.u32_at(cell + CELL_DEPTH).store(2, Relaxed);
    assert_eq!(running(), [false; 3], "nobody owns the block");
    begin(&memory, block);
    assert_eq!(running(), [false; 3], "nobody owns the block any more");
    memory.u64_at(block + OWNER).store(!7, Relaxed);
    assert_eq!(running(), [true, false, false]);
    memory.u32_at(cell + CELL_DEPTH).store(0, Relaxed);
    assert_eq!(running(), [false; 3], "what is lost is no call");
}

fn rings() -> (Memory, Rings) {
    let memory = Memory::map(BLOCKS_BYTES).unwrap();
    (memory, Rings::new(memory))
}

fn starts(rings: &mut Rings, now_ns: u64) -> Vec<u64> {
    let mut found = Vec::new();
    rings.drain(now_ns, &mut |raw| {
        assert_eq!(
            (raw.end_ns, raw.id, raw.depth, raw.size),
            (raw.start_ns + 1, InstrumentId(5), Some(3), None)
        );
        found.push(raw.start_ns);
    });
    found
}

#[test]
fn a_full_ring_drops_and_counts() {
    let (memory, mut rings) = rings();
    begin(&memory, 2 << BLOCK_SHIFT);
    let all = OWN_SLOTS + 10;
    let kept = (0..all).filter(|start| own(&memory, 2 << BLOCK_SHIFT, *start)).count() as u64;
    assert_eq!(kept, OWN_SLOTS);
    let mut found = Vec::new();
    assert_eq!(rings.drain(0, &mut |raw| found.push(raw.start_ns)), OWN_SLOTS, "what the fullest ring held");
    assert_eq!(found, (0..OWN_SLOTS).collect::<Vec<_>>());
    assert_eq!((rings.lost(), rings.lost()), (10, 0));
    own(&memory, 2 << BLOCK_SHIFT, 99);
    assert_eq!(starts(&mut rings, 0), [99]);
}

#[test]
fn an_unpublished_slot_is_skipped_after_the_grace_time_and_its_late_writer_counts() {
    let (memory, mut rings) = rings();
    let block = THREAD_BLOCKS << BLOCK_SHIFT;
    begin(&memory, block);
    let stuck = claim(&memory, block).unwrap();
    let next = claim(&memory, block).unwrap();
    publish(&memory, block, next, 2, 7);
    assert_eq!(starts(&mut rings, 1000), [0; 0]);
    assert_eq!(starts(&mut rings, 1000 + GRACE_NS - 1), [0; 0]);
    assert_eq!(starts(&mut rings, 1000 + GRACE_NS), [2]);
    assert_eq!(rings.lost(), 1);
    // The writer resumes. Its slot is taken and freed when the ring comes round, and so is the sample that
    // replaces it.
    publish(&memory, block, stuck, 1, 7);
    for start in 100..100 + SLOTS {
        let claimed = claim(&memory, block).unwrap();
        publish(&memory, block, claimed, start, 7);
        let expected = if claimed == SLOTS { 1 } else { start };
        assert_eq!(starts(&mut rings, 0), [expected], "claim {claimed}");
    }
    // The late sample was counted before; now the sample that found its slot in use replaces it.
    assert_eq!(rings.lost(), 0);
}

#[test]
fn a_slot_whose_writer_never_comes_back_stays_out_of_use() {
    let (memory, mut rings) = rings();
    let block = THREAD_BLOCKS << BLOCK_SHIFT;
    begin(&memory, block);
    claim(&memory, block).unwrap();
    assert!(starts(&mut rings, 1).is_empty());
    assert!(starts(&mut rings, 1 + GRACE_NS).is_empty());
    let mut seen = 0;
    for start in 0..3 * SLOTS {
        let claimed = claim(&memory, block).unwrap();
        publish(&memory, block, claimed, start, 7);
        // No waiting: the slot is known to be dead.
        seen += starts(&mut rings, 2).len() as u64;
    }
    assert!(seen >= 3 * SLOTS - 4, "{seen}");
    assert_eq!(seen + rings.lost(), 3 * SLOTS + 1);
}

#[test]
fn each_sample_of_eight_threads_is_seen_once_or_counted() {
    let (memory, mut rings) = rings();
    let block = THREAD_BLOCKS << BLOCK_SHIFT;
    begin(&memory, block);
    let each = 20_000_u64;
    let mut seen: HashMap<u64, u64> = HashMap::new();
    std::thread::scope(|scope| {
        let produce = |thread: u64| {
            move || {
                for n in 0..each {
                    if let Some(claimed) = claim(&memory, block) {
                        publish(&memory, block, claimed, thread * each + n, thread);
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
    begin(&memory, index << BLOCK_SHIFT);
    own(&memory, index << BLOCK_SHIFT, 1);
    Rings::release(&memory, thread);
    let mut threads = Vec::new();
    rings.drain(0, &mut |raw| threads.push((raw.thread, raw.start_ns)));
    assert_eq!(threads, [(thread, 1)], "what it recorded is still there, and its own");
    assert_eq!(memory.u64_at((index << BLOCK_SHIFT) + OWNER).load(Acquire), 0);
    assert_eq!(memory.u64_at((index << BLOCK_SHIFT) + CELLS + 16).load(Relaxed), 0);
    assert_eq!(memory.u64_at((index << BLOCK_SHIFT) + RETIRED).load(Relaxed), 0);
    assert!(!is_used(&memory, index), "nobody looks at it any more");
}

#[test]
fn the_ring_of_a_thread_that_has_ended_takes_no_memory() {
    let (memory, mut rings) = rings();
    let (index, thread) = (6, 6);
    let (block, next) = (index << BLOCK_SHIFT, (index + 1) << BLOCK_SHIFT);
    for (block, thread) in [(block, thread), (next, thread + 1)] {
        begin(&memory, block);
        memory.u64_at(block + OWNER).store(!thread, Relaxed);
        for start in 1..=OWN_SLOTS + 1 {
            own(&memory, block, start);
        }
    }
    let first = |block| memory.u64_at(block + RING + START).load(Relaxed);
    Rings::release(&memory, thread);
    rings.drain(0, &mut drop);
    assert_eq!((first(block), first(next)), (0, 1), "pages that were given back are zeros");
    assert_eq!(memory.u64_at(block + HEAD).load(Relaxed), OWN_SLOTS);
    assert_eq!((rings.lost(), rings.lost()), (2, 0), "what is counted stays");
    // Another thread claims the block.
    begin(&memory, block);
    own(&memory, block, 99);
    assert_eq!(starts(&mut rings, 0), [99]);
}
