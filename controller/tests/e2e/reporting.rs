//! The report: there at the end of a run, the same when it is made again, and there of a run that was killed.

use crate::case::Case;
use crate::running::{Ended, Running};
use crate::stand_in::{Served, serve};
use spl_records::Context;
use std::fs;

const TASKS: &str = "p/A.a()V <= (1, 2) p/B.b()V\nassert \"both quick\": p/A.a()V < 5 ms & p/B.b()V < 5 ms\n";

fn case() -> Case {
    Case::comparing(TASKS).set("controller", "min-method-measurements", "20").set(
        "controller",
        "max-method-measurements",
        "40",
    )
}

/// Some forty calls, without order.
fn calls(mean_ns: u64, count: u64) -> Vec<u64> {
    (0..count).map(|number| mean_ns * (90 + number * number * 7919 % 21) / 100).collect()
}

/// A whole run, whose program takes these times.
fn measure(case: &Case, [a, b]: [u64; 2]) -> Ended {
    let mut served = serve(case, &["--once"]);
    let mut agent = served.measures();
    agent.calls(0, &calls(a, 40));
    agent.calls(1, &calls(b, 40));
    agent.bye();
    let Served { run, .. } = served;
    run.ends()
}

fn again(case: &Case, arguments: &[&str]) -> Ended {
    Running::start(case.spl_with(&[&["report"], arguments].concat()), &case.path("")).ends()
}

fn page(case: &Case, name: &str) -> String {
    fs::read_to_string(case.path(name)).unwrap()
}

#[test]
fn a_run_ends_with_a_report_that_can_be_made_again() {
    let case = case();
    let ended = measure(&case, [1000, 800]);
    ended.assert_status(0);
    ended.assert_said(&["report: out/report.html"]);
    let first = page(&case, "out/report.html");
    for text in ["2 of 2 claims hold", "A.a takes at most 2 times as long as B.b", "both quick", "<figure>"] {
        assert!(first.contains(text), "{text:?} is not in the report");
    }
    assert!(first.contains(">min-method-measurements</th><td>20 <small class=\"mark\">changed</small>"));
    again(&case, &["out", "--out", "again.html"]).assert_status(0);
    assert_eq!(page(&case, "again.html"), first);
}

#[test]
fn a_report_of_a_killed_run_says_how_far_it_came() {
    let case = case();
    let mut served = serve(&case, &["--once"]);
    let mut agent = served.measures();
    agent.calls(0, &calls(1000, 30));
    agent.calls(1, &calls(800, 30));
    served.run.signal("KILL");
    served.run.spl_ends_with(None);
    assert!(!case.path("out/report.html").exists());
    again(&case, &["out"]).assert_status(0);
    let page = page(&case, "out/report.html");
    for text in [
        "the run did not come to its end",
        "A.a took 1.2",
        "There is no result: the run did not come to its end.",
    ] {
        assert!(page.contains(text), "{text:?} is not in the report");
    }
}

#[test]
fn a_report_is_about_the_last_run_of_files_that_have_several() {
    let case = case().set("evaluator", "overwrite-results", "0");
    measure(&case, [1000, 800]).assert_status(0);
    measure(&case, [1000, 100]).assert_status(1);
    let context = Context::from_json(&page(&case, "out/context.json")).unwrap();
    assert!(context.older_bytes.iter().all(|bytes| *bytes > 0), "{:?}", context.older_bytes);
    assert_eq!(case.results().len(), 2);
    let page = page(&case, "out/report.html");
    assert!(page.contains("1 of 2 claims fails"), "it is about the first run");
    assert_eq!(page.matches("<article").count(), 3, "one of the comparison, two of the assertion");
}

#[test]
fn a_folder_without_a_run_names_the_remedy() {
    let case = case();
    let ended = again(&case, &["nothing"]);
    ended.assert_status(2);
    ended.assert_said(&["nothing/context.json is missing", "name the folder that has the results of a run"]);
    measure(&case, [1000, 800]).assert_status(0);
    for (damage, text) in
        [("{}", "not the context of a run"), ("{\"schema\": \"spl.context/9\"}", "spl.context/9")]
    {
        fs::write(case.path("out/context.json"), damage).unwrap();
        let ended = again(&case, &["out"]);
        ended.assert_status(2);
        ended.assert_said(&["out/context.json", text]);
    }
}
