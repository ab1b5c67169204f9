//! `spl top`: what a program calls most is found without a task file.

use crate::case::{Case, java};
use crate::harness;
use crate::running::Running;
use serde_json::Value;
use std::fs;

/// A top that reads no task file.
fn top(case: &Case, arguments: &[&str], program: &[&str]) -> Running {
    let before = ["top", "--set", "settle-time=0", "--json", "top.json"];
    let mut spl = case.spl_with(&[&before[..], arguments, &["--"]].concat());
    fs::remove_file(case.path("spl.tasks")).unwrap();
    spl.args(java(program));
    Running::start(spl, &case.path(""))
}

#[test]
fn the_methods_of_a_program_are_found() {
    let case = Case::measuring(&["unused.Class#method"]);
    // The run ends when each of the two methods has its samples, however long that takes.
    let methods = ["--methods", "CompareLoop#fast", "--methods", "CompareLoop#slow"];
    let until = ["--for", "10m", "--set", "max-method-measurements=20", "--set", "initial-sleep=0"];
    let mut run = top(&case, &[&until[..], &methods].concat(), &["CompareLoop", "0", "65536"]);
    run.awaits_agent();
    run.awaits("a line for a task file: CompareLoop#");
    run.ends().assert_status(0);

    let found: Value = serde_json::from_slice(&fs::read(case.path("top.json")).unwrap()).unwrap();
    let schema = harness::root().join("docs/schema/top-1.json");
    let schema: Value = serde_json::from_slice(&fs::read(schema).unwrap()).unwrap();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let (document, row) = (&schema["properties"], &schema["properties"]["methods"]["items"]["properties"]);
    assert_eq!(keys(&found), keys(document));
    let methods = found["methods"].as_array().unwrap();
    let of = |name: &str| methods.iter().find(|one| one["java"] == format!("CompareLoop#{name}")).unwrap();
    methods.iter().for_each(|one| assert_eq!(keys(one), keys(row)));
    // On a busy machine twenty calls do not tell which of the two takes longer.
    for one in ["fast(int[])", "slow(int[])"].map(of) {
        assert!(one["samples"].as_u64() >= Some(20) && one["median_ns"].as_f64() > Some(0.0), "{found}");
    }
    let share = |one: &Value| one["time_share"].as_f64().unwrap_or(-1.0);
    assert!(methods.is_sorted_by(|one, other| share(one) >= share(other)), "{found}");
    assert!(methods.iter().all(|one| one["calls_per_s"].as_f64().unwrap() > 0.0), "{found}");
    let left = fs::read_dir(case.path("")).unwrap().flatten();
    let left = left.filter(|file| file.file_name().to_string_lossy().starts_with("spl-top-"));
    assert_eq!(left.count(), 0, "the samples are gone");
}

#[test]
fn what_cannot_be_looked_at_is_said() {
    let case = Case::measuring(&["unused.Class#method"]);
    let check = |arguments: &[&str], program: &[&str], status: i32, part: &str| {
        let mut run = top(&case, arguments, program);
        run.awaits(part);
        run.ends().assert_status(status);
    };
    let (program, nothing) = (["CompareLoop", "1"], "no method matches this");
    check(&["--methods", "CompareLop#*"], &program, 2, nothing);
    check(&["--methods", "CompareLoop#("], &program, 2, "the pattern is not understood");
    check(&["--methods", "java.lang.Object#hashCode"], &program, 2, "has a body that could be measured");
    // The program ended before anything was looked at.
    let late = ["--methods", "CompareLoop#*", "--set", "initial-sleep=600000"];
    check(&late, &program, 0, "was called while it was looked at");
}
