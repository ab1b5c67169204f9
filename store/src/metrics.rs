//! A run of metrics, from the files of a drill: `metrics.json`, with values and results of claims, and the table of methods.

use crate::error::StoreError;
use crate::metric::Named;
use crate::number::{Number, short};
use crate::run::{ClaimKind, Facts, MOST_LINES, MOST_METHODS, Method, Run, Value, Verdict};
use crate::series;
use serde::Deserialize;
use spl_analysis::SCHEMA;
use spl_export::Ran;
use spl_verdict::Basis;
use std::collections::BTreeSet;

#[derive(Deserialize)]
struct Schema {
    schema: String,
}

#[derive(Deserialize)]
struct Document {
    command: String,
    spaces: Vec<Space>,
    #[serde(default)]
    claims: Vec<Claim>,
    series: Option<series::Document>,
}

#[derive(Deserialize)]
struct Space {
    name: String,
    values: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    #[serde(flatten)]
    metric: Named,
    key: Option<Key>,
    value: Option<serde_json::Number>,
    least: Option<serde_json::Number>,
    most: Option<serde_json::Number>,
    exactness: String,
    #[serde(default)]
    reasons: Vec<String>,
}

#[derive(Deserialize)]
struct Key {
    low: u64,
    high: Option<u64>,
}

#[derive(Deserialize)]
struct Claim {
    number: u64,
    text: String,
    result: Judged,
    basis: Option<String>,
    relations: Vec<Relation>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Judged {
    Holds,
    Fails,
    Undecided,
}

#[derive(Deserialize)]
struct Relation {
    left: Side,
    right: Side,
}

#[derive(Deserialize)]
struct Side {
    reasons: Vec<String>,
}

/// A run of metrics. `name` is that of the document, for messages; of the facts the command is filled in here. `ran` are the methods
/// of the drill, those with most bytecodes first.
///
/// # Errors
/// When the document is not a list of metrics of a known version, or says one thing twice.
pub fn of_metrics(name: &str, document: &[u8], ran: &[Ran], facts: Facts) -> Result<Run, StoreError> {
    let wrong = |why: &dyn std::fmt::Display| {
        StoreError::Run(format!(
            "{name}: {why}; `spl analyse FOLDER --as json -o {name}` writes it again, with --tasks FILE its claims too"
        ))
    };
    let schema: Schema = serde_json::from_slice(document).map_err(|why| wrong(&why))?;
    if schema.schema != SCHEMA {
        let found = spl_model::one_line(&schema.schema);
        return Err(wrong(&format!("its schema is {found:?}, and this spl reads {SCHEMA:?}")));
    }
    let document: Document = serde_json::from_slice(document).map_err(|why| wrong(&why))?;
    let mut values = Vec::new();
    let mut seen = BTreeSet::new();
    for space in &document.spaces {
        for row in &space.values {
            let value = row.value(&space.name);
            let low = value.key.map(|(low, _)| low);
            if !seen.insert((value.space.clone(), value.metric.key(), low)) {
                let name = value.metric.full_name();
                return Err(wrong(&format!("{name} is there twice for the space {}", value.space)));
            }
            values.push(value);
        }
    }
    let verdicts = document.claims.iter().map(Claim::verdict).collect::<Result<Vec<_>, _>>();
    let verdicts = verdicts.map_err(|why| wrong(&why))?;
    for (number, what) in [(values.len(), "values"), (verdicts.len(), "claims")] {
        if number > MOST_LINES {
            return Err(wrong(&format!("it has {number} {what}, and a run may have {MOST_LINES}")));
        }
    }
    if values.is_empty() && verdicts.is_empty() {
        return Err(wrong(&"it has neither values nor claims"));
    }
    let series = document.series.as_ref().map(series::Document::series).transpose();
    let series = series.map_err(|why| wrong(&why))?.unwrap_or_default();
    let methods = ran.iter().take(MOST_METHODS).map(method).collect();
    Ok(Run { facts: Facts { command: short(&document.command), ..facts }, values, verdicts, methods, series })
}

impl Row {
    fn value(&self, space: &str) -> Value {
        Value {
            space: short(space),
            metric: self.metric.metric(),
            key: self.key.as_ref().map(|key| (key.low, key.high)),
            value: self.value.as_ref().and_then(Number::of),
            least: self.least.as_ref().and_then(Number::of),
            most: self.most.as_ref().and_then(Number::of),
            exactness: short(&self.exactness),
            reasons: self.reasons.iter().map(|reason| short(reason)).collect(),
        }
    }
}

impl Claim {
    fn verdict(&self) -> Result<Verdict, String> {
        let basis =
            |text: &String| text.parse::<Basis>().map_err(|why| format!("claim {}: {why}", self.number));
        let basis = self.basis.as_ref().map(basis).transpose()?;
        let sides = self.relations.iter().flat_map(|relation| [&relation.left, &relation.right]);
        let mut seen = BTreeSet::new();
        let reasons = sides.flat_map(|side| &side.reasons).map(String::as_str);
        let reasons: Vec<&str> = reasons.filter(|reason| seen.insert(*reason)).collect();
        Ok(Verdict {
            kind: ClaimKind::Metric,
            claim: self.number,
            text: short(&self.text),
            result: match self.result {
                Judged::Holds => "holds",
                Judged::Fails => "fails",
                Judged::Undecided => "undecided",
            },
            basis: basis.map(|basis| basis.to_string()),
            reason: (!reasons.is_empty()).then(|| short(&reasons.join("; "))),
            ..Verdict::default()
        })
    }
}

/// A method by the parts of its name.
fn method(ran: &Ran) -> Method {
    let (before, descriptor) = ran.name.split_at(ran.name.find('(').unwrap_or(ran.name.len()));
    let (class, name) = before.rsplit_once('.').unwrap_or(("", before));
    Method {
        class: short(class),
        name: short(name),
        descriptor: short(descriptor),
        calls: ran.calls,
        bytecodes: ran.bytecodes,
        blocks: ran.blocks,
        doubt: short(&ran.doubt),
    }
}
