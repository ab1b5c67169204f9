//! Results of assertions are read back as they were written.

use crate::AssertionRecord;
use spl_model::Bucket;
use spl_verdict::{Asserted, Basis, Evidence, Judged, NotEvaluated, Part, Truth};

fn record() -> AssertionRecord {
    let evidence = Evidence { p_true: 2.5e-300, p_false: 1.0 };
    let judged = Judged { evidence, left_ns: 1e-9, right_ns: 5e6, n_left: 50, n_right: None };
    let bucket = Bucket::Range { low: 100, high: None };
    let parts = vec![
        Part { relation: 0, bucket: bucket.clone(), instance: None, judged: Ok(judged) },
        Part {
            relation: 1,
            bucket,
            instance: Some("web-2:4711".to_owned()),
            judged: Err(NotEvaluated::TooFewSamples { left: 1, right: 2 }),
        },
    ];
    AssertionRecord {
        title: "a \"b\"\n".to_owned(),
        text: "assert \"é\": x".to_owned(),
        relations: vec!["x <= 5 ms".to_owned(), "x < y".to_owned()],
        asserted: Asserted {
            instance: None,
            assertion: 2,
            truth: Truth::True,
            basis: None,
            evidence: Evidence { p_true: 0.1 + 0.2, p_false: f64::MIN_POSITIVE },
            level: 0.05,
            parts,
            gaps: vec![NotEvaluated::NotMeasured("p/C.f()V: it is native".to_owned())],
            leftover: true,
            drops: 7,
        },
    }
}

#[test]
fn every_value_comes_back() {
    let mut record = record();
    assert_eq!(AssertionRecord::from_json(&record.to_json()).unwrap(), record);
    assert_eq!(record.to_json().matches('\n').count(), 1, "one line");
    record.asserted.basis = Some(Basis::NotRefuted);
    assert_eq!(AssertionRecord::from_json(&record.to_json()).unwrap(), record);
}

#[test]
fn what_contradicts_itself_is_refused() {
    let line = record().to_json();
    let check = |from: &str, to: &str, expected: &str| {
        assert!(line.contains(from), "{line}");
        let error = AssertionRecord::from_json(&line.replace(from, to)).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    };
    check("spl.assertion/1", "spl.assertion/2", "schema");
    check("\"result\":\"holds\"", "\"result\":\"fails\"", "contradicts");
    check("\"number\":3", "\"number\":0", "count from 1");
    check("\"truth\":\"true\"", "\"truth\":\"maybe\"", "maybe");
    check("[100, inf)", "[100, ", "not a size interval");
    check("\"reason\":null", "\"reason\":\"no common bucket\"", "either its figures or a reason");
    check("{", "", "not the result of an assertion");
}
