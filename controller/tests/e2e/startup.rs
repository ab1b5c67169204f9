//! Programs and methods that cannot be measured: the program goes on unharmed, and the report says why.

use crate::case::{self, Case};
use crate::running::plainly;
use spl_records::{RunState, TasksHash};
use spl_verdict::NotEvaluated;
use std::process::Command;

/// Compares a method that cannot be measured; the program is to say what it says without the agent.
fn check(method: &str, said: &[&str], reason: &str) {
    let case = Case::comparing(&format!("{method} <= CompareLoop.fast([I)J\n")).in_detail();
    let mut run = case.java(&["CompareLoop", "0"]);
    run.awaits_agent();
    for part in said {
        run.awaits(part);
    }
    let ended = run.ends();
    ended.assert_status(3);
    let mut command = Command::new(crate::harness::java());
    command.args(&case::java(&["CompareLoop", "0"])[1..]);
    assert_eq!(ended.out, plainly(&mut command).1);
    ended.assert_said(&[&format!("undecided: not measured: {method}: "), reason]);
    assert!(!ended.err.contains("too few calls that count"), "{}", ended.err);

    let results = case.results();
    let reasons =
        results.into_iter().map(|result| result.evaluation.verdict.unwrap_err()).collect::<Vec<_>>();
    let [NotEvaluated::NotMeasured(text)] = &reasons[..] else { panic!("{reasons:?}") };
    assert!(text.starts_with(method) && text.contains(reason), "{text}");
}

#[test]
fn methods_that_cannot_be_measured() {
    check("no/Such.f()V", &["spl: no/Such.f()V: its class is not loaded yet"], "its class was never loaded");
    check(
        "CompareLoop.fats([I)J",
        &["CompareLoop.fats([I)J cannot be measured: its class has no such method; did you mean fast([I)J"],
        "fast([I)J",
    );
    check(
        "java/lang/Object.hashCode()I",
        &["Object.hashCode()I cannot be measured: it is native"],
        "it is native",
    );
    check(
        "java/util/AbstractList.get(I)Ljava/lang/Object;",
        &["cannot be measured: it has no body; name a class that implements it"],
        "it has no body",
    );
}

#[test]
fn a_program_that_dies_at_once() {
    let case = Case::comparing("CompareLoop.fast([I)J <= CompareLoop.slow([I)J\n");
    let ended = case.java(&["NoSuchClass"]).ends_by_itself();
    ended.assert_said(&[
        "Could not find or load main class NoSuchClass",
        "spl: the program ended with status 1",
    ]);
    // Whether the agent could say hello before is a race.
    match ended.status {
        Some(2) => assert!(
            [
                "no agent connected: the command started no JVM, or one that ended at once",
                "nothing was measured"
            ]
            .iter()
            .any(|text| ended.err.contains(text)),
            "{}",
            ended.err
        ),
        _ => {
            ended.assert_status(3);
            ended.assert_said(&["1 claim: 1 undecided"]);
        }
    }
}

#[test]
fn a_launcher_that_refuses_its_options() {
    let case = Case::comparing("CompareLoop.fast([I)J <= CompareLoop.slow([I)J\n");
    let ended = case.java(&["-XX:+NoSuchOption", "CompareLoop", "0"]).ends_by_itself();
    ended.assert_status(2);
    ended.assert_said(&["Unrecognized VM option", "no agent connected", "try the command by itself"]);
}

#[test]
fn a_program_without_a_jvm_leaves_an_interrupted_run_as_it_was() {
    let tasks = "CompareLoop.fast([I)J <= CompareLoop.slow([I)J\n";
    let case = Case::comparing(tasks);
    let state = RunState { tasks: TasksHash::of(tasks), methods: vec![], decided: vec![], finished: false };
    let file = case.path("out").join("run.json");
    std::fs::create_dir_all(case.path("out")).unwrap();
    std::fs::write(&file, state.to_json()).unwrap();
    case.start(["true"]).ends_by_itself().assert_status(2);
    assert_eq!(RunState::from_json(&std::fs::read_to_string(&file).unwrap()).unwrap(), state);
    assert!(case.results().is_empty(), "nothing was judged");
}

#[test]
fn what_a_task_file_names_in_vain_is_not_passed_over_in_silence() {
    let case = Case::comparing(
        "CompareLoop.fast([I)J, pkg.Sizes <= CompareLoop.slow([I)J\nCompareLoop.<clinit>()V <= CompareLoop.slow([I)J\n",
    );
    let ended = case.start(["true"]).ends_by_itself();
    ended.assert_said(&[
        "CompareLoop.fast([I)J: size processors are used only with argument-size = deep, and it has another value",
        "CompareLoop.<clinit>()V: a static initializer runs once, too seldom for a claim about its time",
    ]);
}
