//! The files of a trace, and the methods that their words name.

use crate::drilled::{digest, drill_folder};
use spl_classfile::class::ClassFile;
use spl_classfile::mutf8;
use spl_graph::Graph;
use spl_model::one_line;
use spl_trace::file::{Part, Reader};
use spl_trace::{Methods, Replay, Visit};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Most bytes of the table of methods.
const MOST_TABLE: u64 = 1 << 30;
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
    /// Activations that ended without a word.
    pub unseen: u64,
    /// Parts that could not be read; one line each.
    pub faults: Vec<String>,
}

impl Replayed {
    /// Whether nothing is known to be missing.
    pub fn is_whole(&self) -> bool {
        self.lost == 0 && self.unseen == 0 && self.faults.is_empty()
    }
}

/// Passes visits on and counts what is missing.
struct Watched<'v, V> {
    visit: &'v mut V,
    lost: u64,
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
        self.lost = self.lost.saturating_add(lost.unwrap_or(1));
        self.visit.gap(lost);
    }
}

impl Source {
    /// Opens the trace of a drill, or of one of its threads.
    ///
    /// # Errors
    /// When there is none, or its classes cannot be read; one line of text.
    pub fn open(given: &Path, thread: Option<u64>) -> Result<Self, String> {
        let folder = drill_folder(given)?;
        let traces = folder.join(crate::drill::traced::FOLDER);
        let listed = fs::read_dir(&traces).map_err(|error| {
            if error.kind() == ErrorKind::NotFound {
                return format!("{} has no trace; take one with `spl drill --what trace`", folder.display());
            }
            format!("cannot read {}: {error}", traces.display())
        })?;
        let number = |path: &PathBuf| path.file_stem()?.to_str()?.parse::<u64>().ok();
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
        Ok(Self { folder, methods, files: files.into_iter().map(|(_, path)| path).collect() })
    }

    /// The names of the methods, by their places.
    pub fn names(&self) -> Vec<String> {
        self.methods.all().iter().map(|method| one_line(&method.name)).collect()
    }

    /// Replays all threads, one after the other. `begin` is called with the id of each.
    ///
    /// # Errors
    /// When a file is not a trace, or has another version; one line of text.
    pub fn replay<V: Visit>(
        &mut self,
        visit: &mut V,
        mut begin: impl FnMut(&mut V, u64),
    ) -> Result<Replayed, String> {
        let mut replayed = Replayed::default();
        for path in self.files.clone() {
            let cannot = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", path.display());
            let file = File::open(&path).map_err(|error| cannot(&error))?;
            replayed.bytes += file.metadata().map_or(0, |file| file.len());
            let mut reader =
                Reader::new(BufReader::with_capacity(1 << 16, file)).map_err(|why| cannot(&why))?;
            begin(visit, reader.thread);
            let mut replay = Replay::default();
            let mut watched = Watched { visit: &mut *visit, lost: 0 };
            let mut is_new = false;
            loop {
                match reader.part().map_err(|error| cannot(&error))? {
                    None => break,
                    Some(Part::Words { depth, words, .. }) => {
                        if std::mem::take(&mut is_new) {
                            replay.resume(depth, &mut watched);
                        }
                        replayed.words += words.len() as u64;
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
            replayed.lost = replayed.lost.saturating_add(watched.lost);
            replayed.unseen += replay.unseen;
            replayed.threads += 1;
        }
        Ok(replayed)
    }
}

/// The methods of a drill: the table names them, and the archive has their classes.
fn methods(folder: &Path, table: &Path) -> Result<Methods, String> {
    let cannot = |why: &dyn std::fmt::Display| format!("cannot read {}: {why}", table.display());
    let mut text = String::new();
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
