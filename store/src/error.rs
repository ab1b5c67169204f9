//! Reasons why a store cannot be used.

use rusqlite::ErrorCode;
use rusqlite::ffi;
use std::path::Path;
use std::time::Duration;

/// Time for which another writer is waited for.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// Reason why a store gives or takes nothing: a sentence with the remedy. The file is as it was before.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// The file is missing, of another kind or version, damaged, or in use.
    #[error("{0}")]
    File(String),
    /// A run that cannot be read.
    #[error("{0}")]
    Run(String),
    /// A query with a mistake, or one that wants what it must not.
    #[error("{0}")]
    Query(String),
    /// A query with a mistake at a known place, both counted from 1.
    #[error("line {line}, column {column}: {why}")]
    Mistake {
        /// Line of the query.
        line: usize,
        /// Character of that line.
        column: usize,
        /// The mistake, with the remedy where it is known.
        why: String,
    },
    /// A query that went beyond a limit.
    #[error("{0}")]
    Limit(String),
}

impl StoreError {
    /// An error of SQLite about a file.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "errors of SQLite that need no remedy of ours are said as they are"
    )]
    pub(crate) fn of(path: &Path, error: &rusqlite::Error) -> Self {
        let name = spl_model::one_line(&path.display().to_string());
        let rusqlite::Error::SqliteFailure(failure, _) = error else {
            return Self::File(format!("{name}: {error}"));
        };
        let text = match failure.code {
            ErrorCode::NotADatabase => {
                format!("{name} is not a store, nor any file of SQLite; name another file with --store")
            }
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                format!(
                    "{name}: another process writes to it for more than {} s; try again later",
                    PATIENCE.as_secs()
                )
            }
            ErrorCode::DiskFull => {
                format!("{name}: the disk is full, so nothing was written; make room and try again")
            }
            ErrorCode::DatabaseCorrupt => {
                format!(
                    "{name} is damaged ({error}): restore a copy, or make a new store of the runs' folders with `spl store add`"
                )
            }
            ErrorCode::OutOfMemory => {
                format!("{name}: the memory for it is taken, perhaps by a query that runs; try again")
            }
            ErrorCode::CannotOpen => format!("cannot open {name}: it is missing, or you may not read it"),
            ErrorCode::ReadOnly | ErrorCode::PermissionDenied => {
                format!(
                    "{name} cannot be written to ({error}): you need the right to write to it and to its folder"
                )
            }
            ErrorCode::SystemIoFailure if failure.extended_code == ffi::SQLITE_IOERR_WRITE => {
                format!(
                    "{name}: the disk, or a quota, did not take what was written, so nothing was; make room and try again"
                )
            }
            _ => format!("{name}: {error}"),
        };
        Self::File(text)
    }
}
