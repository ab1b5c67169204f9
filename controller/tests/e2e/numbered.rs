//! Results of one run after the other: none replaces earlier ones without --overwrite.

use crate::case::{Case, java};
use crate::running::{Ended, Running};
use std::fs;

const TASKS: &str = "median(CompareLoop.fast([I)J) <= 10 s\n";

/// A whole run of a second's work.
fn run(case: &Case, options: &[&str]) -> Ended {
    let mut spl = case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"]);
    spl.args(options).arg("--").args(java(&["CompareLoop", "0"]));
    let mut run = Running::start(spl, &case.path(""));
    run.awaits("spl: every class is as it was");
    run.ends()
}

fn bytes(case: &Case, file: &str) -> Vec<u8> {
    fs::read(case.path(file)).unwrap()
}

fn assertions(case: &Case, folder: &str) -> usize {
    fs::read_to_string(case.path(folder).join("assertions.jsonl")).unwrap().lines().count()
}

#[test]
fn a_second_run_has_a_folder_of_its_own() {
    let case = Case::comparing(TASKS);
    run(&case, &[]).assert_status(0);
    let first = [bytes(&case, "out/report.html"), bytes(&case, "out/assertions.jsonl")];
    let second = run(&case, &[]);
    second.assert_status(0);
    second.assert_said(&[
        "spl: out has the results of another run; the results of this run go to out-2 (--replace overwrites \
         the older ones)",
        "spl: report: out-2/report.html",
    ]);
    run(&case, &[]).assert_said(&["spl: report: out-3/report.html"]);
    assert_eq!([bytes(&case, "out/report.html"), bytes(&case, "out/assertions.jsonl")], first);
    assert_eq!([assertions(&case, "out"), assertions(&case, "out-2"), assertions(&case, "out-3")], [1; 3]);
    assert!(case.path("out-2/measurements").is_dir());
    // Files of others are not lost either.
    let case = Case::comparing(TASKS);
    fs::create_dir(case.path("out")).unwrap();
    fs::write(case.path("out/result.eval"), "b".repeat(1000)).unwrap();
    run(&case, &[]).assert_said(&["spl: report: out-2/report.html"]);
    assert_eq!(bytes(&case, "out/result.eval"), "b".repeat(1000).as_bytes());
}

#[test]
fn replaced_or_continued_where_that_is_asked_for() {
    let case = Case::comparing(TASKS);
    run(&case, &[]).assert_status(0);
    run(&case, &["--replace"]).assert_said(&["spl: report: out/report.html"]);
    assert_eq!(assertions(&case, "out"), 1);
    run(&case, &["--set", "overwrite-results=0"]).assert_said(&["spl: report: out/report.html"]);
    assert_eq!(assertions(&case, "out"), 2);
    assert!(!case.path("out-2").exists());
}

#[test]
fn the_last_run_that_did_not_end_is_gone_on_with() {
    // Of a claim that was decided before the end nothing would be gone on with.
    let many = "1000000000";
    let case = Case::comparing(TASKS).set("controller", "max-method-measurements", many);
    let case = case.set("controller", "min-method-measurements", many);
    let killed = |folder: &str| {
        let mut spl = case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"]);
        spl.arg("--").args(java(&["CompareLoop", "0"]));
        let mut run = Running::start(spl, &case.path(""));
        run.awaits_agent();
        let samples = case.path(folder).join("measurements");
        crate::case::awaits_measurements_in(&samples, "CompareLoop.fast([I)J", 100);
        run.signal("KILL");
        run.spl_ends_with(None);
    };
    let ends = |options: &[&str]| {
        let options = [&["--for", "100ms", "--stop-program"], options].concat();
        run(&case, &options)
    };
    ends(&[]).assert_said(&["spl: report: out/report.html"]);
    killed("out-2");
    let ended = ends(&[]);
    ended.assert_said(&[
        "go to out-2 (",
        "going on with an interrupted run",
        "spl: report: out-2/report.html",
    ]);
    ends(&[]).assert_said(&["spl: report: out-3/report.html"]);
}
