//! Recorded runs judged by `spl eval`, as a user's are.

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Outcome of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Called true.
    Holds,
    /// Neither.
    Undecided,
    /// Called false. Of several results of one claim the worst counts.
    Fails,
}

/// The product.
#[derive(Clone, Debug)]
pub struct Judge {
    /// `spl`.
    pub spl: PathBuf,
}

/// A folder with a recorded run, its tasks and its settings.
#[derive(Debug)]
pub struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    /// An empty one, in memory where there is a file system for that.
    ///
    /// # Errors
    /// When it cannot be made; one line of text.
    pub fn new() -> Result<Self, String> {
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
        let folder = folder.map_err(|e| format!("cannot make a folder: {e}"))?;
        let case = Self { folder };
        std::fs::create_dir(case.measurements()).map_err(|e| format!("cannot make a folder: {e}"))?;
        Ok(case)
    }

    /// Where the samples lie.
    #[must_use]
    pub fn measurements(&self) -> PathBuf {
        self.folder.path().join("ms")
    }

    /// Writes the tasks and the settings.
    ///
    /// # Errors
    /// When they cannot be written; one line of text.
    pub fn set(&self, tasks: &str, settings: &str) -> Result<(), String> {
        let write = |name: &str, text: &str| std::fs::write(self.folder.path().join(name), text);
        write("t.tasks", tasks)
            .and_then(|()| write("c.ini", settings))
            .map_err(|e| format!("cannot write a case: {e}"))
    }

    /// Judges it, and gives each claim's decision by its key.
    ///
    /// # Errors
    /// When `spl eval` gives no document; text.
    pub fn judge(&self, judge: &Judge) -> Result<BTreeMap<String, Decision>, String> {
        judge.eval(
            &self.folder.path().join("c.ini"),
            &self.folder.path().join("t.tasks"),
            &self.measurements(),
        )
    }
}

impl Judge {
    /// Results of `spl eval` for each claim, by its title, or by its text where it has none.
    ///
    /// # Errors
    /// When it gives no document; text.
    pub fn eval(
        &self,
        config: &Path,
        tasks: &Path,
        measurements: &Path,
    ) -> Result<BTreeMap<String, Decision>, String> {
        let mut spl = Command::new(&self.spl);
        spl.arg("eval").arg("--json").arg("--quiet").arg("--config").arg(config).arg("--tasks").arg(tasks);
        spl.arg("--measurements").arg(measurements).stdin(Stdio::null());
        let output = spl.output().map_err(|e| format!("cannot run {}: {e}", self.spl.display()))?;
        let document: Value = serde_json::from_slice(&output.stdout).map_err(|e| {
            format!("spl eval prints no document: {e}: {}", String::from_utf8_lossy(&output.stderr))
        })?;
        Ok(decisions(&document))
    }
}

/// The decisions that a document of `spl eval` or `spl run` names.
#[must_use]
pub fn decisions(document: &Value) -> BTreeMap<String, Decision> {
    let list = |key: &str| document[key].as_array().cloned().unwrap_or_default();
    let mut all = BTreeMap::new();
    for comparison in list("comparisons") {
        let results = comparison["results"].as_array().cloned().unwrap_or_default();
        let worst = results.iter().map(|result| decision(&result["result"])).max();
        all.insert(text(&comparison["text"]), worst.unwrap_or(Decision::Undecided));
    }
    for assertion in list("assertions") {
        all.insert(text(&assertion["title"]), decision(&assertion["result"]));
    }
    all
}

/// Why claims are undecided, by the same keys: what `spl` says first of each.
#[must_use]
pub fn reasons(document: &Value) -> BTreeMap<String, String> {
    let list = |key: &str| document[key].as_array().cloned().unwrap_or_default();
    let of = |one: &Value| {
        let places = [&one["results"][0]["reason"], &one["gaps"][0], &one["reason"], &one["need"]];
        places
            .into_iter()
            .find(|place| !place.is_null())
            .map(|place| place.as_str().map_or(place.to_string(), str::to_owned))
    };
    let named = |key: &str, name: &str| {
        let reason = |one: &Value| Some((text(&one[name]), of(one)?));
        list(key).iter().filter_map(reason).collect::<Vec<_>>()
    };
    named("comparisons", "text").into_iter().chain(named("assertions", "title")).collect()
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn decision(result: &Value) -> Decision {
    match result.as_str() {
        Some("holds") => Decision::Holds,
        Some("fails") => Decision::Fails,
        _ => Decision::Undecided,
    }
}
