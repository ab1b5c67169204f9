//! Runs with their metrics and verdicts in one file of SQLite, and queries of users under guard.
//!
//! [`Store`] writes: a run is inserted once, however often it is given. [`Asked`] answers queries of users on a connection that
//! cannot write, within limits of time, rows and memory. The tables and views are part of what users see
//! (`docs/files.md`); `schema/` has a script for each version, which older files go through.
//!
//! Runs come as bytes: [`of_metrics`] and [`of_measurement`] read them. Only the file of the store is opened here.
#![forbid(unsafe_code)]

mod error;
mod forms;
mod guard;
mod insert;
mod metric;
mod metrics;
mod number;
mod open;
mod query;
mod read;
mod run;
mod saved;
mod schema;
mod series;
mod verdicts;

pub use error::StoreError;
pub use forms::{SCHEMA as QUERY_SCHEMA, csv, json, text};
pub use guard::{MOST_MEMORY, MOST_ROWS, MOST_SQL, MOST_TIME};
pub use insert::Inserted;
pub use metric::Metric;
pub use metrics::of_metrics;
pub use number::Number;
pub use open::Store;
pub use query::{Answer, Asked, Cell};
pub use read::{Contents, Listed, OfMethod, OfPoint, OfRun, OfSeries, OfValue, OfVerdict, Table};
pub use run::{ClaimKind, Facts, MOST_METHODS, Method, Run, Value, Verdict};
pub use saved::{SAVED, Saved};
pub use schema::VERSION;
pub use series::{Line, Point, Series, Span};
pub use verdicts::{Measurement, of_measurement};

#[cfg(test)]
mod tests;
