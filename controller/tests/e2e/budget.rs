//! The overhead ceiling, with a method that is called millions of times a second.

use crate::case::Case;
use serde_json::Value;
use std::fs;

const HOT: &str = "java/lang/Integer.compareTo(Ljava/lang/Integer;)I";
const FAST: &str = "CompareLoop.fast([I)J";
/// Rounds of well under a microsecond.
const PROGRAM: [&str; 3] = ["CompareLoop", "0", "2"];
/// No machine reads its clock twice in less.
const CHEAPEST_SAMPLE_NS: u64 = 20;
const WANTED: u64 = 3000;

/// Runs until there are samples enough, with a ceiling of 1%; no more may have been taken than it pays for.
fn stays_within_the_budget(case: Case) {
    let case = ["profile", "overhead-budget", "instrument-ahead"]
        .into_iter()
        .zip(["production", "1%", "0"])
        .fold(case.endless().set("sampling", "settle-time", "0"), |case, (key, value)| {
            case.set("scheduler", key, value)
        });
    let mut run = case.java(&PROGRAM);
    run.awaits_agent();
    case.awaits_measurements(HOT, WANTED);
    run.ends();

    let text = fs::read_to_string(case.path("out/decisions.jsonl")).unwrap();
    let decisions: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let time_of = |decision: &Value| decision["at_ns"].as_u64().unwrap();
    let took_ns = time_of(decisions.last().unwrap()) - time_of(&decisions[0]);
    let opened = decisions.iter().filter(|decision| decision["action"] == "open-gate");
    let allowed: u64 =
        opened.map(|decision| decision["quota"].as_u64().expect("no gate is open without end")).sum();
    // Each thread has the quota for itself until the agent looks, and another thread may call the method now and then.
    let allowed = allowed + allowed / 20;
    let taken = case.measurements(HOT).len() as u64;
    assert!((WANTED..=allowed).contains(&taken), "{taken} of {allowed}");
    // 1% of what a program can use at most, a tenth of a second of it saved up at the start.
    let cores = std::thread::available_parallelism().unwrap().get() as u64;
    let ceiling = (took_ns + 100_000_000) * cores / 100 / CHEAPEST_SAMPLE_NS;
    assert!(taken <= ceiling, "{taken} samples in {took_ns} ns, at most {ceiling}");
    let agent_ns = context(&case)["end"]["agent_ns"].as_u64().unwrap();
    assert!((1..took_ns).contains(&agent_ns), "{agent_ns} ns of CPU time for {taken} samples");
}

fn context(case: &Case) -> Value {
    serde_json::from_str(&fs::read_to_string(case.path("out/context.json")).unwrap()).unwrap()
}

#[test]
fn a_hot_method_costs_no_more_than_the_budget() {
    stays_within_the_budget(Case::measuring(&[HOT]));
}

#[test]
fn nor_does_it_in_windows() {
    let case = Case::comparing(&format!("{HOT} <= {FAST}\n"));
    stays_within_the_budget(case.set("scheduler", "policy", "paired").set("scheduler", "window", "5"));
}
