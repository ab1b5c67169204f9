//! Results in plain words: the texts of a run, JUnit and the live view about a claim.

use spl_model::Bucket;
use spl_report::figure::{self, p_equation};
use spl_verdict::{Asserted, Evaluation, Evidence, NotEvaluated, Part, Ratio, Standing};
use std::fmt::Write as _;

/// One result in plain words: verdict, basis, p-value, ratio, bucket, samples.
pub fn judgement(evaluation: &Evaluation) -> String {
    let verdict = match &evaluation.verdict {
        Err(why @ (NotEvaluated::Undecided { .. } | NotEvaluated::Open { .. })) => return why.to_string(),
        Err(why) => return format!("undecided: {why}"),
        Ok(verdict) => verdict,
    };
    let word = word(evaluation.standing());
    let mut text = format!("{word} ({}), {}", verdict.basis, p_equation(verdict.p_value));
    // Writing to a `String` cannot fail.
    if let Some(Ratio { value, low, high, .. }) = &verdict.ratio {
        // As in the report: the ratio of the unscaled times, with the limit that the constants allow.
        let limit = verdict.right.factor / verdict.left.factor;
        let [value, low, high] = [value, low, high].map(|scaled| figure::quotient(scaled * limit));
        let _ = write!(text, ", ratio {value} [{low}, {high}], limit {}", figure::digits(limit));
    }
    let (left, right) = (evaluation.n_left, evaluation.n_right);
    let _ = write!(text, "{}, {left} and {right} samples", sizes(&evaluation.bucket));
    add_remarks(&mut text, evaluation.leftover, evaluation.drops);
    figure::plain(&text)
}

/// An assertion's result in plain words.
pub fn sentence(asserted: &Asserted) -> String {
    let standing = asserted.standing();
    let said = word(standing);
    let because = |why: String| if why.starts_with(said) { why } else { format!("{said}: {why}") };
    if let Some(why) = why_not(asserted) {
        return because(why);
    }
    // Some of its comparisons were judged, and others not.
    let why = joined(&asserted.gaps).filter(|_| standing == Standing::Undecided);
    let mut text = why.map_or_else(|| said.to_owned(), because);
    let fails = standing == Standing::Fails;
    if let Some(instance) = asserted.instance.as_ref().filter(|_| fails) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " in {instance}");
    }
    if let Some(basis) = asserted.basis {
        // Writing to a `String` cannot fail.
        let _ = write!(text, " ({basis})");
    }
    let Evidence { p_true, p_false } = asserted.evidence;
    if p_true.min(p_false) < 1.0 {
        let _ = write!(text, ", {} for it, {} against it", p_equation(p_true), p_equation(p_false));
        let _ = write!(text, ", level {}", asserted.level);
    }
    add_remarks(&mut text, asserted.leftover, asserted.drops);
    figure::plain(&text)
}

/// Reasons why nothing of an assertion could be judged, each once; `None` where calls were judged.
pub fn why_not(asserted: &Asserted) -> Option<String> {
    let is_judged = |part: &Part| part.judged.as_ref().is_ok_and(|judged| judged.n_left > 0);
    if asserted.standing() != Standing::Undecided || asserted.parts.iter().any(is_judged) {
        return None;
    }
    joined(&asserted.gaps)
}

/// Each reason once, and what windows left open before all others; `None` without any.
fn joined(gaps: &[NotEvaluated]) -> Option<String> {
    let mut reasons: Vec<String> = Vec::new();
    for gap in gaps.iter().map(ToString::to_string) {
        if !reasons.contains(&gap) {
            reasons.push(gap);
        }
    }
    reasons.sort_by_key(|reason| !reason.starts_with(word(Standing::Undecided)));
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// The word of a result.
pub fn word(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "holds",
        Standing::Fails => "FAILS",
        Standing::Undecided | Standing::Error => "undecided",
    }
}

fn add_remarks(text: &mut String, leftover: bool, drops: u64) {
    if leftover {
        text.push_str(", judged at the end with what there was");
    }
    if drops > 0 {
        // Writing to a `String` cannot fail.
        let _ = write!(text, ", {drops} lost");
    }
}

/// The sizes after a comma, where calls were distinguished by size.
pub fn sizes(bucket: &Bucket) -> String {
    if *bucket == Bucket::All { String::new() } else { format!(", sizes {bucket}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_model::Bucket;
    use spl_verdict::{Judged, Truth};

    #[test]
    fn an_assertion_that_was_judged_in_part_says_all_its_reasons() {
        let judged =
            Judged { evidence: Evidence::NONE, left_ns: 7.0, right_ns: 9.0, n_left: 5, n_right: None };
        let lacking = || NotEvaluated::Lacking("p.C#f: never called".to_owned());
        let part = |relation, judged| Part { relation, bucket: Bucket::All, instance: None, judged };
        let open = NotEvaluated::Open { windows: 60, why: "more is needed".to_owned() };
        let asserted = Asserted {
            assertion: 0,
            truth: Truth::Undecided,
            basis: None,
            evidence: Evidence::NONE,
            level: 0.05,
            parts: vec![part(0, Ok(judged)), part(1, Err(lacking()))],
            instance: None,
            gaps: vec![lacking(), open, lacking()],
            leftover: false,
            drops: 0,
        };
        let expected = "undecided after 60 windows: more is needed; nothing to judge: p.C#f: never called";
        assert_eq!(sentence(&asserted), expected);
        let only_lacking = Asserted { gaps: vec![lacking()], ..asserted };
        assert_eq!(sentence(&only_lacking), "undecided: nothing to judge: p.C#f: never called");
    }
}
