//! Results of assertions of the full language (`assertions.jsonl`): one JSON object a line.

use serde::{Deserialize, Serialize};
use spl_model::{Bucket, BucketError};
use spl_verdict::{Asserted, Basis, Evidence, Judged, NotEvaluated, Part, Standing, Truth, UnknownName};

const SCHEMA: &str = "spl.assertion/1";

/// An assertion's result with its text.
///
/// ```
/// use spl_records::AssertionRecord;
/// # use spl_verdict::{Asserted, Evidence, Truth};
/// # let evidence = Evidence { p_true: 0.001, p_false: 1.0 };
/// # let asserted = Asserted {
/// #     assertion: 0, truth: Truth::True, basis: None, evidence, level: 0.05, parts: vec![],
/// #     instance: None, gaps: vec![], leftover: false, drops: 0,
/// # };
/// let record = AssertionRecord {
///     title: "quick".to_owned(),
///     text: "assert \"quick\": p.C#f() <= 5 ms".to_owned(),
///     relations: vec!["p.C#f() <= 5 ms".to_owned()],
///     asserted,
/// };
/// let line = record.to_json();
/// assert!(line.starts_with("{\"schema\":\"spl.assertion/1\",\"number\":1,\"result\":\"holds\""));
/// assert_eq!(AssertionRecord::from_json(&line)?, record);
/// # Ok::<(), spl_records::AssertionError>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AssertionRecord {
    /// Title of the assertion in reports.
    pub title: String,
    /// The statement as the task file has it.
    pub text: String,
    /// Its comparisons as the task file has them, from left to right.
    pub relations: Vec<String>,
    /// Result of the assertion.
    pub asserted: Asserted,
}

impl AssertionRecord {
    /// The line, with its end.
    #[must_use]
    pub fn to_json(&self) -> String {
        let one = &self.asserted;
        let part = |part: &Part| JsonPart {
            relation: part.relation + 1,
            text: self.relations.get(part.relation).cloned().unwrap_or_default(),
            bucket: part.bucket.to_string(),
            instance: part.instance.clone(),
            judged: part.judged.as_ref().ok().map(JsonJudged::from),
            reason: part.judged.as_ref().err().map(ToString::to_string),
        };
        let json = Json {
            schema: SCHEMA.to_owned(),
            number: one.assertion + 1,
            result: result(one.standing()).to_owned(),
            title: self.title.clone(),
            text: self.text.clone(),
            relations: self.relations.clone(),
            truth: truth(one.truth).to_owned(),
            basis: one.basis.map(|basis| basis.to_string()),
            p_true: one.evidence.p_true,
            p_false: one.evidence.p_false,
            level: one.level,
            leftover: one.leftover,
            drops: one.drops,
            instance: one.instance.clone(),
            parts: one.parts.iter().map(part).collect(),
            gaps: one.gaps.iter().map(ToString::to_string).collect(),
        };
        let text = serde_json::to_string(&json).expect("strings, numbers and lists of them are always JSON");
        spl_model::plain_json(&text) + "\n"
    }

    /// Reads a line.
    ///
    /// # Errors
    /// When it is not JSON, not of this schema, or has a word or a number that no result has.
    pub fn from_json(line: &str) -> Result<Self, AssertionError> {
        let json: Json = serde_json::from_str(line)?;
        if json.schema != SCHEMA {
            return Err(AssertionError::UnknownSchema { found: json.schema });
        }
        let number = |number: usize| number.checked_sub(1).ok_or(AssertionError::Zero);
        let part = |part: JsonPart| -> Result<Part, AssertionError> {
            let judged = match (part.judged, part.reason) {
                (Some(judged), None) => Ok(judged.into()),
                (None, Some(reason)) => Err(reason.parse::<NotEvaluated>()?),
                _ => return Err(AssertionError::Part),
            };
            let bucket = part.bucket.parse::<Bucket>()?;
            Ok(Part { relation: number(part.relation)?, bucket, instance: part.instance, judged })
        };
        let asserted = Asserted {
            assertion: number(json.number)?,
            truth: parse_truth(&json.truth)?,
            basis: json.basis.map(|basis| basis.parse::<Basis>()).transpose()?,
            evidence: Evidence { p_true: json.p_true, p_false: json.p_false },
            level: json.level,
            parts: json.parts.into_iter().map(part).collect::<Result<_, _>>()?,
            instance: json.instance,
            gaps: json.gaps.iter().map(|gap| gap.parse()).collect::<Result<_, _>>()?,
            leftover: json.leftover,
            drops: json.drops,
        };
        if result(asserted.standing()) != json.result {
            return Err(AssertionError::Contradiction(json.result));
        }
        Ok(Self { title: json.title, text: json.text, relations: json.relations, asserted })
    }
}

fn result(standing: Standing) -> &'static str {
    match standing {
        Standing::Holds => "holds",
        Standing::Fails => "fails",
        Standing::Undecided | Standing::Error => "undecided",
    }
}

fn truth(truth: Truth) -> &'static str {
    match truth {
        Truth::True => "true",
        Truth::False => "false",
        Truth::Undecided => "undecided",
    }
}

fn parse_truth(text: &str) -> Result<Truth, AssertionError> {
    let all = [Truth::True, Truth::False, Truth::Undecided];
    all.into_iter().find(|&one| truth(one) == text).ok_or_else(|| AssertionError::Truth(text.to_owned()))
}

/// The line's layout. Numbers of assertions and comparisons count from 1.
#[derive(Serialize, Deserialize)]
struct Json {
    schema: String,
    number: usize,
    result: String,
    title: String,
    text: String,
    relations: Vec<String>,
    truth: String,
    basis: Option<String>,
    p_true: f64,
    p_false: f64,
    level: f64,
    leftover: bool,
    drops: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    parts: Vec<JsonPart>,
    gaps: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct JsonPart {
    relation: usize,
    text: String,
    bucket: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    judged: Option<JsonJudged>,
    reason: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct JsonJudged {
    p_true: f64,
    p_false: f64,
    left_ns: f64,
    right_ns: f64,
    n_left: u64,
    n_right: Option<u64>,
}

impl From<&Judged> for JsonJudged {
    fn from(judged: &Judged) -> Self {
        let Judged { evidence: Evidence { p_true, p_false }, left_ns, right_ns, n_left, n_right } = *judged;
        Self { p_true, p_false, left_ns, right_ns, n_left, n_right }
    }
}

impl From<JsonJudged> for Judged {
    fn from(json: JsonJudged) -> Self {
        let JsonJudged { p_true, p_false, left_ns, right_ns, n_left, n_right } = json;
        Self { evidence: Evidence { p_true, p_false }, left_ns, right_ns, n_left, n_right }
    }
}

/// Reason why a line cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum AssertionError {
    /// Not JSON of this layout; the text contains the column.
    #[error("not the result of an assertion: {0}")]
    Json(#[from] serde_json::Error),
    /// Written by another release.
    #[error("the result has the schema {found:?}, this spl knows {SCHEMA:?}")]
    UnknownSchema {
        /// The schema in the file.
        found: String,
    },
    /// Numbers count from 1.
    #[error("an assertion or a comparison has the number 0; they count from 1")]
    Zero,
    /// A text that is not a truth value.
    #[error("{0:?} is neither true nor false nor undecided")]
    Truth(String),
    /// A basis or a reason that no result has.
    #[error(transparent)]
    Name(#[from] UnknownName),
    /// A text that is not a size interval.
    #[error(transparent)]
    Bucket(#[from] BucketError),
    /// Neither figures nor a reason, or both.
    #[error("a comparison needs either its figures or a reason why it has none")]
    Part,
    /// A result that doesn't follow from the rest.
    #[error("the result {0:?} contradicts truth and basis")]
    Contradiction(String),
}
