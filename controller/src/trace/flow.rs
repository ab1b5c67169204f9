//! A trace that comes as a stream, replayed as it comes: nothing of it is kept.

use super::named::{Named, classes_of, first_of};
use super::replayed::{Recorded, Replayed, Watched};
use super::unpack::Folder;
use crate::drill::arriving::METHODS_HEAD;
use crate::drilled::digest;
use crate::numbers::counted;
use crate::said::say;
use flate2::bufread::MultiGzDecoder;
use spl_model::one_line;
use spl_trace::file::NoTrace;
use spl_trace::stream::{Item, Reader, Record, words};
use spl_trace::words::{Event, event};
use spl_trace::{Merge, Methods, Replay, Visit};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

/// First bytes of what gzip has packed.
const PACKED: [u8; 2] = [0x1f, 0x8b];
/// Most bytes of frames that wait for the methods of their words.
const MOST_HELD: usize = 64 << 20;
/// Most activations of all threads that are told apart at once.
const MOST_DEEP: usize = 1 << 22;
/// Most bytes of class files whose methods have not come: a class and its methods come one after the other.
const MOST_CLASSES: usize = 512 << 20;

/// Whether a trace at this place is a stream: of a folder it is not.
pub fn is_one(given: &Path) -> bool {
    is_input(given) || std::fs::metadata(given).is_ok_and(|found| !found.is_dir())
}

fn is_input(given: &Path) -> bool {
    given.as_os_str() == "-"
}

/// A stream that is read.
pub struct Flow {
    /// Its name in messages.
    name: String,
    reader: Reader<Box<dyn Read>>,
    is_over: bool,
}

/// Opens the stream at a place, or of standard input.
///
/// # Errors
/// When it cannot be read or is something else; one line of text.
pub fn open(given: &Path) -> Result<Flow, String> {
    let name = if is_input(given) { "standard input".to_owned() } else { given.display().to_string() };
    let cannot = |why: &dyn std::fmt::Display| format!("cannot read {name}: {why}");
    let source: Box<dyn Read> = match is_input(given) {
        true => Box::new(io::stdin()),
        false => Box::new(File::open(given).map_err(|error| cannot(&error))?),
    };
    let mut source = BufReader::with_capacity(1 << 16, source);
    // A pipe may give one byte at first; then gzip's beginning is looked for in it.
    let begin = source.fill_buf().map_err(|error| cannot(&error))?;
    let is_packed = !begin.is_empty() && PACKED.starts_with(&begin[..begin.len().min(2)]);
    let source: Box<dyn Read> = match is_packed {
        true => Box::new(MultiGzDecoder::new(source)),
        false => Box::new(source),
    };
    let reader = Reader::new(source).map_err(|why| match why {
        NoTrace::Other => cannot(&"it is not a stream of `spl drill --what trace --stream`"),
        why @ (NoTrace::Version(_) | NoTrace::Io(_)) => cannot(&why),
    })?;
    Ok(Flow { name, reader, is_over: false })
}

/// The visitors of threads.
pub trait Visits {
    /// That of a thread.
    type Of: Visit;
    /// The visitor of a thread that goes on.
    fn of(&mut self, thread: u64) -> &mut Self::Of;
}

/// A visitor for each thread.
pub struct Apart<V, F> {
    make: F,
    all: BTreeMap<u64, V>,
}

impl<V: Visit + Merge, F: Fn() -> V> Apart<V, F> {
    /// Visitors that this makes.
    pub fn new(make: F) -> Self {
        Self { make, all: BTreeMap::new() }
    }

    /// The answer about all threads.
    pub fn merged(self) -> V {
        let mut all = (self.make)();
        self.all.into_values().for_each(|one| all.merge(one));
        all
    }
}

impl<V: Visit, F: Fn() -> V> Visits for Apart<V, F> {
    type Of = V;

    fn of(&mut self, thread: u64) -> &mut V {
        self.all.entry(thread).or_insert_with(&self.make)
    }
}

/// A thread so far.
#[derive(Default)]
struct Thread {
    replay: Replay,
    words: u64,
    is_known: bool,
    /// Frames whose words name methods that have not come.
    held: VecDeque<Vec<u8>>,
    /// The first of these methods.
    lacks: Option<u32>,
}

/// A stream that has been replayed.
pub struct Flown {
    /// The methods.
    pub methods: Methods,
    /// Figures.
    pub replayed: Replayed,
    /// Why it is not all that ran, as the drill says.
    pub doubts: Vec<String>,
}

/// A stream while it is replayed.
struct Replaying<'v, S> {
    visits: &'v mut S,
    only: Option<u64>,
    named: Named,
    classes: HashMap<String, Vec<u8>>,
    /// Numbers of methods that have come.
    numbers: HashSet<u32>,
    threads: BTreeMap<u64, Thread>,
    held: usize,
    /// Activations that are told apart, of all threads.
    deep: usize,
    replayed: Replayed,
    /// The document of the drill, from the end of the stream.
    document: Option<String>,
}

impl Flow {
    /// The next part, with words for what is wrong.
    ///
    /// # Errors
    /// When it cannot be read; one line of text.
    pub fn item(&mut self) -> Result<Option<Result<Record, String>>, String> {
        if self.is_over {
            return Ok(None);
        }
        let name = &self.name;
        Ok(match self.reader.item() {
            Ok(Some(Item::Record(record))) => Some(Ok(record)),
            Ok(Some(Item::Damaged(bytes))) => {
                let bytes = counted(bytes, "byte is", "bytes are");
                Some(Err(format!("{bytes} damaged or cut off in {name} and left out")))
            }
            Ok(None) => None,
            // gzip's end is missing.
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                self.is_over = true;
                Some(Err(format!("{name} is cut off")))
            }
            Err(error) => return Err(format!("cannot read {name}: {error}")),
        })
    }

    /// Replays it, or one thread of it.
    ///
    /// # Errors
    /// When it cannot be read, or nothing can be said of it; one line of text.
    pub fn replay(mut self, visits: &mut impl Visits, only: Option<u64>) -> Result<Flown, String> {
        let mut replaying = Replaying {
            visits,
            only,
            named: Named::default(),
            classes: HashMap::new(),
            numbers: HashSet::new(),
            threads: BTreeMap::new(),
            held: 0,
            deep: 0,
            replayed: Replayed::default(),
            document: None,
        };
        while let Some(item) = self.item()? {
            match item {
                Ok(record) => replaying.record(record),
                Err(fault) => replaying.replayed.fault(fault),
            }
        }
        replaying.end(&self.name)
    }
}

impl<S: Visits> Replaying<'_, S> {
    fn record(&mut self, record: Record) {
        match record {
            Record::Class(bytes) => {
                if self.classes.values().map(Vec::len).sum::<usize>() + bytes.len() > MOST_CLASSES {
                    self.classes.clear();
                }
                self.classes.insert(digest(&bytes), bytes);
            }
            Record::Methods(lines) => self.methods(&lines),
            Record::Frame { thread, .. } if self.only.is_some_and(|only| only != thread) => {}
            Record::Frame { thread, bytes } => self.frame(thread, bytes),
            Record::End(document) => self.document = Some(document),
            // No question that is answered here asks for it.
            Record::Receivers(_) => {}
        }
    }

    fn methods(&mut self, lines: &str) {
        let table = format!("{METHODS_HEAD}{lines}");
        let of_class = match classes_of(&table, true) {
            Ok(of_class) => of_class,
            Err(why) => return self.replayed.fault(one_line(&why)),
        };
        for (digest, names) in of_class {
            self.numbers.extend(names.values());
            let added = match self.classes.remove(digest) {
                Some(bytes) => self.named.add(&bytes, &names),
                None => Err("it is not in the stream".to_owned()),
            };
            if let Err(why) = added {
                let method = names.keys().min().map_or("", String::as_str);
                let text = format!("the class of {method} cannot be read: {why}");
                self.named.missing.push(one_line(&text));
            }
        }
        if self.held > 0 {
            let has_come = |one: &Thread| one.lacks.is_some_and(|method| self.numbers.contains(&method));
            let waiting = self.threads.iter().filter(|(_, one)| has_come(one)).map(|(id, _)| *id);
            let waiting: Vec<u64> = waiting.collect();
            waiting.into_iter().for_each(|thread| self.go_on(thread, false));
        }
    }

    fn frame(&mut self, thread: u64, bytes: Vec<u8>) {
        self.held += bytes.len();
        self.replayed.bytes += bytes.len() as u64;
        let held = &mut self.threads.entry(thread).or_default().held;
        held.push_back(bytes);
        let is_full = self.held > MOST_HELD;
        // Behind another one that waits, a frame waits for the same method.
        if held.len() == 1 || is_full {
            self.go_on(thread, is_full);
        }
    }

    /// Replays frames of a thread, up to one that names a method that has not come, or all.
    fn go_on(&mut self, id: u64, all: bool) {
        let Some(thread) = self.threads.get_mut(&id) else { return };
        while let Some(bytes) = thread.held.front() {
            let (frame, length) = (words(bytes), bytes.len());
            let lacks = frame.as_ref().and_then(|(_, _, words)| first_unknown(words, &self.numbers));
            thread.lacks = lacks.filter(|_| !all);
            if thread.lacks.is_some() {
                return;
            }
            self.held -= length;
            thread.held.pop_front();
            let mut watched = Watched::new(self.visits.of(id));
            match frame {
                Some((depth, time, words)) => {
                    if !std::mem::replace(&mut thread.is_known, true) {
                        thread.replay.resume(depth, &mut watched);
                        thread.replay.set_time(time);
                    }
                    thread.words += words.len() as u64;
                    let before = thread.replay.stack().slots().len();
                    if let Err(fault) = thread.replay.words(&words, &mut self.named.methods, &mut watched) {
                        thread.is_known = false;
                        self.replayed.fault(one_line(&format!("thread {id}: {fault}")));
                    }
                    self.deep = self.deep.saturating_sub(before) + thread.replay.stack().slots().len();
                    if self.deep > MOST_DEEP {
                        let fault = format!(
                            "thread {id}: more than {MOST_DEEP} calls of all threads are under way at once"
                        );
                        self.replayed.fault(fault);
                        self.deep -= thread.replay.stack().slots().len();
                        thread.replay.end(&mut watched);
                        thread.is_known = false;
                    }
                }
                None => {
                    watched.gap(None);
                    thread.is_known = false;
                    self.replayed.fault(format!("thread {id}: a part is damaged and left out"));
                }
            }
            watched.counts(&mut self.replayed);
        }
    }

    fn end(mut self, name: &str) -> Result<Flown, String> {
        let ids: Vec<u64> = self.threads.keys().copied().collect();
        ids.into_iter().for_each(|id| self.go_on(id, true));
        let document = self.document.as_deref().and_then(|text| serde_json::from_str::<Recorded>(text).ok());
        let recorded = document.unwrap_or_else(|| Recorded::cut(name));
        if self.only.is_none() {
            let missing = recorded.threads().filter(|id| !self.threads.contains_key(id));
            missing.for_each(|id| {
                self.replayed.fault(format!("{name} has no frames of the traced thread {id}"))
            });
        }
        for (id, mut thread) in self.threads {
            thread.replay.end(&mut Watched::new(self.visits.of(id)));
            if let Some(written) = recorded.lacks(id, thread.words) {
                self.replayed.fault(format!("thread {id}: {written}"));
            }
            self.replayed.add_thread(&thread.replay, thread.words);
        }
        if self.replayed.threads == 0 {
            let fault = self.replayed.faults.first().map_or("nothing was traced", String::as_str);
            return Err(match self.only {
                Some(thread) => format!("{name} has no thread {thread}"),
                None => format!("{name} has no words of threads: {fault}"),
            });
        }
        let doubts = recorded.doubts().chain(first_of(self.named.missing)).collect();
        Ok(Flown { methods: self.named.methods, replayed: self.replayed, doubts })
    }
}

/// The first method that words name and that has no number here.
fn first_unknown(mut words: &[u32], known: &HashSet<u32>) -> Option<u32> {
    while let Ok((one, length)) = event(words) {
        if let Event::Enter { method, .. } = one
            && !known.contains(&method)
        {
            return Some(method);
        }
        words = &words[length..];
    }
    None
}

/// Writes a stream as the folder of a drill, for questions that need all of it at once; its path in a folder that is removed with the first
/// value.
///
/// # Errors
/// When it cannot be read or written; one line of text.
pub fn kept(mut flow: Flow) -> Result<(tempfile::TempDir, std::path::PathBuf), String> {
    let write = |error: io::Error| format!("cannot keep the stream in a temporary folder: {error}");
    let holder = tempfile::Builder::new().prefix("spl-trace").tempdir().map_err(write)?;
    let mut folder = Folder::make(holder.path()).map_err(write)?;
    while let Some(item) = flow.item()? {
        match item {
            Ok(record) => folder.add(record).map_err(write)?,
            Err(fault) => say(&fault),
        }
    }
    if folder.is_empty() {
        return Err(format!("{} has no words of threads", flow.name));
    }
    let path = folder.finish(&Recorded::cut(&flow.name)).map_err(write)?;
    Ok((holder, path))
}
