//! `spl export`: gives the files of a finished drill to other tools.

use crate::cli::{Export, ExportForm};
use crate::drilled::{Classes, bytes, drill_folder, in_folder, say_second, table};
use crate::said::say;
use crate::stdout;
use spl_export::{
    ARCS, BLOCKS, CallGraph, Calls, DOCUMENT, Document, EDGES, Fault, Files, Jacoco, Jbinstrace, METHODS,
    Speedscope, callgrind, calls_dot, calls_text, csv, each_class, graphml, speedscope,
};
use spl_model::one_line;
use spl_session::files::write_whole;
use spl_verdict::ExitStatus;
use std::path::Path;

/// Writes the counts of a drill in another form.
///
/// # Errors
/// When the drill cannot be read, or the form not be written; one line of text.
pub fn export(arguments: &Export) -> Result<ExitStatus, String> {
    let folder = drill_folder(&arguments.folder)?;
    let in_folder = |fault: Fault| in_folder(&folder, &fault);
    // First: it says which tables there are.
    let text = bytes(&folder.join(DOCUMENT))?;
    let document = Document::read(&text).map_err(in_folder)?;
    let read = |name| table(&folder, &document.tables, name);
    let [methods, blocks, edges] = [read(METHODS)?, read(BLOCKS)?, read(EDGES)?];
    let files = Files { document: &text, methods: &methods, blocks: &blocks, edges: &edges };
    let graph = || {
        let arcs = if document.of_calls.is_some() { Some(read(ARCS)?) } else { None };
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
    say_second(&folder);
    match &arguments.output {
        None => stdout::print_as_it_is(&text)?,
        Some(path) => write_whole(path, text.as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
    }
    Ok(ExitStatus::AllHold)
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
