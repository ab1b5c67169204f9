//! `spl export`: gives the files of a finished drill to other tools.

use crate::cli::{Export, ExportForm};
use crate::said::say;
use crate::stdout;
use spl_export::{
    ARCS, BLOCKS, CLASSES, CallGraph, Calls, CountedClass, DOCUMENT, Document, EDGES, Fault, Files, Jacoco,
    Jbinstrace, METHODS, Speedscope, archive_fault, callgrind, calls_dot, calls_text, csv, each_class,
    graphml, no_classes, speedscope,
};
use spl_model::one_line;
use spl_session::files::write_whole;
use spl_verdict::ExitStatus;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// Most bytes of a file of a drill, which is kept in memory.
const MOST_BYTES: u64 = 1 << 30;
/// Most bytes of a class file; the drill takes no larger ones.
const MOST_CLASS_BYTES: u64 = 256 << 20;

/// Writes the counts of a drill in another form.
///
/// # Errors
/// When the drill cannot be read, or the form not be written; one line of text.
pub fn export(arguments: &Export) -> Result<ExitStatus, String> {
    let folder = drill_folder(&arguments.folder)?;
    let read = |name: &str| bytes(&folder.join(name));
    let in_folder =
        |fault: Fault| one_line(&format!("{}", folder.join(&fault.place).display())) + &rest(&fault);
    // First: it says which tables there are.
    let text = read(DOCUMENT)?;
    let document = Document::read(&text).map_err(in_folder)?;
    let [methods, blocks, edges] = [read(METHODS)?, read(BLOCKS)?, read(EDGES)?];
    let files = Files { document: &text, methods: &methods, blocks: &blocks, edges: &edges };
    let graph = || {
        let arcs = if document.has_arcs { Some(read(ARCS)?) } else { None };
        call_graph(&document, &files, arcs.as_deref(), &folder).map_err(in_folder)
    };
    let text = match arguments.form {
        ExportForm::Csv => csv(&document, &files).map_err(in_folder)?,
        ExportForm::Jbinstrace => jbinstrace(&document, &files, &folder).map_err(in_folder)?,
        ExportForm::Jacoco => jacoco(&document, &files, &folder).map_err(in_folder)?,
        ExportForm::Callgrind => callgrind(&graph()?, &document.command),
        ExportForm::Speedscope => shown(speedscope(&graph()?, &document.command)),
        ExportForm::Graphml => graphml(&graph()?),
        ExportForm::Dot => calls_dot(&graph()?),
        ExportForm::Calls => calls_text(&graph()?),
    };
    for doubt in &document.doubts {
        say(&format!(
            "counts may not be exact, and what seems not to have run may have: {}",
            one_line(doubt)
        ));
    }
    let second = folder.join("jvm-2");
    if second.join(DOCUMENT).exists() {
        say(&format!(
            "this is the first JVM of the command; name {} for the second, and so on",
            second.display()
        ));
    }
    match &arguments.output {
        None => stdout::print_as_it_is(&text)?,
        Some(path) => write_whole(path, text.as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
    }
    Ok(ExitStatus::AllHold)
}

/// Reason and remedy of a fault, behind its place.
fn rest(fault: &Fault) -> String {
    format!(": {}; {}", fault.reason, fault.remedy)
}

/// The folder of a drill, given itself or the folder that it is in.
pub(crate) fn drill_folder(given: &Path) -> Result<PathBuf, String> {
    if given.join(DOCUMENT).exists() {
        return Ok(given.to_owned());
    }
    let cannot = |error| format!("cannot read {}: {error}", given.display());
    let mut found = Vec::new();
    for entry in fs::read_dir(given).map_err(cannot)? {
        let path = entry.map_err(cannot)?.path();
        let is_drill = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"drill"));
        if is_drill && path.join(DOCUMENT).exists() {
            found.push(path);
        }
    }
    found.sort();
    match &found[..] {
        [] => Err(format!("{} has no drill: name the folder that `spl drill` has written", given.display())),
        [one] => Ok(one.clone()),
        [first, .., last] => {
            let (first, last) = (first.display(), last.display());
            Err(format!("{} has {} drills: name one of {first} to {last}", given.display(), found.len()))
        }
    }
}

/// The bytes of a file that is not too large.
fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let cannot = |error: std::io::Error| {
        let missing =
            if error.kind() == ErrorKind::NotFound { "; the drill was cut short: run it again" } else { "" };
        format!("cannot read {}: {error}{missing}", path.display())
    };
    let file = File::open(path).map_err(cannot)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(cannot)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(format!(
            "{} has more than {MOST_BYTES} bytes, which is too much here: drill fewer methods",
            path.display()
        ));
    }
    Ok(bytes)
}

fn jacoco(document: &Document, files: &Files<'_>, folder: &Path) -> Result<String, Fault> {
    let (mut classes, mut jacoco) = (Classes::open(folder)?, Jacoco::default());
    each_class(document, files, |class| classes.bytes(class), |class| jacoco.add(class))?;
    for name in jacoco.ambiguous() {
        let name = one_line(name);
        say(&format!("several class files of {name} counted: the document has a class for each of them"));
    }
    Ok(jacoco.document(&one_line(&document.command)))
}

fn jbinstrace(document: &Document, files: &Files<'_>, folder: &Path) -> Result<String, Fault> {
    let (mut classes, mut jbinstrace) = (Classes::open(folder)?, Jbinstrace::default());
    each_class(document, files, |class| classes.bytes(class), |class| jbinstrace.add(&class))?;
    Ok(jbinstrace.document())
}

fn call_graph(
    document: &Document,
    files: &Files<'_>,
    arcs: Option<&[u8]>,
    folder: &Path,
) -> Result<CallGraph, Fault> {
    let mut calls = Calls::of(document)?;
    if let Some(arcs) = arcs {
        calls.add_arcs(arcs)?;
    }
    let mut classes = Classes::open(folder)?;
    each_class(document, files, |class| classes.bytes(class), |class| calls.add(class))?;
    Ok(calls.graph())
}

/// The document; what it leaves out is said.
fn shown(file: Speedscope) -> String {
    file.left_out.iter().for_each(|said| say(said));
    file.text
}

/// The archive of class files.
struct Classes {
    archive: ZipArchive<File>,
}

impl Classes {
    fn open(folder: &Path) -> Result<Self, Fault> {
        let file = File::open(folder.join(CLASSES)).map_err(|error| {
            if error.kind() == ErrorKind::NotFound { no_classes() } else { archive_fault(error) }
        })?;
        Ok(Self { archive: ZipArchive::new(file).map_err(archive_fault)? })
    }

    /// A class file, which has to be the one that was counted over.
    fn bytes(&mut self, class: &CountedClass) -> Result<Vec<u8>, Fault> {
        let wrong = |why: &dyn std::fmt::Display| {
            archive_fault(format!("the class file of {} cannot be read: {why}", one_line(&class.name)))
        };
        if class.bytes > MOST_CLASS_BYTES {
            return Err(wrong(&format!("{DOCUMENT} says that it has {} bytes", class.bytes)));
        }
        let entry = self.archive.by_name(&format!("{}.class", class.sha256));
        let entry = entry.map_err(|error| wrong(&error))?;
        let mut bytes = Vec::new();
        // One byte more, so that a longer one is seen.
        entry.take(class.bytes + 1).read_to_end(&mut bytes).map_err(|error| wrong(&error))?;
        let digest: String = spl_wire::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        if digest != class.sha256 {
            return Err(wrong(&"its bytes are not those of its digest"));
        }
        Ok(bytes)
    }
}
