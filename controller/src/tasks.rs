//! Reads the task file, and looks up methods that are named as in Java.

use spl_classes::{Places, Resolution, State, resolve};
use spl_lang::ast::{File, MethodTerm};
use spl_lang::{Diagnostic, Program, RunMode, parse_file};
use std::fs;
use std::path::Path;

/// Reads a task file; gives its meaning and its text. `tell` gets warnings.
///
/// # Errors
/// All its errors, as text for the operator.
pub fn read(
    file: &Path,
    mode: RunMode,
    places: &Places,
    tell: &mut dyn FnMut(&str),
) -> Result<(Program, String), String> {
    let text = fs::read_to_string(file).map_err(|e| {
        format!("cannot read the task file {}: {e}; name one with --tasks FILE", file.display())
    })?;
    let name = file.display().to_string();
    let shown = |found: &[Diagnostic]| {
        found.iter().map(|one| one.render(&name, &text)).collect::<Vec<_>>().join("\n")
    };
    match parse_file(&text, mode).and_then(|file| meaning(&file, &text, places, tell)) {
        Ok(program) => {
            if !program.tasks.warnings.is_empty() {
                tell(&shown(&program.tasks.warnings));
            }
            Ok((program, text))
        }
        Err(found) => Err(format!("the task file {name} cannot be used\n{}", shown(&found))),
    }
}

/// The meaning of a file. Classes are read only for methods that are named as in Java: the agent finds other
/// methods in the program itself, with any class loader.
fn meaning(
    file: &File,
    text: &str,
    places: &Places,
    tell: &mut dyn FnMut(&str),
) -> Result<Program, Vec<Diagnostic>> {
    if file.patterns().is_empty() {
        return file.check(text, &mut |_| Vec::new());
    }
    let mut catalogue = places.catalogue();
    let found = file.check_in(text, &mut catalogue);
    for problem in catalogue.problems() {
        tell(problem);
    }
    // With the classes the errors have better messages than from the language alone.
    found.map_err(|errors| {
        let findings = findings(&resolve(file, text, &mut catalogue, true));
        if findings.is_empty() { errors } else { findings }
    })
}

/// Problems of a file by the program's classes. Classes named as in the class file may come from any class
/// loader of the program, so that only those named as in Java have to be on the class path.
fn findings(resolution: &Resolution) -> Vec<Diagnostic> {
    let is_elsewhere = |finding: &&Diagnostic| {
        resolution.mentions.iter().any(|mention| {
            mention.place.span == finding.span
                && mention.state == State::NoClass
                && matches!(mention.place.method, MethodTerm::Exact(_))
        })
    };
    resolution.findings.iter().filter(|finding| !is_elsewhere(finding)).cloned().collect()
}
