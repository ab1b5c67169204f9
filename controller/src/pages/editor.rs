//! The page for queries: what its editor holds, and the answer to what it asks.

use crate::cli::AnswerForm;
use crate::query::{Known, answer, own, saved};
use crate::store::written;
use spl_report::runs::{Asking, Outcome, Table};
use spl_store::{Answer, SAVED, Store, StoreError};
use std::path::Path;

/// Rows that a page shows; a download has all.
const MOST_SHOWN: usize = 1_000;
/// Columns of a terminal that a text in a cell has at most.
const MOST_WIDTH: usize = 1_000;

/// A query as the form sends it.
#[derive(Clone, Debug, Default)]
pub struct Sent {
    /// Its text, or `@NAME`.
    pub sql: String,
    /// Values of its parameters, one a line.
    pub values: String,
    /// The form of the answer; `None` for a page.
    pub form: Option<AnswerForm>,
}

/// The result of a query that was sent.
#[derive(Debug)]
pub enum Result {
    /// A page with the answer or the mistake.
    Page(Box<Asking>),
    /// A file.
    File(String),
}

impl Sent {
    /// A query of these fields; `None` when one is missing or unknown.
    pub fn of(fields: Vec<(String, String)>) -> Option<Self> {
        let (mut sent, mut has_query) = (Self::default(), false);
        for (name, value) in fields {
            match (name.as_str(), value.as_str()) {
                ("sql", _) => (sent.sql, has_query) = (value, true),
                ("values", _) => sent.values = value,
                ("as", "table") => sent.form = None,
                ("as", "csv") => sent.form = Some(AnswerForm::Csv),
                ("as", "json") => sent.form = Some(AnswerForm::Json),
                _ => return None,
            }
        }
        has_query.then_some(sent)
    }

    /// Asks the store, which takes as long as a query may take.
    ///
    /// # Errors
    /// When the store cannot be read; a mistake of the query is a page.
    pub fn answered(self, store: &Path) -> std::result::Result<Result, StoreError> {
        let mut asking = empty(store)?;
        (asking.sql, asking.values) = (self.sql, self.values);
        let values: Vec<String> = asking.values.lines().map(str::to_owned).collect();
        // The place of a mistake is one of the editor's text, with the white space around a query.
        let found = match asking.sql.trim().strip_prefix('@') {
            Some(name) => saved(store, name).map_err(StoreError::Query),
            None => Ok(Known::text(asking.sql.clone())),
        };
        let answer = found.and_then(|known| answer(store, &known, &values));
        let file = match (&answer, self.form) {
            (Ok(answer), Some(form)) => Some(written(answer, form).map_err(StoreError::Query)?),
            _ => None,
        };
        if let Some(file) = file {
            return Ok(Result::File(file));
        }
        asking.outcome = answer.map_or_else(fault, |answer| shown(&answer));
        Ok(Result::Page(Box::new(asking)))
    }
}

/// The page without an answer. The editor has the text of a saved query if one is named.
///
/// # Errors
/// When the store cannot be read; a name that is not there is a page.
pub fn blank(store: &Path, name: Option<&str>) -> std::result::Result<Asking, StoreError> {
    let mut asking = empty(store)?;
    match name.map(|name| saved(store, name)) {
        None => {}
        Some(Ok(known)) => asking.sql = known.sql,
        Some(Err(why)) => asking.outcome = fault(StoreError::Query(why)),
    }
    Ok(asking)
}

/// The page with an empty editor.
fn empty(store: &Path) -> std::result::Result<Asking, StoreError> {
    let tables = Store::read(store)?.tables()?;
    let own = own(store);
    let ours = SAVED.iter().filter(|saved| !own.iter().any(|name| name == saved.name));
    let mut saved: Vec<_> = ours.map(|saved| (saved.name.to_owned(), saved.title().to_owned())).collect();
    saved.extend(own.into_iter().map(|name| {
        let title = format!("{name}.sql next to the store");
        (name, title)
    }));
    let tables = tables.into_iter().map(|table| Table { name: table.name, columns: table.columns });
    Ok(Asking { saved, tables: tables.collect(), ..Asking::default() })
}

fn shown(answer: &Answer) -> Outcome {
    let heads = answer.columns.iter().enumerate();
    let row = |row: &Vec<_>| row.iter().map(|cell: &spl_store::Cell| cell.shown(MOST_WIDTH)).collect();
    Outcome::Answer {
        columns: heads.map(|(at, name)| (name.clone(), answer.is_numeric(at))).collect(),
        rows: answer.rows.iter().take(MOST_SHOWN).map(row).collect(),
        all: answer.rows.len(),
    }
}

fn fault(why: StoreError) -> Outcome {
    let place = match why {
        StoreError::Mistake { line, column, .. } => Some([line, column]),
        StoreError::File(_) | StoreError::Run(_) | StoreError::Query(_) | StoreError::Limit(_) => None,
    };
    Outcome::Fault { why: why.to_string(), place }
}
