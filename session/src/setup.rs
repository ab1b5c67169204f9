//! Input of a measurement: configuration and tasks, independent of their source.

use crate::config::Config;
use crate::until::Until;
use spl_lang::{MeasuredMethod, Program, Span};
use spl_model::{Handle, Instrument, MethodRef, ProbeKind, Sizing};
use spl_records::context::Setting;
use spl_records::{AssertionRecord, TasksHash};
use spl_scheduler::Scheduler;
use spl_verdict::Asserted;
use spl_wire::ToAgent;
use std::ops::Range;

/// Everything that is read before anything is started.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The configuration with what the command line changes.
    pub config: Config,
    /// Every key with its value, for readers of the results.
    pub settings: Vec<Setting>,
    /// The checked tasks.
    pub program: Program,
    /// Text of the tasks, which results quote.
    text: String,
    /// The lines of the text, without comments: thousands of claims look theirs up.
    lines: Vec<Range<usize>>,
    /// Hash that identifies the tasks.
    pub tasks_hash: TasksHash,
}

impl Setup {
    /// A measurement of a program's claims; `text` is their source, `settings` is the configuration.
    ///
    /// # Errors
    /// When the values contradict each other; one line of text.
    pub fn new(
        config: Config,
        settings: Vec<Setting>,
        (program, text): (Program, String),
    ) -> Result<Self, String> {
        let tasks_hash = TasksHash::of(&text);
        let lines = lines(&text);
        let setup = Self { config, settings, program, text, lines, tasks_hash };
        setup.scheduler()?;
        Ok(setup)
    }

    /// This setup with the claims of its tasks, once their methods are known; sizes as these claims need them.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn with_program(&self, program: Program, size: Option<Sizing>) -> Result<Self, String> {
        let mut setup = Self { program, ..self.clone() };
        if let Some(size) = size {
            setup.config.argument_size = size;
        }
        setup.scheduler()?;
        Ok(setup)
    }

    /// Changes the folders to those of this configuration, which must be the same otherwise.
    pub fn take_folders(&mut self, config: Config) {
        for setting in &mut self.settings {
            match (&*setting.section, &*setting.key) {
                ("controller", "output-dir") => setting.value = config.output_dir.display().to_string(),
                ("evaluator", "result-file-path") => setting.value = config.result_file.display().to_string(),
                _ => {}
            }
        }
        self.config = config;
    }

    /// Checks that the end that the operator waits for can come.
    ///
    /// # Errors
    /// When there is no claim that could be decided.
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

    /// Reason why an agent with these kinds of probes cannot measure the tasks; `None` if it can.
    pub fn unknown_kind(&self, kinds: &[String]) -> Option<String> {
        let needed = self.program.tasks.methods.iter().map(|task| self.instrument(task).kind.name());
        let missing = needed.into_iter().find(|kind| !kinds.iter().any(|known| known == kind))?;
        Some(format!(
            "its agent does not know probes of the kind {missing}: use the agent library of this spl"
        ))
    }

    /// Instrumentation of a method.
    fn instrument(&self, task: &MeasuredMethod) -> Instrument {
        let sizing = match (&self.config.argument_size, &task.processor) {
            (Sizing::Deep, Some(class)) => Sizing::Processor(class.clone()),
            (sizing, _) => sizing.clone(),
        };
        Instrument { method: task.method.clone(), kind: ProbeKind::Times(sizing) }
    }

    /// First messages to an agent: the way to find sizes, and the methods with their numbers.
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

    /// A line of the task file, from 1, without its comment; empty beyond the last line.
    pub fn line(&self, number: usize) -> &str {
        let line = number.checked_sub(1).and_then(|index| self.lines.get(index).cloned());
        line.and_then(|line| self.text.get(line)).unwrap_or_default()
    }

    /// An assertion's result with its text.
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
}

/// The places of all lines without their comments.
fn lines(text: &str) -> Vec<Range<usize>> {
    let place = |line: &str| {
        let code = spl_lang::without_comment(line);
        let start = code.as_ptr().addr() - text.as_ptr().addr();
        start..start + code.len()
    };
    text.lines().map(place).collect()
}
