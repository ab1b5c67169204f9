//! `spl run --drill failed`: why a claim fails.

use crate::case::{Case, java};
use crate::harness;
use crate::running::Running;
use serde_json::Value;
use std::fs;

/// The slow method calls another one 30 times; the quick one calls it once.
const FAILS: &str = "median(CompareLoop.slow([I)J) <= median(CompareLoop.fast([I)J)\n";
/// The sides are the same method. It fails, because no call is ten thousand times as long as another one.
const FAILS_BY_ITSELF: &str = "median(CompareLoop.fast([I)J) <= 0.0001 * median(CompareLoop.fast([I)J)\n";

fn start(case: &Case, options: &[&str], program: &[&str]) -> Running {
    let mut spl = case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"]);
    spl.args(["--drill", "failed"]).args(options).arg("--").args(java(program));
    Running::start(spl, &case.path(""))
}

fn found(case: &Case) -> Value {
    let text = fs::read(case.path("out/why.json")).unwrap();
    let found: Value = serde_json::from_slice(&text).unwrap();
    let schema = fs::read(harness::root().join("docs/schema/why-3.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&found), keys(&schema["properties"]));
    let row = &schema["properties"]["claims"]["items"]["properties"];
    for claim in found["claims"].as_array().unwrap() {
        assert_eq!(keys(claim), keys(row));
        for list in ["causes", "extras", "measures", "unseen"] {
            let entries = claim[list].as_array().unwrap();
            entries.iter().for_each(|entry| assert_eq!(keys(entry), keys(&row[list]["items"]["properties"])));
        }
    }
    found
}

#[test]
fn the_cause_of_a_failed_claim_is_found_while_the_program_runs() {
    let case = Case::comparing(FAILS);
    let options = ["--drill-for", "8s", "--stop-program"];
    let ended = start(&case, &options, &["CompareLoop", "0", "2560"]).ends_by_itself();
    ended.assert_status(1);
    ended.assert_said(&[
        "looking for the reasons of 1 failed claim for at most 8 s",
        "why median(CompareLoop.slow([I)J) <= median(CompareLoop.fast([I)J) fails:",
        "CompareLoop.pass(J[I)J is called 30 times against 1 in line ",
        "what was found is in out/why.json",
        "the program ended with status 143",
    ]);
    let page = fs::read_to_string(case.path("out/report.html")).unwrap();
    assert!(page.contains("Why claims fail") && page.contains("CompareLoop.pass(J[I)J is called 30 times"));
    let found = found(&case);
    let claim = &found["claims"][0];
    let first = &claim["causes"][0];
    assert_eq!(claim["conclusion"], "found", "{found:#}");
    assert_eq!(first["path"], serde_json::json!(["CompareLoop.pass(J[I)J"]), "{found:#}");
    assert!(first["share"].as_f64().unwrap() > 0.95, "{found:#}");
    let [slow, fast] = ["bytecodes", "bytecodes_of_other"].map(|of| claim[of].as_f64().unwrap());
    // Calls that are under way when counting begins are counted in part.
    assert!((25.0..35.0).contains(&(slow / fast)), "{found:#}");
    // Calls and bytecodes differ as metrics; nothing is made, locked or caught.
    let measures: Vec<&str> =
        claim["measures"].as_array().unwrap().iter().map(|one| one["of"].as_str().unwrap()).collect();
    assert_eq!(measures, ["calls", "bytecodes"], "{found:#}");
    let calls = &claim["measures"][0];
    assert_eq!(calls["certainty"], "counted", "{found:#}");
    // The call itself, and 30 calls or one.
    let [of_slow, of_fast] = [0, 1].map(|side| calls["counts"][side].as_f64().unwrap());
    assert!((28.0..34.0).contains(&of_slow) && (1.8..2.2).contains(&of_fast), "{found:#}");
    ended.assert_said(&["in a call, on average", "calls of counted methods"]);
    assert!(page.contains("calls of counted methods"), "the page has the table");
}

/// The graphs, which have exactly what their schema says.
fn graphs(case: &Case) -> Value {
    let text = fs::read(case.path("out/why-graphs.json")).unwrap();
    let found: Value = serde_json::from_slice(&text).unwrap();
    let schema = fs::read(harness::root().join("docs/schema/why-graphs-1.json")).unwrap();
    let schema: Value = serde_json::from_slice(&schema).unwrap();
    let same = |value: &Value, of: &Value| {
        let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(keys(value), keys(&of["properties"]));
    };
    let (of_claim, of_graph) = (&schema["properties"]["claims"]["items"], &schema["$defs"]["graph"]);
    same(&found, &schema);
    for claim in found["claims"].as_array().unwrap() {
        same(claim, of_claim);
        for pair in claim["pairs"].as_array().unwrap() {
            same(pair, &of_claim["properties"]["pairs"]["items"]);
            for graph in [&pair["slow"], &pair["quick"]].into_iter().filter(|graph| !graph.is_null()) {
                same(graph, of_graph);
                for list in ["blocks", "edges"] {
                    let entries = graph[list].as_array().unwrap().iter();
                    entries.for_each(|entry| same(entry, &of_graph["properties"][list]["items"]));
                }
            }
        }
    }
    found
}

#[test]
fn graphs_of_both_sides_stand_next_to_the_reasons_also_when_the_report_is_made_again() {
    let case = Case::comparing(FAILS);
    let options = ["--drill-for", "8s", "--stop-program"];
    start(&case, &options, &["CompareLoop", "0", "2560"]).ends_by_itself().assert_status(1);
    let found = graphs(&case);
    let pair = &found["claims"][0]["pairs"][0];
    let figure = |side: &str, of: &Value| of.as_f64().unwrap() / pair[side]["roots"].as_f64().unwrap();
    for (side, root, times) in
        [("slow", "CompareLoop.slow([I)J", 30.0), ("quick", "CompareLoop.fast([I)J", 1.0)]
    {
        let graph = &pair[side];
        assert_eq!(graph["method"], "CompareLoop.pass(J[I)J", "{found:#}");
        assert_eq!((&graph["root"], &graph["is_apart"]), (&root.into(), &true.into()), "{found:#}");
        let calls = figure(side, &graph["calls"]);
        // Calls that are under way when counting begins are counted in part.
        assert!((0.9 * times..1.1 * times).contains(&calls), "{side}: {calls}");
        assert_eq!(graph["blocks"][0]["runs"], graph["calls"], "{side}");
    }
    assert_eq!(pair["slow"]["causes"].as_array().unwrap().len(), 1, "{found:#}");
    assert_eq!(pair["quick"]["causes"], serde_json::json!([]), "{found:#}");

    let again = || {
        let out = case.spl_with(&["report", "out", "--out", "again.html"]).output().unwrap();
        assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
        fs::read_to_string(case.path("again.html")).unwrap()
    };
    let page = fs::read_to_string(case.path("out/report.html")).unwrap();
    assert_eq!(page.matches(">the cause:</text>").count(), 1);
    assert!(page.contains("id=\"w0p0sg\"") && page.contains("id=\"w0p0qg\""));
    assert_eq!(again(), page);
    let text = fs::read_to_string(case.path("out/why-graphs.json")).unwrap();
    let damaged = text.replacen("\"to\":", "\"to\":77", 1);
    let cases = [
        (
            "why-graphs.json",
            &text[..text.len() / 2],
            "The graphs are missing: out/why-graphs.json: not a list of graphs: ",
        ),
        (
            "why-graphs.json",
            &damaged,
            "The graphs are missing: out/why-graphs.json: the graph of CompareLoop.pass(J[I)J: ",
        ),
        ("why-graphs.json", "", "The graphs are missing: out/why-graphs.json is not there."),
        ("why.json", "{}", "The reasons are missing: out/why.json: not a list of reasons: "),
    ];
    for (file, text, said) in cases {
        fs::write(case.path(&format!("out/{file}")), text).unwrap();
        let page = again();
        assert!(page.contains(said) && page.contains("Why claims fail"), "{said}");
        assert!(page.contains("id=\"methods\"") && !page.contains("id=\"w0p0sg\""), "{said}");
    }
}

#[test]
fn no_cause_is_named_where_both_sides_run_the_same() {
    let case = Case::comparing(FAILS_BY_ITSELF);
    let mut run = start(&case, &["--drill-for", "60s"], &["CompareLoop", "0", "2560"]);
    run.awaits("  nothing found in the code that ran: look at waiting, locks, memory or native methods");
    run.awaits("what was found is in out/why.json");
    // The program goes on with its own bytecode.
    let ended = run.ends();
    ended.assert_status(1);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
    let found = found(&case);
    assert_eq!(found["claims"][0]["conclusion"], "nothing");
    assert_eq!(found["claims"][0]["causes"], serde_json::json!([]));
}

#[test]
fn a_callee_that_others_call_as_well_is_counted_within_the_calls_of_each_method() {
    let case = Case::comparing("median(Apart.slow(I)J) <= 0.1 * median(Apart.quick(I)J)\n");
    let ended = start(&case, &["--drill-for", "60s", "--stop-program"], &["Apart"]).ends_by_itself();
    ended.assert_status(1);
    let found = found(&case);
    let claim = &found["claims"][0];
    let first = &claim["causes"][0];
    assert_eq!(
        (&claim["conclusion"], &claim["doubts"]),
        (&"found".into(), &serde_json::json!([])),
        "{found:#}"
    );
    let path: Vec<&str> =
        first["path"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(path.first(), Some(&"Apart.lambda$slow$1(I)J"), "{found:#}");
    assert_eq!(path.last(), Some(&"Apart.turned(I)J"), "{found:#}");
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() / expected - 1.0).abs() < 0.05;
    // Three calls of a lambda, an implementation and the callee, whose turn has twelve instructions.
    assert!(near(&claim["bytecodes"], 3.0 * 20_000.0 * 12.0), "{found:#}");
    assert!(claim["bytecodes_of_other"].as_f64().unwrap() < 1000.0, "{found:#}");
    assert!(near(&first["calls"][0], 3.0), "{found:#}");
}

#[test]
fn a_method_that_calls_the_other_one_counts_in_turn_with_it() {
    let case = Case::comparing("median(Nested.whole(I)J) <= 0.1 * median(Nested.part(I)J)\n");
    let ended = start(&case, &["--drill-for", "60s", "--stop-program"], &["Nested"]).ends_by_itself();
    ended.assert_status(1);
    let found = found(&case);
    let claim = &found["claims"][0];
    // On a loaded machine times may differ by more than the counts, which are what this test is about.
    assert!(claim["conclusion"] == "found" || claim["conclusion"] == "partly", "{found:#}");
    assert_eq!(claim["doubts"], serde_json::json!([]), "{found:#}");
    let first = &claim["causes"][0];
    assert_eq!(first["path"][0], "Nested.more(I)J", "{found:#}");
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() / expected - 1.0).abs() < 0.05;
    // A turn has twelve instructions. The difference leaves out the call within the other one.
    assert!(near(&claim["bytecodes"], 4_000.0 * 12.0), "{found:#}");
    assert!(near(&claim["bytecodes_of_other"], 1_000.0 * 12.0), "{found:#}");
    assert!(
        near(&first["bytecodes"][0], 3_000.0 * 12.0) && first["share"].as_f64().unwrap() > 0.95,
        "{found:#}"
    );
    let steps = fs::read_to_string(case.path("out/drill.jsonl")).unwrap();
    assert!(
        steps.contains("the methods of the claims call each other, so they count one after another"),
        "{steps}"
    );
}

/// Claims of methods whose work grows with the size of their arguments, each in the same way but the first one.
const GROWING: &str = "Grows.square([I)J <= Grows.line([I)J
median(Grows.thrice(Ljava/lang/String;Ljava/lang/Object;)J) <= 0.1 * median(Grows.once(Ljava/lang/String;Ljava/lang/Object;)J)
median(Grows.busy(Ljava/util/List;ILjava/lang/String;Ljava/lang/Object;)J) <= 0.1 * median(Grows.idle()J)
";

#[test]
fn what_grows_faster_than_the_other_side_is_said() {
    let case = Case::comparing(GROWING);
    let mut run = start(&case, &["--drill-for", "60s"], &["Grows"]);
    run.awaits("what was found is in out/why.json");
    // The sizes ran no code of the program, which compares its results.
    let ended = run.ends();
    ended.assert_status(1);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
    let found = found(&case);
    let [square, thrice, busy] = &found["claims"].as_array().unwrap()[..] else { panic!("{found:#}") };
    let near = |value: &Value, expected: f64| (value.as_f64().unwrap() / expected - 1.0).abs() < 0.05;
    let first = &square["causes"][0];
    let growth = &first["growth"];
    assert!(near(&growth["power"], 2.0) && near(&first["outgrows"], 1.0), "{found:#}");
    assert_eq!(
        (&first["path"], &growth["sizes"]),
        (&serde_json::json!([]), &serde_json::json!([50.0, 400.0]))
    );
    assert!(
        near(&growth["figures"][0], 50.0 * 50.0) && near(&growth["figures"][1], 400.0 * 400.0),
        "{found:#}"
    );
    assert!(
        near(&square["growth"]["power"], 2.0) && near(&square["growth_of_other"]["power"], 1.0),
        "{found:#}"
    );
    ended.assert_said(&[
        "; it grows with the size of the arguments, power 2.0",
        " runs a call at size 50, ",
        "at size 400; nothing in a call of Grows.line([I)J grows with more than power 1.0",
    ]);

    assert!(
        near(&thrice["growth"]["power"], 1.0) && near(&thrice["growth_of_other"]["power"], 1.0),
        "{found:#}"
    );
    assert_eq!((&busy["growth"], &busy["growth_of_other"]), (&Value::Null, &Value::Null), "{found:#}");
    for claim in [thrice, busy] {
        assert_eq!((&claim["conclusion"], &claim["causes"][0]["outgrows"]), (&"found".into(), &Value::Null));
    }
    assert_eq!(ended.err.matches("it grows with").count(), 1, "{}", ended.err);
}

#[test]
fn an_interrupt_ends_the_search_and_is_not_lost() {
    let case = Case::comparing(FAILS);
    let mut run = start(&case, &["--drill-for", "10h"], &["CompareLoop", "0", "2560"]);
    run.awaits("looking for the reasons of 1 failed claim");
    run.signal("TERM");
    run.awaits("what was found is in out/why.json");
    // As after a signal while it measures.
    run.spl_ends_with(Some(1));
    run.ends();
}

#[test]
fn a_program_that_ended_with_its_measurement_tells_nothing_more() {
    let case = Case::comparing(FAILS);
    let ended = start(&case, &[], &["CompareLoop", "40", "2560"]).ends_by_itself();
    if ended.status == Some(1) {
        ended.assert_said(&["no reasons were looked for", "--for ends it earlier"]);
    }
    assert!(!case.path("out/why.json").exists());
}

#[test]
fn an_undecided_claim_whose_times_speak_against_it_is_drilled() {
    // A mean needs more calls than the program makes, and the times are far apart.
    let case = Case::comparing("CompareLoop.slow([I)J <= CompareLoop.fast([I)J\n")
        .set("scheduler", "profile", "production")
        .set("controller", "max-method-measurements", "1000000")
        .set("evaluator", "rare-calls", "1000000000");
    let options = ["--for", "4s", "--drill-for", "6s", "--stop-program"];
    let ended = start(&case, &options, &["CompareLoop", "0", "2560"]).ends_by_itself();
    ended.assert_status(3);
    ended.assert_said(&[
        "looking for the reasons of 1 undecided claim for at most 6 s",
        "<= CompareLoop.fast([I)J would fail, by its times so far:",
        " times against 1 in line ",
    ]);
    // The end of the counting may cut off calls of the last round.
    let times =
        ended.err.split("CompareLoop.pass(J[I)J is called ").nth(1).and_then(|rest| rest.split(' ').next());
    let times = times.and_then(|times| times.parse::<f64>().ok());
    assert!(times.is_some_and(|times| (29.0..=30.0).contains(&times)), "{times:?}");
    assert_eq!(found(&case)["claims"][0]["is_undecided"], true);
    let page = fs::read_to_string(case.path("out/report.html")).unwrap();
    assert!(page.contains("is undecided: its times so far speak against it"));
}

#[test]
fn only_failed_claims_are_drilled() {
    let case = Case::comparing("median(CompareLoop.fast([I)J) <= median(CompareLoop.slow([I)J)\n");
    let ended = start(&case, &["--stop-program"], &["CompareLoop", "0", "2560"]).ends_by_itself();
    ended.assert_status(0);
    assert!(!ended.err.contains("reasons") && !case.path("out/why.json").exists(), "{}", ended.err);
    let wrong = case.spl_with(&["run", "--drill", "all", "--", "true"]);
    let wrong = Running::start(wrong, &case.path("")).ends();
    wrong.assert_status(2);
    wrong.assert_said(&["invalid value 'all' for '--drill <CLAIMS>'"]);
}
