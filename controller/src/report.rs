//! `spl report`: reads the files of a run for its HTML report.

use crate::cli::Report;
use crate::said::say;
use crate::stdout;
use serde::Deserialize;
use spl_model::{MethodRef, one_line};
use spl_records::context::Setting;
use spl_records::{AssertionRecord, Context, InstancesFile, Reader, ResultRecord, WhyFile, WhyGraphs};
use spl_report::{Calls, Decisions, Facts, Reasons, Step, shown, shown_assertions, shown_methods};
use spl_scheduler::MethodIx;
use spl_session::buckets::FILE as BUCKETS_FILE;
use spl_session::context::CONTEXT_FILE;
use spl_session::files::write_whole;
use spl_session::output::{ASSERTIONS_FILE, DECISIONS_FILE};
use spl_session::recorded::Recorded;
use spl_verdict::{Evaluation, ExitStatus};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Seek, SeekFrom};
use std::path::{Path, PathBuf};

const REPORT_FILE: &str = "report.html";

/// Makes a report again.
///
/// # Errors
/// When the run's files cannot be read, or the report cannot be written; one line of text.
pub fn report(arguments: &Report) -> Result<ExitStatus, String> {
    let path = make(&arguments.folder, arguments.out.as_deref())?;
    if arguments.json {
        let written = serde_json::json!({ "schema": "spl.report/1", "file": path.display().to_string() });
        stdout::print_json(&written)?;
    } else {
        say(&format!("report: {}", path.display()));
    }
    Ok(ExitStatus::AllHold)
}

/// Writes the report of the run whose results are in a folder, there or to `out`; gives its path.
///
/// # Errors
/// As [`report`].
pub fn make(folder: &Path, out: Option<&Path>) -> Result<PathBuf, String> {
    let facts = read(folder)?;
    let path = out.map_or_else(|| folder.join(REPORT_FILE), Path::to_owned);
    write_whole(&path, spl_report::html(&facts).as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    Ok(path)
}

fn read(folder: &Path) -> Result<Facts, String> {
    let path = folder.join(CONTEXT_FILE);
    let text = fs::read_to_string(&path).map_err(|error| {
        if error.kind() == ErrorKind::NotFound {
            format!(
                "{} is missing: name the folder that has the results of a run (result.eval); runs of older versions have no \
                 {CONTEXT_FILE} and no report",
                path.display()
            )
        } else {
            wrong(&path, &error)
        }
    })?;
    let context = Context::from_json(&text).map_err(|error| wrong(&path, &error))?;
    let [results_from, assertions_from, decisions_from] = context.older_bytes;
    let results = results(&folder.join(&context.result_file), results_from)?;
    let assertions = assertions(&folder.join(ASSERTIONS_FILE), assertions_from)?;
    let decisions = decisions(&folder.join(DECISIONS_FILE), decisions_from)?;
    let with_calls =
        shown_methods(&context, &shown(&context, &results), &shown_assertions(&context, &assertions));
    let methods = methods(folder, &context, &with_calls)?;
    let missing = missing(&folder.join(BUCKETS_FILE))?;
    let instances = instances(&folder.join(spl_session::instances::FILE), &context)?;
    let why = reasons(folder);
    Ok(Facts { context, results, assertions, methods, missing, instances, why, decisions })
}

fn wrong(path: &Path, why: &dyn std::fmt::Display) -> String {
    format!("{}: {why}", path.display())
}

/// The bytes of a file, empty if it is missing.
fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    match fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        read => read.map_err(|error| wrong(path, &error)),
    }
}

fn results(path: &Path, from: u64) -> Result<Vec<Evaluation>, String> {
    Ok(records(path, from)?.into_iter().map(|record| record.evaluation).collect())
}

/// The records of a result file from an offset on; none if it is missing.
///
/// # Errors
/// When it cannot be read; one line of text.
pub fn records(path: &Path, from: u64) -> Result<Vec<ResultRecord>, String> {
    let bytes = bytes(path)?;
    let reader = Reader::<ResultRecord>::new(&bytes).map_err(|error| wrong(path, &error))?;
    let from = usize::try_from(from).unwrap_or(usize::MAX);
    let reader = match bytes.get(from..) {
        Some(later) if from > 0 => Reader::of_part(later, reader.form()),
        _ => reader,
    };
    reader.map(|record| record.map_err(|error| wrong(path, &error))).collect()
}

/// Calls `each` with each whole line of a file from an offset on.
fn lines(path: &Path, from: u64, mut each: impl FnMut(&str) -> Result<(), String>) -> Result<(), String> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(wrong(path, &error)),
    };
    file.seek(SeekFrom::Start(from)).map_err(|error| wrong(path, &error))?;
    let (mut reader, mut line, mut number) = (BufReader::new(file), String::new(), 0_u64);
    loop {
        line.clear();
        number += 1;
        reader.read_line(&mut line).map_err(|error| wrong(path, &error))?;
        // A crash may have left the last line half-written.
        if !line.ends_with('\n') {
            return Ok(());
        }
        each(&line).map_err(|why| format!("{}:{number}: {why}", path.display()))?;
    }
}

/// The assertions of a file from an offset on; none if it is missing.
///
/// # Errors
/// When it cannot be read; one line of text.
pub fn assertions(path: &Path, from: u64) -> Result<Vec<AssertionRecord>, String> {
    let mut records = Vec::new();
    lines(path, from, |line| {
        records.push(AssertionRecord::from_json(line).map_err(|error| error.to_string())?);
        Ok(())
    })?;
    Ok(records)
}

/// The instances of a run that measured several JVMs at once. A file of another run that used the folder before
/// is left alone.
fn instances(path: &Path, context: &Context) -> Result<Option<InstancesFile>, String> {
    let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
    let is_one = |setting: &Setting| setting.key == "programs" && setting.value == "1";
    if text.is_empty() || context.settings.iter().any(is_one) {
        return Ok(None);
    }
    InstancesFile::from_json(&text).map(Some).map_err(|error| wrong(path, &error))
}

/// Why claims fail, with graphs; nothing where nobody looked for it. The page names the faults of these files and has the rest.
fn reasons(folder: &Path) -> Reasons {
    let mut faults = Vec::new();
    let found = part(&folder.join(WhyFile::NAME), WhyFile::from_json).unwrap_or_else(|fault| {
        faults.push(format!("The reasons are missing: {fault}."));
        None
    });
    let Some(file) = &found else { return Reasons { faults, ..Reasons::default() } };
    let graphs = part(&folder.join(WhyGraphs::NAME), WhyGraphs::from_json);
    let has_causes = file.claims.iter().any(|one| !one.causes.is_empty() || !one.extras.is_empty());
    let fault = match &graphs {
        Ok(Some(_)) => None,
        Ok(None) => has_causes.then(|| format!("{} is not there", folder.join(WhyGraphs::NAME).display())),
        Err(fault) => Some(fault.clone()),
    };
    faults.extend(fault.map(|fault| format!("The graphs are missing: {fault}.")));
    Reasons { found, graphs: graphs.ok().flatten(), faults }
}

/// A file that a run may have left; `None` if it is missing or empty.
fn part<T>(path: &Path, read: impl Fn(&str) -> Result<T, String>) -> Result<Option<T>, String> {
    if fs::metadata(path).is_ok_and(|file| file.len() > WhyGraphs::LARGEST) {
        return Err(wrong(path, &format!("it is larger than {} MiB", WhyGraphs::LARGEST >> 20)));
    }
    let text = String::from_utf8_lossy(&bytes(path)?).into_owned();
    let read = (!text.is_empty()).then(|| read(&text));
    read.transpose().map_err(|error| one_line(&wrong(path, &error)))
}

/// The part of `buckets.json` that a report needs.
#[derive(Deserialize)]
struct Buckets {
    comparisons: Vec<Filled>,
}

/// The part of a comparison's buckets that a report needs.
#[derive(Deserialize)]
struct Filled {
    /// From 1.
    number: usize,
    missing: Option<String>,
}

/// Missing data of comparisons, by their indices; empty without the file, because nothing was compared.
fn missing(path: &Path) -> Result<BTreeMap<usize, String>, String> {
    let bytes = bytes(path)?;
    if bytes.is_empty() {
        return Ok(BTreeMap::new());
    }
    let buckets: Buckets = serde_json::from_slice(&bytes).map_err(|error| wrong(path, &error))?;
    let filled = |filled: Filled| Some((filled.number.checked_sub(1)?, filled.missing?));
    Ok(buckets.comparisons.into_iter().filter_map(filled).collect())
}

/// The part of a decision that a report needs.
#[derive(Deserialize)]
struct Decision {
    at_ns: u64,
    action: String,
    optimal: u32,
    measured: u32,
    unfinished: u32,
}

fn decisions(path: &Path, from: u64) -> Result<Decisions, String> {
    let mut decisions = Decisions::default();
    lines(path, from, |line| {
        let Decision { at_ns, action, optimal, measured, unfinished } =
            serde_json::from_str(line).map_err(|error| error.to_string())?;
        decisions.add(&action, Step { at_ns, measured, optimal, unfinished });
        Ok(())
    })?;
    Ok(decisions)
}

fn methods(folder: &Path, context: &Context, with_calls: &BTreeSet<usize>) -> Result<Vec<Calls>, String> {
    let parse = |method: &spl_records::context::MethodFacts| method.method.parse::<MethodRef>();
    let methods = context.methods.iter().map(parse).collect::<Result<Vec<_>, _>>();
    let methods = methods.map_err(|error| wrong(&folder.join(CONTEXT_FILE), &error))?;
    let mut calls = vec![Calls::default(); methods.len()];
    let mut recorded = Recorded::open(&folder.join(&context.measurements), &methods)?;
    while let Some((MethodIx(method), sample)) = recorded.next_sample()? {
        calls[method].add(&sample, context.scale, with_calls.contains(&method));
    }
    Ok(calls)
}
