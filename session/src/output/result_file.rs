//! The results: plain comparisons in the thesis's file, assertions in a file next to it.

use super::lines::{Lines, cannot_write, open_records};
use crate::config::Config;
use crate::setup::Setup;
use spl_lang::Tasks;
use spl_records::{Form, ResultRecord};
use spl_verdict::{Asserted, Evaluation};
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Results of assertions, next to the file of the comparisons.
pub const ASSERTIONS_FILE: &str = "assertions.jsonl";
/// Both files.
#[derive(Debug)]
pub struct ResultFile {
    file: File,
    path: PathBuf,
    form: Form,
    assertions: Lines,
}

impl ResultFile {
    /// Opens the files at this path, new or to append.
    ///
    /// # Errors
    /// When one cannot be written, or has another form; one line of text.
    pub fn open(config: &Config, path: &Path, overwrite: bool) -> Result<Self, String> {
        let form = if config.human_results { Form::Human } else { Form::Comma };
        let file = open_records::<ResultRecord>(path, overwrite, form, ResultRecord::header(form))?;
        let mut assertions = Lines::beside(path, ASSERTIONS_FILE);
        assertions.open(overwrite)?;
        Ok(Self { file, path: path.to_owned(), form, assertions })
    }

    /// Path of the results of assertions.
    pub fn assertions_path(&self) -> PathBuf {
        self.assertions.path.clone()
    }

    /// Writes a result at once.
    ///
    /// # Errors
    /// When writing fails.
    pub fn result(&mut self, tasks: &Tasks, evaluation: &Evaluation) -> Result<(), String> {
        let Some(comparison) = tasks.comparisons.get(evaluation.comparison) else { return Ok(()) };
        let record = ResultRecord {
            left: tasks.methods[comparison.left].method.clone(),
            sign: comparison.sign,
            left_factor: comparison.left_factor,
            right_factor: comparison.right_factor,
            right: tasks.methods[comparison.right].method.clone(),
            evaluation: evaluation.clone(),
        };
        let mut text = String::new();
        // Writing to a `String` cannot fail.
        let _ = record.write(self.form, &mut text);
        self.file.write_all(text.as_bytes()).map_err(|e| cannot_write(&self.path, &e))
    }

    /// Writes the result of an assertion at once.
    ///
    /// # Errors
    /// When writing fails.
    pub fn assertion(&mut self, setup: &Setup, asserted: &Asserted) -> Result<(), String> {
        let Some(record) = setup.record(asserted) else { return Ok(()) };
        self.assertions.write(&record.to_json())
    }
}
