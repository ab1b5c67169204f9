//! A query of a user and its answer.

use crate::error::StoreError;
use crate::guard::{MOST_MEMORY, MOST_ROWS, MOST_SQL, MOST_TIME};
use crate::open::Store;
use crate::schema::TABLES;
use rusqlite::types::{Value as Sql, ValueRef};
use rusqlite::{ErrorCode, Statement};
use std::mem::size_of;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

/// Time for which a query is waited for beyond its end: a single step of SQLite is not interrupted.
const GRACE: Duration = Duration::from_millis(250);

/// A query of a user.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The store.
    pub store: PathBuf,
    /// One statement of SQL that reads.
    pub sql: String,
    /// Values of its parameters: `?1` and so on.
    pub values: Vec<String>,
}

/// The answer to a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answer {
    /// Names of the columns.
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// A value in an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// No value.
    Null,
    /// A whole number.
    Whole(i64),
    /// A number.
    Real(f64),
    /// A text.
    Text(String),
    /// Bytes, in hexadecimal digits.
    Bytes(String),
}

impl Asked {
    /// Asks the store. The file stays as it is, and the answer or the error comes within [`MOST_TIME`], by and large.
    ///
    /// # Errors
    /// When the store cannot be read, the query has a mistake or wants more than reading, or it goes beyond a limit.
    pub fn answer(self) -> Result<Answer, StoreError> {
        let (sender, receiver) = channel();
        let end = Instant::now() + MOST_TIME;
        // A step that cannot be interrupted is left behind in its thread, which ends with the process.
        thread::spawn(move || sender.send(answered(&self, end)));
        match receiver.recv_timeout(MOST_TIME + GRACE) {
            Ok(answer) => answer,
            Err(RecvTimeoutError::Timeout) => Err(too_long()),
            Err(RecvTimeoutError::Disconnected) => {
                Err(StoreError::Query("the query ended without an answer".to_owned()))
            }
        }
    }
}

fn answered(asked: &Asked, end: Instant) -> Result<Answer, StoreError> {
    if asked.sql.len() > MOST_SQL {
        let length = asked.sql.len();
        return Err(StoreError::Limit(format!(
            "the query has {length} bytes, and at most {MOST_SQL} are read"
        )));
    }
    let store = Store::read(&asked.store)?.guarded(end)?;
    let wrong = |error: rusqlite::Error| said(&asked.store, &asked.sql, error);
    let mut statement = store.connection.prepare(&asked.sql).map_err(wrong)?;
    if !statement.readonly() {
        return Err(only_reads());
    }
    let (wanted, given) = (statement.parameter_count(), asked.values.len());
    if wanted != given {
        let text = format!(
            "the query has {wanted} parameters, and {given} values are given: give one for each, that of ?1 first"
        );
        return Err(StoreError::Query(text));
    }
    for (place, value) in (1..).zip(&asked.values) {
        statement.raw_bind_parameter(place, parsed(value)).map_err(wrong)?;
    }
    rows(&mut statement, &wrong)
}

fn rows(
    statement: &mut Statement<'_>,
    wrong: &dyn Fn(rusqlite::Error) -> StoreError,
) -> Result<Answer, StoreError> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let width = columns.len();
    let (mut all, mut bytes) = (Vec::new(), 0_usize);
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(wrong)? {
        if all.len() == MOST_ROWS {
            let text = format!(
                "the answer has more than {MOST_ROWS} rows: count or group them, or add LIMIT {MOST_ROWS}"
            );
            return Err(StoreError::Limit(text));
        }
        let cells = (0..width).map(|column| row.get_ref(column).map(cell)).collect::<Result<Vec<_>, _>>();
        let cells = cells.map_err(wrong)?;
        bytes = cells.iter().map(Cell::bytes).fold(bytes, usize::saturating_add);
        if bytes > MOST_MEMORY {
            let text = format!("the answer has more than {} MiB: select less", MOST_MEMORY >> 20);
            return Err(StoreError::Limit(text));
        }
        all.push(cells);
    }
    Ok(Answer { columns, rows: all })
}

impl Cell {
    /// Bytes in memory.
    fn bytes(&self) -> usize {
        size_of::<Self>()
            + match self {
                Self::Text(text) | Self::Bytes(text) => text.len(),
                Self::Null | Self::Whole(_) | Self::Real(_) => 0,
            }
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Null => Cell::Null,
        ValueRef::Integer(count) => Cell::Whole(count),
        ValueRef::Real(value) => Cell::Real(value),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Blob(bytes) => Cell::Bytes(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
    }
}

/// A value of the command line as a number, if it is one.
fn parsed(text: &str) -> Sql {
    let number = text.parse().map(Sql::Integer).ok();
    let number = number.or_else(|| text.parse().ok().filter(|value: &f64| value.is_finite()).map(Sql::Real));
    number.unwrap_or_else(|| Sql::Text(text.to_owned()))
}

fn too_long() -> StoreError {
    let seconds = MOST_TIME.as_secs();
    StoreError::Limit(format!(
        "the query took longer than {seconds} s: ask for fewer runs, or by columns that have an index"
    ))
}

/// An error of SQLite about a query.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "errors of SQLite that need no remedy of ours are said as they are"
)]
fn said(path: &Path, sql: &str, error: rusqlite::Error) -> StoreError {
    match &error {
        rusqlite::Error::SqlInputError { error: failure, msg, offset, .. } => {
            if failure.code == ErrorCode::AuthorizationForStatementDenied {
                return only_reads();
            }
            match place(sql, *offset) {
                Some([line, column]) => StoreError::Mistake { line, column, why: mistake(msg) },
                None => StoreError::Query(mistake(msg)),
            }
        }
        rusqlite::Error::Empty => {
            StoreError::Query("there is no query: it begins with SELECT or WITH".to_owned())
        }
        rusqlite::Error::MultipleStatement => {
            StoreError::Query("there is more than one statement: ask one query at a time".to_owned())
        }
        rusqlite::Error::SqliteFailure(failure, message) => match failure.code {
            ErrorCode::AuthorizationForStatementDenied => only_reads(),
            ErrorCode::OperationInterrupted => too_long(),
            ErrorCode::OutOfMemory => {
                let text = format!(
                    "the query needs more than {} MiB of memory: sort or group less",
                    MOST_MEMORY >> 20
                );
                StoreError::Limit(text)
            }
            ErrorCode::TooBig => {
                StoreError::Limit("a text of the query or of its answer is longer than 1 MB".to_owned())
            }
            ErrorCode::Unknown => {
                StoreError::Query(mistake(message.as_deref().unwrap_or("the query has a mistake")))
            }
            _ => StoreError::of(path, &error),
        },
        _ => StoreError::Query(spl_model::one_line(&error.to_string())),
    }
}

/// A mistake in the words of SQLite, with the remedy where it is known.
fn mistake(message: &str) -> String {
    let remedy = match message.starts_with("no such table") {
        true => format!("; the tables and views are {}", and(&TABLES)),
        false => String::new(),
    };
    format!("{}{remedy}", spl_model::one_line(message))
}

/// Words with commas, and "and" before the last.
fn and(words: &[&str]) -> String {
    match words.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} and {last}", others.join(", ")),
        _ => words.join(", "),
    }
}

fn only_reads() -> StoreError {
    StoreError::Query(
        "a query only reads: it begins with SELECT or WITH, and has no statement that writes, no ATTACH and no PRAGMA".to_owned(),
    )
}

/// Line and column of a mistake.
fn place(sql: &str, offset: i32) -> Option<[usize; 2]> {
    let before = usize::try_from(offset).ok().and_then(|offset| sql.get(..offset))?;
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
    Some([line, column])
}
