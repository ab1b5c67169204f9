//! `spl analyse` and `spl metrics`: what a program is, from the counts of a drill.

mod claims;
mod series;

use crate::cli::{Analyse, Choosing, Claiming, Counted, Drill, Metrics, ValueForm};
use crate::drill::{self, Along, Profile};
use crate::drilled::{bytes, drill_folder, in_folder, say_second};
use crate::heard::EVENTS;
use crate::said::say;
use crate::stdout;
use crate::tallies::{collected, jvms};
use claims::{Claims, JsonClaim, Judged};
use serde::Serialize;
use spl_analysis::{
    Choice, Filter, Has, Library, Need, Series, Space, Values, csv, dot, explained, hierarchy, json, meant,
    needed, series_csv, series_json, series_text, text, xml,
};
use spl_export::{DOCUMENT, Document};
use spl_model::{DrillKind, OfCalls, one_line, plain_json};
use spl_session::files::{check_folders, write_whole};
use spl_verdict::ExitStatus;
use std::path::{Path, PathBuf};

/// Why the heap's metrics have no values.
const UNWALKED: &str =
    "the heap could not be looked at: the JVM ended at once, or another agent ended the drill";
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
    let claims = claims_of(&arguments.claiming, false)?;
    let folder = drill_folder(arguments.folder.as_deref().unwrap_or(Path::new("out")))?;
    let (values, judged) = values(&folder, &choice, choosing, claims.as_ref())?;
    say_lacks(&values);
    say_second(&folder);
    let text = written(&values, judged.as_ref(), None, arguments.form)?;
    match &arguments.output {
        None => stdout::print_as_it_is(&text)?,
        Some(path) => put(path, &text)?,
    }
    let judged: Vec<Judged<'_>> = judged.into_iter().collect();
    claims::report(&judged, arguments.claiming.junit.as_deref(), false)
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
    let claims = claims_of(&arguments.claiming, arguments.quiet)?;
    check_folders(arguments.claiming.junit.iter().map(PathBuf::as_path))?;
    let heap = arguments.heap || claims.as_ref().is_some_and(|claims| claims.need(Need::Heap));
    let mut all_series = Vec::new();
    let mut each = |profile: &Profile, folder: &Path| {
        if let Some(mut heard) = profile.heard.heard(false) {
            if heap && heard.heap.is_none() {
                heard.without_heap.get_or_insert_with(|| UNWALKED.to_owned());
            }
            let text = serde_json::to_string_pretty(&heard).map_err(|error| error.to_string())?;
            put(&folder.join(EVENTS), &(plain_json(&text) + "\n"))?;
        }
        if !arguments.quiet {
            profile.heard.walk().iter().chain(&profile.heard.lacks()).for_each(|line| say(line));
        }
        if profile.series.is_some() {
            let (_, whole) = collected(folder, spaces(choosing)?)?;
            all_series.push(series::of(profile, &whole, &choice)?);
        }
        Ok(())
    };
    let along = Along { every: arguments.every.clone(), listens: true, heap };
    let (status, folder) = drill::drilled(&drill_of(arguments), along, &mut each)?;
    if status != ExitStatus::AllHold {
        return Ok(status);
    }
    let mut results = Vec::new();
    let mut all_series = all_series.into_iter();
    for folder in jvms(&folder) {
        let mut series = all_series.next();
        let (mut values, judged) = values(&folder, &choice, choosing, claims.as_ref())?;
        for (name, form) in drill::METRICS.into_iter().zip([ValueForm::Json, ValueForm::Csv, ValueForm::Xml])
        {
            put(&folder.join(name), &written(&values, judged.as_ref(), series.as_ref(), form)?)?;
        }
        if let Some(series) = &series {
            put(&folder.join(drill::SERIES), &series_csv(series))?;
        }
        results.extend(judged);
        if !arguments.quiet {
            say_lacks(&values);
            // Without the JDK the whole is the program's own part.
            values.spaces.retain(|space| arguments.jdk || space.name != "whole");
            say(&text(&values));
            if let Some(series) = &mut series {
                series.spaces.retain(|space| arguments.jdk || space.name != "whole");
                say(&series_text(series));
            }
            say(&format!("metrics are in {} too", folder.join(drill::METRICS[0]).display()));
        }
    }
    claims::report(&results, arguments.claiming.junit.as_deref(), arguments.quiet)
}

/// The claims that the arguments name.
fn claims_of(claiming: &Claiming, quiet: bool) -> Result<Option<Claims>, String> {
    claiming.tasks.as_deref().map(|path| Claims::read(path, quiet)).transpose()
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
    if let Some(named) = &arguments.needs {
        return needed_by(named, arguments, choice).map(Some);
    }
    if let Some(path) = &arguments.dep_graph {
        put(path, &dot(choice, has(arguments)?))?;
        return Ok(Some(String::new()));
    }
    Ok(if arguments.hierarchy { Some(hierarchy(choice, has(arguments)?)) } else { None })
}

/// The least specification for the metrics that patterns name; without patterns, for the enabled metrics.
fn needed_by(named: &[String], arguments: &Analyse, enabled: &Choice) -> Result<String, String> {
    if named.is_empty() {
        return needed(enabled);
    }
    let Choosing { enable, disable, .. } = &arguments.choosing;
    if !enable.is_empty() || !disable.is_empty() {
        return Err("name metrics behind --needs, or by --enable and --disable".to_owned());
    }
    // Each has to mean something.
    named
        .iter()
        .try_for_each(|pattern| meant(pattern).map(|_| ()).map_err(|why| format!("--needs {why}")))?;
    needed(&Choice::new(named, &["*".to_owned()], &[])?)
}

/// Facts that the drill has; without a drill, all.
fn has(arguments: &Analyse) -> Result<Has, String> {
    let Some(folder) = &arguments.folder else { return Ok(Has::ALL) };
    let folder = drill_folder(folder)?;
    let document = Document::read(&bytes(&folder.join(DOCUMENT))?);
    let document = document.map_err(|fault| in_folder(&folder, &fault))?;
    let events = folder.join(EVENTS).exists();
    Ok(Has { arcs: document.of_calls.is_some(), sizes: document.has_sizes, events })
}

/// The drill that `spl metrics` makes.
fn drill_of(arguments: &Metrics) -> Drill {
    Drill {
        attach: None,
        yes: false,
        what: vec![match arguments.what {
            Counted::Calls => DrillKind::Calls(OfCalls::Entered),
            Counted::Receivers => DrillKind::Calls(OfCalls::Receivers),
            Counted::Blocks => DrillKind::Blocks,
        }],
        spec: None,
        show: false,
        clock: None,
        full: None,
        ring: None,
        order: None,
        receivers: false,
        within: Vec::new(),
        stream: None,
        one_in: None,
        timed: false,
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

fn library(choosing: &Choosing) -> Result<Library, String> {
    let library = choosing.library.as_deref().map(Library::parse).transpose();
    Ok(library.map_err(|why| format!("--library {why}"))?.unwrap_or_default())
}

fn spaces(choosing: &Choosing) -> Result<Vec<Space>, String> {
    let library = library(choosing)?;
    let mut spaces = Space::usual(&library);
    for text in &choosing.spaces {
        let space = Space::parse(text).map_err(|why| format!("--space {why}"))?;
        match spaces.iter_mut().find(|known| known.name == space.name) {
            Some(known) => known.add(space),
            None => spaces.push(space),
        }
    }
    let filter = Filter::parse(&choosing.skipping.rules)?;
    Ok(spaces.into_iter().map(|space| space.filtered(filter.clone())).collect())
}

/// The values of a drill, and the results of claims.
fn values<'c>(
    folder: &Path,
    choice: &Choice,
    choosing: &Choosing,
    claims: Option<&'c Claims>,
) -> Result<(Values, Option<Judged<'c>>), String> {
    let mut spaces = spaces(choosing)?;
    let shown = spaces.len();
    if let Some(claims) = claims {
        spaces.extend(claims.spaces(&library(choosing)?));
    }
    let (document, mut collected) = collected(folder, spaces)?;
    let of_claims = collected.split_off(shown);
    let usual = ["whole", "app", "lib"];
    let skips = !choosing.skipping.rules.is_empty();
    if skips && collected.empty().any(|name| name == "whole") {
        return Err(
            "--include and --exclude skip every method of the drill; look for a typing error".to_owned()
        );
    }
    if let Some(name) = collected.empty().find(|name| !usual.contains(name)) {
        let skipped = if skips { ", or --include and --exclude skip all of it" } else { "" };
        return Err(format!(
            "--space {name}: no method of the drill's classes fits its pattern{skipped}; look for a typing error"
        ));
    }
    let command = one_line(&document.command);
    // Claims mean the usual definitions; --set, --enable and --disable choose what is shown.
    let judged = claims.map(|claims| {
        let values = Values::of(&command, &of_claims, &Choice::all());
        claims.judged(&values, &of_claims.empty().map(str::to_owned).collect::<Vec<_>>())
    });
    let values = Values::of(&command, &collected, choice);
    let lacks = values.lacks();
    if values.is_empty() && judged.is_none() {
        let why = if lacks.is_empty() { "--disable leaves none".to_owned() } else { lacks.join("; ") };
        return Err(format!("no metric can be computed: {why}"));
    }
    Ok((values, judged))
}

/// Names the metrics that the drill has too little for.
fn say_lacks(values: &Values) {
    values.lacks().iter().for_each(|line| say(&format!("not computed: {line}")));
}

/// The document of values, with the results of claims where some were judged, and with the values over time.
#[derive(Serialize)]
struct WithClaims<V, S> {
    #[serde(flatten)]
    values: V,
    #[serde(skip_serializing_if = "Option::is_none")]
    claims: Option<Vec<JsonClaim>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    series: Option<S>,
}

/// The values in a form. Only JSON has the claims, too, and only JSON and XML the values over time.
fn written(
    values: &Values,
    judged: Option<&Judged<'_>>,
    series: Option<&Series>,
    form: ValueForm,
) -> Result<String, String> {
    Ok(match form {
        ValueForm::Text => text(values),
        ValueForm::Json => {
            let document = WithClaims {
                values: json(values),
                claims: judged.map(Judged::json),
                series: series.map(series_json),
            };
            let text = serde_json::to_string_pretty(&document).map_err(|error| error.to_string())?;
            plain_json(&text) + "\n"
        }
        ValueForm::Csv => csv(values),
        ValueForm::Xml => xml(values, series),
    })
}

fn put(path: &Path, text: &str) -> Result<(), String> {
    write_whole(path, text.as_bytes()).map_err(|error| format!("cannot write {}: {error}", path.display()))
}
