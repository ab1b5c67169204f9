//! The files of a run: measurements, results, and the lock that keeps two controllers out of one folder.

use crate::decisions;
use crate::resume::{self, Resumed, RunFile};
use crate::setup::Setup;
use spl_lang::Tasks;
use spl_model::{MethodRef, Sample};
use spl_records::{AssertionRecord, Form, Measurement, Reader, Record, ResultRecord, measurement_files};
use spl_scheduler::{Decision, MethodIx, Scheduler};
use spl_verdict::{Asserted, Evaluation};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const ASSERTIONS_FILE: &str = "assertions.jsonl";
const DECISIONS_FILE: &str = "decisions.jsonl";
const LOCK_FILE: &str = ".spl.lock";

/// Where samples and results go.
#[derive(Debug)]
pub struct Output {
    measurements: Vec<MeasurementFile>,
    measurement_form: Form,
    flush_at: usize,
    results: File,
    assertions: Lines,
    decisions: Lines,
    result_path: PathBuf,
    result_form: Form,
    run_file: RunFile,
    decided: Vec<usize>,
    origin: Arc<str>,
    /// Held until the run ends.
    _lock: File,
}

/// A file of lines that is there once it has one.
#[derive(Debug)]
struct Lines {
    path: PathBuf,
    file: Option<File>,
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
    /// Creates the folders and the result file; measurement files come with their first samples. An unfinished run
    /// with the same tasks is gone on with, whatever the overwrite keys say, and so is what this process wrote itself
    /// (`go_on`).
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
        let mut assertions = Lines::beside(&config.result_file, ASSERTIONS_FILE);
        let mut decisions = Lines::beside(&config.result_file, DECISIONS_FILE);
        let measurements = measurement_list(setup, config.overwrite_measurements && !append);
        if let Some(resumed) = &mut resumed {
            let (results, decided) = (&mut resumed.results, &resumed.decided);
            results.evaluations = resume::evaluations(&config.result_file, decided)?;
            let comparisons = setup.program.tasks.comparisons.len();
            results.assertions = resume::assertions(&assertions.path, decided, comparisons)?;
            // What has no whole record is decided anew.
            let asserted = results.assertions.iter().map(|asserted| comparisons + asserted.assertion);
            let evaluated = results.evaluations.iter().map(|evaluation| evaluation.comparison);
            resumed.decided = evaluated.chain(asserted).collect();
            for (index, file) in measurements.iter().enumerate() {
                resumed.samples.extend(resume::samples(MethodIx(index), &file.path)?);
            }
        }
        let result_form = form(config.human_results);
        let overwrite = config.overwrite_results && !append;
        let results = open::<ResultRecord>(
            &config.result_file,
            overwrite,
            result_form,
            ResultRecord::header(result_form),
        )?;
        for lines in [&mut assertions, &mut decisions] {
            lines.open(overwrite)?;
        }
        let decided = resumed.as_ref().map(|resumed| resumed.decided.clone()).unwrap_or_default();
        let output = Self {
            measurements,
            measurement_form: form(config.human_measurements),
            flush_at: usize::try_from(config.measurements_to_flush).unwrap_or(usize::MAX).max(1),
            results,
            assertions,
            decisions,
            result_path: config.result_file.clone(),
            result_form,
            run_file,
            decided,
            origin: Arc::from(""),
            _lock: lock,
        };
        Ok((output, resumed))
    }

    /// Names the run of the JVM that the next samples come from.
    pub fn set_origin(&mut self, origin: &str) {
        self.origin = Arc::from(origin);
    }

    /// Adds a sample of the method with this index; it is on disk after `measurements-to-flush` of them.
    ///
    /// # Errors
    /// When writing fails.
    pub fn sample(&mut self, method: usize, sample: &Sample) -> Result<(), String> {
        let Some(file) = self.measurements.get_mut(method) else { return Ok(()) };
        let record = Measurement {
            method: Arc::clone(&file.method),
            sample: sample.clone(),
            window: None,
            origin: Arc::clone(&self.origin),
        };
        // A `String` takes everything.
        let _ = record.write(self.measurement_form, &mut file.pending);
        file.waiting += 1;
        if file.waiting >= self.flush_at { file.flush(self.measurement_form) } else { Ok(()) }
    }

    /// Writes what waits of one method.
    ///
    /// # Errors
    /// When writing fails.
    pub fn flush(&mut self, method: usize) -> Result<(), String> {
        let form = self.measurement_form;
        self.measurements.get_mut(method).map_or(Ok(()), |file| file.flush(form))
    }

    /// Writes all samples that wait.
    ///
    /// # Errors
    /// The first failure; the other files are written all the same.
    pub fn flush_all(&mut self) -> Result<(), String> {
        let form = self.measurement_form;
        self.measurements.iter_mut().map(|file| file.flush(form)).fold(Ok(()), Result::and)
    }

    /// Notes that a claim is decided, a comparison or after them an assertion; to be written with [`state`](Self::state) before its result, so that a crash
    /// between the two leaves one that is decided anew, and not one with two results.
    pub fn decided(&mut self, comparison: usize) {
        self.decided.push(comparison);
    }

    /// Writes a result at once.
    ///
    /// # Errors
    /// When writing fails.
    pub fn result(&mut self, tasks: &Tasks, evaluation: &Evaluation) -> Result<(), String> {
        let Some(comparison) = tasks.comparisons.get(evaluation.comparison) else { return Ok(()) };
        let record = ResultRecord {
            left: tasks.methods[comparison.left].method.clone(),
            sign: comparison.sign.to_string(),
            left_factor: comparison.left_factor,
            right_factor: comparison.right_factor,
            right: tasks.methods[comparison.right].method.clone(),
            evaluation: evaluation.clone(),
        };
        let mut text = String::new();
        // A `String` takes everything.
        let _ = record.write(self.result_form, &mut text);
        self.results.write_all(text.as_bytes()).map_err(|e| cannot_write(&self.result_path, &e))
    }

    /// Writes the result of an assertion at once.
    ///
    /// # Errors
    /// When writing fails.
    pub fn assertion(&mut self, setup: &Setup, asserted: &Asserted) -> Result<(), String> {
        let Some(assertion) = setup.program.assertions.get(asserted.assertion) else { return Ok(()) };
        let mut relations = Vec::new();
        assertion.formula.for_each_relation(&mut |span| relations.push(setup.quote(span).to_owned()));
        let record = AssertionRecord {
            title: assertion.title.clone(),
            text: setup.quote(assertion.span).to_owned(),
            relations,
            asserted: asserted.clone(),
        };
        self.assertions.write(&record.to_json())
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
    let methods = setup.program.tasks.methods.iter().map(|task| task.method.clone()).collect::<Vec<_>>();
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

impl Lines {
    fn beside(result_file: &Path, name: &str) -> Self {
        Self { path: result_file.with_file_name(name), file: None }
    }

    /// Removes an older file, or goes on with it, without a half-written last line.
    fn open(&mut self, overwrite: bool) -> Result<(), String> {
        let wrong = |error: std::io::Error| cannot_write(&self.path, &error);
        let bytes = match fs::read(&self.path) {
            Ok(_) if overwrite => return fs::remove_file(&self.path).map_err(wrong),
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(wrong(error)),
        };
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        let file = OpenOptions::new().append(true).open(&self.path).map_err(wrong)?;
        file.set_len(whole as u64).map_err(wrong)?;
        self.file = Some(file);
        Ok(())
    }

    fn write(&mut self, line: &str) -> Result<(), String> {
        let file = match &mut self.file {
            Some(file) => Ok(file),
            None => {
                let made = OpenOptions::new().create(true).append(true).open(&self.path);
                made.map(|file| self.file.insert(file))
            }
        };
        file.and_then(|file| file.write_all(line.as_bytes())).map_err(|e| cannot_write(&self.path, &e))
    }
}

impl MeasurementFile {
    fn flush(&mut self, form: Form) -> Result<(), String> {
        if self.pending.is_empty() {
            return Ok(());
        }
        if self.file.is_none() {
            self.file =
                Some(open::<Measurement>(&self.path, self.overwrite, form, Measurement::header(form))?);
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

/// A file to write records to, with its header; one that is gone on with has lost its half-written last record.
fn open<R: Record>(path: &Path, overwrite: bool, form: Form, header: &str) -> Result<File, String> {
    let wrong = |error: std::io::Error| cannot_write(path, &error);
    // A device or a pipe would be opened, or read, for ever.
    if fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        return Err(format!("cannot write {}: it is no regular file", path.display()));
    }
    let mut file = OpenOptions::new().create(true).append(true).open(path).map_err(wrong)?;
    if overwrite {
        file.set_len(0).map_err(wrong)?;
    } else {
        let bytes = fs::read(path).map_err(wrong)?;
        if let Some(end) =
            end_of_records::<R>(&bytes, form).map_err(|why| format!("{}: {why}", path.display()))?
        {
            file.set_len(end as u64).map_err(wrong)?;
        }
        if !bytes.is_empty() {
            return Ok(file);
        }
    }
    file.write_all(header.as_bytes()).map_err(wrong)?;
    Ok(file)
}

/// Where a half-written last record begins, if there is one.
fn end_of_records<R: Record>(bytes: &[u8], form: Form) -> Result<Option<usize>, String> {
    let mut reader = Reader::<R>::new(bytes).map_err(|e| e.to_string())?;
    if reader.form() != form && !bytes.is_empty() {
        return Err(
            "the file has the other form (human-readable or comma-separated); change the configuration, \
                    overwrite it, or choose another folder with --out"
                .to_owned(),
        );
    }
    // A malformed record is for whoever evaluates the file; here only the end counts.
    reader.by_ref().for_each(drop);
    Ok(reader.cut_off().map(|cut| cut.offset))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}
