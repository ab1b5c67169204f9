//! Progress of an interrupted run (`run.json`), and the data to resume it.

use crate::recorded::Recorded;
use crate::results::Results;
use spl_lang::Tasks;
use spl_model::{ClaimIx, ClaimNumbers, MethodRef, Sample};
use spl_records::{
    AssertionRecord, MethodProgress as RecordedProgress, Reader, Record, ResultRecord, RunState, TasksHash,
};
use spl_scheduler::{MethodIx, Scheduler, Status, Turns};
use spl_verdict::{Asserted, Evaluation};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file with a run's progress, in the folder of the results.
pub const RUN_FILE: &str = "run.json";

/// Names of the instances, by method and window.
pub type WindowsOf = BTreeMap<(MethodIx, u64), Arc<str>>;

/// Data of an interrupted run.
#[derive(Debug, Default)]
pub struct Resumed {
    /// Claims that have a result.
    pub decided: Vec<ClaimIx>,
    /// Their results.
    pub results: Results,
    /// The samples of its measurement files.
    pub samples: Vec<(MethodIx, Sample)>,
    /// The instance of each window of a method, where several JVMs are measured at once.
    pub instances: WindowsOf,
}

/// The file with a run's progress, in the folder of the results.
#[derive(Debug)]
pub struct RunFile {
    path: PathBuf,
    tasks: TasksHash,
}

impl RunFile {
    /// The file of a run with these tasks.
    pub fn beside(result_file: &Path, tasks: TasksHash) -> Self {
        Self { path: result_file.with_file_name(RUN_FILE), tasks }
    }

    /// Decisions of an unfinished run with the same tasks; `None` without such a run.
    ///
    /// # Errors
    /// When the file cannot be read, or is not one of ours; one line of text.
    pub fn unfinished(&self) -> Result<Option<Resumed>, String> {
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(format!("cannot read {}: {error}", self.path.display())),
        };
        let state = RunState::from_json(&text).map_err(|e| {
            format!(
                "{}: {e}; remove it to start over, or choose another folder with --out",
                self.path.display()
            )
        })?;
        let goes_on = state.tasks == self.tasks && !state.finished;
        Ok(goes_on.then(|| Resumed { decided: state.decided, ..Resumed::default() }))
    }

    /// Writes the run's progress. The file is replaced at once: a crash leaves the old one or the new one.
    ///
    /// # Errors
    /// When writing fails; one line of text.
    pub fn write(
        &self,
        tasks: &Tasks,
        scheduler: &Scheduler,
        decided: &[ClaimIx],
        finished: bool,
    ) -> Result<(), String> {
        let methods =
            tasks.methods.iter().zip(scheduler.progress()).map(|(task, progress)| RecordedProgress {
                method: task.method.clone(),
                measurements: progress.samples + progress.late + progress.discarded,
                finished: progress.status == Status::Finished,
            });
        let state =
            RunState { tasks: self.tasks, methods: methods.collect(), decided: decided.to_vec(), finished };
        let new = self.path.with_extension("json.new");
        fs::write(&new, state.to_json())
            .and_then(|()| fs::rename(&new, &self.path))
            .map_err(|e| format!("cannot write {}: {e}", self.path.display()))
    }
}

/// The samples of these methods' files, which may end in a half-written record, in the order of their windows. With
/// `at_once` also the instance of each window.
///
/// # Errors
/// When a file cannot be read or holds something else; one line of text.
pub fn samples(
    folder: &Path,
    methods: &[MethodRef],
    at_once: bool,
) -> Result<(Vec<(MethodIx, Sample)>, WindowsOf), String> {
    let to_start_over = |why: String| format!("{why}; {START_OVER}");
    let mut recorded = Recorded::of_runs(folder, methods, at_once).map_err(to_start_over)?;
    let (mut samples, mut instances) = (Vec::new(), WindowsOf::new());
    while let Some((method, sample, run)) = recorded.next_of_run().map_err(to_start_over)? {
        if let (true, Some(window), Some(name)) = (at_once, sample.window, recorded.run(run)) {
            instances.entry((method, window)).or_insert_with(|| Arc::clone(name));
        }
        samples.push((method, sample));
    }
    // Windows of several JVMs overlap, and a long call ends after the windows that follow its own.
    samples.sort_by_key(|(_, sample)| sample.window);
    Ok((samples, instances))
}

/// The instance of a recorded window.
pub fn instance_of<'a>(turns: &Turns, instances: &'a WindowsOf) -> Option<&'a str> {
    turns.turns.iter().find_map(|turn| instances.get(&(turn.method, turns.number))).map(|name| &**name)
}

/// The latest result of each of these comparisons: the file may contain results of older runs too.
///
/// # Errors
/// As [`samples`].
pub fn evaluations(
    path: &Path,
    decided: &[ClaimIx],
    numbers: ClaimNumbers,
) -> Result<Vec<Evaluation>, String> {
    let results = records::<ResultRecord>(path)?;
    let latest = |claim: &ClaimIx| {
        let of_this = |one: &&Evaluation| numbers.comparison(one.comparison) == *claim;
        results.iter().rev().map(|result| &result.evaluation).find(of_this)
    };
    Ok(decided.iter().filter_map(latest).cloned().collect())
}

/// The latest result of each of these assertions.
///
/// # Errors
/// As [`samples`].
pub fn assertions(path: &Path, decided: &[ClaimIx], numbers: ClaimNumbers) -> Result<Vec<Asserted>, String> {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(cannot_go_on(path, &error.to_string())),
    };
    // A crash may have left the last line half-written.
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let records = whole.map(AssertionRecord::from_json).collect::<Result<Vec<_>, _>>();
    let records = records.map_err(|error| cannot_go_on(path, &error.to_string()))?;
    let latest = |claim: &ClaimIx| {
        let asserted = records.iter().rev().map(|record| &record.asserted);
        asserted.into_iter().find(|one| numbers.assertion(one.assertion) == *claim)
    };
    Ok(decided.iter().filter_map(latest).cloned().collect())
}

const START_OVER: &str = "remove run.json next to the results to start over";

fn cannot_go_on(path: &Path, why: &str) -> String {
    format!("{}: {why}; {START_OVER}", path.display())
}

fn records<R: Record>(path: &Path) -> Result<Vec<R>, String> {
    let wrong = |why: String| cannot_go_on(path, &why);
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(wrong(error.to_string())),
    };
    let reader = Reader::<R>::new(&bytes).map_err(|e| wrong(e.to_string()))?;
    reader.map(|record| record.map_err(|e| wrong(e.to_string()))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_of_several_jvms_come_in_the_order_of_their_windows() {
        let folder = tempfile::tempdir().unwrap();
        let method: MethodRef = "A.f()V".parse().unwrap();
        let name = spl_records::measurement_files(std::slice::from_ref(&method)).remove(0);
        // Window 1 of the first JVM lasts longer than window 3 of the second one.
        let rows = [(10, 20, 1, "a:1"), (30, 40, 3, "b:2"), (35, 50, 1, "a:1"), (60, 70, 4, "a:1")];
        let rows =
            rows.map(|(start, end, window, of)| format!("{start},{end},0,1,A.f()V,-,{window},0,{of}\n"));
        fs::write(folder.path().join(name), rows.concat()).unwrap();
        let (samples, instances) = samples(folder.path(), &[method], true).unwrap();
        let order = samples.iter().map(|(_, sample)| (sample.window.unwrap(), sample.end_ns()));
        assert_eq!(order.collect::<Vec<_>>(), [(1, 20), (1, 50), (3, 40), (4, 70)]);
        assert_eq!(instances.values().map(|name| &**name).collect::<Vec<_>>(), ["a:1", "b:2", "a:1"]);
    }
}
