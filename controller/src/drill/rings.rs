//! The rings of a JVM's threads, read while they are written, to files or a stream.
//!
//! A thread of its own reads, so that neither messages nor compression let a ring wait. Memory order: a thread of the JVM writes words and
//! then, with release, their number. Here the number is read first, by one pread(2), and the words by a later one, behind a fence; the kernel
//! copies from the memory itself, so words below the number are there. Room is given back only after they were copied, by a pwrite(2) of
//! one byte, which cannot be seen half written; a stale value of it lets the thread find less room, never more. A model checker tries
//! this (`agent/src/arenas/ring_model.rs`).

use super::streaming::Stream;
use crate::numbers::{counted, plural};
use spl_model::arena::{self, CHUNK_SHIFT, RING_BYTES, RING_DATA, RING_WORDS};
use spl_trace::{Framed, Split, file};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Pause when no ring had many words. It doubles while none has any, up to the longest: a look at all rings costs the time of some
/// hundred calls of the system.
const PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(8);
/// Time for which a ring without words is not looked at. There are hundreds of rings, most of them without a thread, and each look is a call
/// of the system. A thread that writes all the time, 50 million words a second, fills less than two thirds of its ring in this and the pause.
const REST: Duration = Duration::from_millis(4);
/// Words of a ring that are many: more come while they are read.
const MANY: u64 = RING_WORDS / 64;
/// Time after which words are written although they fill no frame.
const KEPT: Duration = Duration::from_secs(1);
/// The name of the folder of a JVM's traces while they are written; its process id follows.
pub const UNFINISHED: &str = "trace.";
/// Files that are kept open.
const MOST_OPEN: usize = 256;

/// How traces are taken.
#[derive(Clone, Debug)]
pub struct Tracing {
    /// The folder for the files of each JVM.
    pub folder: PathBuf,
    /// Whether threads wait for room.
    pub waits: bool,
    /// Chunks of a ring that a thread may use.
    pub chunks: u8,
    /// Whether the trace is of calls of some methods.
    pub is_within: bool,
    /// Whether the events of all threads are in one order.
    pub is_ordered: bool,
    /// Whether words have the classes of receivers.
    pub has_receivers: bool,
    /// Whether class files may be written.
    pub keeps_classes: bool,
    /// Where the trace goes, in place of the folder.
    pub stream: Option<Arc<Stream>>,
}

/// The traces of a JVM.
#[derive(Clone, Debug, Default)]
pub struct Traced {
    /// Where the files are.
    pub folder: PathBuf,
    /// Where the trace went instead.
    pub stream: Option<Arc<Stream>>,
    /// For each thread its words, and the bytes of its file.
    pub threads: BTreeMap<u64, (u64, u64)>,
    /// Events that found no room in a ring.
    pub lost: u64,
    /// For a trace of calls of some methods: the calls in it, and all of them.
    pub within: Option<(u64, u64)>,
    /// Whether the events of all threads are in one order, and how many of them have no place in it.
    pub unplaced: Option<u64>,
    /// Calls of threads without a ring, at least.
    pub untraced: u64,
    /// Whether threads were to wait for room.
    pub waits: bool,
    /// Words of calls that began before the drill, of threads that no word named.
    pub dropped: u64,
    /// Why it is not all.
    pub faults: Vec<String>,
}

impl Traced {
    /// A frame was written.
    fn counts(&mut self, framed: &Framed) {
        let known = self.threads.entry(framed.thread).or_default();
        known.0 += framed.words as u64;
        known.1 += framed.bytes.len() as u64;
    }

    /// The words of each thread.
    pub fn words(&self) -> BTreeMap<u64, u64> {
        self.threads.iter().map(|(&thread, (words, _))| (thread, *words)).collect()
    }

    /// Why the traces are not all that ran, one line each.
    pub fn doubts(&self) -> Vec<String> {
        let mut doubts = self.faults.clone();
        if self.lost > 0 {
            let lost = plural(self.lost, "event");
            let remedy = match self.waits {
                false => "--full wait lets threads wait instead",
                true => "a thread waits 5 s at most, and not for calls that go on when the drill ends",
            };
            doubts.push(format!("{lost} found no room in the ring of a thread and are missing: {remedy}"));
        }
        if self.untraced > 0 {
            let calls = plural(self.untraced, "call");
            doubts.push(format!("at least {calls} of threads without a ring are missing: of virtual threads, of threads that ran while 256 others had one, \
             or of a thread that the JVM's end or the drill's met"));
        }
        if let Some(unplaced) = self.unplaced.filter(|unplaced| *unplaced > 0) {
            let events = counted(unplaced, "event has", "events have");
            doubts.push(format!(
                "{events} no known place in the order of all threads: of calls from before the drill"
            ));
        }
        if self.dropped > 0 {
            let words = plural(self.dropped, "word");
            doubts.push(format!("{words} of calls from before the drill are left out"));
        }
        doubts
    }
}

/// The rings of a JVM while they are read.
#[derive(Debug)]
pub struct Rings {
    folder: PathBuf,
    stop: Arc<AtomicBool>,
    reader: Option<JoinHandle<Traced>>,
    stream: Option<Arc<Stream>>,
}

impl Drop for Rings {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Release);
    }
}

impl Rings {
    /// Begins to read. `first` is the offset of the first ring in the memory, and `count` the number of those of one thread each.
    ///
    /// # Errors
    /// When the folder cannot be made or the memory not be written; one line of text.
    pub fn begin(memory: File, first: u64, count: u32, tracing: &Tracing, pid: u32) -> Result<Self, String> {
        let folder = match &tracing.stream {
            Some(stream) => stream.begins(pid).map(|()| PathBuf::new())?,
            None => make_folder(tracing, pid)?,
        };
        let in_folder = folder.clone();
        let mut reader = Reader {
            shared: first + u64::from(count) * RING_BYTES,
            rings: (0..count).map(|ring| Ring::new(first + u64::from(ring) * RING_BYTES)).collect(),
            files: Files {
                folder,
                open: BTreeMap::new(),
                traced: Traced { waits: tracing.waits, stream: tracing.stream.clone(), ..Traced::default() },
            },
            memory,
            untraced: 0,
            is_within: tracing.is_within,
            is_ordered: tracing.is_ordered,
        };
        reader.prepare(tracing).map_err(|error| format!("cannot write to the rings: {error}"))?;
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let reader = thread::Builder::new().name("rings".to_owned()).spawn(move || reader.run(&stopped));
        let reader = Some(reader.map_err(|error| error.to_string())?);
        Ok(Self { folder: in_folder, stop, reader, stream: tracing.stream.clone() })
    }

    /// The folder of the files, until the drill is finished.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Reads what is left, and ends.
    pub fn finish(mut self) -> Traced {
        self.stop.store(true, Ordering::Release);
        self.stream.iter().for_each(|stream| stream.hurry());
        let failed =
            || Traced { faults: vec!["the reader of the rings failed".to_owned()], ..Traced::default() };
        self.reader.take().and_then(|reader| reader.join().ok()).unwrap_or_else(failed)
    }
}

struct Reader {
    memory: File,
    /// Offset of the ring of all threads without their own.
    shared: u64,
    rings: Vec<Ring>,
    files: Files,
    /// Calls of these before.
    untraced: u64,
    /// Whether the trace is of calls of some methods.
    is_within: bool,
    /// Whether the events of all threads are in one order.
    is_ordered: bool,
}

struct Ring {
    offset: u64,
    /// Words that were read.
    at: u64,
    /// Events that threads had lost before, which have ended since.
    ended: u64,
    split: Split,
    is_broken: bool,
    /// When it is looked at again.
    next_look: Instant,
}

impl Reader {
    /// Gives the threads their orders. Words that stand in the rings already belong to an earlier drill.
    fn prepare(&mut self, tracing: &Tracing) -> io::Result<()> {
        self.untraced = self.word(self.shared + arena::RING_UNTRACED)?;
        self.memory.write_all_at(&[0], self.shared + arena::RING_GIVEN_UP)?;
        for place in 0..self.rings.len() {
            let offset = self.rings[place].offset;
            let head = self.word(offset + arena::RING_HEAD)?;
            self.rings[place].at = head;
            self.rings[place].ended = self.word(offset + arena::RING_ENDED)?;
            // Calls that are under way name their thread no more. Another thread that gets the ring names itself.
            let owner = self.word(offset + arena::RING_OWNER)?;
            let depth = self.word(offset + arena::RING_DEPTH)? as u32;
            if owner != 0 && head > 0 {
                self.rings[place].split = Split::of_thread(owner, depth);
            }
            let split = &mut self.rings[place].split;
            if tracing.is_within {
                *split = std::mem::take(split).within_calls();
            }
            if tracing.is_ordered {
                *split = std::mem::take(split).in_total_order();
            }
            self.memory.write_all_at(&[0; 24], offset + arena::RING_INSIDE)?;
            let chunks = tracing.chunks.clamp(1, (arena::RING_CHUNKS - 1) as u8);
            for (at, byte) in [
                (arena::RING_FREED, (head >> CHUNK_SHIFT) as u8),
                (arena::RING_LIMIT, chunks),
                (arena::RING_WAITS, u8::from(tracing.waits)),
                (arena::RING_WITHIN, u8::from(tracing.is_within)),
                (arena::RING_MUTED, u8::from(tracing.is_within)),
                (arena::RING_ORDERED, u8::from(tracing.is_ordered)),
                (arena::RING_TYPED, u8::from(tracing.has_receivers)),
            ] {
                self.memory.write_all_at(&[byte], offset + at)?;
            }
        }
        Ok(())
    }

    fn run(mut self, stop: &AtomicBool) -> Traced {
        let (mut written, mut pause) = (Instant::now(), PAUSE);
        loop {
            // Looked at before the rings: what was written before the end is read.
            let is_last = stop.load(Ordering::Acquire);
            let mut most = 0;
            let now = Instant::now();
            for place in 0..self.rings.len() {
                if self.rings[place].next_look > now && !is_last {
                    continue;
                }
                match self.read(place) {
                    Ok(words) => most = most.max(words),
                    Err(error) => self.files.fault(format!("a ring could not be read: {error}")),
                }
            }
            if is_last {
                return self.end();
            }
            if written.elapsed() > KEPT {
                written = Instant::now();
                for ring in &mut self.rings {
                    ring.split.flush().into_iter().for_each(|framed| self.files.write(&framed));
                }
            }
            pause = if most == 0 { LONGEST_PAUSE.min(2 * pause) } else { PAUSE };
            if most <= MANY {
                thread::sleep(pause);
            }
        }
    }

    /// Reads what a ring has; gives the number of words.
    fn read(&mut self, place: usize) -> io::Result<u64> {
        let offset = self.rings[place].offset;
        // Before the words: those of the thread that follows may come later, and never earlier.
        let ended = self.word(offset + arena::RING_ENDED)?;
        let head = self.word(offset + arena::RING_HEAD)?;
        fence(Ordering::Acquire);
        let ring = &mut self.rings[place];
        let count = head.wrapping_sub(ring.at);
        if count == 0 || ring.is_broken {
            ring.next_look = Instant::now() + REST;
            return Ok(0);
        }
        if count > RING_WORDS {
            ring.is_broken = true;
            self.files.fault("the words of a ring contradict each other".to_owned());
            return Ok(0);
        }
        let first = ring.at % RING_WORDS;
        let until_end = count.min(RING_WORDS - first);
        let mut bytes = vec![0; count as usize * 4];
        let (one, other) = bytes.split_at_mut(until_end as usize * 4);
        self.memory.read_exact_at(one, offset + RING_DATA + first * 4)?;
        self.memory.read_exact_at(other, offset + RING_DATA)?;
        fence(Ordering::Release);
        self.memory.write_all_at(&[(head >> CHUNK_SHIFT) as u8], offset + arena::RING_FREED)?;
        let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect();
        ring.at = head;
        let mut lost = ended.saturating_sub(ring.ended);
        let taken = ring.split.words(&words, &mut lost, |framed| self.files.write(&framed));
        ring.ended = ended - lost;
        if let Err(fault) = taken {
            ring.is_broken = true;
            self.files.fault(format!("a thread's words are damaged: {fault}"));
        }
        Ok(count)
    }

    fn end(mut self) -> Traced {
        let (mut within, mut unplaced) = ((0, 0), 0);
        for place in 0..self.rings.len() {
            within.1 += self.word(self.rings[place].offset + arena::RING_CALLS).unwrap_or(0);
            let lost = self.word(self.rings[place].offset + arena::RING_LOST).unwrap_or(0);
            let ended = self.word(self.rings[place].offset + arena::RING_ENDED).unwrap_or(0);
            let ring = &mut self.rings[place];
            if ring.at > 0 {
                ring.split.lost_at_end(lost).into_iter().for_each(|framed| self.files.write(&framed));
            }
            ring.split.flush().into_iter().for_each(|framed| self.files.write(&framed));
            self.files.traced.lost += ring.split.lost + ended.saturating_sub(ring.ended);
            self.files.traced.dropped += ring.split.dropped;
            within.0 += ring.split.calls;
            unplaced += ring.split.unplaced;
            // Nobody reads from now on: what still runs must not wait.
            let _ = self.memory.write_all_at(&[0], ring.offset + arena::RING_WAITS);
        }
        self.files.traced.within = self.is_within.then_some(within);
        self.files.traced.unplaced = self.is_ordered.then_some(unplaced);
        let untraced = self.word(self.shared + arena::RING_UNTRACED).unwrap_or(0);
        self.files.traced.untraced = untraced.wrapping_sub(self.untraced);
        self.files.traced.folder = self.files.folder;
        self.files.traced
    }

    fn word(&self, at: u64) -> io::Result<u64> {
        let mut word = [0; 8];
        self.memory.read_exact_at(&mut word, at)?;
        Ok(u64::from_le_bytes(word))
    }
}

impl Ring {
    fn new(offset: u64) -> Self {
        Self { offset, at: 0, ended: 0, split: Split::default(), is_broken: false, next_look: Instant::now() }
    }
}

/// The files of the threads.
struct Files {
    folder: PathBuf,
    open: BTreeMap<u64, File>,
    traced: Traced,
}

impl Files {
    fn write(&mut self, framed: &Framed) {
        if let Some(stream) = &self.traced.stream {
            match stream.frame(framed.thread, &framed.bytes) {
                Ok(()) => self.traced.counts(framed),
                Err(why) => self.fault(why),
            }
            return;
        }
        if let Err(error) = self.add(framed) {
            let folder = self.folder.display();
            // A reader takes a frame that was written in part for damaged.
            self.fault(format!("cannot write to {folder}: {error}; parts of the trace are missing"));
        }
    }

    fn add(&mut self, framed: &Framed) -> io::Result<()> {
        let path = path(&self.folder, framed.thread);
        if !self.open.contains_key(&framed.thread) {
            if self.open.len() >= MOST_OPEN {
                self.open.clear();
            }
            let mut file = File::options().append(true).create(true).open(&path)?;
            let known = self.traced.threads.entry(framed.thread).or_default();
            if known.1 == 0 {
                file.write_all(&file::head(framed.thread))?;
                known.1 = file::HEAD_BYTES as u64;
            }
            self.open.insert(framed.thread, file);
        }
        if let Some(file) = self.open.get_mut(&framed.thread) {
            file.write_all(&framed.bytes)?;
            self.traced.counts(framed);
        }
        Ok(())
    }

    fn fault(&mut self, text: String) {
        if !self.traced.faults.contains(&text) {
            self.traced.faults.push(text);
        }
    }
}

/// Makes the folder for the files of a JVM. A process id may come a second time.
fn make_folder(tracing: &Tracing, pid: u32) -> Result<PathBuf, String> {
    let names = (1_u32..).map(|number| match number {
        1 => format!("{UNFINISHED}{pid}"),
        _ => format!("{UNFINISHED}{pid}-{number}"),
    });
    for folder in names.map(|name| tracing.folder.join(name)) {
        match fs::create_dir(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("cannot write to {}: {error}", folder.display())),
        }
    }
    Err(format!("{} has too many traces", tracing.folder.display()))
}

/// The file of a thread.
fn path(folder: &Path, thread: u64) -> PathBuf {
    folder.join(format!("{thread}.spt"))
}
