//! Claims about metrics, judged by `spl metrics` and `spl analyse`: words, exit statuses, JUnit, JSON.

use crate::case::{Case, java};
use crate::drill::case;
use crate::harness;
use crate::metrics::{agrees_with_schema, analyse, metrics};
use crate::running::Running;
use serde_json::Value;
use std::fs;

/// Metrics of methods whose values were computed by hand, with the value: each is exact.
const KNOWN: [(&str, &str, &str); 16] = [
    ("base.instructions", "Metrics.G1#go", "75"),
    ("M1", "Metrics.P#f", "8"),
    ("base.instructions.value", "Metrics.Q#f", "2"),
    ("polymorphism.receiverCacheMissRate", "Metrics.G1#go", "0.8"),
    ("polymorphism.targetArity[2]", "Metrics.G1#go", "1"),
    ("polymorphism.receiverArity[1]", "Metrics.G1#go", "0"),
    ("base.instructions", "Metrics.G2", "48"),
    ("concurrency.lockDensity", "Metrics.G2", "125"),
    ("concurrency.lock", "Metrics.G2", "100%"),
    ("base.instructions", "Metrics.G3#go", "35"),
    ("base.instructions", "goes", "70"),
    ("data.arrayDensity", "goes", "100"),
    ("memory.objectAllocationDensity", "Metrics.G4#g*", "57.142857142857146"),
    ("base.objects", "Metrics$G4.go(LMetrics$G4;I)[Ljava/lang/Object;", "4"),
    ("size.codeCoverage", "Metrics.G10#never", "0%"),
    ("polymorphism.callSites", "Metrics.G8#go", "1"),
];

/// A task file with a claim about each of the metrics, by this sign.
fn claims(sign: &str) -> String {
    let claim = |(metric, space, value): (&str, &str, &str)| {
        let bound = if sign == "=" || !value.contains('.') { value } else { value.trim_end_matches('6') };
        format!("metric({metric}, {space}) {sign} {bound}\n")
    };
    format!("let goes = Metrics.G4#go\n{}", KNOWN.map(claim).concat())
}

fn tasks(case: &Case, text: &str) {
    fs::write(case.path("m.tasks"), text).unwrap();
}

/// A drill of the program, in `out`.
fn drilled() -> Case {
    let case = case();
    metrics(&case, &["--quiet"], &["Metrics"]).ends_by_itself().assert_status(0);
    case
}

/// Status, standard error and JUnit of `spl analyse` with these claims.
fn judged(case: &Case, text: &str) -> (i32, String, String) {
    tasks(case, text);
    let (status, _, said) =
        analyse(case, &["out", "--disable", "*", "--tasks", "m.tasks", "--junit", "m.xml"]);
    (status, said, fs::read_to_string(case.path("m.xml")).unwrap_or_default())
}

#[test]
fn known_values_hold_and_fail_beyond_their_bounds() {
    let case = case();
    tasks(&case, &claims("="));
    let ended = metrics(&case, &["--tasks", "m.tasks", "--junit", "m.xml"], &["Metrics"]).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["spl: 16 claims: 16 hold", "holds, proved"]);
    let xml = fs::read_to_string(case.path("m.xml")).unwrap();
    assert_eq!(xml.matches("<testcase classname=\"spl.metric\"").count(), 16);
    assert!(
        xml.contains("tests=\"16\" failures=\"0\"") && xml.contains("holds (proved): exact counts; it is 35"),
        "{xml}"
    );
    let document: Value =
        serde_json::from_slice(&fs::read(case.path("out/drill/metrics.json")).unwrap()).unwrap();
    agrees_with_schema(&document);
    let written = document["claims"].as_array().unwrap();
    assert_eq!(written.len(), 16);
    for (claim, (metric, _, value)) in written.iter().zip(KNOWN) {
        assert!(claim["result"] == "holds" && claim["basis"] == "proved", "{claim}");
        let left = &claim["relations"][0]["left"];
        let wanted: f64 = value.trim_end_matches('%').parse().unwrap();
        assert!(left["least"] == left["most"] && left["least"].as_f64() == Some(wanted), "{metric}: {claim}");
    }

    let (status, said, xml) = judged(&case, &claims(">"));
    assert_eq!(status, 1, "{said}");
    assert!(said.contains("spl: 16 claims: 1 holds, 15 fail"), "{said}");
    assert!(
        said.contains(
            "metric(base.instructions, Metrics.G3#go) > 35: FAILS (refuted): exact counts; it is 35"
        ),
        "{said}"
    );
    assert!(xml.contains("failures=\"15\"") && xml.contains("type=\"spl.fails\""), "{xml}");
    let (status, said, _) = judged(&case, &claims("<"));
    assert!(status == 1 && said.contains("spl: 16 claims: 16 fail"), "{said}");
}

#[test]
fn a_report_that_has_no_folder_is_refused_before_the_program_runs() {
    let case = case();
    tasks(&case, &claims("="));
    let ended =
        metrics(&case, &["--tasks", "m.tasks", "--junit", "nowhere/m.xml"], &["Metrics"]).ends_by_itself();
    ended.assert_status(2);
    assert!(ended.err.contains("nowhere") && ended.out.is_empty(), "{}", ended.err);
}

#[test]
fn check_knows_the_methods_of_claims_about_metrics() {
    let case = case();
    let classes = harness::classes().display().to_string();
    let check = |text: &str| {
        tasks(&case, text);
        let output = case.spl_with(&["check", "--classpath", &classes, "m.tasks"]).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    let (status, said) = check(&claims("="));
    assert_eq!(status, Some(0), "{said}");
    let (status, said) =
        check("metric(size.run, java.util.ArrayList#add*) < 9\nmetric(size.run, Metric.G1#go) < 9\n");
    assert_eq!(status, Some(1), "{said}");
    let place = "m.tasks:2:18: error: no method of the class path or the JDK is meant";
    assert!(
        said.contains("no method of the class path or the JDK is meant") && said.contains("m.tasks:2:18"),
        "{place}: {said}"
    );
    // An unknown space is said once, at the first of its claims.
    let (status, said) = check(
        "metric(size.run, Metric.G1#go) < 9\nmetric(size.hot, Metric.G1#go) < 9\nmetric(M1, Metric.G2) < metric(M2, Metric.G1#go)\n",
    );
    assert_eq!(status, Some(1), "{said}");
    assert_eq!(said.matches("no method of the class path or the JDK is meant").count(), 2, "{said}");
    assert!(
        said.contains("nothing would count, here and in 2 more claims") && said.contains("m.tasks:3:12"),
        "{said}"
    );
    // A method without code counts nothing.
    let (status, said) = check("metric(size.run, java.util.List#size) < 9\n");
    assert_eq!(status, Some(1), "{said}");
}

#[test]
fn bounds_on_both_sides_and_missing_values_are_undecided() {
    let case = drilled();
    let check = |claim: &str, status: i32, parts: &[&str]| {
        let (found, said, _) = judged(&case, claim);
        assert!(found == status && parts.iter().all(|part| said.contains(part)), "{claim}: {found} {said}");
    };
    // The rate is between 0.4 and 0.6.
    let misses = "metric(polymorphism.targetCacheMissRate, Metrics.G1#go)";
    check(
        &format!("{misses} <= 0.5"),
        3,
        &["[0.4, 0.6]", "undecided: counts between bounds; it is 0.4 to 0.6"],
    );
    check(&format!("{misses} <= 0.6"), 0, &["1 claim: 1 holds", "holds, proved"]);
    check(&format!("{misses} < 0.4"), 1, &["FAILS (refuted): counts between bounds"]);
    check(&format!("assert \"t\": {misses} < 0.5 | ! {misses} > 0.6"), 0, &["holds, proved"]);
    check(
        "metric(size.hot.percentile, Metrics.G10#never) < 1",
        3,
        &["undecided: it is without a value", "0/0"],
    );
    check(
        "metric(base.methods, Metrics.Nobody) = 0",
        3,
        &["no method of the drill's classes fits Metrics.Nobody"],
    );
    check("metric(base.methods, lib) = 0", 3, &["no class of the library counted"]);
    // Lambdas do not count, so that values of the whole program are of a part.
    check(
        "metric(base.objects, app) > 4",
        0,
        &["holds, not-refuted", "holds (not-refuted): partial counts; it is 21", "lambdas"],
    );
    check("metric(base.objects, app) > 400", 1, &["FAILS (not-proved): partial counts; it is 21"]);
    check(
        "metric(base.instructions, Metrics.G1#go) <= 1.6 * metric(base.instructions, Metrics.G2)",
        0,
        &["1 claim: 1 holds"],
    );
    check(
        "metric(base.instructions, Metrics.G1#go) <= 1.5 * metric(base.instructions, Metrics.G2)",
        1,
        &["exact counts; it is 75 against 72"],
    );
    // 4 objects in 70 instructions: 57.142857142857…
    let density = "metric(memory.objectAllocationDensity, Metrics.G4#go)";
    check(&format!("{density} = 57.1429"), 1, &["exact counts; it is 57.14286"]);
    check(&format!("{density} < 57.1428571"), 1, &["exact counts; it is 57.1429"]);
    check(&format!("assert \"t\" : {density} < 58"), 0, &["57.1429  t: metric(memory."]);
}

#[test]
fn a_space_of_which_methods_did_not_count_leaves_claims_undecided() {
    let case = case();
    metrics(&case, &["--quiet", "--methods", "Metrics.G1#go"], &["Metrics"])
        .ends_by_itself()
        .assert_status(0);
    for (claim, why) in [
        ("metric(base.instructions, Metrics.G2) <= 5", "no method of the drill's classes fits Metrics.G2"),
        ("metric(base.instructions, Metrics.G1) >= 1", "of its methods did not count"),
        ("metric(base.objects, app) = 0", "named a part of the methods"),
        ("metric(base.objects, whole) = 0", "the JDK's classes did not count"),
    ] {
        let (status, said, xml) = judged(&case, claim);
        assert!(
            status == 3 && said.contains("undecided: it is without a value") && said.contains(why),
            "{said}"
        );
        assert!(xml.contains("skipped=\"1\""), "{xml}");
    }
    let (status, said, _) = judged(&case, "metric(base.instructions, Metrics.G1#go) = 75");
    assert!(status == 0, "{said}");
}

#[test]
fn a_drill_of_blocks_leaves_claims_about_calls_undecided() {
    let case = case();
    crate::drill::drill(&case, &["--all"], &["Metrics"]).ends_by_itself().assert_status(0);
    let (status, said, _) =
        judged(&case, "metric(polymorphism.calls, Metrics.G1#go) = 5\nmetric(M1, Metrics.G3#go) = 35\n");
    assert!(status == 3 && said.contains("2 claims: 1 holds, 1 undecided"), "{said}");
    assert!(said.contains("needs the receivers of calls; `spl drill --what receivers` has it"), "{said}");
}

#[test]
fn mistakes_have_their_place_before_the_program_runs() {
    let case = case();
    let check = |text: &str, parts: &[&str]| {
        tasks(&case, text);
        let ended = metrics(&case, &["--tasks", "m.tasks"], &["Metrics"]).ends_by_itself();
        ended.assert_status(2);
        assert_eq!(ended.out, "", "the program did not run");
        ended.assert_said(parts);
    };
    check(
        "\nmetric(polymorphism.targetPoliDensity, app) <= 1 # why",
        &[
            "m.tasks:2:8",
            "there is no metric `polymorphism.targetPoliDensity`",
            "did you mean `polymorphism.targetPolyDensity`?",
        ],
    );
    check("metric(polymorphism.targetArity, app) <= 1", &["m.tasks:1:8", "the keys are `1`, `2`, `3+`"]);
    check("metric(M1, app) <= 5 ms", &["m.tasks:1:20", "a length of time", "write `5`"]);
    check("metric(M39, app) <= 5%", &["m.tasks:1:21", "is not in percent", "write `0.05`"]);
    check("Metrics.G1#go <= 5 ms", &["has no claim about metrics", "spl run --tasks m.tasks"]);
    let (status, said, _) = judged(&case, "metric(size.runs, app) <= 1");
    assert!(status == 2 && said.contains("did you mean `size.run`?"), "{said}");
}

#[test]
fn each_command_says_which_claims_it_leaves_to_the_other() {
    const TIMES: &str = "Metrics$G1.go([LMetrics$P;)I <= 1 s\n";
    let case = Case::comparing(&format!("{TIMES}metric(base.instructions, Metrics.G3#go) = 35\n"));
    let ended = metrics(&case, &["--tasks", "spl.tasks"], &["Metrics"]).ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&[
        "1 claim about times is left to `spl run --tasks spl.tasks -- COMMAND`",
        "1 claim: 1 holds",
    ]);

    let ended = case.java(&["Metrics"]).ends_by_itself();
    ended.assert_said(&["1 claim about metrics is left to `spl metrics --tasks", "1 claim: 1 undecided"]);
    let check = |tasks: &str, parts: &[&str]| {
        let ended = Case::comparing(tasks).java(&["Metrics"]).ends_by_itself();
        ended.assert_status(2);
        ended.assert_said(parts);
    };
    check(
        "metric(base.instructions, Metrics.G3#go) = 35\n",
        &["has only claims about metrics, which `spl metrics --tasks"],
    );
    check(
        &format!("{TIMES}metric(base.instruction, Metrics.G3#go) = 35\n"),
        &["spl.tasks:2:8", "did you mean `base.instructions`?"],
    );
}

#[test]
fn each_jvm_that_has_methods_for_a_claim_is_judged() {
    let case = case();
    tasks(
        &case,
        "metric(base.instructions, Metrics.G3#go) = 35\nmetric(base.methods, app) > 1000000000\nmetric(M2, Nobody) > 0\n",
    );
    let program = |words: &[&str]| {
        java(words).iter().map(|word| format!("'{}'", word.to_string_lossy())).collect::<Vec<_>>().join(" ")
    };
    let mut spl = case.spl_with(&["metrics", "--children", "--tasks", "m.tasks", "--", "sh", "-c"]);
    spl.arg(format!("{} && {}", program(&["Metrics"]), program(&["Blocks", "1"])));
    let ended = Running::start(spl, &case.path("")).ends_by_itself();
    ended.assert_status(1);
    ended.assert_said(&[
        "spl: 3 claims: 1 holds, 1 fails, 1 undecided",
        "metric(base.methods, app) > 1000000000 (worst of 2 JVMs)",
        "metric(M2, Nobody) > 0: JVM 2: undecided: it is without a value",
    ]);
    assert!(!ended.spl().contains("= 35: JVM 2"), "the second JVM has no such method");
}
