//! Recorded measurements judged again: `spl eval` says what the run said.

use crate::case::{Case, read_results};
use crate::running::{Ended, Running};
use spl_records::ResultRecord;

const TASKS: &str = "\
CompareLoop.fast([I)J < CompareLoop.slow([I)J
CompareLoop.fast([I)J >= (1, 1) CompareLoop.slow([I)J
assert \"quick\": median(CompareLoop.fast([I)J) <= 1 s
";

fn eval(case: &Case, more: &[&str]) -> Ended {
    let usual = ["eval", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "again/result.eval"];
    std::fs::create_dir_all(case.path("again")).unwrap();
    Running::start(case.spl_with(&[&usual[..], more].concat()), &case.path("")).ends()
}

/// What a result says, in the order of the task file.
fn said(results: Vec<ResultRecord>) -> Vec<(usize, String, bool)> {
    let mut said: Vec<_> = results
        .into_iter()
        .map(|one| {
            let verdict = one.evaluation.verdict.expect("a verdict");
            (one.evaluation.comparison, verdict.basis.to_string(), one.evaluation.leftover)
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
        let mut run = case.java(&["CompareLoop", "0", "300000"]);
        run.awaits_agent();
        run.awaits("spl: every class is as it was");
        run.ends().assert_status(1);
        let ended = eval(&case, &["--measurements", "out/measurements", "--self-check"]);
        ended.assert_status(1);
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
fn a_folder_without_measurements_is_an_error() {
    let case = Case::comparing(TASKS);
    let ended = eval(&case, &["--measurements", "."]);
    ended.assert_status(2);
    ended.assert_said(&["no measurements of these methods", "--measurements"]);
}
