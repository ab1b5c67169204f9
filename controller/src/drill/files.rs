//! The files of a drill: tables for people and other programs, the class files that were counted over, and
//! `drill.json`, which says what all of it is.

use super::arcs;
use super::collected::Profile;
use super::doubts::{STOPPED, in_shared, intrinsics};
use super::durations::{self, Measured};
use super::page::{self, Gathered};
use super::paths::{self, PathFigures};
use super::taken::{Figures, Taken};
use super::traced;
use crate::drilled::digest;
use crate::heard::EVENTS;
use crate::sources::Sources;
use serde::Serialize;
use spl_model::{DrillKind, one_line};
use spl_profile::{
    CALLS_HEAD, CountedClass, EDGES_HEAD, METHODS_HEAD, PATHS_HEAD, ProbeCost, blocks_head, profile,
};
use spl_report::drill::DrillFacts;
use spl_session::files::write_whole;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Name and version of the form of `drill.json`.
const SCHEMA: &str = "spl.drill/1";
/// File that marks a folder as a drill's.
const MARK: &str = "drill.json";
/// The class files.
const ARCHIVE: &str = "classes.zip";
/// The tables; the last three only where arcs count.
const TABLES: [&str; 7] =
    ["methods.csv", "blocks.csv", "edges.csv", "calls.csv", "arcs.csv", "receivers.csv", "allocations.csv"];
/// The table of durations, in place of these.
const TIMES: &str = "times.csv";
/// The table of paths, in addition to the first four.
const PATHS: &str = "paths.csv";
/// Metrics of the counts, in three forms; `spl metrics` writes them.
pub const METRICS: [&str; 3] = ["metrics.json", "metrics.csv", "metrics.xml"];
/// Metrics over time, if they are wanted.
pub const SERIES: &str = "series.csv";
/// Name of the folder in that of the results.
const NAME: &str = "drill";

/// Why a class that was loaded before the drill may have a count that is too low.
const CHANGED: &str = "it counts only from the change of its class on";
/// Why a count may be too low.
const SHARED: &str = "a thread without counters of its own called it, where counts may be lost";
const NAMESAKE: &str = "a class of its name, perhaps this one, does not count";
/// Why counts of blocks may be too low where paths were counted.
const UNFINISHED: &str = "exceptions left paths before their end, and blocks of these paths count only where it is certain that they ran";
const INTRINSIC: &str = "the JVM may replace its calls by an intrinsic, which counts nothing";

/// The folder of a drill.
#[derive(Debug)]
pub struct Folder {
    folder: PathBuf,
    is_written: bool,
}

impl Drop for Folder {
    /// A drill without results leaves no folder behind that looks like one with results.
    fn drop(&mut self) {
        let mark = self.folder.join(MARK);
        // Traces without the rest can be read, and their folder is not free.
        let has_no_traces = traced::tidy(&self.folder);
        if !self.is_written && has_no_traces && fs::metadata(&mark).is_ok_and(|mark| mark.len() == 0) {
            // Only an empty folder is removed.
            let _ = fs::remove_file(mark);
            let _ = fs::remove_dir(&self.folder);
        }
    }
}

impl Folder {
    /// The folder `drill` in that of the results; the next free number after an earlier drill there, unless
    /// that may be replaced.
    ///
    /// # Errors
    /// When it cannot be made; one line of text.
    pub fn make(results: &Path, replace: bool) -> Result<Self, String> {
        let numbered = |number: u32| match number {
            1 => results.join(NAME),
            _ => results.join(format!("{NAME}-{number}")),
        };
        for folder in (1..=u32::MAX).map(numbered) {
            let cannot = |error: io::Error| {
                format!("cannot write to {}: {error}; choose another folder with --out", folder.display())
            };
            fs::create_dir_all(&folder).map_err(cannot)?;
            let mark = folder.join(MARK);
            // Two drills that begin at once must not take the same folder.
            match File::options().write(true).create_new(!replace).create(replace).open(&mark) {
                Ok(_) => {
                    let made = Self { folder, is_written: false };
                    if replace {
                        made.forget_others();
                    }
                    return Ok(made);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(error)),
            }
        }
        Err("there are too many drills".to_owned())
    }

    /// The folder in this one for the drill of another JVM of the command, the second or a later one.
    ///
    /// # Errors
    /// When it cannot be made; one line of text.
    pub fn of_jvm(&self, number: usize) -> Result<Self, String> {
        let folder = self.folder.join(jvm(number));
        fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
        Ok(Self { folder, is_written: false })
    }

    /// Removes what an earlier drill, which is replaced, wrote of other JVMs, and the metrics of its counts.
    fn forget_others(&self) {
        traced::forget(&self.folder);
        for file in METRICS.into_iter().chain([SERIES, EVENTS]) {
            // A file that cannot be removed now is replaced, or says of which program it is.
            let _ = fs::remove_file(self.folder.join(file));
        }
        for folder in (2..).map(|number| self.folder.join(jvm(number))).take_while(|folder| folder.exists()) {
            for file in TABLES.iter().chain(&[MARK, TIMES, PATHS, ARCHIVE, EVENTS]) {
                // A file that cannot be removed now is replaced, or stays with its own mark.
                let _ = fs::remove_file(folder.join(file));
            }
            let _ = fs::remove_file(page_of(&folder));
            traced::forget(&folder);
            let _ = fs::remove_dir(folder);
        }
    }

    /// Removes the tables of an earlier drill of another kind, which is replaced.
    fn forget_tables(&self, written: &[&str]) {
        for file in TABLES.iter().chain(&[TIMES, PATHS]).filter(|file| !written.contains(file)) {
            let _ = fs::remove_file(self.folder.join(file));
        }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Writes all files; gives the figures of the methods that were called, those with most bytecodes first. Where flags
    /// tell what was run, of all methods.
    ///
    /// # Errors
    /// When a file cannot be written, or class files and counters do not belong together; one line of text.
    pub fn write(
        &mut self,
        taken: &Taken<'_>,
        sources: &mut Sources,
    ) -> Result<(Vec<Figures>, Vec<PathFigures>), String> {
        let Profile { classes, values, shared, left, .. } = taken.profile;
        let mut figures = Vec::new();
        let (mut methods, mut blocks) = (METHODS_HEAD.to_owned(), blocks_head());
        let (mut edges, mut calls) = (EDGES_HEAD.to_owned(), CALLS_HEAD.to_owned());
        let (mut faults, mut gathered) = (BTreeMap::new(), Gathered::default());
        let (mut paths, mut of_paths) = (PATHS_HEAD.to_owned(), Vec::new());
        let has_paths = matches!(taken.profile.what, DrillKind::Paths { .. });
        for (place, class) in classes.iter().enumerate() {
            let value = |counter: u32| values.get(counter as usize).copied().unwrap_or(0);
            let (in_shared, intrinsics) = (in_shared(class, shared), intrinsics(class));
            let mut counted = Vec::new();
            let done = profile(taken.profile.what, class, value, |one| {
                let method = one.name();
                let doubt = match (one.is_uneven(), one.from_start) {
                    _ if left.contains_key(&class.name) => NAMESAKE,
                    _ if taken.profile.stopped.contains_key(&method) => STOPPED,
                    _ if in_shared.contains(&method) => SHARED,
                    _ if intrinsics.contains(&method) => INTRINSIC,
                    (true, _) => "calls were under way at the beginning or the end",
                    _ if one.paths.as_ref().is_some_and(|paths| !paths.is_exact) => UNFINISHED,
                    (_, false) => CHANGED,
                    (false, true) => "",
                };
                methods.push_str(&one.methods_line(doubt));
                blocks.push_str(&one.blocks_lines());
                edges.push_str(&one.edges_lines());
                calls.push_str(&one.calls_lines());
                paths.push_str(&one.paths_lines());
                of_paths.extend(paths::figures(&one));
                gathered.add(place, &one);
                if one.calls > 0 || one.what == DrillKind::Cover {
                    let (calls, bytecodes, blocks, branches) =
                        (one.calls, one.bytecodes(), one.coverage(), one.branches());
                    figures.push(Figures { method, calls, bytecodes, blocks, branches, doubt });
                }
                counted.push(one);
            });
            let has_graphs = matches!(taken.profile.what, DrillKind::Blocks | DrillKind::Trace { .. });
            if has_graphs || has_paths {
                gathered.add_class(class, counted);
            }
            if let Err(fault) = done {
                faults.insert(class.name.clone(), fault.to_string());
            }
        }
        figures.sort_by(|one, other| {
            other.bytecodes.most.cmp(&one.bytecodes.most).then_with(|| one.method.cmp(&other.method))
        });
        let mut tables = vec![methods, blocks, edges, calls];
        if matches!(taken.profile.what, DrillKind::Calls(_)) {
            tables.extend(arcs::of(taken.profile, |method, calls| gathered.add_calls(method, calls)));
        }
        let mut tables: Vec<(&'static str, String)> = TABLES.into_iter().zip(tables).collect();
        if has_paths {
            paths::sort(&mut of_paths);
            tables.push((PATHS, paths));
        }
        let document = document(taken, &figures, &faults, &tables);
        // The mark comes first, so that a run that is cut short here does not look like a free folder.
        self.put(MARK, &serde_json::to_vec_pretty(&document).unwrap_or_default())?;
        self.is_written = true;
        for (name, table) in &tables {
            self.put(name, table.as_bytes())?;
        }
        self.forget_tables(&tables.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        if taken.profile.traced.is_none() {
            self.archive(taken)?;
        }
        let left = document.named_left();
        self.put_page(&gathered.facts(taken, sources, &figures, document.doubts, left))?;
        Ok((figures, of_paths))
    }

    fn put_page(&self, facts: &DrillFacts) -> Result<(), String> {
        let page = page_of(&self.folder);
        write_whole(&page, spl_report::drill::page(facts).as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", page.display()))
    }

    /// Writes the durations of calls.
    ///
    /// # Errors
    /// When a file cannot be written; one line of text.
    pub fn write_durations(&mut self, taken: &Taken<'_>, all: &[Measured]) -> Result<(), String> {
        let none = BTreeMap::new();
        let tables = [(TIMES, durations::table(all))];
        let mut document = document(taken, &[], &none, &tables);
        document.doubts.extend(durations::doubts(all));
        document.is_exact &= document.doubts.is_empty();
        let ProbeCost { inside_ps, outside_ps } = taken.profile.probe;
        document.probe_ps = Some([inside_ps, outside_ps]);
        self.put(MARK, &serde_json::to_vec_pretty(&document).unwrap_or_default())?;
        self.is_written = true;
        for (name, table) in &tables {
            self.put(name, table.as_bytes())?;
        }
        self.forget_tables(&[TIMES]);
        self.archive(taken)?;
        let left = document.named_left();
        let times = Some(durations::times(all, taken.profile));
        self.put_page(&DrillFacts { times, ..page::base(taken, document.doubts, left) })
    }

    /// Writes what belongs to a trace without counts. `doubts` say why the traces of methods are not all that they ran.
    ///
    /// # Errors
    /// When a file cannot be written; one line of text.
    pub fn write_trace(&mut self, taken: &Taken<'_>, doubts: &[String]) -> Result<(), String> {
        let none = BTreeMap::new();
        let mut document = document(taken, &[], &none, &[]);
        document.doubts.extend_from_slice(doubts);
        document.is_exact &= document.doubts.is_empty();
        self.put(MARK, &serde_json::to_vec_pretty(&document).unwrap_or_default())?;
        self.is_written = true;
        // The archive is there already.
        self.forget_tables(&[]);
        // The page of an earlier drill, which is replaced: a trace has none.
        let _ = fs::remove_file(page_of(&self.folder));
        Ok(())
    }

    /// Writes the class files, unless they are not wanted.
    ///
    /// # Errors
    /// When they cannot be written, or earlier ones not be removed; one line of text.
    pub fn archive(&self, taken: &Taken<'_>) -> Result<(), String> {
        let path = self.folder.join(ARCHIVE);
        if taken.arguments.no_classes {
            // That of an earlier drill, which is replaced.
            return match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    Err(format!("cannot remove {}: {error}", path.display()))
                }
                _ => Ok(()),
            };
        }
        archive(taken.profile, &self.folder, &path)
            .map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// The path of its page, next to it.
    pub fn page(&self) -> PathBuf {
        page_of(&self.folder)
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), String> {
        let path = self.folder.join(name);
        write_whole(&path, bytes).map_err(|error| format!("cannot write {}: {error}", path.display()))
    }
}

/// `drill.json`.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    what: Vec<&'static str>,
    pid: u32,
    methods: &'a [String],
    all: bool,
    not: &'a [String],
    jdk: bool,
    command: String,
    seconds: f64,
    /// Loaded classes that were changed at the beginning, and milliseconds for it.
    changed: u32,
    changed_ms: f64,
    is_exact: bool,
    doubts: Vec<String>,
    #[serde(skip_serializing_if = "is_none")]
    uncounted: u32,
    #[serde(skip_serializing_if = "is_none")]
    object_bytes: u32,
    classes: Vec<Counted<'a>>,
    left: Vec<Left<'a>>,
    /// Digests of the tables, by their names.
    tables: BTreeMap<&'static str, String>,
    /// Words of the traced threads, by their ids.
    #[serde(skip_serializing_if = "Option::is_none")]
    traces: Option<BTreeMap<u64, u64>>,
    /// Where only what runs within calls was traced.
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<Within<'a>>,
    /// Where the events of all threads are in one order: `total`.
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<&'static str>,
    /// Whether the trace has the clock at the beginning and the end of each call.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    timed: bool,
    /// Cost of a probe of durations, in picoseconds a call: within the time that it takes, and outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    probe_ps: Option<[u64; 2]>,
}

/// The calls within which was traced.
#[derive(Serialize)]
struct Within<'a> {
    methods: &'a [String],
    one_in: u32,
    /// Calls that were traced, and all.
    traced: u64,
    calls: u64,
}

/// Whether a number is 0.
fn is_none(number: &u32) -> bool {
    *number == 0
}

impl Document<'_> {
    /// Classes and methods that did not count, with the reasons, each on one line.
    fn named_left(&self) -> Vec<(String, String)> {
        self.left.iter().map(|one| (one_line(&one.name), one_line(&one.why))).collect()
    }
}

/// A class that counted.
#[derive(Serialize)]
struct Counted<'a> {
    name: &'a str,
    sha256: String,
    bytes: usize,
    from_start: bool,
    methods: usize,
}

/// A class or method that did not count.
#[derive(Serialize)]
struct Left<'a> {
    name: String,
    why: std::borrow::Cow<'a, str>,
}

fn document<'a>(
    taken: &'a Taken<'_>,
    figures: &[Figures],
    faults: &'a BTreeMap<String, String>,
    tables: &[(&'static str, String)],
) -> Document<'a> {
    let Taken { arguments, profile, seconds } = taken;
    let mut doubts: BTreeMap<&str, usize> = BTreeMap::new();
    for one in figures.iter().filter(|one| !one.doubt.is_empty()) {
        *doubts.entry(one.doubt).or_default() += 1;
    }
    let of_methods = doubts.iter().map(|(doubt, methods)| {
        format!("{methods} {}: {doubt}", if *methods == 1 { "method" } else { "methods" })
    });
    let namesakes = profile.classes.iter().filter(|class| profile.left.contains_key(&class.name)).count();
    let namesakes = (namesakes > 0).then(|| format!("{namesakes} of the classes: {NAMESAKE}"));
    let doubts: Vec<String> = profile.doubts.iter().cloned().chain(of_methods).chain(namesakes).collect();
    let left = profile.left.iter().map(|(name, why)| Left { name: name.clone(), why: why.into() });
    let broken = faults.iter().map(|(name, why)| Left { name: name.clone(), why: why.into() });
    let refused = profile.classes.iter().flat_map(|class| {
        class.methods.iter().filter_map(|method| {
            let why = method.counters.as_ref().err()?.to_string();
            Some(Left {
                name: format!("{}.{}{}", class.name, method.name, method.descriptor),
                why: why.into(),
            })
        })
    });
    let counted = |class: &'_ CountedClass| -> (String, usize) {
        (digest(&class.bytes), class.methods.iter().filter(|one| one.counters.is_ok()).count())
    };
    let has_blocks =
        matches!(profile.what, DrillKind::Paths { blocks: true } | DrillKind::Trace { blocks: true });
    Document {
        schema: SCHEMA,
        // The kind that the tables are of comes first.
        what: has_blocks.then(|| DrillKind::Blocks.name()).into_iter().chain([profile.what.name()]).collect(),
        pid: profile.pid,
        methods: &arguments.methods,
        all: arguments.all,
        not: &arguments.not,
        jdk: arguments.jdk,
        command: one_line(&profile.command),
        seconds: *seconds,
        changed: profile.changed.0,
        changed_ms: profile.changed.1 as f64 / 1e6,
        is_exact: doubts.is_empty() && faults.is_empty(),
        doubts,
        uncounted: profile.uncounted,
        object_bytes: profile.sizes.object,
        classes: profile
            .classes
            .iter()
            .map(|class| {
                let (sha256, methods) = counted(class);
                Counted {
                    name: &class.name,
                    sha256,
                    bytes: class.bytes.len(),
                    from_start: class.from_start,
                    methods,
                }
            })
            .collect(),
        left: left.chain(broken).chain(refused).collect(),
        tables: tables.iter().map(|(name, table)| (*name, digest(table.as_bytes()))).collect(),
        within: within(taken),
        order: profile.traced.as_ref().and_then(|traced| traced.unplaced).map(|_| "total"),
        timed: arguments.timed && profile.traced.is_some(),
        traces: profile.traced.as_ref().map(|traced| traced.words()),
        probe_ps: None,
    }
}

/// The calls within which was traced, if it was not everything.
fn within<'a>(taken: &'a Taken<'_>) -> Option<Within<'a>> {
    let Taken { arguments, profile, .. } = taken;
    let (traced, calls) = profile.traced.as_ref()?.within?;
    Some(Within { methods: &arguments.within, one_in: arguments.one_in.unwrap_or(1), traced, calls })
}

/// Writes the class files, each under its digest, for the user alone.
fn archive(profile: &Profile, folder: &Path, path: &Path) -> io::Result<()> {
    let mut zip = ZipWriter::new(tempfile::NamedTempFile::new_in(folder)?);
    let mut known = BTreeSet::new();
    for class in &profile.classes {
        let name = digest(&class.bytes);
        if known.insert(name.clone()) {
            let options = SimpleFileOptions::default().last_modified_time(zip::DateTime::default());
            zip.start_file(format!("{name}.class"), options).map_err(io::Error::other)?;
            zip.write_all(&class.bytes)?;
        }
    }
    zip.finish().map_err(io::Error::other)?.persist(path).map(drop).map_err(|error| error.error)
}

/// The page of a drill, next to its folder.
fn page_of(folder: &Path) -> PathBuf {
    let mut name = folder.file_name().unwrap_or_default().to_owned();
    name.push(".html");
    folder.with_file_name(name)
}

/// The name of the folder of a JVM.
fn jvm(number: usize) -> String {
    format!("jvm-{number}")
}
