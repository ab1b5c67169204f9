//! `spl store`: many runs in one file.

mod found;

use crate::cli::{AnswerForm, Store as Arguments, StoreAdd, StoreCommand, StoreList};
use crate::said::say;
use crate::stdout;
use spl_store::{Answer, Cell, Inserted, Run, Store};
use spl_verdict::ExitStatus;

/// Does what the command says with a store.
///
/// # Errors
/// When the store or a run cannot be read or written; one line of text. The store is as it was then.
pub fn store(arguments: &Arguments) -> Result<ExitStatus, String> {
    match &arguments.command {
        StoreCommand::Add(arguments) => add(arguments)?,
        StoreCommand::List(arguments) => list(arguments)?,
        StoreCommand::Tag(arguments) => {
            let mut store = Store::existing(&arguments.file.store).map_err(|why| why.to_string())?;
            let (add, remove) = (named(&arguments.add)?, named(&arguments.remove)?);
            store.tag(&arguments.runs, &add, &remove).map_err(|why| why.to_string())?;
        }
        StoreCommand::Remove(arguments) => {
            let mut store = Store::existing(&arguments.file.store).map_err(|why| why.to_string())?;
            store.remove(&arguments.runs).map_err(|why| why.to_string())?;
        }
        StoreCommand::Upgrade(arguments) => {
            Store::existing(&arguments.file.store).map_err(|why| why.to_string())?;
        }
    }
    Ok(ExitStatus::AllHold)
}

/// Everything is read before the store is opened: a fault in the last folder changes nothing.
fn add(arguments: &StoreAdd) -> Result<(), String> {
    let tags = named(&arguments.tags)?;
    let mut runs: Vec<Run> = Vec::new();
    for folder in &arguments.folders {
        runs.extend(found::runs(folder)?);
    }
    let mut store = Store::create(&arguments.file.store).map_err(|why| why.to_string())?;
    let inserted = store.insert(&runs, &tags).map_err(|why| why.to_string())?;
    for (run, inserted) in runs.iter().zip(inserted) {
        let folder = &run.facts.folder;
        say(&match inserted {
            Inserted::New(number) => format!("run {number}: {folder}, {}", contents(run)),
            Inserted::Changed(number) => {
                format!("run {number}: {folder} again, with new values: {}", contents(run))
            }
            Inserted::Same(number) => format!("run {number}: {folder} was there already"),
        });
    }
    Ok(())
}

fn contents(run: &Run) -> String {
    let number = |number: usize, one: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        more => Some(format!("{more} {one}s")),
    };
    let parts = [
        number(run.values.len(), "value"),
        number(run.methods.len(), "method"),
        number(run.verdicts.len(), "result"),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Tags, which lists separate by commas.
fn named(tags: &[String]) -> Result<Vec<String>, String> {
    for tag in tags {
        if tag.trim().is_empty() || tag.contains(',') || tag.len() > 100 {
            return Err(format!(
                "the tag {tag:?} is empty, has a comma, or is longer than 100 bytes: choose another one"
            ));
        }
    }
    Ok(tags.to_vec())
}

fn list(arguments: &StoreList) -> Result<(), String> {
    let store = Store::read(&arguments.file.store).map_err(|why| why.to_string())?;
    let runs = store.list(arguments.tag.as_deref(), arguments.limit).map_err(|why| why.to_string())?;
    let columns = ["run", "kind", "began", "command", "jdk", "tags", "folder"];
    let text = |text: Option<String>| text.map_or(Cell::Null, Cell::Text);
    let rows = runs.into_iter().map(|run| {
        let tags = (!run.tags.is_empty()).then(|| run.tags.join(", "));
        vec![
            Cell::Whole(run.id),
            Cell::Text(run.kind),
            text(run.began),
            Cell::Text(run.command),
            text(run.jdk),
            text(tags),
            Cell::Text(run.folder),
        ]
    });
    let answer = Answer { columns: columns.map(str::to_owned).to_vec(), rows: rows.collect() };
    stdout::print_as_it_is(&written(&answer, arguments.form)?)
}

/// An answer in a form.
///
/// # Errors
/// When it cannot be written as JSON.
pub fn written(answer: &Answer, form: AnswerForm) -> Result<String, String> {
    Ok(match form {
        AnswerForm::Text => spl_store::text(answer),
        AnswerForm::Csv => spl_store::csv(answer),
        AnswerForm::Json => {
            let text =
                serde_json::to_string_pretty(&spl_store::json(answer)).map_err(|why| why.to_string())?;
            spl_model::plain_json(&text) + "\n"
        }
    })
}
