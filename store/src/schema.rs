//! Versions of the tables, and the way from each to the next.

use crate::error::StoreError;
use rusqlite::Connection;

/// Says in the file's header that it is a store.
pub(crate) const APPLICATION: i32 = 0x53_50_4c_31;

/// The script of each version; the first makes the tables of version 1.
const SCRIPTS: [&str; 3] =
    [include_str!("schema/1.sql"), include_str!("schema/2.sql"), include_str!("schema/3.sql")];

/// A table that each version has and none before it.
const MARKS: [&str; SCRIPTS.len()] = ["run", "verdict", "point"];

/// The version of this program.
pub const VERSION: usize = SCRIPTS.len();

/// Tables and views that users ask (`docs/files.md`).
pub(crate) const TABLES: [&str; 7] = ["run", "latest", "tag", "value", "series", "verdict", "method"];

/// The state of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// The file is empty.
    Empty,
    /// The file is a store of this version.
    Version(usize),
}

/// The state of a file, which has to be a store that this program knows, or empty.
pub(crate) fn state(connection: &Connection, name: &str) -> Result<State, rusqlite::Result<StoreError>> {
    let number =
        |pragma: &str| connection.pragma_query_value(None, pragma, |row| row.get::<_, i32>(0)).map_err(Err);
    let objects: i64 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(Err)?;
    let (application, version) = (number("application_id")?, number("user_version")?);
    let refused = |reason: String| Err(Ok(StoreError::File(reason)));
    let mut found = 0;
    for (version, table) in (1..).zip(MARKS) {
        let is_there = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?1";
        if connection.query_row(is_there, [table], |row| row.get::<_, i64>(0)).map_err(Err)? > 0 {
            found = version;
        }
    }
    match (application, usize::try_from(version).unwrap_or(0)) {
        (APPLICATION, version @ ..=VERSION) if version != found => refused(format!(
            "{name} says that it is a store of version {version}, and has the tables of version {found}: its user_version was changed; bring \
             back a copy, or set user_version to {found} with a tool for SQLite"
        )),
        (0, 0) if objects == 0 => Ok(State::Empty),
        (APPLICATION, version @ 1..=VERSION) => Ok(State::Version(version)),
        (APPLICATION, version) => refused(format!(
            "{name} is a store of version {version}, and this spl knows versions 1 to {VERSION}: use the spl that wrote it, or a newer one"
        )),
        _ => refused(format!("{name} is a file of SQLite, but not a store; name another file with --store")),
    }
}

/// Brings an open transaction's file to a version.
pub(crate) fn migrate(connection: &Connection, from: State, to: usize) -> rusqlite::Result<()> {
    let done = match from {
        State::Empty => 0,
        State::Version(version) => version,
    };
    for script in SCRIPTS.get(done..to).unwrap_or_default() {
        connection.execute_batch(script)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION)?;
    connection.pragma_update(None, "user_version", i64::try_from(to).unwrap_or(i64::MAX))
}
