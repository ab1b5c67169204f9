//! `spl analyse` and `spl metrics`: what a program is, from the counts of a drill.

use crate::cli::{Analyse, Choosing, Drill, Metrics, ValueForm};
use crate::drill;
use crate::drilled::{Classes, bytes, drill_folder, in_folder, say_second, table};
use crate::said::say;
use crate::stdout;
use spl_analysis::{
    Choice, Collect, Library, Space, Values, csv, explained, hierarchy, json, meant, needed, text, xml,
};
use spl_export::{
    ARCS, BLOCKS, CLASSES, DOCUMENT, Document, EDGES, Fault, Files, METHODS, RECEIVERS, Sites, activations,
    each_class,
};
use spl_model::{DrillKind, one_line, plain_json};
use spl_session::files::write_whole;
use spl_verdict::ExitStatus;
use std::path::{Path, PathBuf};

/// Methods that the table of the drill shows.
const SHOWN: usize = 5;

/// Computes metrics of a finished drill.
///
/// # Errors
/// When the options are wrong, the drill cannot be read, or no metric can be computed of it; text for the operator.
pub fn analyse(arguments: &Analyse) -> Result<ExitStatus, String> {
    let choosing = &arguments.choosing;
    let choice = Choice::new(&choosing.enable, &choosing.disable, &choosing.set)?;
    if let Some(about) = about(arguments, &choice)? {
        stdout::print(&about)?;
        return Ok(ExitStatus::AllHold);
    }
    let folder = drill_folder(arguments.folder.as_deref().unwrap_or(Path::new("out")))?;
    let values = values(&folder, &choice, choosing)?;
    say_second(&folder);
    let text = written(&values, arguments.form)?;
    match &arguments.output {
        None => stdout::print_as_it_is(&text)?,
        Some(path) => put(path, &text)?,
    }
    Ok(ExitStatus::AllHold)
}

/// Runs a program with everything counted, and computes its metrics.
///
/// # Errors
/// As [`analyse`], and those of a drill.
pub fn measured(arguments: &Metrics) -> Result<ExitStatus, String> {
    let choosing = &arguments.choosing;
    // A mistake is reported before the program runs.
    let choice = Choice::new(&choosing.enable, &choosing.disable, &choosing.set)?;
    spaces(choosing)?;
    let (status, folder) = drill::drilled(&drill_of(arguments))?;
    if status != ExitStatus::AllHold {
        return Ok(status);
    }
    for folder in jvms(&folder) {
        let mut values = values(&folder, &choice, choosing)?;
        for (name, form) in drill::METRICS.into_iter().zip([ValueForm::Json, ValueForm::Csv, ValueForm::Xml])
        {
            put(&folder.join(name), &written(&values, form)?)?;
        }
        if !arguments.quiet {
            // Without the JDK the whole is the program's own part.
            values.spaces.retain(|space| arguments.jdk || space.name != "whole");
            say(&text(&values));
            say(&format!("metrics are in {} too", folder.join(drill::METRICS[0]).display()));
        }
    }
    Ok(ExitStatus::AllHold)
}

/// The answer to a question about metrics, without values.
fn about(arguments: &Analyse, choice: &Choice) -> Result<Option<String>, String> {
    if !arguments.explain.is_empty() {
        let mut all = Vec::new();
        for pattern in &arguments.explain {
            all.extend(meant(pattern).map_err(|why| format!("--explain {why}"))?);
        }
        return Ok(Some(explained(&all)));
    }
    if arguments.needs {
        return Ok(Some(needed(choice)));
    }
    if !arguments.hierarchy {
        return Ok(None);
    }
    let has_arcs = match &arguments.folder {
        None => true,
        Some(folder) => {
            let folder = drill_folder(folder)?;
            Document::read(&bytes(&folder.join(DOCUMENT))?)
                .map_err(|fault| in_folder(&folder, &fault))?
                .has_arcs
        }
    };
    Ok(Some(hierarchy(choice, has_arcs)))
}

/// The drill that `spl metrics` makes.
fn drill_of(arguments: &Metrics) -> Drill {
    Drill {
        attach: None,
        yes: false,
        what: vec![DrillKind::Calls],
        clock: None,
        full: None,
        ring: None,
        methods: arguments.methods.clone(),
        all: arguments.methods.is_empty(),
        jdk: arguments.jdk,
        not: arguments.not.clone(),
        sources: Vec::new(),
        longest: arguments.longest,
        budget: None,
        out: arguments.out.clone(),
        replace: arguments.replace,
        limit: SHOWN,
        no_classes: false,
        children: arguments.children,
        agent: arguments.agent.clone(),
        quiet: arguments.quiet,
        command: arguments.command.clone(),
    }
}

/// The folders of a drill's JVMs.
fn jvms(first: &Path) -> Vec<PathBuf> {
    let others = (2..).map(|number| first.join(format!("jvm-{number}")));
    let others = others.take_while(|folder| folder.join(DOCUMENT).exists());
    [first.to_owned()].into_iter().chain(others).collect()
}

fn spaces(choosing: &Choosing) -> Result<Vec<Space>, String> {
    let library = choosing.library.as_deref().map(Library::parse).transpose();
    let library = library.map_err(|why| format!("--library {why}"))?.unwrap_or_default();
    let mut spaces = Space::usual(&library);
    for text in &choosing.spaces {
        let space = Space::parse(text).map_err(|why| format!("--space {why}"))?;
        match spaces.iter_mut().find(|known| known.name == space.name) {
            Some(known) => known.add(space),
            None => spaces.push(space),
        }
    }
    Ok(spaces)
}

/// The values of a drill.
fn values(folder: &Path, choice: &Choice, choosing: &Choosing) -> Result<Values, String> {
    let in_folder = |fault: Fault| in_folder(folder, &fault);
    // First: it says which tables there are.
    let text = bytes(&folder.join(DOCUMENT))?;
    let document = Document::read(&text).map_err(in_folder)?;
    let read = |name| table(folder, &document.tables, name);
    if !document.has_counts {
        let reason = "it has coverage, which does not say how often code ran".to_owned();
        let remedy = "run `spl drill` with --what calls";
        return Err(in_folder(Fault { place: DOCUMENT.to_owned(), reason, remedy }));
    }
    if !folder.join(CLASSES).exists() {
        let (reason, remedy) = ("it is missing".to_owned(), "drill without --no-classes");
        return Err(in_folder(Fault { place: CLASSES.to_owned(), reason, remedy }));
    }
    let [methods, blocks, edges] = [read(METHODS)?, read(BLOCKS)?, read(EDGES)?];
    let files = Files { document: &text, methods: &methods, blocks: &blocks, edges: &edges };
    let sites = match document.has_arcs {
        true => Some(Sites::read(&read(ARCS)?, &read(RECEIVERS)?).map_err(in_folder)?),
        false => None,
    };
    let activations = activations(&methods).map_err(in_folder)?;
    let mut collect = Collect::new(&document, spaces(choosing)?, sites, activations);
    let mut classes = Classes::open(folder).map_err(in_folder)?;
    each_class(&document, &files, |class| classes.bytes(class), |class| collect.add(class))
        .map_err(in_folder)?;
    let collected = collect.finish();
    let usual = ["whole", "app", "lib"];
    if let Some(name) = collected.empty.iter().find(|name| !usual.contains(&name.as_str())) {
        return Err(format!(
            "--space {name}: no method of the drill's classes fits its pattern; look for a typing error"
        ));
    }
    let values = Values::of(&one_line(&document.command), &collected, choice);
    let lacks = values.lacks();
    if values.is_empty() {
        let why = if lacks.is_empty() { "--disable leaves none".to_owned() } else { lacks.join("; ") };
        return Err(format!("no metric can be computed: {why}"));
    }
    lacks.iter().for_each(|line| say(&format!("not computed: {line}")));
    Ok(values)
}

/// The values in a form.
fn written(values: &Values, form: ValueForm) -> Result<String, String> {
    Ok(match form {
        ValueForm::Text => text(values),
        ValueForm::Json => {
            let text = serde_json::to_string_pretty(&json(values)).map_err(|error| error.to_string())?;
            plain_json(&text) + "\n"
        }
        ValueForm::Csv => csv(values),
        ValueForm::Xml => xml(values),
    })
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    write_whole(path, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
