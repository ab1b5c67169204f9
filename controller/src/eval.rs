//! `spl eval`: recorded measurements judged again, without a JVM.

use crate::buckets;
use crate::cli::{Common, Eval};
use crate::config::Judge;
use crate::details::judged_samples;
use crate::document::{Checked, document};
use crate::junit;
use crate::output::ResultFile;
use crate::replay::Replay;
use crate::setup::Setup;
use crate::stdout;
use spl_stats::{SelfCheck, self_check};
use spl_verdict::ExitStatus;

/// Random splits of a method's samples in the A/A check...
const ROUNDS: usize = 1000;
/// ...as long as no more samples than this have to be shuffled together.
const SHUFFLED: usize = 100_000_000;
/// Decides the splits, so that an evaluation can be repeated.
const SEED: u64 = 1;

/// Judges the files of a folder by the tasks and the configuration.
///
/// # Errors
/// When tasks, configuration or files cannot be read or written, as text for the operator.
pub fn eval(arguments: &Eval) -> Result<ExitStatus, String> {
    let mut setup = read_setup(arguments)?;
    let mut replay = Replay::of(&setup, &arguments.measurements)?;
    if replay.lacks_windows() && replay.has_samples() {
        if setup.config.judge == Judge::Sequential {
            return Err(
                "method = sequential compares calls of shared windows, and these were recorded without \
                        (policy = delay): judge them with --method welch"
                    .to_owned(),
            );
        }
        setup
            .progress()
            .note("these calls were recorded without windows: all are compared, as by policy = delay");
        setup.config.scheduler.paired = None;
        replay = Replay::of(&setup, &arguments.measurements)?;
    }
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
        let progress = setup.progress();
        progress.table(&setup, replay.results(), replay.scheduler(), replay.sequential());
        checks.iter().for_each(|check| progress.note(&check.to_string()));
    }
    Ok(replay.results().standing(&setup.program))
}

fn read_setup(arguments: &Eval) -> Result<Setup, String> {
    let Eval { config, tasks, classes, quiet, method, .. } = arguments;
    let (config, tasks, classes) = (config.clone(), tasks.clone(), classes.clone());
    let mut setup =
        Setup::read(&Common { config, tasks, out: None, classes, quiet: *quiet, plain: true }, &[])?;
    if let Some(method) = method {
        setup.config.judge_by(*method);
    }
    Ok(setup)
}

fn write_results(arguments: &Eval, setup: &Setup, replay: &Replay<'_>) -> Result<(), String> {
    let Some(out) = &arguments.out else { return Ok(()) };
    buckets::write(out, setup, replay.scheduler())?;
    let mut file = ResultFile::open(&setup.config, out, true)?;
    for evaluation in &replay.results().evaluations {
        file.result(&setup.program.tasks, evaluation)?;
    }
    replay.results().assertions.iter().try_for_each(|asserted| file.assertion(setup, asserted))
}

/// For a line of the report.
impl std::fmt::Display for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { method, bucket, .. } = self;
        match (self.rounds, self.different, self.expected) {
            (Some(rounds), Some(different), Some(expected)) => write!(
                f,
                "{method}: compared with itself it differs in {different} of {rounds} random splits, \
                 {expected} are expected (sizes {bucket})"
            ),
            _ => write!(f, "{method}: too few samples to compare it with itself (sizes {bucket})"),
        }
    }
}

fn self_checks(setup: &Setup, replay: &Replay<'_>) -> Vec<Checked> {
    let limit_p = setup.config.scheduler.limit_p;
    let check = |(method, bucket, _)| {
        let times = replay.scheduler().times(method, &bucket);
        let rounds = (SHUFFLED / times.len().max(1)).clamp(1, ROUNDS) as u32;
        let check: Option<SelfCheck> = self_check(times, rounds, limit_p, SEED).ok();
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
