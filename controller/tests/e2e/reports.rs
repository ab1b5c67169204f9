//! Results of a measurement for machines: one JSON document, JUnit XML, and metrics while it runs.

use crate::case::Case;
use crate::running::Running;
use crate::stand_in::{Agent, Served, serve};
use quick_xml::events::Event;
use serde_json::Value;
use std::fs;

const TASKS: &str = "\
p/A.a()V < p/B.b()V
p/B.b()V < p/A.a()V
assert \"bounded & \\\"quick\\\"\": median(p/A.a()V) <= 1 s
";
const REPORTS: [&str; 7] = ["--once", "--json", "out.json", "--junit", "junit.xml", "--metrics", "spl.prom"];

fn measured() -> (Case, Running, Agent) {
    let case = Case::comparing(TASKS).set("controller", "min-method-measurements", "5");
    let mut served = serve(&case, &REPORTS);
    let agent = served.measures();
    let Served { run, .. } = served;
    (case, run, agent)
}

/// The attributes of every element of this name, in order.
fn attributes(xml: &str, name: &str) -> Vec<Vec<(String, String)>> {
    let mut reader = quick_xml::Reader::from_str(xml);
    let mut found = Vec::new();
    loop {
        match reader.read_event().unwrap() {
            Event::Start(one) | Event::Empty(one) if one.name().as_ref() == name => {
                let pair = |one: quick_xml::events::attributes::Attribute<'_>| {
                    let value = one.normalized_value(quick_xml::XmlVersion::Implicit1_0).unwrap();
                    (one.key.as_ref().to_owned(), value.into_owned())
                };
                found.push(one.attributes().map(|one| pair(one.unwrap())).collect());
            }
            Event::Eof => return found,
            _ => {}
        }
    }
}

#[test]
fn a_run_leaves_reports_for_machines() {
    let (case, run, mut agent) = measured();
    agent.calls(0, &[10, 11, 12, 10, 11]);
    agent.calls(1, &[20, 21, 22, 20, 21]);
    agent.bye();
    run.ends().assert_status(1);

    let xml = fs::read_to_string(case.path("junit.xml")).unwrap();
    let suite = &attributes(&xml, "testsuite")[0];
    for (name, value) in [("tests", "3"), ("failures", "1"), ("errors", "0"), ("skipped", "0")] {
        assert!(suite.contains(&(name.to_owned(), value.to_owned())), "{name}: {xml}");
    }
    let titles = attributes(&xml, "testcase");
    let title = |index: usize| titles[index].iter().find(|(name, _)| name == "name").unwrap().1.clone();
    assert_eq!([title(0), title(2)], ["p/A.a()V < p/B.b()V", "bounded & \"quick\""]);
    let failure = &attributes(&xml, "failure")[0];
    assert!(failure.iter().any(|(_, words)| words.starts_with("FAILS (not-proved), p ")), "{xml}");

    let document: Value = serde_json::from_slice(&fs::read(case.path("out.json")).unwrap()).unwrap();
    assert_eq!(document["schema"], "spl.eval/1");
    assert_eq!(document["comparisons"][0]["results"][0]["result"], "holds", "{document}");
    assert_eq!(document["assertions"][0]["result"], "holds", "{document}");

    let metrics = fs::read_to_string(case.path("spl.prom")).unwrap();
    for line in [
        "spl_methods{state=\"finished\"} 2",
        "spl_method_samples_total{method=\"p/A.a()V\"} 5",
        "spl_claim_result{kind=\"comparison\",number=\"2\",claim=\"p/B.b()V < p/A.a()V\",result=\"fails\"} 1",
        "spl_phase{phase=\"ending\"} 1",
    ] {
        assert!(metrics.lines().any(|one| one == line), "{line} is missing in {metrics}");
    }
}

#[test]
fn what_is_evaluated_again_leaves_the_same_test_cases() {
    let (case, run, mut agent) = measured();
    agent.calls(0, &[10, 11, 12, 10, 11]);
    agent.calls(1, &[20, 21, 22, 20, 21]);
    agent.bye();
    run.ends().assert_status(1);
    let first = fs::read_to_string(case.path("junit.xml")).unwrap();
    let arguments =
        ["eval", "--config", "spl.ini", "--tasks", "spl.tasks", "--measurements", "out/measurements"];
    let arguments = [&arguments[..], &["--junit", "junit.xml"]].concat();
    Running::start(case.spl_with(&arguments), &case.path("")).ends().assert_status(1);
    assert_eq!(fs::read_to_string(case.path("junit.xml")).unwrap(), first);
}

#[test]
fn a_report_that_cannot_be_written_is_told_before_anything_is_started() {
    let case = Case::comparing(TASKS);
    for report in ["--json", "--junit", "--metrics"] {
        let run = Running::start(
            case.spl_with(&["serve", "--once", "--tasks", "spl.tasks", report, "no/f"]),
            &case.path(""),
        );
        let ended = run.ends();
        ended.assert_status(2);
        ended.assert_said(&["spl: error: cannot write no/f: there is no folder no"]);
    }
}

#[test]
fn metrics_are_there_while_it_runs() {
    let (case, run, mut agent) = measured();
    agent.calls(0, &[10; 3]);
    let count = "spl_method_samples_total{method=\"p/A.a()V\"} 3";
    crate::harness::poll("the metrics", crate::harness::DEADLINE, || {
        let metrics = fs::read_to_string(case.path("spl.prom")).unwrap_or_default();
        metrics.lines().any(|line| line == count).then_some(())
    });
    agent.bye();
    run.ends().assert_status(3);
}
