//! The ring of a traced thread under a model checker (loom, https://docs.rs/loom): the writer as in `SplTrace.java`, the reader as in
//! the controller's `rings.rs`. Each chunk has one word, and the ring two chunks, so that it comes round.

use loom::sync::Arc;
use loom::sync::atomic::{AtomicU64, fence};
use loom::thread;
use std::sync::atomic::Ordering::{self, Acquire, Relaxed, Release};

const CHUNKS: u64 = 2;
/// Words that the thread writes, or loses.
const EVENTS: u64 = 3;

#[derive(Default)]
struct Ring {
    head: AtomicU64,
    freed: AtomicU64,
    words: [AtomicU64; CHUNKS as usize],
}

impl Ring {
    /// Writes a word; whether there was room.
    fn write(&self, word: u64, publishing: Ordering) -> bool {
        let head = self.head.load(Relaxed);
        if head - self.freed.load(Relaxed) >= CHUNKS {
            return false;
        }
        fence(Acquire);
        self.words[(head % CHUNKS) as usize].store(word, Relaxed);
        self.head.store(head + 1, publishing);
        true
    }

    /// Reads all words behind `at`.
    fn read(&self, at: &mut u64, taken: &mut Vec<u64>) {
        let head = self.head.load(Relaxed);
        fence(Acquire);
        while *at < head {
            taken.push(self.words[(*at % CHUNKS) as usize].load(Relaxed));
            *at += 1;
        }
        fence(Release);
        self.freed.store(*at, Relaxed);
    }
}

fn check(publishing: Ordering) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(move || {
        let ring = Arc::new(Ring::default());
        let writing = Arc::clone(&ring);
        let writer = thread::spawn(move || {
            let written = (1..=EVENTS).filter(|word| writing.write(*word, publishing));
            written.collect::<Vec<u64>>()
        });
        let (mut at, mut taken) = (0, Vec::new());
        ring.read(&mut at, &mut taken);
        ring.read(&mut at, &mut taken);
        let written = writer.join().unwrap();
        ring.read(&mut at, &mut taken);
        assert_eq!(taken, written, "what was written is read, once and in its order");
    });
}

#[test]
fn words_are_read_as_they_were_written() {
    check(Release);
}

#[test]
#[should_panic(expected = "once and in its order")]
fn the_checker_finds_words_that_are_published_too_soon() {
    check(Relaxed);
}
