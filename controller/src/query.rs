//! `spl query`: a user's question to the store, which only reads.

use crate::cli::Query;
use crate::drilled::{first_bytes, regular};
use crate::{stdout, store};
use spl_session::files::write_whole;
use spl_store::{Asked, MOST_SQL, SAVED, Saved, Store};
use spl_verdict::ExitStatus;
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
    // A saved query whose first values are numbers of runs.
    let mut of_runs = None;
    let (sql, values) = match (&arguments.from, &arguments.words[..]) {
        (Some(path), values) => (read(path)?, values),
        (None, [first, values @ ..]) => match first.strip_prefix('@') {
            Some(name) => match saved(file, name)? {
                Known::Own(sql) => (sql, values),
                Known::Ours(saved) => {
                    of_runs = Some(saved);
                    (saved.sql.to_owned(), values)
                }
            },
            None => (first.clone(), values),
        },
        (None, []) => return Err("there is no query: name one, or --saved for a list".to_owned()),
    };
    // A run that is not there would be an empty answer, as if nothing differed.
    if let Some(saved) = of_runs {
        let runs = values.iter().take(saved.runs).map(|value| {
            value.parse().map_err(|_| format!("@{}: {value:?} is not the number of a run", saved.name))
        });
        let runs: Vec<i64> = runs.collect::<Result<_, _>>()?;
        let space = values.get(saved.runs).filter(|_| saved.has_space);
        let there = Store::read(file).and_then(|store| {
            store.all_there(&runs)?;
            space
                .into_iter()
                .try_for_each(|space| runs.iter().try_for_each(|run| store.space_there(*run, space)))
        });
        there.map_err(|why| why.to_string())?;
    }
    let asked = Asked { store: file.clone(), sql, values: values.to_vec() };
    let answer = asked.answer().map_err(|why| why.to_string())?;
    let text = store::written(&answer, arguments.form)?;
    match &arguments.output {
        None => stdout::print_as_it_is(&text)?,
        Some(path) => write_whole(path, text.as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
    }
    Ok(ExitStatus::AllHold)
}

/// A query that has a name.
enum Known {
    /// The text of the operator's own.
    Own(String),
    /// One of this program.
    Ours(&'static Saved),
}

/// A query by name: the operator's own, next to the store, or one of this program.
fn saved(store: &Path, name: &str) -> Result<Known, String> {
    let is_name =
        !name.is_empty() && name.bytes().all(|one| one.is_ascii_alphanumeric() || b"-_".contains(&one));
    let own = store.with_file_name(format!("{name}.sql"));
    if is_name && own.exists() {
        return read(&own).map(Known::Own);
    }
    let known = SAVED.iter().find(|saved| saved.name == name);
    known.map(Known::Ours).ok_or_else(|| {
        let names: Vec<&str> = SAVED.iter().map(|saved| saved.name).collect();
        format!(
            "there is no saved query {name:?}: {} is not there, and those of spl are {}",
            spl_model::one_line(&own.display().to_string()),
            names.join(", ")
        )
    })
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
