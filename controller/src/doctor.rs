//! `spl doctor`: whether a JVM can be attached to and measured, and at which cost. Nothing is sent to it.

use crate::attached;
use crate::check::{mode_of, said};
use crate::cli::Doctor;
use crate::counted;
use crate::program;
use crate::stdout;
use serde::Serialize;
use spl_attach::findings::{Finding, Grade, findings};
use spl_attach::system::Target;
use spl_classes::{JvmPaths, Mention, Places, Resolution, State, resolve};
use spl_lang::{RunMode, Severity, read_file};
use spl_model::one_line;
use spl_verdict::ExitStatus;
use std::path::{Path, PathBuf};

/// Name of the checks of a task file.
const TASKS: &str = "tasks";

/// Prints the findings about a JVM.
///
/// # Errors
/// When there is no such process, or it may not be looked into; text for the operator.
pub fn doctor(arguments: &Doctor) -> Result<ExitStatus, String> {
    let library = program::library(arguments.agent.as_deref())?;
    let target = attached::target(&arguments.process)?;
    let seen = target.surroundings(&library).map_err(|why| format!("pid {}: {why}", target.pid()))?;
    let mut found: Vec<Finding> = findings(&seen.0, &seen.1, rustix::process::geteuid().as_raw());
    if let Some(file) = &arguments.tasks {
        let mode = arguments.mode.as_deref();
        found.extend(read_whole(file).map_or_else(
            |why| vec![finding(Grade::Bad, why, String::new())],
            |text| of_tasks(&target, (file, &text), mode_of(mode, &text), mode.is_some()),
        ));
    }
    // Paths and names are of the JVM: none ends a line.
    for one in &mut found {
        (one.fact, one.remedy) = (one_line(&one.fact), one_line(&one.remedy));
    }
    if arguments.json {
        let findings = found.iter().map(JsonFinding::of).collect();
        stdout::print_json(&JsonReport { schema: "spl.doctor/1", pid: target.pid(), findings })?;
    } else {
        let lines: String = found.iter().map(|finding| format!("{finding}\n")).collect();
        stdout::print(&lines)?;
    }
    Ok(match found.iter().map(|finding| finding.grade).max() {
        Some(Grade::Bad) => ExitStatus::Error,
        Some(Grade::Notice) => ExitStatus::SomeFail,
        Some(Grade::Good) | None => ExitStatus::AllHold,
    })
}

/// The text of a task file; a pipe or device might never end.
fn read_whole(file: &Path) -> Result<String, String> {
    const MOST_BYTES: u64 = 16 << 20;
    let cannot = |why: &dyn std::fmt::Display| format!("cannot read the task file {}: {why}", file.display());
    let bytes = spl_classes::regular::read(file, MOST_BYTES).map_err(|why| cannot(&why))?;
    String::from_utf8(bytes).map_err(|why| cannot(&why))
}

fn finding(grade: Grade, fact: String, remedy: String) -> Finding {
    Finding { grade, check: TASKS, fact, remedy }
}

/// Findings about the methods of a task file, among the classes of the JVM's class path.
fn of_tasks(target: &Target, (file, text): (&Path, &str), mode: RunMode, is_named: bool) -> Vec<Finding> {
    let Some(places) = target.class_places() else {
        let fact =
            "it has another root folder, or does not show its class path whole: no method can be looked up"
                .to_owned();
        return vec![finding(
            Grade::Notice,
            fact,
            "spl check --classpath PATH looks in a class path".to_owned(),
        )];
    };
    let joined = |entries: &[PathBuf]| {
        let entries = entries.iter().map(|entry| entry.display().to_string());
        entries.collect::<Vec<_>>().join(":")
    };
    let missing = places.class_path.iter().filter(|entry| !entry.exists()).map(|entry| {
        finding(
            Grade::Notice,
            format!("{} is in the class path and not there", entry.display()),
            String::new(),
        )
    });
    let mut catalogue = Places::of_jvm(&JvmPaths {
        class_path: joined(&places.class_path),
        module_path: joined(&places.module_path),
        home: places.home.display().to_string(),
        folder: None,
    })
    .catalogue();
    let (parsed, mut said_of) = read_file(text, mode);
    said_of.extend(counted::claims_of(&parsed, text).map_or_else(|found| found, |claims| claims.warnings));
    let Resolution { findings, mentions, .. } = resolve(&parsed, text, &mut catalogue, false);
    said_of.extend(findings);
    let place = |line: usize| format!("{}:{line}", file.display());
    let quoted = |span: spl_lang::Span| text.get(span.start..span.end).unwrap_or_default().trim();
    let mistakes = said_of.iter().map(|one| {
        let grade = if one.severity == Severity::Error { Grade::Bad } else { Grade::Notice };
        let fact = format!("{}: {}: {}", place(one.line), quoted(one.span), one.message);
        finding(grade, fact, one.help.clone().unwrap_or_default())
    });
    let is_left = |mention: &&Mention| !said_of.iter().any(|one| one.span == mention.place.span);
    let methods = mentions.iter().filter(is_left).map(|mention| {
        let fact =
            format!("{}: {}: {}", place(mention.place.line), quoted(mention.place.span), said(mention));
        match mention.state {
            State::Found => finding(Grade::Good, fact, String::new()),
            State::NotChecked => {
                let remedy = "another class loader may have it; a run looks in the JVM itself";
                finding(Grade::Notice, fact, remedy.to_owned())
            }
            State::Unmeasurable | State::NoMethod | State::NoClass => {
                finding(Grade::Bad, fact, String::new())
            }
        }
    });
    let unreadable = catalogue
        .gaps()
        .into_iter()
        .chain(catalogue.problems().iter().cloned())
        .map(|problem| finding(Grade::Notice, problem, String::new()));
    let mode = (mode == RunMode::Measurement && !is_named && !mentions.is_empty()).then(|| {
        let fact = "the file compares nothing: it is for run-mode = measurement".to_owned();
        finding(Grade::Good, fact, String::new())
    });
    mistakes.chain(methods).chain(missing).chain(unreadable.collect::<Vec<_>>()).chain(mode).collect()
}

#[derive(Serialize)]
struct JsonReport<'r> {
    schema: &'static str,
    pid: u32,
    findings: Vec<JsonFinding<'r>>,
}

#[derive(Serialize)]
struct JsonFinding<'r> {
    grade: String,
    check: &'static str,
    fact: &'r str,
    remedy: Option<&'r str>,
}

impl<'r> JsonFinding<'r> {
    fn of(finding: &'r Finding) -> Self {
        Self {
            grade: finding.grade.word().to_lowercase(),
            check: finding.check,
            fact: &finding.fact,
            remedy: Some(&*finding.remedy).filter(|remedy| !remedy.is_empty()),
        }
    }
}
