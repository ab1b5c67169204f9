//! The metrics of claims, among those of a table.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use spl_lang::{
    Diagnostic, KnownMetric, MetricClaims, MetricOperand, MetricSpace, MetricUnit, RunMode, Severity,
    parse_file,
};

/// A table with each kind of metric.
fn known() -> Vec<KnownMetric> {
    [
        ("M9", "size.run.value", MetricUnit::Count, &[][..]),
        ("M10", "size.hot.value", MetricUnit::Count, &[]),
        ("M11", "size.hot.percentile", MetricUnit::Percent, &[]),
        ("M35", "polymorphism.targetArity.bin", MetricUnit::Ratio, &["1", "2", "3+"]),
        ("M39", "polymorphism.targetPolyDensity.value", MetricUnit::Ratio, &[]),
        ("M54", "concurrency.lock.percentile", MetricUnit::Percent, &[]),
        ("M5", "base.bytes.value", MetricUnit::Bytes, &[]),
        ("-", "base.nativeMethods.value", MetricUnit::Count, &[]),
    ]
    .map(|(id, name, unit, keys)| KnownMetric {
        id: id.to_owned(),
        name: name.to_owned(),
        unit,
        keys: keys.iter().map(|&key| key.to_owned()).collect(),
    })
    .into()
}

fn claims(text: &str) -> Result<MetricClaims, Vec<Diagnostic>> {
    parse_file(text, RunMode::Comparison).unwrap().metric_claims(text, &known())
}

#[test]
fn metrics_are_found_by_name_kind_and_number() {
    let check = |name: &str, found: &str, key: Option<usize>| {
        let claims = claims(&format!("metric({name}, app) <= 1")).unwrap().claims;
        let mut operands = Vec::new();
        claims[0].formula.value.for_each(&mut |atom| operands.extend(atom.metrics().cloned()));
        assert_eq!((known()[operands[0].metric].name.as_str(), operands[0].key), (found, key), "{name}");
    };
    check("size.run", "size.run.value", None);
    check("size.run.value", "size.run.value", None);
    check("M9", "size.run.value", None);
    check("size.hot", "size.hot.value", None);
    check("size.hot.percentile", "size.hot.percentile", None);
    check("concurrency.lock", "concurrency.lock.percentile", None);
    check("polymorphism.targetArity[3+]", "polymorphism.targetArity.bin", Some(2));
    check("polymorphism.targetArity.bin[1]", "polymorphism.targetArity.bin", Some(0));
}

#[test]
fn what_is_not_a_metric_is_explained() {
    let check = |text: &str, column: usize, message: &str, help: &str| {
        let errors = claims(text).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        let one = &errors[0];
        assert_eq!((one.severity, one.line, one.column), (Severity::Error, 1, column), "{one:?}");
        assert_eq!(one.message, message);
        assert!(one.help.as_deref().unwrap_or_default().contains(help), "{one:?}");
    };
    let poly = "did you mean `polymorphism.targetPolyDensity`?";
    check(
        "metric(polymorphism.targetPoliDensity, app) <= 1",
        8,
        "there is no metric `polymorphism.targetPoliDensity`",
        poly,
    );
    check("metric(poly.targetPolyDensity, app) <= 1", 8, "there is no metric `poly.targetPolyDensity`", poly);
    check("1 <= metric(size.runs, app)", 13, "there is no metric `size.runs`", "did you mean `size.run`?");
    check("metric(xyzzy, app) <= 1", 8, "there is no metric `xyzzy`", "--hierarchy");
    check(
        "metric(polymorphism.targetArity, app) <= 1",
        8,
        "the metric `polymorphism.targetArity.bin` has several values",
        "`polymorphism.targetArity[1]`",
    );
    check(
        "metric(polymorphism.targetArity[4], app) <= 1",
        8,
        "the metric `polymorphism.targetArity.bin` has no key `4`",
        "did you mean `polymorphism.targetArity[3+]`? the keys are `1`, `2`, `3+`",
    );
    check(
        "metric(polymorphism.targetArity[two], app) <= 1",
        8,
        "the metric `polymorphism.targetArity.bin` has no key `two`",
        "did you mean `polymorphism.targetArity[1]`?",
    );
    check(
        "metric(size.hot[0.9], app) <= 1",
        8,
        "the metric `size.hot.value` has one value",
        "write `size.hot`: claims are about the things that carry 90%",
    );
    check(
        "metric(size.run[1], app) <= 1",
        8,
        "the metric `size.run.value` has one value",
        "write `size.run`",
    );
    check(
        "metric(M39, app) <= 5%",
        21,
        "the metric `polymorphism.targetPolyDensity.value` is not in percent",
        "write `0.05`",
    );
    check("5% >= metric(M9, app)", 1, "the metric `size.run.value` is not in percent", "write `5`");
}

#[test]
fn spaces_are_words_patterns_and_names_of_methods() {
    let text = "let f = a.B#f\nlet g = f\nlet h = a/B.h(I)V\nlet i = a.B#i(int)\n";
    let space = |written: &str| {
        let text = format!("{text}metric(M9, {written}) <= 1\n");
        let claims = claims(&text)?.claims;
        let mut names = Vec::new();
        claims[0].formula.value.for_each(&mut |atom| {
            if let MetricOperand::Metric(of) = &atom.left {
                names.push((of.space.name().to_owned(), matches!(of.space, MetricSpace::Methods(..))));
            }
        });
        Ok::<_, Vec<Diagnostic>>(names.remove(0))
    };
    let check = |written: &str, name: &str, is_pattern: bool| {
        assert_eq!(space(written), Ok((name.to_owned(), is_pattern)), "{written}");
    };
    check("app", "app", false);
    check("Main", "Main", true);
    check("a.**", "a.**", true);
    check("f", "a.B#f", true);
    check("g", "a.B#f", true);
    check("h", "a/B.h(I)V", true);
    let errors = space("i").unwrap_err();
    assert_eq!((errors[0].line, errors[0].column), (5, 12));
    assert_eq!(errors[0].message, "a metric is of methods by class and name");
    // A name that only a metric uses is used.
    let file = parse_file("let f = a.B#f\nmetric(M9, f) <= 1\n", RunMode::Comparison).unwrap();
    assert_eq!(file.warnings, []);
}

#[test]
fn a_share_for_a_metric_in_percent_has_a_warning_with_both_meanings() {
    let text = "metric(M11, app) >= 0.6\n0.07 < metric(M11, app)\nmetric(M11, app) >= 0.6%\nmetric(M11, app) >= 60\n\
                metric(M11, app) > 0\nmetric(M11, app) >= 1\n0.01 * metric(M11, app) >= 0.61\nmetric(M39, app) <= 0.5\n";
    let warnings = claims(text).unwrap().warnings;
    let got: Vec<(String, &str)> =
        warnings.iter().map(|one| (one.to_string(), one.help.as_deref().unwrap())).collect();
    let said = "warning: less than 1% of `size.hot.percentile`";
    assert_eq!(
        got,
        [
            (format!("1:21: {said}"), "write `60%` for a share of 0.6, or `0.6%` if that is meant"),
            (format!("2:1: {said}"), "write `7%` for a share of 0.07, or `0.07%` if that is meant"),
        ]
    );
}

#[test]
fn odd_claims_have_warnings_and_both_kinds_are_counted() {
    let text = "metric(M9, app) <= metric(M9, app)\nmetric(M9, app) < metric(M39, app)\nmetric(M9, app) < 1\nmetric(M9, app)<1\n";
    let got: Vec<String> = claims(text).unwrap().warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        got,
        [
            "1:1: warning: a metric is compared with itself",
            "2:1: warning: the two metrics have different units",
            "4:1: warning: the formula is asserted twice",
        ]
    );
    let text = "let f = a.B#f\nf < 1 ms\nassert \"t\": f < 2 ms\nmetric(M9, f) < 1\n";
    assert_eq!(parse_file(text, RunMode::Comparison).unwrap().count_claims(), (2, 1));
}
