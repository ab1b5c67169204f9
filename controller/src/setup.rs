//! What a measurement begins with: configuration, tasks, and an interrupted run if there is one to go on with.

use crate::cli::Common;
use crate::config::{Config, DEFAULT_FILE, FILE_VARIABLE, PROCESSOR_VARIABLE, Written, with, written};
use crate::tasks::{self, Places};
use crate::until::Until;
use spl_lang::{Assertion, MeasuredMethod, Program, Span};
use spl_model::{Handle, Instrument, MethodRef, ProbeKind, Sizing};
use spl_records::{AssertionRecord, TasksHash};
use spl_scheduler::Scheduler;
use spl_verdict::Asserted;
use spl_wire::ToAgent;
use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Everything that was read before anything is started.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The configuration with what the command line changes.
    pub config: Config,
    /// The configuration in so many words, where it is not the default.
    pub written: Written,
    /// The checked tasks.
    pub program: Program,
    /// Their text, of which results quote.
    text: String,
    /// Tells these tasks from others.
    pub tasks_hash: TasksHash,
    /// Show problems only.
    pub quiet: bool,
    /// Show all that is known of each result.
    pub verbose: bool,
    /// Show lines only.
    plain: bool,
}

impl Setup {
    /// Reads configuration and tasks; `command` is that of the program, if it is known. `tell` is told what is odd and no mistake.
    ///
    /// # Errors
    /// Everything that is wrong with them, as text for the operator.
    pub fn read(
        arguments: &Common,
        command: &[OsString],
        tell: &mut dyn FnMut(&str),
    ) -> Result<Self, String> {
        let (mut config, mut written) =
            read_config(arguments.config.as_deref(), &arguments.changes.pairs()?)?;
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
            // The program may have another current directory.
            *jar = fs::canonicalize(&jar).map_err(|error| {
                format!(
                    "cannot find the size processors' JAR {}: {error}; it is named by processor-jar in [scheduler] or by \
                     ${PROCESSOR_VARIABLE}",
                    jar.display()
                )
            })?;
        }
        let places = Places::new(&arguments.classes, command);
        let (program, text) = tasks::read(&config.tasks_file, config.scheduler.mode, &places, tell)?;
        if config.automatic_size {
            config.argument_size = needed_size(&program);
        }
        let tasks_hash = TasksHash::of(&text);
        note_paths(&mut written, &config);
        let (quiet, verbose, plain) = (arguments.quiet, arguments.verbose, arguments.plain);
        let setup = Self { config, written, program, text, tasks_hash, quiet, verbose, plain };
        setup.scheduler()?;
        let has_processor = |task: &&MeasuredMethod| task.processor.is_some();
        let unused = setup.program.tasks.methods.iter().find(has_processor);
        if let Some(task) = unused.filter(|_| setup.config.argument_size != Sizing::Deep) {
            tell(&format!(
                "{}: size processors are asked only with argument-size = deep, and it is not that",
                task.method
            ));
        }
        Ok(setup)
    }

    /// Writes into the folders of this configuration, which differs in nothing else.
    pub fn take_folders(&mut self, config: Config) {
        note_paths(&mut self.written, &config);
        self.config = config;
    }

    /// A scheduler for these tasks.
    ///
    /// # Errors
    /// When the settings contradict themselves.
    pub fn scheduler(&self) -> Result<Scheduler, String> {
        Scheduler::of_program(self.config.scheduler.clone(), &self.program).map_err(|e| e.to_string())
    }

    /// The methods, in the order of the task file.
    pub fn methods(&self) -> Vec<MethodRef> {
        self.program.tasks.methods.iter().map(|task| task.method.clone()).collect()
    }

    /// Why an agent that knows these kinds of probes cannot measure what the tasks ask for; `None` if it can.
    pub fn unknown_kind(&self, kinds: &[String]) -> Option<String> {
        let needed = self.program.tasks.methods.iter().map(|task| self.instrument(task).kind.name());
        let missing = needed.into_iter().find(|kind| !kinds.iter().any(|known| known == kind))?;
        Some(format!(
            "its agent does not know probes of the kind {missing}: take the agent of this controller"
        ))
    }

    /// What is put into a method.
    fn instrument(&self, task: &MeasuredMethod) -> Instrument {
        let sizing = match (&self.config.argument_size, &task.processor) {
            (Sizing::Deep, Some(class)) => Sizing::Processor(class.clone()),
            (sizing, _) => sizing.clone(),
        };
        Instrument { method: task.method.clone(), kind: ProbeKind::Times(sizing) }
    }

    /// What an agent is told first: how sizes are found, and the methods with their numbers.
    pub fn definitions(&self) -> Vec<ToAgent> {
        let mut messages = vec![
            ToAgent::VisitLimit { objects: self.config.size_visit_limit },
            ToAgent::MetaspaceLimit { bytes: self.config.metaspace_limit },
        ];
        let jar = self.config.processor_jar.as_ref();
        messages.extend(jar.map(|jar| ToAgent::ProcessorJar { path: jar.to_string_lossy().into_owned() }));
        let define =
            |(handle, task)| ToAgent::Define { handle: Handle(handle), instrument: self.instrument(task) };
        messages.extend((0..).zip(&self.program.tasks.methods).map(define));
        messages
    }

    /// The text of an assertion, as the file has it.
    pub fn quote(&self, span: Span) -> &str {
        self.text.get(span.start..span.end).unwrap_or_default()
    }

    /// A line of the task file, from 1, without its comment; empty where there is none.
    pub fn line(&self, number: usize) -> &str {
        let line = number.checked_sub(1).and_then(|index| self.text.lines().nth(index));
        line.map_or("", spl_lang::without_comment)
    }

    /// An assertion's result with the text that it is about.
    pub fn record(&self, asserted: &Asserted) -> Option<AssertionRecord> {
        let assertion = self.program.assertions.get(asserted.assertion)?;
        let mut relations = Vec::new();
        assertion.formula.for_each_relation(&mut |span| relations.push(self.quote(span).to_owned()));
        Some(AssertionRecord {
            title: assertion.title.clone(),
            text: self.quote(assertion.span).to_owned(),
            relations,
            asserted: asserted.clone(),
        })
    }

    /// Whether what the operator waits for can come.
    ///
    /// # Errors
    /// When nothing is claimed that could be decided.
    pub fn can_be_decided(&self, until: &Until) -> Result<(), String> {
        let has_claims = !self.program.tasks.comparisons.is_empty() || !self.program.assertions.is_empty();
        if until.until_decided && !has_claims {
            let file = self.config.tasks_file.display();
            return Err(format!(
                "--until-decided: {file} claims nothing that could be decided; end with --for"
            ));
        }
        Ok(())
    }

    /// Whether the operator wants a live view.
    pub fn wants_view(&self) -> bool {
        !self.quiet && !self.plain
    }
}

/// Paths as they are in the end, whatever the configuration says.
fn note_paths(written: &mut Written, config: &Config) {
    for (section, key, path) in [
        ("controller", "tasks-file", Some(&config.tasks_file)),
        ("controller", "output-dir", Some(&config.output_dir)),
        ("evaluator", "result-file-path", Some(&config.result_file)),
        ("scheduler", "processor-jar", config.processor_jar.as_ref()),
    ] {
        written.extend(path.map(|path| ((section.to_owned(), key.to_owned()), path.display().to_string())));
    }
}

/// The cheapest sizes that the tasks need: those of the size processors that they name; or, where an assertion speaks of sizes, how
/// much a call was given; or none.
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
        Ok(text) => Ok((Config::changed(&text, &path, changes)?, with(written(&text), changes))),
        Err(error) if error.kind() == ErrorKind::NotFound && !must_exist => {
            Ok((Config::changed("", &path, changes)?, with(Written::new(), changes)))
        }
        Err(error) => Err(format!(
            "cannot read the configuration {}: {error}; name a file with --config or ${FILE_VARIABLE}, or neither for the defaults",
            path.display()
        )),
    }
}
