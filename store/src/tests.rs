//! Stores in files: what is inserted, what is refused, and that nothing is lost.

mod documents;
mod files;
mod hostile;
mod inserting;
mod series;

use crate::{Facts, Measurement, Run, Store, of_measurement, of_metrics};
use spl_export::Ran;
use spl_records::{Context, Form, Reader, ResultRecord};
use std::path::PathBuf;
use tempfile::TempDir;

/// A folder with a place for a store in it.
struct Place {
    _folder: TempDir,
    path: PathBuf,
}

fn place() -> Place {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spl-store.db");
    Place { path, _folder: folder }
}

/// The document of a drill with two spaces.
fn document(instructions: u64) -> String {
    let values = format!(
        r#"[{{"id":"M1","category":"base","name":"instructions","kind":"value","unit":"count","value":{instructions},
            "least":{instructions},"most":{instructions},"exactness":"exact","reasons":[]}},
        {{"id":"M10","category":"size","name":"hot","kind":"value","unit":"count","threshold":0.9,"value":null,"least":15,"most":17,
            "exactness":"bounded","reasons":["why"]}},
        {{"id":"M33","category":"polymorphism","name":"targetArity","kind":"bin","unit":"ratio","key":{{"low":2,"high":2}},"value":1.5,
            "least":1.5,"most":1.5,"exactness":"exact","reasons":[]}},
        {{"id":"M33","category":"polymorphism","name":"targetArity","kind":"bin","unit":"ratio","key":{{"low":3,"high":null}},"value":null,
            "least":null,"most":null,"exactness":"partial","reasons":["why","not"]}}]"#
    );
    format!(
        r#"{{"schema":"spl.metrics/1","command":"com.shop.Main --port 1","spaces":[{{"name":"whole","values":{values}}},
        {{"name":"app","values":{values}}}],"lacking":[]}}"#
    )
}

fn facts(identity: &str, digest: &str) -> Facts {
    Facts {
        identity: identity.to_owned(),
        digest: digest.to_owned(),
        kind: "metrics",
        began_unix_ms: Some(1_700_000_000_000),
        folder: "out/drill".to_owned(),
        ..Facts::default()
    }
}

/// A run of metrics. Its digest follows from its number of instructions.
fn run(identity: &str, instructions: u64) -> Run {
    let ran = ["com/shop/Main.main([Ljava/lang/String;)V", "com/shop/Parser.next()I"].map(|name| Ran {
        name: name.to_owned(),
        calls: 1,
        bytecodes: (7, instructions),
        blocks: (2, 3),
        doubt: String::new(),
    });
    let facts = facts(identity, &instructions.to_string());
    of_metrics("metrics.json", document(instructions).as_bytes(), &ran, facts).unwrap()
}

/// A measurement with one comparison.
fn measured() -> Run {
    let record = ResultRecord {
        left: "a/B.f(I)V".parse().unwrap(),
        sign: spl_model::Sign::LessOrEqual,
        left_factor: 1.0,
        right_factor: 2.0,
        right: "a/B.g(I)V".parse().unwrap(),
        evaluation: evaluation(),
    };
    // As it is read from its file.
    let mut text = String::from(ResultRecord::header(Form::Comma));
    record.write(Form::Comma, &mut text).unwrap();
    let results: Vec<ResultRecord> = Reader::new(text.as_bytes()).unwrap().collect::<Result<_, _>>().unwrap();
    let context = Context { spl: "0.1.0".to_owned(), ..Context::default() };
    let of = Measurement { context: &context, results: &results, assertions: &[] };
    of_measurement("out", of, Facts { kind: "measurement", ..facts("m", "m") }).unwrap()
}

fn evaluation() -> spl_verdict::Evaluation {
    let left: Vec<u64> = (0..40).map(|call| 1_000 + call % 7).collect();
    let right: Vec<u64> = (0..40).map(|call| 2_000 + call % 5).collect();
    spl_verdict::Evaluation {
        comparison: 0,
        bucket: spl_model::Bucket::All,
        verdict: spl_verdict::evaluate(spl_model::Sign::LessOrEqual, 1.0, 2.0, &left, &right, 0.05),
        leftover: false,
        n_left: 40,
        n_right: 40,
        drops: 0,
        so_far: None,
    }
}

/// A store with these runs, closed again.
fn filled(place: &Place, runs: &[Run]) {
    Store::create(&place.path).unwrap().insert(runs, &[]).unwrap();
}
