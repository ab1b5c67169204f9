//! `spl eval`: recorded measurements judged again, without a JVM.

use crate::buckets::{self, Filled};
use crate::cli::{Common, Eval};
use crate::config::Judge;
use crate::details::{Details, judged_samples};
use crate::output::ResultFile;
use crate::replay::Replay;
use crate::setup::Setup;
use serde::Serialize;
use spl_stats::{SelfCheck, self_check};
use spl_verdict::{Evaluation, ExitStatus, Ratio, Side, Standing, Welch};

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
    let checks = if arguments.self_check { self_checks(&setup, &replay) } else { Vec::new() };
    if arguments.json {
        let document = document(&setup, &replay, checks)?;
        println!("{}", serde_json::to_string_pretty(&document).map_err(|e| e.to_string())?);
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
    let mut setup = Setup::read(&Common { config, tasks, out: None, classes, quiet: *quiet }, &[])?;
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

/// A method compared with itself in one bucket.
#[derive(Serialize)]
struct Checked {
    method: String,
    bucket: String,
    /// Random splits, and how many of them were called different; `None` with too few samples.
    rounds: Option<u32>,
    different: Option<u32>,
    /// How many of the splits may be.
    expected: Option<f64>,
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

/// The document of `--json`. Numbers that are none, such as the t of constant times, are null.
#[derive(Serialize)]
struct Document {
    schema: &'static str,
    method: String,
    correction: String,
    limit_p: f64,
    comparisons: Vec<ComparisonJson>,
    assertions: Vec<serde_json::Value>,
    samples: Vec<SamplesJson>,
    self_checks: Vec<Checked>,
}

#[derive(Serialize)]
struct ComparisonJson {
    number: usize,
    text: String,
    results: Vec<ResultJson>,
    #[serde(flatten)]
    filled: Option<Filled>,
}

#[derive(Serialize)]
struct ResultJson {
    bucket: String,
    result: &'static str,
    basis: Option<String>,
    p_value: Option<f64>,
    reason: Option<String>,
    leftover: bool,
    samples: [u64; 2],
    ratio: Option<RatioJson>,
    left: Option<SideJson>,
    right: Option<SideJson>,
    welch: Option<WelchJson>,
    details: Option<Details>,
}

#[derive(Serialize)]
struct RatioJson {
    value: f64,
    low: f64,
    high: f64,
    confidence: f64,
}

#[derive(Serialize)]
struct SideJson {
    factor: f64,
    mean_ns: f64,
    median_ns: f64,
    deviation_ns: f64,
}

#[derive(Serialize)]
struct WelchJson {
    t: f64,
    df: f64,
    p_less: f64,
    p_greater: f64,
    p_different: f64,
}

#[derive(Serialize)]
struct SamplesJson {
    method: String,
    bucket: String,
    samples: usize,
    suspicions: Vec<String>,
}

fn document(setup: &Setup, replay: &Replay<'_>, self_checks: Vec<Checked>) -> Result<Document, String> {
    let (tasks, results) = (&setup.program.tasks, replay.results());
    let result = |evaluation: &Evaluation| result_json(setup, replay, evaluation);
    let comparison = |(index, comparison)| ComparisonJson {
        number: index + 1,
        text: tasks.line_of(comparison),
        results: results.evaluations.iter().filter(|one| one.comparison == index).map(result).collect(),
        filled: replay.scheduler().filling(index).map(|filling| Filled::of(&filling)),
    };
    let samples = |(method, bucket, suspicions): (_, _, Vec<spl_stats::Suspicion>)| SamplesJson {
        method: replay.scheduler().name(method),
        samples: replay.scheduler().times(method, &bucket).len(),
        bucket: bucket.to_string(),
        suspicions: suspicions.iter().map(ToString::to_string).collect(),
    };
    let records = results.assertions.iter().filter_map(|asserted| setup.record(asserted));
    let assertions = records.map(|record| serde_json::from_str(&record.to_json()));
    Ok(Document {
        schema: "spl.eval/1",
        method: setup.config.judge.to_string(),
        correction: setup.config.correction.to_string(),
        limit_p: setup.config.scheduler.limit_p,
        comparisons: tasks.comparisons.iter().enumerate().map(comparison).collect(),
        assertions: assertions.collect::<Result<_, _>>().map_err(|e| e.to_string())?,
        samples: judged_samples(&setup.program, results, replay.scheduler())
            .into_iter()
            .map(samples)
            .collect(),
        self_checks,
    })
}

fn result_json(setup: &Setup, replay: &Replay<'_>, evaluation: &Evaluation) -> ResultJson {
    let verdict = evaluation.verdict.as_ref().ok();
    let side = |side: &Side| SideJson {
        factor: side.factor,
        mean_ns: side.mean_ns,
        median_ns: side.median_ns,
        deviation_ns: side.sd_ns,
    };
    let ratio = |Ratio { value, low, high, confidence }| RatioJson { value, low, high, confidence };
    let welch = |Welch { t, df, p_less, p_greater, p_two }| WelchJson {
        t,
        df,
        p_less,
        p_greater,
        p_different: p_two,
    };
    ResultJson {
        bucket: evaluation.bucket.to_string(),
        result: match evaluation.standing() {
            Standing::Holds => "holds",
            Standing::Fails => "fails",
            Standing::Undecided | Standing::Error => "not-evaluated",
        },
        basis: verdict.map(|verdict| verdict.basis.to_string()),
        p_value: verdict.map(|verdict| verdict.p_value),
        reason: evaluation.verdict.as_ref().err().map(ToString::to_string),
        leftover: evaluation.leftover,
        samples: [evaluation.n_left, evaluation.n_right],
        ratio: verdict.and_then(|verdict| verdict.ratio).map(ratio),
        left: verdict.map(|verdict| side(&verdict.left)),
        right: verdict.map(|verdict| side(&verdict.right)),
        welch: verdict.map(|verdict| welch(verdict.welch)),
        details: Details::of(evaluation, &setup.program.tasks, replay.scheduler(), replay.sequential()),
    }
}
