//! Every key of `[drill]` does what it says, and the options of the command line win, as in [`keys`](crate::keys).

use crate::case::{Case, java};
use crate::keys::{A, B, Row, rows};
use crate::running::{Ended, Running};
use crate::stand_in::{Agent, serve};
use serde_json::Value;
use spl_wire::{ByeReason, ToAgent, ToController};
use std::fs;

impl Row {
    /// A comparison that two calls of each side decide, whose reasons are looked for.
    fn explains(&self, value: &str) -> Case {
        let case = Case::comparing(&format!("{A} = {B}\n")).set("controller", "min-method-measurements", "3");
        case.set("drill", "claims", "failed").set(self.section, self.key, value)
    }
}

/// The end of a service whose claim fails in a program that goes on. The program is this test, not a JVM.
fn fails(case: &Case, options: &[&str]) -> Ended {
    let mut served = serve(case, &[&["--once"], options].concat());
    let mut agent = Agent::known(served.port, &served.token);
    agent.hello_of(std::process::id(), None);
    served.run.awaits("spl: the measurement starts");
    agent.settles();
    agent.calls(0, &[10, 11, 12]);
    let told = agent.calls(1, &[1010, 1011, 1012]);
    assert!(told.contains(&ToAgent::Detach), "the measurement ends once all is decided: {told:?}");
    agent.say(&ToController::Bye { reason: ByeReason::Detached });
    let ended = served.run.ends_by_itself();
    ended.assert_status(1);
    ended
}

/// The steps of the search.
fn steps(case: &Case) -> Vec<Value> {
    let text = fs::read_to_string(case.path("out/drill.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The time that a search of a case says.
fn said_time(case: &Case, options: &[&str]) -> String {
    let ended = fails(case, options);
    let line = ended.err.lines().find(|line| line.contains("looking for the reasons of 1 failed claim"));
    line.unwrap_or_else(|| panic!("no search: {}", ended.err)).split(" at most ").nth(1).unwrap().to_owned()
}

rows! {
    claims: "drill", "claims" => |row| {
        for (value, options, is_explained) in [
            ("failed", &[][..], true),
            ("none", &[], false),
            ("none", &["--drill", "failed"], true),
            ("failed", &["--drill", "none"], false),
            ("none", &["--set", "claims=failed"], true),
        ] {
            let case = row.explains(value);
            let ended = fails(&case, options);
            assert_eq!(ended.err.contains("looking for the reasons"), is_explained, "{}", ended.err);
            assert_eq!(ended.err.contains("no reasons: "), is_explained, "{}", ended.err);
            assert_eq!(case.path("out/drill.jsonl").exists(), is_explained, "{value} {options:?}");
        }
    };
    drill_time: "drill", "drill-time" => |row| {
        assert_eq!(said_time(&row.explains("7000"), &[]), "7 s");
        assert_eq!(said_time(&row.explains("1500"), &[]), "1500 ms");
        assert_eq!(said_time(&row.explains("7000"), &["--drill-for", "1m"]), "60 s");
        assert_eq!(said_time(&row.explains("7000"), &["--set", "drill-time=3000"]), "3 s");
    };
    drill_budget: "drill", "drill-budget" => |row| {
        let budget = |value: &str| {
            let case = row.explains(value);
            fails(&case, &[]);
            steps(&case)[0]["budget"].clone()
        };
        assert_eq!(budget("7%"), 0.07);
        // The thesis has no budget for probes.
        assert_eq!((budget("none"), budget("overhead-budget")), (Value::Null, Value::Null));
    };
}

#[test]
fn a_search_that_cannot_be_is_refused_at_start() {
    let check = |case: &Case, command: &[&str], parts: &[&str]| {
        let usual = ["--config", "spl.ini", "--tasks", "spl.tasks"];
        let spl = case.spl_with(&[&command[..1], &usual, &command[1..]].concat());
        let ended = Running::start(spl, &case.path("")).ends();
        ended.assert_status(2);
        ended.assert_said(parts);
        assert!(!case.path("out").exists(), "{command:?}");
    };
    let plain = || Case::comparing(&format!("{A} = {B}\n"));
    let wanted = || plain().set("drill", "claims", "failed");
    let each = ["run", "--each", "--", "true"];
    check(&wanted(), &each, &["--each measures one JVM after the other", "leave out --each", "--drill none"]);
    check(
        &plain(),
        &["run", "--each", "--drill", "failed", "--", "true"],
        &["--each measures one JVM after"],
    );
    check(&wanted(), &["serve", "--manual"], &["--manual judges nothing", "leave out --manual"]);
    check(&plain(), &["serve", "--drill-for", "7s"], &["there is none: add --drill failed"]);
    check(
        &wanted(),
        &["serve", "--drill", "none", "--drill-for", "7s"],
        &["there is none: add --drill failed"],
    );
    let measuring = Case::measuring(&[A]);
    let none = ["with run-mode = measurement there are none"];
    check(&measuring, &["serve", "--drill", "failed"], &none);
    check(
        &measuring,
        &["attach", &std::process::id().to_string(), "--drill", "failed"],
        &["not a HotSpot JVM"],
    );
}

#[test]
fn a_file_with_a_search_may_be_used_where_jvms_are_measured_one_after_the_other() {
    let case = Case::comparing("median(CompareLoop.fast([I)J) <= median(CompareLoop.slow([I)J)\n");
    let case = case.set("drill", "claims", "failed");
    let usual =
        ["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out", "--each", "--drill", "none"];
    let mut spl = case.spl_with(&[&usual[..], &["--"]].concat());
    spl.args(java(&["CompareLoop", "40", "2560"]));
    let ended = Running::start(spl, &case.path("")).ends_by_itself();
    assert!(!ended.err.contains("reasons") && ended.status != Some(2), "{}", ended.err);
}
