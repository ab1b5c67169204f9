//! The results as one JSON document (`docs/schema/eval-1.json`).

use crate::details::{Details, judged_samples};
use serde::Serialize;
use spl_model::Lack;
use spl_scheduler::Scheduler;
use spl_session::buckets::Filled;
use spl_session::results::Results;
use spl_session::sequential::Sequential;
use spl_session::setup::Setup;
use spl_verdict::{Evaluation, Ratio, Side, Standing, Welch};

/// A method compared with itself in one bucket.
#[derive(Serialize)]
pub struct Checked {
    /// The method.
    pub method: String,
    /// The workload sizes.
    pub bucket: String,
    /// Number of random splits; `None` with too few samples, as the next two.
    pub rounds: Option<u32>,
    /// Number of splits that were called different.
    pub different: Option<u32>,
    /// Number of splits that may be called different.
    pub expected: Option<f64>,
}

/// Values that are not numbers, such as the t of constant times, become null.
#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    method: String,
    correction: String,
    limit_p: f64,
    comparisons: Vec<ComparisonJson>,
    assertions: Vec<serde_json::Value>,
    samples: Vec<SamplesJson>,
    lacking: Vec<LackJson>,
    self_checks: &'a [Checked],
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

/// A method that lacks samples, with the reason.
#[derive(Serialize)]
struct LackJson {
    method: String,
    /// The reason, in words.
    reason: String,
    lack: Lack,
}

/// The results of a run or of `spl eval` as one JSON document with its line end.
///
/// # Errors
/// When it cannot be written as JSON; one line of text.
pub fn document(
    setup: &Setup,
    results: &Results,
    scheduler: &Scheduler,
    sequential: Option<&Sequential>,
    self_checks: &[Checked],
) -> Result<String, String> {
    let tasks = &setup.program.tasks;
    let result = |evaluation: &Evaluation| {
        result_json(evaluation, Details::of(evaluation, tasks, scheduler, sequential))
    };
    let comparison = |(index, comparison)| ComparisonJson {
        number: index + 1,
        text: tasks.line_of(comparison),
        results: results.evaluations.iter().filter(|one| one.comparison == index).map(result).collect(),
        filled: scheduler.filling(index).map(|filling| Filled::of(&filling)),
    };
    let samples = |(method, bucket, suspicions): (_, _, Vec<spl_stats::Suspicion>)| SamplesJson {
        method: scheduler.name(method),
        samples: scheduler.times(method, &bucket).len(),
        bucket: bucket.to_string(),
        suspicions: suspicions.iter().map(ToString::to_string).collect(),
    };
    let records = results.assertions.iter().filter_map(|asserted| setup.record(asserted));
    let assertions = records.map(|record| serde_json::from_str(&record.to_json()));
    let lacking = scheduler.progress().filter_map(|one| {
        let (method, lack) = (scheduler.name(one.method), scheduler.lack(one.method)?);
        Some(LackJson { method, reason: lack.to_string(), lack })
    });
    let document = Document {
        schema: "spl.eval/1",
        method: setup.config.judge.to_string(),
        correction: setup.config.correction.to_string(),
        limit_p: setup.config.scheduler.limit_p,
        comparisons: tasks.comparisons.iter().enumerate().map(comparison).collect(),
        assertions: assertions.collect::<Result<_, _>>().map_err(|e| e.to_string())?,
        samples: judged_samples(&setup.program, results, scheduler).into_iter().map(samples).collect(),
        lacking: lacking.collect(),
        self_checks,
    };
    let text = serde_json::to_string_pretty(&document).map_err(|e| e.to_string())?;
    Ok(spl_model::plain_json(&text) + "\n")
}

fn result_json(evaluation: &Evaluation, details: Option<Details>) -> ResultJson {
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
        ratio: evaluation.ratio().copied().map(ratio),
        left: verdict.map(|verdict| side(&verdict.left)),
        right: verdict.map(|verdict| side(&verdict.right)),
        welch: verdict.map(|verdict| welch(verdict.welch)),
        details,
    }
}
