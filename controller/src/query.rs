//! `spl query`: a user's question to the store, which only reads.

use crate::cli::Query;
use crate::drilled::{first_bytes, regular};
use crate::{stdout, store};
use spl_session::files::write_whole;
use spl_store::{Answer, Asked, MOST_SQL, SAVED, Saved, Store, StoreError};
use spl_verdict::ExitStatus;
use std::fs;
use std::path::Path;

/// Answers a query.
///
/// # Errors
/// When the store or the query cannot be read, the query has a mistake or went beyond a limit; one line of text.
pub fn query(arguments: &Query) -> Result<ExitStatus, String> {
    if arguments.saved {
        let width = SAVED.iter().map(|saved| saved.name.len()).max().unwrap_or(0);
        let line = |saved: &Saved| format!("@{:width$}  {}\n", saved.name, saved.title());
        stdout::print(&SAVED.iter().map(line).collect::<String>())?;
        return Ok(ExitStatus::AllHold);
    }
    let file = &arguments.file.store;
    let (known, values) = match (&arguments.from, &arguments.words[..]) {
        (Some(path), values) => (Known::text(read(path)?), values),
        (None, [first, values @ ..]) => (known(file, first)?, values),
        (None, []) => return Err("there is no query: name one, or --saved for a list".to_owned()),
    };
    let answer = answer(file, &known, values).map_err(|why| why.to_string())?;
    let text = store::written(&answer, arguments.form)?;
    match &arguments.output {
        None => stdout::print_as_it_is(&text)?,
        Some(path) => write_whole(path, text.as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
    }
    Ok(ExitStatus::AllHold)
}

/// A query.
#[derive(Clone, Debug)]
pub struct Known {
    /// Its text.
    pub sql: String,
    /// The saved query of this program that it is, whose first values are numbers of runs.
    of_runs: Option<&'static Saved>,
}

impl Known {
    /// A query with this text, which may be that of a saved query.
    pub fn text(sql: String) -> Self {
        let of_runs = SAVED.iter().find(|saved| saved.sql.trim() == sql.trim());
        Self { sql, of_runs }
    }
}

/// A query in the words of an operator: its text, or `@NAME`.
///
/// # Errors
/// When there is no saved query of that name, or it cannot be read; one line of text.
pub fn known(store: &Path, words: &str) -> Result<Known, String> {
    match words.strip_prefix('@') {
        Some(name) => saved(store, name),
        None => Ok(Known::text(words.to_owned())),
    }
}

/// Answers a query.
///
/// # Errors
/// When the store cannot be read, a run or space is not there, or the query has a mistake or went beyond a limit.
pub fn answer(store: &Path, known: &Known, values: &[String]) -> Result<Answer, StoreError> {
    // A run that is not there would be an empty answer, as if nothing differed.
    if let Some(saved) = known.of_runs {
        let runs = values.iter().take(saved.runs).map(|value| {
            let wrong = || format!("@{}: {value:?} is not the number of a run", saved.name);
            value.parse().map_err(|_| StoreError::Query(wrong()))
        });
        let runs: Vec<i64> = runs.collect::<Result<_, _>>()?;
        let space = values.get(saved.runs).filter(|_| saved.has_space);
        let read = Store::read(store)?;
        read.all_there(&runs)?;
        for (space, run) in space.into_iter().flat_map(|space| runs.iter().map(move |run| (space, run))) {
            read.space_there(*run, space)?;
        }
    }
    Asked { store: store.to_owned(), sql: known.sql.clone(), values: values.to_vec() }.answer()
}

/// Names of the operator's own queries next to a store, in the order of the alphabet.
pub fn own(store: &Path) -> Vec<String> {
    /// Files that are looked at, and names that are given.
    const MOST: [usize; 2] = [10_000, 100];
    let folder = match store.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let files = fs::read_dir(folder).into_iter().flatten().take(MOST[0]).flatten();
    let name = |file: fs::DirEntry| Some(file.file_name().to_str()?.strip_suffix(".sql")?.to_owned());
    let mut names: Vec<String> = files.filter_map(name).filter(|name| is_name(name)).collect();
    names.sort();
    names.truncate(MOST[1]);
    names
}

/// A query by name: the operator's own, next to the store, or one of this program.
///
/// # Errors
/// When there is none of this name, or it cannot be read; one line of text.
pub fn saved(store: &Path, name: &str) -> Result<Known, String> {
    let own = store.with_file_name(format!("{name}.sql"));
    if is_name(name) && own.exists() {
        return Ok(Known { sql: read(&own)?, of_runs: None });
    }
    let known = SAVED.iter().find(|saved| saved.name == name);
    known.map(|saved| Known::text(saved.sql.to_owned())).ok_or_else(|| {
        let names: Vec<&str> = SAVED.iter().map(|saved| saved.name).collect();
        format!(
            "there is no saved query {name:?}: {} is not there, and those of spl are {}",
            spl_model::one_line(&own.display().to_string()),
            names.join(", ")
        )
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|one| one.is_ascii_alphanumeric() || b"-_".contains(&one))
}

/// The text of a file; of one that is too long as much as the store needs to refuse it.
fn read(path: &Path) -> Result<String, String> {
    let cannot = |why: &dyn std::fmt::Display| {
        format!("cannot read the query {}: {why}", spl_model::one_line(&path.display().to_string()))
    };
    regular(path)?;
    let bytes = first_bytes(path, MOST_SQL as u64 + 1).map_err(|error| cannot(&error))?;
    if bytes.len() > MOST_SQL {
        return Err(cannot(&format!("it has more than {MOST_SQL} bytes")));
    }
    String::from_utf8(bytes).map_err(|_| cannot(&"it is not UTF-8"))
}
