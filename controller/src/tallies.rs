//! The counts of a finished drill, added up for spaces of classes.

use crate::drilled::{Classes, bytes, in_folder, table};
use crate::heard::EVENTS;
use spl_analysis::{Collect, Collected, Heard, Space};
use spl_export::{
    ALLOCATIONS, ARCS, Allocations, BLOCKS, CLASSES, DOCUMENT, Document, EDGES, Fault, Files, METHODS,
    RECEIVERS, Sites, activations, each_class,
};
use spl_model::one_line;
use std::path::{Path, PathBuf};

/// The folders of a drill's JVMs.
pub fn jvms(first: &Path) -> Vec<PathBuf> {
    let others = (2..).map(|number| first.join(format!("jvm-{number}")));
    let others = others.take_while(|folder| folder.join(DOCUMENT).exists());
    [first.to_owned()].into_iter().chain(others).collect()
}

/// The JVM's events during a drill, if they were heard.
fn heard(folder: &Path) -> Result<Option<Heard>, Fault> {
    let path = folder.join(EVENTS);
    if !path.exists() {
        return Ok(None);
    }
    let read = bytes(&path).and_then(|bytes| Heard::read(&bytes));
    read.map(Some).map_err(|reason| Fault {
        place: EVENTS.to_owned(),
        reason: one_line(&reason),
        remedy: "remove it to go without the JVM's events, or run `spl metrics` again",
    })
}

/// The document of a drill, with its counts.
///
/// # Errors
/// When the drill has no counts or no class files, or files cannot be read; one line of text.
pub fn collected(folder: &Path, spaces: Vec<Space>) -> Result<(Document, Collected), String> {
    let in_folder = |fault: Fault| in_folder(folder, &fault);
    // First: it says which tables there are.
    let text = bytes(&folder.join(DOCUMENT))?;
    let document = Document::read(&text).map_err(in_folder)?;
    let read = |name| table(folder, &document.tables, name);
    if !document.has_counts {
        let reason = "it has coverage, which does not say how often code ran".to_owned();
        let remedy = "run `spl drill` with --what receivers";
        return Err(in_folder(Fault { place: DOCUMENT.to_owned(), reason, remedy }));
    }
    if !folder.join(CLASSES).exists() {
        let (reason, remedy) = ("it is missing".to_owned(), "drill without --no-classes");
        return Err(in_folder(Fault { place: CLASSES.to_owned(), reason, remedy }));
    }
    let [methods, blocks, edges] = [read(METHODS)?, read(BLOCKS)?, read(EDGES)?];
    let files = Files { document: &text, methods: &methods, blocks: &blocks, edges: &edges };
    let sites = match document.of_calls {
        Some(_) => Some(Sites::read(&read(ARCS)?, &read(RECEIVERS)?).map_err(in_folder)?),
        None => None,
    };
    let allocations = match document.has_sizes {
        true => Some(Allocations::read(&read(ALLOCATIONS)?).map_err(in_folder)?),
        false => None,
    };
    let activations = activations(&methods).map_err(in_folder)?;
    let heard = heard(folder).map_err(in_folder)?;
    let mut collect = Collect::new(&document, spaces, sites, allocations, activations).hearing(heard);
    let mut classes = Classes::open(folder).map_err(in_folder)?;
    each_class(&document, &files, |class| classes.bytes(class), |class| collect.add(class))
        .map_err(in_folder)?;
    Ok((document, collect.finish()))
}
