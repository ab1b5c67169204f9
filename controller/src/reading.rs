//! Configuration and tasks of the command line, read before anything is started.

use crate::cli::Common;
use crate::config::{
    DEFAULT_FILE, FILE_VARIABLE, PROCESSOR_VARIABLE, Written, parse, settings, with, written,
};
use crate::tasks;
use spl_lang::{Assertion, MeasuredMethod, Program};
use spl_model::Sizing;
use spl_session::config::Config;
use spl_session::setup::Setup;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Reads configuration and tasks; gives the setup and the keys that file and command line set explicitly.
/// `command` is the program's command, if it is known. `tell` gets warnings.
///
/// # Errors
/// All their errors, as text for the operator.
pub fn read(
    arguments: &Common,
    command: &[OsString],
    tell: &mut dyn FnMut(&str),
) -> Result<(Setup, Written), String> {
    let (mut config, mut written) = read_config(arguments.config.as_deref(), &arguments.changes.pairs()?)?;
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
    let (program, text) = tasks::read(&config.tasks_file, config.scheduler.mode, &places, tell)?;
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
    let setup = Setup::new(config, settings(&written), (program, text))?;
    let has_processor = |task: &&MeasuredMethod| task.processor.is_some();
    let unused = setup.program.tasks.methods.iter().find(has_processor);
    if let Some(task) = unused.filter(|_| setup.config.argument_size != Sizing::Deep) {
        tell(&format!(
            "{}: size processors are used only with argument-size = deep, and it has another value",
            task.method
        ));
    }
    Ok((setup, written))
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
