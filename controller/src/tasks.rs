//! The task file: read, and its methods found where they are named as in Java.

use spl_classes::{Places, resolve};
use spl_lang::ast::File;
use spl_lang::{Diagnostic, Program, RunMode, parse_file};
use std::fs;
use std::path::Path;

/// Reads a task file; gives what it means, and its text. `tell` is told what is odd and no mistake.
///
/// # Errors
/// Everything that is wrong with it, as text for the operator.
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

/// Classes are looked at only for methods that are named as in Java: the others the agent finds in the program itself,
/// whatever loads them.
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
    let found = file
        .check(text, &mut |pattern| catalogue.meant(pattern).into_iter().map(|known| known.method).collect());
    for problem in catalogue.problems() {
        tell(problem);
    }
    // What is wrong the classes can tell better than the language.
    found.map_err(|_| resolve(file, text, &mut catalogue, false).findings)
}
