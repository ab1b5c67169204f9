//! Documents that are read: what they become, and damaged ones.

use super::{document, facts, filled, measured, place, run};
use crate::number::Number;
use crate::{Asked, Cell, ClaimKind, Facts, of_metrics};

fn refused(document: &str) -> String {
    of_metrics("metrics.json", document.as_bytes(), &[], Facts::default()).unwrap_err().to_string()
}

#[test]
fn each_value_becomes_a_line() {
    let run = run("a", 85);
    assert_eq!(
        (run.values.len(), run.facts.program(), run.facts.command.as_str()),
        (8, "com.shop.Main", "com.shop.Main --port 1")
    );
    let hot = &run.values[1];
    assert_eq!((hot.value, hot.least, hot.most), (None, Some(Number::Whole(15)), Some(Number::Whole(17))));
    assert_eq!((hot.metric.threshold.as_str(), hot.key), ("0.9", None));
    let last = &run.values[7];
    assert_eq!((last.key, last.least, last.reasons.len()), (Some((3, None)), None, 2));
    let first = &run.methods[0];
    assert_eq!(
        (first.class.as_str(), first.name.as_str(), first.descriptor.as_str(), first.bytecodes),
        ("com/shop/Main", "main", "([Ljava/lang/String;)V", (7, 85))
    );
}

#[test]
fn a_result_has_its_figures() {
    let run = measured();
    let [verdict] = &run.verdicts[..] else { panic!("{:?}", run.verdicts) };
    assert_eq!(verdict.text, "a/B.f(I)V <= 2 * a/B.g(I)V");
    assert_eq!((verdict.result, verdict.claim, verdict.calls), ("holds", 1, Some([40, 40])));
    let ratio = verdict.ratio.unwrap();
    assert!(ratio[1] <= ratio[0] && ratio[0] <= ratio[2] && (0.2..0.3).contains(&ratio[0]), "{ratio:?}");
}

#[test]
fn what_is_no_list_of_metrics_is_refused_with_the_remedy() {
    let good = document(1);
    assert!(refused(&good.replace("metrics/1", "metrics/9")).contains("\"spl.metrics/9\""));
    assert!(
        refused(&good.replace("\"low\":3,\"high\":null", "\"low\":2,\"high\":null"))
            .contains("twice for the space whole")
    );
    assert!(refused(&good.replace("\"unit\":\"count\",", "")).contains("missing field `unit`"));
    assert!(refused(r#"{"schema":"spl.metrics/1","command":"M","spaces":[]}"#).contains("neither values"));
    assert!(refused("[]").contains("spl analyse FOLDER --as json"));
}

/// A document with claims about metrics alone, as `spl metrics --disable '*' --tasks FILE` writes it.
fn of_claims() -> String {
    let side =
        |reason: &str| format!(r#"{{"least":1,"most":2,"exactness":"partial","reasons":["{reason}"]}}"#);
    let number = r#"{"least":1,"most":1,"exactness":null,"reasons":[]}"#;
    let relation = |reason: &str| format!(r#"{{"text":"t","left":{},"right":{number}}}"#, side(reason));
    let claim = |number: u64, result: &str, basis: &str, relations: &str| {
        format!(
            r#"{{"number":{number},"line":3,"title":null,"text":"metric(M{number}, app) = 1","result":"{result}",
            "basis":{basis},"relations":[{relations}]}}"#
        )
    };
    let claims = [
        claim(1, "fails", "\"not-proved\"", &[relation("why"), relation("why"), relation("not")].join(",")),
        claim(2, "undecided", "null", ""),
        claim(3, "holds", "\"proved\"", ""),
    ];
    format!(
        r#"{{"schema":"spl.metrics/1","command":"M","spaces":[],"claims":[{}],"lacking":[]}}"#,
        claims.join(",")
    )
}

#[test]
fn claims_about_metrics_are_results_of_the_run() {
    let run = of_metrics("m", of_claims().as_bytes(), &[], facts("a", "b")).unwrap();
    assert_eq!((run.values.len(), run.verdicts.len()), (0, 3));
    let [first, second, third] = &run.verdicts[..] else { panic!("{:?}", run.verdicts) };
    assert_eq!((first.kind, first.claim, first.result), (ClaimKind::Metric, 1, "fails"));
    assert_eq!(first.text, "metric(M1, app) = 1");
    assert_eq!((first.basis.as_deref(), first.reason.as_deref()), (Some("not-proved"), Some("why; not")));
    assert_eq!((second.result, &second.basis, &second.reason), ("undecided", &None, &None));
    assert_eq!((third.claim, third.result, third.basis.as_deref()), (3, "holds", Some("proved")));
    let place = place();
    filled(&place, &[run]);
    let sql = "SELECT kind, claim, result FROM verdict WHERE result = 'fails'".to_owned();
    let rows = Asked { store: place.path.clone(), sql, values: Vec::new() }.answer().unwrap().rows;
    let text = |text: &str| Cell::Text(text.to_owned());
    assert_eq!(rows, [[text("metric"), Cell::Whole(1), text("fails")]]);
}

#[test]
fn damaged_claims_are_refused() {
    let good = of_claims();
    let basis = refused(&good.replace("\"not-proved\"", "\"sure\""));
    assert!(
        basis.contains("claim 1") && basis.contains("\"sure\"") && basis.contains("--tasks FILE"),
        "{basis}"
    );
    let result = refused(&good.replace("\"undecided\"", "\"perhaps\""));
    assert!(result.contains("perhaps"), "{result}");
    for end in 0..good.len() {
        assert!(of_metrics("m", &good.as_bytes()[..end], &[], facts("a", "b")).is_err(), "{end}");
    }
}

#[test]
fn a_document_cut_anywhere_gives_an_error() {
    let good = document(1);
    for end in 0..good.len() {
        assert!(of_metrics("m", &good.as_bytes()[..end], &[], facts("a", "b")).is_err(), "{end}");
    }
}

#[test]
fn texts_of_a_program_are_short_and_on_one_line() {
    let hostile = "Main\\u001b[2J\\n".to_owned() + &"x".repeat(10_000);
    let run =
        of_metrics("m", document(1).replace("com.shop.Main", &hostile).as_bytes(), &[], facts("a", "b"))
            .unwrap();
    assert!(run.facts.command.len() < 5_000 && !run.facts.command.contains(['\u{1b}', '\n']));
}
