//! The steps of a search for reasons (`drill.jsonl`), one JSON object a line, as they are made.

use serde::Serialize;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const SCHEMA: &str = "spl.drill-step/1";

/// Name of the file, in the folder of the results.
pub const FILE: &str = "drill.jsonl";

/// The file, and the lines of the log.
#[derive(Debug)]
pub struct Steps {
    path: PathBuf,
    file: Option<File>,
    began: Instant,
    /// Why a step could not be written.
    problem: Option<String>,
}

/// A step.
#[derive(Debug, Default, Serialize)]
pub struct Step<'a> {
    /// Its name.
    pub action: &'static str,
    /// Process of the JVM.
    pub pid: u32,
    /// The program's name.
    pub program: &'a str,
    /// Number of the round, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub round: Option<u64>,
    /// Claims that fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub claims: Vec<&'a str>,
    /// Methods, or patterns of methods, as in a task file.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub methods: &'a [String],
    /// Limits of the search.
    #[serde(flatten)]
    pub limits: Option<Limits>,
    /// Extent and cost of a round.
    #[serde(flatten)]
    pub cost: Option<Cost>,
    /// The reason in words.
    pub reason: String,
}

/// Limits of a search.
#[derive(Debug, Serialize)]
pub struct Limits {
    /// Longest time, nanoseconds.
    pub longest_ns: u64,
    /// Share of the program's CPU time that counting may take, from 0 to 1; `None` without a limit.
    pub budget: Option<f64>,
}

/// Extent and cost of a round.
#[derive(Debug, Default, Serialize)]
pub struct Cost {
    /// Classes that counted.
    pub classes: Vec<String>,
    /// Calls of each method of the claims, in their order.
    pub calls: Vec<u64>,
    /// Methods that stopped counting for the budget.
    pub stopped: Vec<String>,
    /// Time for the change of the classes that were loaded, nanoseconds.
    pub change_ns: u64,
    /// Number of counts; each takes about a nanosecond.
    pub counts: u64,
    /// CPU time that the program used meanwhile, nanoseconds; `None` if it is not known.
    pub program_cpu_ns: Option<u64>,
}

#[derive(Serialize)]
struct Line<'a> {
    schema: &'static str,
    /// Nanoseconds since the controller began.
    at_ns: u64,
    #[serde(flatten)]
    step: &'a Step<'a>,
}

impl Steps {
    /// The steps of a measurement whose results are in `folder`, instead of those of an earlier one. Times count from `began`.
    pub fn new(folder: &Path, began: Instant) -> Self {
        let path = folder.join(FILE);
        let made = OpenOptions::new().create(true).write(true).truncate(true).open(&path);
        let mut steps = Self { path, file: None, began, problem: None };
        match made {
            Ok(file) => steps.file = Some(file),
            Err(error) => steps.fails(&error),
        }
        steps
    }

    /// Writes a step, and logs it.
    pub fn write(&mut self, step: &Step<'_>) {
        let round = step.round.map(|round| format!(" {round}")).unwrap_or_default();
        tracing::info!("drill in pid {}: {}{round}: {}", step.pid, step.action, step.reason);
        let line = Line { schema: SCHEMA, at_ns: ns(self.began.elapsed()), step };
        // Numbers, strings and lists of them are always JSON.
        let line = spl_model::plain_json(&serde_json::to_string(&line).unwrap_or_default()) + "\n";
        if let Some(Err(error)) = self.file.as_mut().map(|file| file.write_all(line.as_bytes())) {
            self.fails(&error);
        }
    }

    /// Why a step could not be written; one line of text.
    pub fn problem(self) -> Option<String> {
        self.problem
    }

    fn fails(&mut self, error: &std::io::Error) {
        self.problem.get_or_insert_with(|| format!("cannot write {}: {error}", self.path.display()));
    }
}

/// A time in nanoseconds.
pub fn ns(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_a_line_and_a_file_that_cannot_be_written_is_said() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(FILE), "of an earlier search").unwrap();
        let mut steps = Steps::new(folder.path(), Instant::now());
        let methods = ["p/C.f()V".to_owned()];
        let step = Step { action: "round", pid: 7, program: "w:7", round: Some(2), ..Step::default() };
        steps.write(&Step { methods: &methods, reason: "because".to_owned(), ..step });
        let cost = Cost { classes: vec!["p/C".to_owned()], counts: 3, ..Cost::default() };
        steps.write(&Step { action: "end-round", cost: Some(cost), ..Step::default() });
        assert_eq!(steps.problem(), None);
        let text = std::fs::read_to_string(folder.path().join(FILE)).unwrap();
        let lines: Vec<serde_json::Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines.len(), 2, "{text}");
        assert_eq!((&lines[0]["methods"][0], &lines[0]["round"]), (&"p/C.f()V".into(), &2.into()), "{text}");
        assert!(lines[0]["claims"].is_null() && lines[0]["classes"].is_null(), "{text}");
        assert_eq!((&lines[1]["classes"][0], &lines[1]["counts"]), (&"p/C".into(), &3.into()), "{text}");
        let mut nowhere = Steps::new(&folder.path().join("missing"), Instant::now());
        nowhere.write(&Step::default());
        assert!(nowhere.problem().unwrap().contains("drill.jsonl"));
    }
}
