//! Queries that everybody needs, by name. Each is a file of SQL whose first line says what it answers.

/// A query with a name.
#[derive(Clone, Copy, Debug)]
pub struct Saved {
    /// Its name, without the `@` of the command line.
    pub name: &'static str,
    /// The number of parameters, from the first, that are numbers of runs.
    pub runs: usize,
    /// Whether the parameter behind these is a space that each of the runs has.
    pub has_space: bool,
    /// Its text.
    pub sql: &'static str,
}

/// The queries of this program.
pub const SAVED: [Saved; 6] = [
    Saved { name: "runs", runs: 0, has_space: false, sql: include_str!("queries/runs.sql") },
    Saved { name: "metric", runs: 0, has_space: false, sql: include_str!("queries/metric.sql") },
    Saved { name: "difference", runs: 2, has_space: true, sql: include_str!("queries/difference.sql") },
    Saved { name: "repeats", runs: 0, has_space: false, sql: include_str!("queries/repeats.sql") },
    Saved { name: "methods", runs: 1, has_space: false, sql: include_str!("queries/methods.sql") },
    Saved { name: "failed", runs: 0, has_space: false, sql: include_str!("queries/failed.sql") },
];

impl Saved {
    /// The question that it answers: the first line, without the dashes.
    #[must_use]
    pub fn title(&self) -> &'static str {
        self.sql.lines().next().unwrap_or_default().trim_start_matches('-').trim()
    }
}
