//! `spl eval`: recorded measurements judged again, without a JVM.

use crate::cli::{Common, Eval};
use crate::config::Judge;
use crate::output::ResultFile;
use crate::results::Results;
use crate::resume;
use crate::setup::Setup;
use spl_model::{Sample, SampleFlags};
use spl_records::measurement_files;
use spl_scheduler::{Action, Decision, Event, MethodIx, Scheduler, Settings};
use spl_stats::{self_check, suspicions};
use spl_verdict::ExitStatus;

/// Random splits of a method's samples in the A/A check.
const ROUNDS: u32 = 1000;
/// Decides the splits, so that an evaluation can be repeated.
const SEED: u64 = 1;
/// Linux's monotonic clock counts nanoseconds.
const CLOCK_STEP_NS: u64 = 1;

/// Judges the files of a folder by the tasks and the configuration.
///
/// # Errors
/// When tasks, configuration or files cannot be read or written, as text for the operator.
pub fn eval(arguments: &Eval) -> Result<ExitStatus, String> {
    let Eval { config, tasks, classes, quiet, .. } = arguments;
    let (config, tasks, classes) = (config.clone(), tasks.clone(), classes.clone());
    let setup = Setup::read(&Common { config, tasks, out: None, classes, quiet: *quiet }, &[])?;
    let progress = setup.progress();
    if setup.config.scheduler.paired.is_some() || setup.config.judge == Judge::Sequential {
        progress.note(
            "which calls shared a window is not recorded: all are compared, by method = welch and policy = delay",
        );
    }
    let samples = recorded(arguments, &setup)?;
    if samples.is_empty() {
        let folder = arguments.measurements.display();
        return Err(format!(
            "{folder} has no measurements of these methods; name their folder with --measurements"
        ));
    }
    let results = judge(&setup, samples.clone())?;
    if let Some(out) = &arguments.out {
        let mut file = ResultFile::open(&setup.config, out, true)?;
        for evaluation in &results.evaluations {
            file.result(&setup.program.tasks, evaluation)?;
        }
        for asserted in &results.assertions {
            file.assertion(&setup, asserted)?;
        }
    }
    progress.table(&setup, &results);
    doubts(arguments, &setup, &samples);
    Ok(results.standing(&setup.program))
}

/// All samples that counted, by the end of the calls: as they came, but for those of one moment.
fn recorded(arguments: &Eval, setup: &Setup) -> Result<Vec<(MethodIx, Sample)>, String> {
    let methods: Vec<_> = setup.program.tasks.methods.iter().map(|task| task.method.clone()).collect();
    let mut samples = Vec::new();
    for (index, name) in measurement_files(&methods).into_iter().enumerate() {
        samples.extend(resume::samples(MethodIx(index), &arguments.measurements.join(name))?);
    }
    samples.retain(|(_, sample)| !sample.flags.contains(SampleFlags::DISCARDED));
    samples.sort_by_key(|(_, sample)| sample.end_ns());
    Ok(samples)
}

/// The rules are those of a run: the scheduler is told of the samples, then that there are no more.
fn judge(setup: &Setup, samples: Vec<(MethodIx, Sample)>) -> Result<Results, String> {
    let settings = Settings { paired: None, warm_up: None, budget: None, ..setup.config.scheduler.clone() };
    let scheduler = Scheduler::of_program(settings, &setup.program).map_err(|e| e.to_string());
    let mut scheduler = scheduler?;
    let mut results = Results::default();
    for event in [Event::Resume { decided: Vec::new(), samples }, Event::Start, Event::Finish] {
        for Decision { action, .. } in scheduler.handle(event, 0) {
            match action {
                Action::Evaluated(evaluation) => results.evaluations.push(*evaluation),
                Action::Asserted(asserted) => results.assertions.push(*asserted),
                _ => {}
            }
        }
    }
    Ok(results)
}

/// Says of each method what makes its samples look unfit for a verdict.
fn doubts(arguments: &Eval, setup: &Setup, samples: &[(MethodIx, Sample)]) {
    let progress = setup.progress();
    for (index, task) in setup.program.tasks.methods.iter().enumerate() {
        let of_this = samples.iter().filter(|(method, _)| method.0 == index);
        let times: Vec<u64> = of_this.map(|(_, sample)| sample.duration_ns()).collect();
        for suspicion in suspicions(&times, CLOCK_STEP_NS) {
            progress.note(&format!("{}: suspicious: {suspicion}", task.method));
        }
        if !arguments.self_check {
            continue;
        }
        match self_check(&times, ROUNDS, setup.config.scheduler.limit_p, SEED) {
            Ok(check) => progress.note(&format!(
                "{}: compared with itself it differs in {} of {} random splits, {} are expected",
                task.method,
                check.different,
                check.rounds,
                f64::from(check.rounds) * setup.config.scheduler.limit_p
            )),
            Err(why) => progress.note(&format!("{}: not compared with itself: {why}", task.method)),
        }
    }
}
