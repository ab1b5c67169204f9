//! The files of a trace, and the methods that their words name.

use crate::drilled::{digest, drill_folder, in_folder, regular, table};
use serde::Deserialize;
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_export::{BLOCKS, BlockCounts, DOCUMENT, block_counts};
use spl_graph::Graph;
use spl_model::one_line;
use spl_trace::file::{Part, Reader};
use spl_trace::{Methods, Replay, Visit};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Most bytes of the table of methods.
const MOST_TABLE: u64 = 1 << 30;
/// Missing threads that are named.
const MOST_MISSING: usize = 20;
/// Most bytes of a class file.
const MOST_CLASS: u64 = 256 << 20;

/// A recorded trace.
pub struct Source {
    /// The folder of the drill.
    pub folder: PathBuf,
    /// The methods.
    pub methods: Methods,
    /// The files of the threads.
    files: Vec<PathBuf>,
    recorded: Recorded,
    /// Whether they are to be those of all threads.
    is_of_all: bool,
}

/// Facts about the traces in drill.json; none of them, if the drill was cut short.
#[derive(Debug, Default, Deserialize)]
struct Recorded {
    #[serde(default)]
    doubts: Vec<String>,
    /// Words of each thread.
    traces: Option<BTreeMap<u64, u64>>,
    #[serde(default)]
    tables: BTreeMap<String, String>,
}

/// Figures of a replay.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Threads.
    pub threads: usize,
    /// Words.
    pub words: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Events that are missing.
    pub lost: u64,
    /// Gaps with an unknown number of events.
    pub holes: u64,
    /// Activations that ended without a word.
    pub unseen: u64,
    /// Parts that could not be read; one line each.
    pub faults: Vec<String>,
}

impl Replayed {
    /// Whether nothing is known to be missing.
    pub fn is_whole(&self) -> bool {
        self.lost == 0 && self.holes == 0 && self.faults.is_empty()
    }
}

/// Passes visits on and counts what is missing.
struct Watched<'v, V> {
    visit: &'v mut V,
    lost: u64,
    holes: u64,
}

impl<V: Visit> Visit for Watched<'_, V> {
    fn enter(
        &mut self,
        stack: &spl_trace::Stack,
        caller: Option<spl_trace::Tag>,
        method: u32,
    ) -> spl_trace::Tag {
        self.visit.enter(stack, caller, method)
    }

    fn segment(&mut self, stack: &spl_trace::Stack, tag: spl_trace::Tag, method: u32, ran: &spl_trace::Ran) {
        self.visit.segment(stack, tag, method, ran);
    }

    fn leave(&mut self, stack: &spl_trace::Stack, frame: &spl_trace::Frame, left: spl_trace::Left) {
        self.visit.leave(stack, frame, left);
    }

    fn gap(&mut self, lost: Option<u64>) {
        match lost {
            Some(lost) => self.lost = self.lost.saturating_add(lost),
            None => self.holes += 1,
        }
        self.visit.gap(lost);
    }
}

impl Source {
    /// Opens the trace of a drill, or of one of its threads.
    ///
    /// # Errors
    /// When there is none, or its classes cannot be read; one line of text.
    pub fn open(given: &Path, thread: Option<u64>) -> Result<Self, String> {
        // A drill that was cut short may have left no more than the trace.
        let has_trace = given.join(crate::drill::traced::FOLDER).join(crate::drill::traced::METHODS).exists();
        let folder = if has_trace { given.to_owned() } else { drill_folder(given)? };
        let recorded = recorded(&folder)?;
        let traces = folder.join(crate::drill::traced::FOLDER);
        let listed = fs::read_dir(&traces).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                return format!("{} has no trace; take one with `spl drill --what trace`", folder.display());
            }
            format!("cannot read {}: {error}", traces.display())
        })?;
        let mut files: Vec<(u64, PathBuf)> = listed
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| path.extension().is_some_and(|extension| extension == "spt"))
            .filter_map(|path| Some((number(&path)?, path)))
            .collect();
        files.sort();
        files.retain(|(number, _)| thread.is_none_or(|thread| thread == *number));
        if files.is_empty() {
            return Err(match thread {
                Some(thread) => format!("{} has no thread {thread}", traces.display()),
                None => format!("{} has no files of threads: nothing was traced", traces.display()),
            });
        }
        let methods = methods(&folder, &traces.join(crate::drill::traced::METHODS))?;
        Ok(Self {
            folder,
            methods,
            files: files.into_iter().map(|(_, path)| path).collect(),
            recorded,
            is_of_all: thread.is_none(),
        })
    }

    /// Why the trace is not all that ran, as the drill says.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        self.recorded.doubts.iter().map(|doubt| one_line(doubt))
    }

    /// The counts of blocks by the drill's counters.
    ///
    /// # Errors
    /// When there are none, or another program has changed them; one line of text.
    pub fn counted(&self) -> Result<BlockCounts, String> {
        if !self.folder.join(BLOCKS).exists() {
            return Err(
                "this drill has no counts to compare the trace with: take one with --what trace,blocks"
                    .to_owned(),
            );
        }
        let bytes = table(&self.folder, &self.recorded.tables, BLOCKS)?;
        block_counts(&bytes).map_err(|fault| in_folder(&self.folder, &fault))
    }

    /// The names of the methods, by their places.
    pub fn names(&self) -> Vec<String> {
        self.methods.all().iter().map(|method| one_line(&method.name)).collect()
    }

    /// Replays all threads, one after the other. `begin` is called with the id of each.
    ///
    /// # Errors
    /// When no file can be read, or one of them no more in its midst; one line of text.
    pub fn replay<V: Visit>(
        &mut self,
        visit: &mut V,
        mut begin: impl FnMut(&mut V, u64),
    ) -> Result<Replayed, String> {
        let mut replayed = Replayed::default();
        for path in self.files.clone() {
            let cannot = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", path.display());
            if let Err(why) = regular(&path) {
                replayed.faults.push(why);
                continue;
            }
            let file = File::open(&path).map_err(|error| cannot(&error))?;
            replayed.bytes += file.metadata().map_or(0, |file| file.len());
            match Reader::new(BufReader::with_capacity(1 << 16, file)) {
                Ok(reader) => {
                    begin(visit, reader.thread);
                    self.thread(reader, visit, &cannot, &mut replayed)?;
                }
                // The other threads can be read.
                Err(why) => replayed.faults.push(cannot(&why)),
            }
        }
        if replayed.threads == 0
            && let Some(fault) = replayed.faults.first()
        {
            return Err(fault.clone());
        }
        if self.is_of_all {
            let known = self.files.iter().filter_map(|path| number(path)).collect::<BTreeSet<u64>>();
            let missing =
                self.recorded.traces.iter().flat_map(BTreeMap::keys).filter(|id| !known.contains(id));
            let missing: Vec<_> = missing.collect();
            let folder = self.folder.join(crate::drill::traced::FOLDER);
            for thread in missing.iter().take(MOST_MISSING) {
                replayed
                    .faults
                    .push(format!("{} has no file of the traced thread {thread}", folder.display()));
            }
            if missing.len() > MOST_MISSING {
                let more = missing.len() - MOST_MISSING;
                replayed.faults.push(format!("{} lacks files of {more} more threads", folder.display()));
            }
        }
        Ok(replayed)
    }

    /// Replays a thread.
    fn thread<V: Visit>(
        &mut self,
        mut reader: Reader<BufReader<File>>,
        visit: &mut V,
        cannot: &dyn Fn(&dyn std::fmt::Display) -> String,
        replayed: &mut Replayed,
    ) -> Result<(), String> {
        let mut replay = Replay::default();
        let mut watched = Watched { visit, lost: 0, holes: 0 };
        // Also at the beginning: a ring that was used before is deeper than the outermost call.
        let (mut all, mut is_new) = (0, true);
        loop {
            match reader.part().map_err(|error| cannot(&error))? {
                None => break,
                Some(Part::Words { depth, words, .. }) => {
                    if std::mem::take(&mut is_new) {
                        replay.resume(depth, &mut watched);
                    }
                    all += words.len() as u64;
                    if let Err(fault) = replay.words(words, &mut self.methods, &mut watched) {
                        replayed.faults.push(one_line(&cannot(&fault)));
                        is_new = true;
                    }
                }
                Some(Part::Damaged { from, to }) => {
                    watched.gap(None);
                    is_new = true;
                    let text = format!("bytes {from} to {to} are damaged or cut off and left out");
                    replayed.faults.push(cannot(&text));
                }
            }
        }
        replay.end(&mut watched);
        let written =
            self.recorded.traces.as_ref().map_or(all, |of| of.get(&reader.thread).map_or(0, |&all| all));
        if written != all {
            let text = format!("it has {all} words, and the drill wrote {written}");
            replayed.faults.push(cannot(&text));
        }
        replayed.lost = replayed.lost.saturating_add(watched.lost);
        replayed.holes += watched.holes;
        replayed.words += all;
        replayed.unseen += replay.unseen;
        replayed.threads += 1;
        Ok(())
    }
}

/// The thread of a file.
fn number(path: &Path) -> Option<u64> {
    let name = path.file_stem()?.to_str()?;
    // Not by another way to write the number.
    name.parse::<u64>().ok().filter(|number| number.to_string() == name)
}

/// Reads what a drill says of its traces.
fn recorded(folder: &Path) -> Result<Recorded, String> {
    let path = folder.join(DOCUMENT);
    regular(&path)?;
    match fs::read(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(format!("cannot read {}: {error}", path.display()))
        }
        Ok(bytes) if !bytes.is_empty() => serde_json::from_slice(&bytes)
            .map_err(|error| format!("cannot read {}: {error}; take the trace again", path.display())),
        _ => {
            let doubts = vec![format!("{} is empty: the drill was cut short", path.display())];
            Ok(Recorded { doubts, ..Recorded::default() })
        }
    }
}

/// The methods of a drill: the table names them, and the archive has their classes.
fn methods(folder: &Path, table: &Path) -> Result<Methods, String> {
    let cannot = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", table.display());
    let mut text = String::new();
    regular(table)?;
    let file = File::open(table).map_err(|error| cannot(&error))?;
    file.take(MOST_TABLE).read_to_string(&mut text).map_err(|error| cannot(&error))?;
    let mut of_class: BTreeMap<&str, HashMap<String, u32>> = BTreeMap::new();
    for (line, place) in text.lines().zip(1..).skip(1) {
        let mut fields = line.splitn(3, ',');
        let (Some(number), Some(digest), Some(name)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(cannot(&format!("line {place} has no three fields; take the trace again")));
        };
        let number = number
            .parse()
            .map_err(|_| cannot(&format!("line {place} has no number; take the trace again")))?;
        let name = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(name);
        of_class.entry(digest).or_default().insert(name.replace("\"\"", "\""), number);
    }
    let path = folder.join(spl_export::CLASSES);
    let cannot = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", path.display());
    regular(&path)?;
    let archive = File::open(&path).map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            let why = "A trace cannot be replayed without the class files: drill without --no-classes";
            return cannot(&format!("it is not there. {why}"));
        }
        cannot(&error)
    })?;
    let mut archive = ZipArchive::new(archive).map_err(|error| cannot(&error))?;
    let mut methods = Methods::default();
    for (named, names) in of_class {
        let entry = archive
            .by_name(&format!("{named}.class"))
            .map_err(|error| cannot(&format!("{named}.class: {error}")))?;
        let mut bytes = Vec::new();
        entry.take(MOST_CLASS).read_to_end(&mut bytes).map_err(|error| cannot(&error))?;
        if digest(&bytes) != named {
            return Err(cannot(&format!("{named}.class has other bytes than its name says")));
        }
        let class = ClassFile::read(&bytes).map_err(|why| cannot(&why))?;
        let of = mutf8::decode(class.name().map_err(|why| cannot(&why))?);
        for method in class.methods.iter().filter(|method| method.code.is_some()) {
            let name = format!("{of}.{}{}", mutf8::decode(method.name), mutf8::decode(method.descriptor));
            let Some(&number) = names.get(&name) else { continue };
            if let Ok(graph) = Graph::of(&class, method) {
                methods.add(number, &graph);
            }
        }
    }
    Ok(methods)
}
