//! The limits of users' queries, and the connection that keeps them.

use crate::error::StoreError;
use crate::open::Store;
use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use std::time::{Duration, Instant};

/// Time of a query.
pub const MOST_TIME: Duration = Duration::from_secs(5);
/// Rows of an answer.
pub const MOST_ROWS: usize = 10_000;
/// Bytes that a query may have in memory, in SQLite; its answer may have as many once more.
pub const MOST_MEMORY: usize = 64 << 20;
/// Bytes of a query's text.
pub const MOST_SQL: usize = 100_000;
/// Instructions of SQLite between two looks at the clock: some microseconds.
const BETWEEN_LOOKS: i32 = 1_000;

/// Limits that keep single steps of SQLite short: between two steps only is the clock looked at.
const LIMITS: [(Limit, i32); 9] = [
    (Limit::SQLITE_LIMIT_LENGTH, 1_000_000),
    (Limit::SQLITE_LIMIT_SQL_LENGTH, MOST_SQL as i32),
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 100),
    (Limit::SQLITE_LIMIT_VDBE_OP, 100_000),
    (Limit::SQLITE_LIMIT_COLUMN, 500),
    (Limit::SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
];

impl Store {
    /// Makes it a connection for a query of a user, which ends at a time.
    pub(crate) fn guarded(mut self, end: Instant) -> Result<Self, StoreError> {
        let path = self.path.clone();
        let wrong = |error: rusqlite::Error| StoreError::of(&path, &error);
        let connection = &mut self.connection;
        // Sorting and intermediate results stay in memory, whose limit is one for the whole process.
        connection.pragma_update(None, "temp_store", "MEMORY").map_err(wrong)?;
        connection.pragma_update(None, "query_only", true).map_err(wrong)?;
        let limit = i64::try_from(MOST_MEMORY).unwrap_or(i64::MAX);
        connection.pragma_update_and_check(None, "hard_heap_limit", limit, |_| Ok(())).map_err(wrong)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, false).map_err(wrong)?;
        for (limit, most) in LIMITS {
            connection.set_limit(limit, most).map_err(wrong)?;
        }
        connection.authorizer(Some(|context: AuthContext<'_>| judged(context.action))).map_err(wrong)?;
        connection.progress_handler(BETWEEN_LOOKS, Some(move || Instant::now() >= end)).map_err(wrong)?;
        Ok(self)
    }
}

/// A query reads and computes; everything else is refused while it is compiled.
#[expect(clippy::wildcard_enum_match_arm, reason = "what SQLite may learn to do is refused too")]
fn judged(action: AuthAction<'_>) -> Authorization {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if !function_name.eq_ignore_ascii_case("load_extension") => {
            Authorization::Allow
        }
        _ => Authorization::Deny,
    }
}
