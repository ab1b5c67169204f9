//! Reads the task file, and looks up methods that are named as in Java.

use crate::counted;
use spl_classes::{Catalogue, Loaded, Mention, Places, State, is_open, resolve};
use spl_lang::ast::{File, MethodPattern, MethodTerm};
use spl_lang::{Diagnostic, Program, RunMode, Severity, parse_file};
use spl_model::MethodRef;
use spl_records::Context;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The classes in which methods are looked up.
#[derive(Debug)]
pub struct Where<'p> {
    /// The files.
    pub places: &'p Places,
    /// Whether a running JVM can be asked for what the files lack.
    pub can_ask: bool,
}

/// A task file.
#[derive(Debug)]
pub enum Tasks {
    /// Its methods are known.
    Known(Program),
    /// A running JVM has to be asked for some of its methods.
    Open(Open),
}

/// A task file with methods of classes that are not known yet.
#[derive(Clone, Debug)]
pub struct Open {
    file: File,
    text: String,
    name: String,
}

/// Meaning of a task file among the classes of a JVM.
#[derive(Debug)]
pub enum Meaning {
    /// Every method is known.
    Known(Program),
    /// Classes are missing that may come, in the words of their lines.
    Missing {
        /// The methods that are named, as in the file.
        names: Vec<String>,
        /// The findings, as text for the operator.
        findings: String,
    },
    /// The file has errors, as text for the operator.
    Wrong(String),
}

/// Reads a task file; gives its meaning and its text. `tell` gets warnings.
///
/// # Errors
/// All its errors, as text for the operator.
pub fn read(
    file: &Path,
    mode: RunMode,
    classes: &Where<'_>,
    tell: &mut dyn FnMut(&str),
) -> Result<(Tasks, String), String> {
    let text = text_of(file)?;
    let name = file.display().to_string();
    let wrong = |found: Vec<Diagnostic>| cannot_be_used(&name, &shown(&name, &text, &found));
    let parsed = parse_file(&text, mode).map_err(wrong)?;
    let about_metrics = counted::claims_of(&parsed, &text).map_err(wrong)?;
    if let Some(line) = counted::left_to_counts(&parsed, file)? {
        if !about_metrics.warnings.is_empty() {
            tell(&shown(&name, &text, &about_metrics.warnings));
        }
        tell(&line);
    }
    let open = Open { file: parsed, text: text.clone(), name };
    // Classes are read only for methods that are named as in Java: the agent finds other methods in the program
    // itself, with any class loader.
    let mut catalogue =
        if open.file.patterns().is_empty() { Catalogue::default() } else { classes.places.catalogue() };
    let meaning = open.meaning(&mut catalogue, tell);
    catalogue.gaps().iter().chain(catalogue.problems()).for_each(|problem| tell(problem));
    match meaning {
        Meaning::Known(program) => Ok((Tasks::Known(program), text)),
        Meaning::Missing { .. } if classes.can_ask => Ok((Tasks::Open(open), text)),
        Meaning::Missing { findings, .. } => Err(cannot_be_used(&open.name, &findings)),
        Meaning::Wrong(findings) => Err(findings),
    }
}

/// The lines of a task file with claims, and its text. No method is looked up.
///
/// # Errors
/// All its errors, as text for the operator.
pub fn of_comparisons(path: &Path) -> Result<(File, String), String> {
    let text = text_of(path)?;
    let name = path.display().to_string();
    let wrong = |found: Vec<Diagnostic>| cannot_be_used(&name, &shown(&name, &text, &found));
    let file = parse_file(&text, RunMode::Comparison).map_err(wrong)?;
    Ok((file, text))
}

fn text_of(file: &Path) -> Result<String, String> {
    fs::read_to_string(file)
        .map_err(|e| format!("cannot read the task file {}: {e}; name one with --tasks FILE", file.display()))
}

impl Open {
    /// The methods of the file among these classes. `tell` gets warnings.
    pub fn meaning(&self, catalogue: &mut Catalogue, tell: &mut dyn FnMut(&str)) -> Meaning {
        let shown = |found: &[Diagnostic]| shown(&self.name, &self.text, found);
        let errors = match self.file.check_in(&self.text, catalogue) {
            Ok(program) => {
                if !program.tasks.warnings.is_empty() {
                    tell(&shown(&program.tasks.warnings));
                }
                return Meaning::Known(program);
            }
            Err(errors) => errors,
        };
        // With the classes the errors have better messages than from the language alone.
        let resolution = resolve(&self.file, &self.text, catalogue, true);
        let of = |finding: &Diagnostic| {
            resolution.mentions.iter().find(|mention| mention.place.span == finding.span)
        };
        // Classes named as in the class file may come from any class loader of the program, so that only those
        // named as in Java have to be known.
        let is_elsewhere = |mention: &Mention| {
            mention.state == State::NoClass && matches!(mention.place.method, MethodTerm::Exact(_))
        };
        let is_ours = |finding: &&Diagnostic| !of(finding).is_some_and(is_elsewhere);
        let findings: Vec<Diagnostic> = resolution.findings.iter().filter(is_ours).cloned().collect();
        let missing: Vec<&Mention> =
            resolution.mentions.iter().filter(|one| is_open(one, catalogue)).collect();
        let is_wrong = |finding: &&Diagnostic| {
            let is_missing = missing.iter().any(|mention| mention.place.span == finding.span);
            finding.severity == Severity::Error && !is_missing
        };
        let wrong = findings.iter().filter(is_wrong).count();
        if findings.is_empty() {
            Meaning::Wrong(cannot_be_used(&self.name, &shown(&errors)))
        } else if wrong > 0 || missing.is_empty() {
            Meaning::Wrong(cannot_be_used(&self.name, &shown(&findings)))
        } else {
            let mut names: Vec<String> = missing.iter().map(|one| one.place.method.to_string()).collect();
            names.dedup();
            Meaning::Missing { names, findings: shown(&findings) }
        }
    }

    /// The methods of the file among those of a recorded run. `tell` gets warnings.
    ///
    /// # Errors
    /// When the run has none of these methods, as text for the operator.
    pub fn among_recorded(
        &self,
        run: Option<&Context>,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Program, String> {
        let mut classes: BTreeMap<String, Loaded> = BTreeMap::new();
        for facts in run.map_or(&[][..], |run| &run.methods) {
            let Ok(method) = facts.method.parse::<MethodRef>() else { continue };
            let class = classes
                .entry(method.class().to_owned())
                .or_insert_with(|| Loaded { name: method.class().to_owned(), methods: Vec::new() });
            class.methods.push((method.name().to_owned(), method.descriptor().to_string(), 0));
        }
        let mut catalogue = Catalogue::default();
        catalogue.add_all_loaded(classes.into_values());
        match self.meaning(&mut catalogue, tell) {
            Meaning::Known(program) => Ok(program),
            Meaning::Wrong(_) | Meaning::Missing { .. } => {
                // Without the run's classes the message is about the files that were named.
                match self.meaning(&mut Catalogue::default(), tell) {
                    Meaning::Missing { findings, .. } => Err(cannot_be_used(&self.name, &findings)),
                    Meaning::Wrong(why) => Err(why),
                    Meaning::Known(program) => Ok(program),
                }
            }
        }
    }

    /// The methods that are named as in Java.
    pub fn patterns(&self) -> Vec<MethodPattern> {
        self.file.patterns()
    }

    /// Text for the operator about findings.
    pub fn cannot_be_used(&self, findings: &str) -> String {
        cannot_be_used(&self.name, findings)
    }
}

/// Text for the operator about findings in a task file.
pub fn cannot_be_used(name: &str, findings: &str) -> String {
    format!("the task file {name} cannot be used\n{findings}")
}

/// Findings with their lines.
pub fn shown(name: &str, text: &str, found: &[Diagnostic]) -> String {
    found.iter().map(|one| one.render(name, text)).collect::<Vec<_>>().join("\n")
}
