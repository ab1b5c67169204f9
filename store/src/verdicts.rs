//! A run of a measurement, from its records.

use crate::error::StoreError;
use crate::number::short;
use crate::run::{ClaimKind, Facts, MOST_LINES, Run, Verdict};
use spl_records::{AssertionRecord, Context, ResultRecord};
use spl_verdict::{Asserted, Standing};

/// Results of a measurement.
#[derive(Clone, Copy, Debug)]
pub struct Measurement<'a> {
    /// Its circumstances.
    pub context: &'a Context,
    /// Results of its comparisons, without those of older runs.
    pub results: &'a [ResultRecord],
    /// Results of its assertions, without those of older runs.
    pub assertions: &'a [AssertionRecord],
}

/// A run of a measurement. Of the facts the command, the versions and the begin are filled in here.
///
/// # Errors
/// When it has no result, or too many.
pub fn of_measurement(name: &str, of: Measurement<'_>, facts: Facts) -> Result<Run, StoreError> {
    let Measurement { context, results, assertions } = of;
    let verdicts: Vec<Verdict> =
        results.iter().map(compared).chain(assertions.iter().map(asserted)).collect();
    if verdicts.is_empty() {
        let remedy = "it has not ended, or its tasks have no claims";
        return Err(StoreError::Run(format!("{name}: the measurement has no results: {remedy}")));
    }
    if verdicts.len() > MOST_LINES {
        let number = verdicts.len();
        return Err(StoreError::Run(format!(
            "{name}: it has {number} results, and a run may have {MOST_LINES}"
        )));
    }
    let program = context.programs.first();
    let facts = Facts {
        command: short(program.map_or("", |program| &program.command)),
        jdk: program.map(|program| short(&program.java)),
        began_unix_ms: Some(context.began_unix_ms),
        spl: Some(short(&context.spl)),
        ..facts
    };
    Ok(Run { facts, verdicts, ..Run::default() })
}

/// The lines of comparisons in a task file count from 1.
fn compared(record: &ResultRecord) -> Verdict {
    let side = |factor: f64, method: String| {
        #[expect(clippy::float_cmp, reason = "a factor is 1 where the file has none")]
        let alone = factor == 1.0;
        if alone { method } else { format!("{factor} * {method}") }
    };
    let evaluation = &record.evaluation;
    let (left, right) = (
        side(record.left_factor, record.left.to_string()),
        side(record.right_factor, record.right.to_string()),
    );
    let verdict = evaluation.verdict.as_ref();
    Verdict {
        kind: ClaimKind::Comparison,
        claim: evaluation.comparison as u64 + 1,
        text: short(&format!("{left} {} {right}", record.sign)),
        bucket: Some(short(&evaluation.bucket.to_string())),
        instance: None,
        result: if verdict.is_ok() { word(evaluation.standing()) } else { "not-evaluated" },
        basis: verdict.ok().map(|verdict| verdict.basis.to_string()),
        p_value: verdict.ok().map(|verdict| verdict.p_value),
        ratio: evaluation.ratio().map(|ratio| [ratio.value, ratio.low, ratio.high]),
        calls: Some([evaluation.n_left, evaluation.n_right]),
        means_ns: verdict.ok().map(|verdict| [verdict.left.mean_ns, verdict.right.mean_ns]),
        reason: verdict.err().map(|why| short(&why.to_string())),
    }
}

fn asserted(record: &AssertionRecord) -> Verdict {
    let one: &Asserted = &record.asserted;
    let gaps: Vec<String> = one.gaps.iter().map(ToString::to_string).collect();
    Verdict {
        kind: ClaimKind::Assertion,
        claim: one.assertion as u64 + 1,
        text: short(&record.text),
        instance: one.instance.as_deref().map(short),
        result: word(one.standing()),
        basis: one.basis.map(|basis| basis.to_string()),
        p_value: Some(one.evidence.p_true.min(one.evidence.p_false)),
        reason: (!gaps.is_empty()).then(|| short(&gaps.join("; "))),
        ..Verdict::default()
    }
}

fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "holds",
        Standing::Fails => "fails",
        Standing::Undecided | Standing::Error => "undecided",
    }
}
