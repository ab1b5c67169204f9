//! Configuration and tasks of the command line, read before anything is started.

use crate::cli::Common;
use crate::config::{
    DEFAULT_FILE, FILE_VARIABLE, PROCESSOR_VARIABLE, Written, parse, settings, with, written,
};
use crate::tasks::{self, Open, Tasks, Where};
use spl_lang::{Assertion, MeasuredMethod, Program, RunMode};
use spl_model::Sizing;
use spl_session::config::{Config, Judge};
use spl_session::setup::Setup;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// The setup with the methods that a running JVM has. `tell` gets warnings.
///
/// # Errors
/// When the values contradict each other; one line of text.
pub fn known(setup: &Setup, program: Program, tell: &mut dyn FnMut(&str)) -> Result<Setup, String> {
    refuse_instances(&program, setup.config.judge)?;
    let size = setup.config.automatic_size.then(|| needed_size(&program));
    let setup = setup.with_program(program, size)?;
    tell_unused_processor(&setup, tell);
    tell_initialisers(&setup, tell);
    Ok(setup)
}

/// Reads configuration and tasks; gives the setup and the keys that file and command line set explicitly.
/// `command` is the program's command, if it is known. `tell` gets warnings. Methods that the files lack stay
/// open, unless the operator named a class path; the setup then has no claims yet ([`known`]).
///
/// # Errors
/// All their errors, as text for the operator.
pub fn read(
    arguments: &Common,
    command: &[OsString],
    tell: &mut dyn FnMut(&str),
) -> Result<(Setup, Written, Option<Open>), String> {
    let changes = arguments.changes.pairs()?;
    let (mut config, mut written) = read_config(arguments.config.as_deref(), &changes)?;
    refuse_idle_drill(&config, &arguments.changes.asked()?)?;
    if let Some(tasks) = &arguments.tasks {
        config.tasks_file.clone_from(tasks);
    }
    if let Some(out) = &arguments.out {
        config.write_to(out);
    }
    if let Ok(jar) = std::env::var(PROCESSOR_VARIABLE)
        && !jar.is_empty()
    {
        config.set_processor_jar(&jar);
    }
    if let Some(jar) = &mut config.processor_jar {
        // The program may have another current directory, so the path becomes absolute.
        *jar = fs::canonicalize(&jar).map_err(|error| {
            format!(
                "cannot find the size processors' JAR {}: {error}; it is named by processor-jar in [scheduler] or by \
                 ${PROCESSOR_VARIABLE}",
                jar.display()
            )
        })?;
    }
    let places = arguments.classes.places(command);
    let classes = Where { places: &places, can_ask: arguments.classes.classpath.is_none() };
    let (found, text) = tasks::read(&config.tasks_file, config.scheduler.mode, &classes, tell)?;
    let (program, open) = match found {
        Tasks::Known(program) => (program, None),
        Tasks::Open(open) => (Program::default(), Some(open)),
    };
    if config.automatic_size {
        config.argument_size = needed_size(&program);
    }
    for (section, key, path) in [
        ("controller", "tasks-file", Some(&config.tasks_file)),
        ("controller", "output-dir", Some(&config.output_dir)),
        ("evaluator", "result-file-path", Some(&config.result_file)),
        ("scheduler", "processor-jar", config.processor_jar.as_ref()),
    ] {
        written.extend(path.map(|path| ((section.to_owned(), key.to_owned()), path.display().to_string())));
    }
    refuse_instances(&program, config.judge)?;
    let setup = Setup::new(config, settings(&written), (program, text))?;
    tell_unused_processor(&setup, tell);
    tell_initialisers(&setup, tell);
    Ok((setup, written, open))
}

/// Refuses what the command line says about a search for reasons where there is none. In the file such keys may stand.
fn refuse_idle_drill(config: &Config, changes: &[(String, String)]) -> Result<(), String> {
    let is_set = |keys: &[&str]| changes.iter().any(|(key, _)| keys.contains(&key.as_str()));
    if config.drill.failed && !config.drills() && is_set(&["claims"]) {
        return Err(
            "--drill failed (claims = failed) looks why claims fail, and with run-mode = measurement there are none: leave one \
             of the two out"
                .to_owned(),
        );
    }
    if !config.drills() && is_set(&["drill-time", "drill-budget"]) {
        return Err(
            "--drill-for (drill-time) and drill-budget bound a search for the reasons of failed claims, and there is none: add \
             --drill failed, or leave them out"
                .to_owned(),
        );
    }
    Ok(())
}

/// Refuses claims about each instance where calls of several JVMs are not told apart.
fn refuse_instances(program: &Program, judge: Judge) -> Result<(), String> {
    let about_each = program.assertions.iter().find(|one| one.speaks_of_instances());
    match about_each.filter(|_| judge == Judge::Welch) {
        Some(one) => Err(format!(
            "line {}: `for all instances` and `for some instance` need windows, which tell instances apart: remove \
             method = welch",
            one.line
        )),
        None => Ok(()),
    }
}

/// Says which methods run once: claims about their times stay undecided.
fn tell_initialisers(setup: &Setup, tell: &mut dyn FnMut(&str)) {
    let is_measured = setup.config.scheduler.mode == RunMode::Measurement;
    let tasks =
        setup.program.tasks.methods.iter().filter(|task| task.method.name() == "<clinit>" && !is_measured);
    tasks.for_each(|task| {
        tell(&format!(
            "{}: a static initializer runs once, too seldom for a claim about its time",
            task.method
        ));
    });
}

fn tell_unused_processor(setup: &Setup, tell: &mut dyn FnMut(&str)) {
    let has_processor = |task: &&MeasuredMethod| task.processor.is_some();
    let unused = setup.program.tasks.methods.iter().find(has_processor);
    if let Some(task) = unused.filter(|_| setup.config.argument_size != Sizing::Deep) {
        tell(&format!(
            "{}: size processors are used only with argument-size = deep, and it has another value",
            task.method
        ));
    }
}

/// The cheapest sizes that the tasks need: those of named size processors; or, for assertions about sizes,
/// those of the arguments; or none.
fn needed_size(program: &Program) -> Sizing {
    if program.tasks.methods.iter().any(|task| task.processor.is_some()) {
        Sizing::Deep
    } else if program.assertions.iter().any(Assertion::speaks_of_sizes) {
        Sizing::Length
    } else {
        Sizing::None
    }
}

/// The configuration with what the command line changes (`changes`).
fn read_config(named: Option<&Path>, changes: &[(String, String)]) -> Result<(Config, Written), String> {
    let variable = std::env::var_os(FILE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    let (path, must_exist) = match named.map(Path::to_owned).or(variable) {
        Some(path) => (path, true),
        None => (PathBuf::from(DEFAULT_FILE), false),
    };
    match fs::read_to_string(&path) {
        Ok(text) => Ok((parse(&text, &path, changes)?, with(written(&text), changes))),
        Err(error) if error.kind() == ErrorKind::NotFound && !must_exist => {
            Ok((parse("", &path, changes)?, with(Written::new(), changes)))
        }
        Err(error) => Err(format!(
            "cannot read the configuration {}: {error}; name a file with --config or ${FILE_VARIABLE}, or neither for the defaults",
            path.display()
        )),
    }
}
