//! Recorded measurements judged again: `spl eval` says what the run said.

use crate::case::{Case, read_results};
use crate::running::{Ended, Running};
use spl_records::ResultRecord;
use spl_verdict::Evaluation;

const TASKS: &str = "\
CompareLoop.fast([I)J < CompareLoop.slow([I)J
CompareLoop.fast([I)J >= (1, 1) CompareLoop.slow([I)J
assert \"quick\": median(CompareLoop.fast([I)J) <= 1 s
";

fn eval(case: &Case, more: &[&str]) -> Ended {
    let usual = ["eval", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "again/result.eval"];
    Running::start(case.spl_with(&[&usual[..], more].concat()), &case.path("")).ends()
}

/// The verdicts of a result, in the order of the task file.
fn said(results: Vec<ResultRecord>) -> Vec<(usize, String, bool)> {
    let mut said: Vec<_> = results
        .into_iter()
        .map(|one| {
            // On a machine that does much else not every claim is decided.
            let basis =
                one.evaluation.verdict.map_or_else(|_| "undecided".to_owned(), |one| one.basis.to_string());
            (one.evaluation.comparison, basis, one.evaluation.leftover)
        })
        .collect();
    said.sort();
    said
}

#[test]
fn the_verdicts_of_a_run_are_found_again_in_its_files() {
    for human in ["1", "0"] {
        let case = Case::comparing(TASKS).set("controller", "human-readable-measurements", human).set(
            "evaluator",
            "human-readable-results",
            human,
        );
        let mut run = case.java(&["CompareLoop", "0", "60000"]);
        run.awaits_agent();
        run.awaits("spl: every class is as it was");
        let status = run.ends().status;
        assert!(matches!(status, Some(1 | 3)), "{status:?}");
        let ended = eval(&case, &["--measurements", "out/measurements", "--self-check"]);
        assert_eq!(ended.status, status, "{}", ended.err);
        ended.assert_said(&[
            "spl: assert \"quick\": median(CompareLoop.fast([I)J) <= 1 s",
            "spl: CompareLoop.slow([I)J: compared with itself it differs in ",
        ]);
        let live = said(case.results());
        assert_eq!(live.len(), 2);
        assert_eq!(said(read_results(&case.path("again/result.eval"))), live);
        assert!(case.path("again/assertions.jsonl").exists());
    }
}

#[test]
fn windows_are_found_again_by_both_methods() {
    let comparisons = TASKS.split("assert").next().unwrap();
    for (method, human) in [("sequential", "1"), ("welch", "0")] {
        let case = Case::comparing(comparisons)
            .set("scheduler", "profile", "production")
            .set("scheduler", "policy", "paired")
            .set("scheduler", "window", "5")
            .set("evaluator", "method", method)
            .set("controller", "max-method-measurements", "5000")
            .set("controller", "human-readable-measurements", human);
        let mut run = case.java(&["CompareLoop", "0", "2000"]);
        run.awaits_agent();
        run.awaits("spl: every class is as it was");
        // Where a machine does much else, Welch's test may not refute the false claim.
        let status = run.ends().status;
        assert!(matches!(status, Some(0 | 1 | 3)), "{status:?}");
        let ended = eval(&case, &["--measurements", "out/measurements"]);
        assert_eq!(ended.status, status, "{}", ended.err);
        ended.assert_said(&["tell as much as", "discarded"]);
        // Everything but the order in which results of one moment come, and losses, which no file has.
        let figures = |results: Vec<ResultRecord>| {
            let mut found: Vec<_> =
                results.into_iter().map(|one| Evaluation { drops: 0, ..one.evaluation }).collect();
            found.sort_by_key(|one| one.comparison);
            found
        };
        let live = figures(case.results());
        assert_eq!(live.len(), 2);
        let again = figures(read_results(&case.path("again/result.eval")));
        if method == "welch" {
            assert_eq!(again, live);
        }
        // A call that ended after its window was closed is in that window when the recording is judged: another look may decide.
        let standing = |all: &[Evaluation]| all.iter().map(Evaluation::standing).collect::<Vec<_>>();
        assert_eq!(standing(&again), standing(&live), "{method}");
    }
}

#[test]
fn another_method_judges_the_same_measurements_if_they_have_what_it_needs() {
    let case = Case::comparing(TASKS).set("controller", "max-method-measurements", "10000");
    let folder = case.path("recorded");
    std::fs::create_dir(&folder).unwrap();
    let record = |name: &str, shortest_ns: u64, window: fn(u64) -> String| {
        let line = |k: u64| {
            let (start, took) = (k * 10_000, shortest_ns + k * 7919 % 101);
            format!("{start},{},0,1,CompareLoop.{name}([I)J,-,{},0,1\n", start + took, window(k))
        };
        std::fs::write(
            folder.join(format!("CompareLoop.{name}([I)J.msr")),
            (0..8000).map(line).collect::<String>(),
        )
    };
    let windows = |k: u64| (k / 80 + 1).to_string();
    record("fast", 1000, windows).unwrap();
    record("slow", 3000, windows).unwrap();
    let ended = eval(&case, &["--measurements", "recorded", "--method", "sequential", "--json"]);
    ended.assert_status(1);
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(document["method"], "sequential");
    let result = &document["comparisons"][0]["results"][0];
    assert_eq!(result["basis"], "proved");
    let windows = result["details"]["sequential"]["windows"].as_u64().unwrap();
    assert!((50..80).contains(&windows), "it is decided as soon as may be: {windows}");
    assert_eq!(result["samples"], serde_json::json!([windows * 80, windows * 80]));

    // Too few windows for a decision, but a ratio.
    let few = |k: u64| (k / 400 + 1).to_string();
    record("fast", 1000, few).unwrap();
    record("slow", 3000, few).unwrap();
    let ended = eval(&case, &["--measurements", "recorded", "--method", "sequential", "--json"]);
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let result = &document["comparisons"][0]["results"][0];
    assert_eq!(result["result"], "not-evaluated", "{result}");
    let [value, low, high] = ["value", "low", "high"].map(|end| result["ratio"][end].as_f64().unwrap());
    assert!(low <= value && value <= high && (0.33..0.36).contains(&value), "{result}");

    record("fast", 1000, |_| String::new()).unwrap();
    record("slow", 3000, |_| String::new()).unwrap();
    let ended = eval(&case, &["--measurements", "recorded", "--method", "sequential"]);
    ended.assert_status(1);
    ended.assert_said(&["recorded without windows: their time is divided into 100 parts"]);
    let short = "take less in a loop that only repeats them: CompareLoop.fast([I)J";
    assert!(!ended.err.contains(short), "{}", ended.err);
    eval(&case, &["--measurements", "recorded", "--method", "welch"]).assert_status(1);

    record("fast", 20, |_| String::new()).unwrap();
    eval(&case, &["--measurements", "recorded", "--method", "welch"]).assert_said(&[short]);
}

#[test]
fn files_are_read_a_part_at_a_time() {
    let case = Case::comparing("CompareLoop.fast([I)J < CompareLoop.slow([I)J\n").endless();
    let folder = case.path("recorded");
    std::fs::create_dir(&folder).unwrap();
    // Longer than a part, with records that are longer than most, and a last one that a crash cut.
    const LINES: u64 = 30_000;
    for (name, took) in [("fast", 1000), ("slow", 3000)] {
        let line = |k: u64| {
            let (start, end) = (k * 10_000, k * 10_000 + took + k * 7919 % 101);
            let label = if k.is_multiple_of(1000) {
                format!("\"label:{}\n\"", "x".repeat(20_000))
            } else {
                "7".to_owned()
            };
            format!("{start},{end},0,1,CompareLoop.{name}([I)J,{label},,0,1\n")
        };
        let text: String = (0..LINES).map(line).collect();
        std::fs::write(folder.join(format!("CompareLoop.{name}([I)J.msr")), text + "12,1").unwrap();
    }
    let ended = eval(&case, &["--measurements", "recorded", "--json"]);
    ended.assert_status(0);
    let document: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let samples = &document["comparisons"][0]["results"][0]["samples"];
    // The long labels are buckets of their own.
    assert_eq!(samples, &serde_json::json!([LINES - LINES / 1000, LINES - LINES / 1000]));

    let file = folder.join("CompareLoop.slow([I)J.msr");
    let text = std::fs::read_to_string(&file).unwrap();
    let damaged = text.replacen("\n200010000,", "\nx,", 1);
    let line = damaged[..damaged.find("\nx,").unwrap()].matches('\n').count() + 2;
    std::fs::write(&file, &damaged).unwrap();
    let ended = eval(&case, &["--measurements", "recorded"]);
    ended.assert_status(2);
    ended.assert_said(&[&format!("line {line}, column 1: expected a number")]);
}

#[test]
fn a_folder_without_measurements_is_an_error() {
    let case = Case::comparing(TASKS);
    let ended = eval(&case, &["--measurements", "."]);
    ended.assert_status(2);
    ended.assert_said(&["no measurements of these methods", "--measurements"]);
}
