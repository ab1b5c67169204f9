//! Claims without a verdict: the true reason stands in the terminal's lines, the report, the JSON document and the JUnit file.

use crate::case::Case;
use crate::running::{Ended, Running};
use crate::stand_in::{Served, serve};
use serde_json::Value;
use std::fs;

const REPORTS: [&str; 4] = ["--json", "out.json", "--junit", "junit.xml"];
/// Called in a loop.
const FAST: &str = "CompareLoop.fast([I)J";
/// Called once, before it is measured.
const MAIN: &str = "CompareLoop.main([Ljava/lang/String;)V";

/// `spl run` of the loop with all reports.
fn run(case: &Case) -> Running {
    let mut spl =
        case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out", "-v"]);
    spl.args(REPORTS).arg("--").args(crate::case::java(&["CompareLoop", "0"]));
    Running::start(spl, &case.path(""))
}

/// Whether every surface says this; gives the value of the method's reason in the document.
fn said_everywhere(case: &Case, ended: &Ended, method: &str, reason: &str) -> Value {
    // The reason of a measurement that ended before it began names no method.
    let text =
        if reason.starts_with("the program") { reason.to_owned() } else { format!("{method}: {reason}") };
    ended.assert_said(&[&text]);
    for file in ["junit.xml", "out/report.html"] {
        let content = fs::read_to_string(case.path(file)).unwrap().replace("&lt;", "<");
        assert!(content.contains(reason), "{file} does not say {reason:?}");
    }
    let document: Value = serde_json::from_slice(&fs::read(case.path("out.json")).unwrap()).unwrap();
    let whole = document.to_string();
    assert!(whole.contains(&text), "the claims do not say {text:?}: {document:#}");
    let lacking = document["lacking"].as_array().unwrap();
    let of_this =
        lacking.iter().find(|one| one["method"] == method).unwrap_or_else(|| panic!("{document:#}"));
    assert!(of_this["reason"].as_str().unwrap().contains(reason), "{of_this}");
    of_this["lack"].clone()
}

#[test]
fn a_method_that_is_never_called() {
    ["thesis", "production"].into_iter().for_each(never_called);
}

fn never_called(profile: &str) {
    let tasks = format!("{FAST} < {MAIN}\nassert \"brief\": median({MAIN}) <= 1 s\n");
    let case = Case::comparing(&tasks).set("scheduler", "profile", profile);
    let mut run = run(&case);
    run.awaits_agent();
    case.awaits_measurements(FAST, 100);
    let ended = run.ends();
    ended.assert_status(3);
    let lack = said_everywhere(&case, &ended, MAIN, "never called: no call began and ended in the ");
    assert_eq!(lack["kind"], "never-called");
    ended.assert_said(&["spl: 2 claims: 2 undecided"]);
    assert!(!ended.err.contains(&format!("{FAST}: never")), "{}", ended.err);
}

#[test]
fn a_program_that_is_over_before_the_measurement_begins() {
    let case =
        Case::comparing(&format!("{FAST} < {MAIN}\n")).set("communication", "initial-sleep", "3600000");
    let mut run = run(&case);
    run.awaits_agent();
    let ended = run.ends();
    ended.assert_status(3);
    let reason = "before the measurement began (initial-sleep: at most 3600000 ms)";
    let lack = said_everywhere(&case, &ended, FAST, "the program ended after ");
    ended.assert_said(&[reason]);
    assert_eq!((&lack["kind"], &lack["ended_by"]), (&"not-begun".into(), &"program".into()));
}

#[test]
fn calls_that_were_all_discarded() {
    let case = Case::comparing("p/A.a()V < p/B.b()V\n")
        .set("scheduler", "profile", "production")
        .set("scheduler", "policy", "delay")
        .set("evaluator", "method", "welch")
        .set("sampling", "settle-time", "0")
        .set("sampling", "warm-up-calls", "3");
    let mut served = serve(&case, &[&["--once", "-v"], &REPORTS[..]].concat());
    let mut agent = served.measures();
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 2]);
    agent.bye();
    let Served { run, .. } = served;
    let ended = run.ends();
    ended.assert_status(3);
    let reason = "2 calls were measured, all discarded as warm-up";
    let lack = said_everywhere(&case, &ended, "p/B.b()V", reason);
    assert_eq!((&lack["kind"], &lack["warm_up"]), (&"discarded".into(), &2.into()));
}
