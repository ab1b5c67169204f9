//! The files of a run: measurements, results, and the lock that keeps two controllers out of one folder.

mod lines;
mod result_file;

pub use result_file::{ASSERTIONS_FILE, ResultFile};

use crate::decisions;
use crate::resume::{self, Resumed, RunFile};
use crate::setup::Setup;
use lines::{Lines, cannot_write, open_records};
use spl_lang::Tasks;
use spl_model::{ClaimIx, MethodRef, Sample};
use spl_records::{Form, Measurement, WhyFile, WhyGraphs, measurement_files};
use spl_scheduler::{Decision, Scheduler};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Name of the file of the scheduler's decisions, in the folder of the results.
pub const DECISIONS_FILE: &str = "decisions.jsonl";
/// Keeps two controllers out of one folder of measurements.
pub const LOCK_FILE: &str = ".spl.lock";

/// Sizes of the files before this run.
#[derive(Clone, Debug, Default)]
pub struct Older {
    /// Bytes of the results, the assertions and the decisions of other runs.
    pub bytes: [u64; 3],
    /// Whether this run resumes the last one.
    pub goes_on: bool,
}

/// Output files of samples and results.
#[derive(Debug)]
pub struct Output {
    measurements: Vec<MeasurementFile>,
    measurement_form: Form,
    flush_at: usize,
    /// The results.
    pub results: ResultFile,
    decisions: Lines,
    run_file: RunFile,
    decided: Vec<ClaimIx>,
    older: Older,
    /// Held until the run ends.
    _lock: File,
}

#[derive(Debug)]
struct MeasurementFile {
    method: Arc<MethodRef>,
    path: PathBuf,
    file: Option<File>,
    overwrite: bool,
    pending: String,
    waiting: usize,
}

impl Output {
    /// Creates the folders and the result file; measurement files are created with their first samples. An
    /// unfinished run with the same tasks is resumed with any values of the overwrite keys. The same holds
    /// for files of this process (`go_on`).
    ///
    /// # Errors
    /// When a folder or file cannot be made, or another controller writes here; one line of text.
    pub fn open(setup: &Setup, go_on: bool) -> Result<(Self, Option<Resumed>), String> {
        let config = &setup.config;
        make_folder(&config.output_dir)?;
        let lock = lock(&config.output_dir)?;
        if let Some(parent) = config.result_file.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            make_folder(parent)?;
        }
        let run_file = RunFile::beside(&config.result_file, setup.tasks_hash);
        let mut resumed = run_file.unfinished()?;
        let append = go_on || resumed.is_some();
        let form = |human| if human { Form::Human } else { Form::Comma };
        let mut decisions = Lines::beside(&config.result_file, DECISIONS_FILE);
        let measurements = measurement_list(setup, config.overwrite_measurements && !append);
        if let Some(resumed) = &mut resumed {
            let (results, decided) = (&mut resumed.results, &resumed.decided);
            let numbers = setup.program.claim_numbers();
            results.evaluations = resume::evaluations(&config.result_file, decided, numbers)?;
            results.assertions =
                resume::assertions(&config.result_file.with_file_name(ASSERTIONS_FILE), decided, numbers)?;
            // Claims without a whole record are decided again.
            resumed.decided = results.claims(numbers);
            (resumed.samples, resumed.instances) =
                resume::samples(&config.output_dir, &setup.methods(), config.tells_instances())?;
        }
        let overwrite = config.overwrite_results && !append;
        let results = ResultFile::open(config, &config.result_file, overwrite)?;
        decisions.open(overwrite)?;
        if !append {
            // Reasons are those of an earlier run's claims.
            for name in [WhyFile::NAME, WhyGraphs::NAME] {
                let _ = fs::remove_file(config.result_file.with_file_name(name));
            }
        }
        let older = Older {
            bytes: [&config.result_file, &results.assertions_path(), &decisions.path].map(|path| {
                let length = fs::metadata(path).map_or(0, |found| found.len());
                if overwrite || resumed.is_some() { 0 } else { length }
            }),
            goes_on: resumed.is_some(),
        };
        let decided = resumed.as_ref().map(|resumed| resumed.decided.clone()).unwrap_or_default();
        let output = Self {
            measurements,
            measurement_form: form(config.human_measurements),
            flush_at: usize::try_from(config.measurements_to_flush).unwrap_or(usize::MAX).max(1),
            results,
            decisions,
            run_file,
            decided,
            older,
            _lock: lock,
        };
        Ok((output, resumed))
    }

    /// Sizes of the files before this run.
    pub fn older(&self) -> &Older {
        &self.older
    }

    /// Adds a sample of the method with this index, taken in the run of a JVM with this name. Samples are
    /// written to disk once `measurements-to-flush` of them wait.
    ///
    /// # Errors
    /// When writing fails.
    pub fn sample(&mut self, method: usize, sample: &Sample, origin: &Arc<str>) -> Result<(), String> {
        let Some(file) = self.measurements.get_mut(method) else { return Ok(()) };
        let record = Measurement {
            method: Arc::clone(&file.method),
            sample: sample.clone(),
            origin: Arc::clone(origin),
        };
        // Writing to a `String` cannot fail.
        let _ = record.write(self.measurement_form, &mut file.pending);
        file.waiting += 1;
        if file.waiting >= self.flush_at { file.flush(self.measurement_form) } else { Ok(()) }
    }

    /// Writes the waiting samples of one method.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self, method: usize) -> Result<(), String> {
        let form = self.measurement_form;
        self.measurements.get_mut(method).map_or(Ok(()), |file| file.flush(form))
    }

    /// Writes all waiting samples.
    ///
    /// # Errors
    /// The first failure; the other files are still written.
    pub fn flush_all(&mut self) -> Result<(), String> {
        let form = self.measurement_form;
        self.measurements.iter_mut().map(|file| file.flush(form)).fold(Ok(()), Result::and)
    }

    /// Notes that a claim is decided. Write it with [`state`](Self::state) before its result: after a crash
    /// between the two the claim is decided again, and never has two results.
    pub fn decided(&mut self, claim: ClaimIx) {
        self.decided.push(claim);
    }

    /// Writes a decision of the scheduler.
    ///
    /// # Errors
    /// When writing fails.
    pub fn decision(&mut self, scheduler: &Scheduler, decision: &Decision) -> Result<(), String> {
        self.decisions.write(&decisions::line(scheduler, decision))
    }

    /// Writes how far the run is.
    ///
    /// # Errors
    /// When writing fails.
    pub fn state(&self, tasks: &Tasks, scheduler: &Scheduler, finished: bool) -> Result<(), String> {
        self.run_file.write(tasks, scheduler, &self.decided, finished)
    }
}

fn measurement_list(setup: &Setup, overwrite: bool) -> Vec<MeasurementFile> {
    let methods = setup.methods();
    let names = measurement_files(&methods);
    let file = |(method, name)| MeasurementFile {
        method: Arc::new(method),
        path: setup.config.output_dir.join(name),
        file: None,
        overwrite,
        pending: String::new(),
        waiting: 0,
    };
    methods.into_iter().zip(names).map(file).collect()
}

impl MeasurementFile {
    fn flush(&mut self, form: Form) -> Result<(), String> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.file.is_none() {
            self.file = Some(open_records::<Measurement>(
                &self.path,
                self.overwrite,
                form,
                Measurement::header(form),
            )?);
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        let result = file.write_all(self.pending.as_bytes());
        self.pending.clear();
        self.waiting = 0;
        result.map_err(|e| cannot_write(&self.path, &e))
    }
}

fn make_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path)
        .map_err(|e| format!("cannot create the folder {}: {e}; choose another with --out", path.display()))
}

fn lock(folder: &Path) -> Result<File, String> {
    let path = folder.join(LOCK_FILE);
    let file = File::create(&path).map_err(|e| cannot_write(&path, &e))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(fs::TryLockError::WouldBlock) => Err(format!(
            "another controller is writing to {}: choose another folder with --out",
            folder.display()
        )),
        Err(fs::TryLockError::Error(error)) => Err(cannot_write(&path, &error)),
    }
}
