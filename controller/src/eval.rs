//! `spl eval`: judges recorded measurements again, without a JVM.

use crate::cli::{Changes, Common, Eval};
use crate::details::judged_samples;
use crate::document::{Checked, document};
use crate::ending;
use crate::junit;
use crate::progress::Progress;
use crate::reading;
use crate::stdout;
use spl_records::Context;
use spl_session::buckets;
use spl_session::config::Judge;
use spl_session::instances;
use spl_session::output::ResultFile;
use spl_session::replay::Replay;
use spl_session::setup::Setup;
use spl_stats::{SelfCheck, self_check};
use spl_verdict::ExitStatus;
use std::fs;
use std::path::Path;

/// Name of a run's file next to its measurements or their folder.
const CONTEXT: &str = "context.json";
/// Judges the files of a folder by the tasks and the configuration.
///
/// # Errors
/// When tasks, configuration or files cannot be read or written, as text for the operator.
pub fn eval(arguments: &Eval) -> Result<ExitStatus, String> {
    let recorded = context_of(&arguments.measurements);
    let progress = Progress::new(arguments.quiet);
    let setup = read_setup(arguments, recorded.as_ref())?;
    let programs = recorded.map(|context| context.programs).unwrap_or_default();
    let replay = Replay::of(&setup, &arguments.measurements, &programs, &mut |text| progress.note(text))?;
    if !replay.has_samples() {
        let folder = arguments.measurements.display();
        return Err(format!(
            "{folder} has no measurements of these methods; name their folder with --measurements"
        ));
    }
    write_results(arguments, &setup, &replay)?;
    if let Some(path) = &arguments.junit {
        junit::write(path, &setup, replay.results(), &[])?;
    }
    let checks = if arguments.self_check { self_checks(&setup, &replay) } else { Vec::new() };
    if arguments.json {
        let document = document(&setup, replay.results(), replay.scheduler(), replay.sequential(), &checks)?;
        stdout::print_as_it_is(&document)?;
    } else {
        let progress = Progress::of(&setup, arguments.quiet, true);
        progress.ending(ending::Run {
            setup: &setup,
            results: replay.results(),
            scheduler: replay.scheduler(),
            sequential: replay.sequential(),
            lost: 0,
        });
        checks.iter().for_each(|check| progress.note(&check.to_string()));
    }
    Ok(replay.results().standing(&setup.program))
}

/// Context of the run that recorded these measurements, if its file is there.
fn context_of(measurements: &Path) -> Option<Context> {
    let folders = [Some(measurements), measurements.parent()];
    let mut texts =
        folders.into_iter().flatten().filter_map(|folder| fs::read_to_string(folder.join(CONTEXT)).ok());
    Context::from_json(&texts.next()?).ok()
}

/// Number of programs that the run measured at once, by its settings.
fn programs_of(recorded: &Context) -> Option<usize> {
    recorded.settings.iter().find(|setting| setting.key == "programs")?.value.parse().ok()
}

/// Reads the setup. Recorded calls are judged as in their run, unless configuration or command line differ.
fn read_setup(arguments: &Eval, recorded: Option<&Context>) -> Result<Setup, String> {
    let Eval { config, tasks, classes, quiet, method, set, .. } = arguments;
    let (config, tasks, classes) = (config.clone(), tasks.clone(), classes.clone());
    let mut tell = |text: &str| Progress::new(*quiet).note(text);
    let (mut setup, written, open) = reading::read(
        &Common {
            config,
            tasks,
            out: None,
            replace: false,
            changes: Changes { set: set.clone(), ..Changes::default() },
            classes,
            quiet: *quiet,
            verbose: true,
            plain: true,
        },
        &[],
        &mut tell,
    )?;
    if let Some(open) = open {
        let program = open.among_recorded(recorded, &mut tell)?;
        setup = reading::known(&setup, program, &mut tell)?;
    }
    if let Some(programs) = recorded.and_then(programs_of)
        && !written.keys().any(|(_, key)| key == "programs")
    {
        setup.config.programs = programs;
    }
    let is_said = written.keys().any(|(_, key)| matches!(key.as_str(), "profile" | "policy" | "method"));
    match (method, recorded) {
        (Some(method), _) => setup.config.judge_by(*method),
        (None, Some(recorded)) if !is_said && recorded.judge == Judge::Welch.to_string() => {
            setup.config.judge_once(recorded.paired);
            let policy = if recorded.paired { "paired" } else { "delay" };
            Progress::new(*quiet).note(&format!(
                "judged as this run was: policy = {policy}, method = welch; --method sequential judges it \
                 again"
            ));
        }
        _ => {}
    }
    Ok(setup)
}

fn write_results(arguments: &Eval, setup: &Setup, replay: &Replay<'_>) -> Result<(), String> {
    let Some(out) = &arguments.out else { return Ok(()) };
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)
            .map_err(|error| format!("cannot make the folder {}: {error}", folder.display()))?;
    }
    buckets::write(out, setup, replay.scheduler())?;
    if let Some(sequential) = replay.sequential().filter(|_| setup.config.tells_instances()) {
        instances::write(out, &instances::document(setup, sequential))?;
    }
    let mut file = ResultFile::open(&setup.config, out, true)?;
    for evaluation in &replay.results().evaluations {
        file.result(&setup.program.tasks, evaluation)?;
    }
    replay.results().assertions.iter().try_for_each(|asserted| file.assertion(setup, asserted))
}

/// Text for a line of the report.
impl std::fmt::Display for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { method, bucket, .. } = self;
        match (self.rounds, self.different, self.expected) {
            (Some(rounds), Some(different), Some(expected)) => write!(
                f,
                "{method}: compared with itself it differs in {different} of {rounds} pairs of neighbouring parts of the run, \
                 {expected:.0} are expected (sizes {bucket})"
            ),
            _ => write!(f, "{method}: too few samples to compare it with itself (sizes {bucket})"),
        }
    }
}

fn self_checks(setup: &Setup, replay: &Replay<'_>) -> Vec<Checked> {
    let limit_p = setup.config.scheduler.limit_p;
    let check = |(method, bucket, _)| {
        let times = replay.scheduler().times(method, &bucket);
        let check: Option<SelfCheck> = self_check(times, limit_p).ok();
        Checked {
            method: replay.scheduler().name(method),
            bucket: bucket.to_string(),
            rounds: check.map(|check| check.rounds),
            different: check.map(|check| check.different),
            expected: check.map(|check| f64::from(check.rounds) * limit_p),
        }
    };
    judged_samples(&setup.program, replay.results(), replay.scheduler()).into_iter().map(check).collect()
}
