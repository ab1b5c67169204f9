//! Tasks and settings that change while a program is measured (SIGHUP).

use crate::case::{Case, awaits_measurements_in, java, read_measurements};
use crate::harness::{DEADLINE, poll};
use crate::pty::Terminal;
use spl_records::RunState;
use std::fs;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";
const LOOP: [&str; 3] = ["CompareLoop", "0", "100000"];

fn case(tasks: &str) -> Case {
    let case = Case::measuring(&[]).tasks(tasks).endless().set("scheduler", "profile", "production");
    case.set("scheduler", "overhead-budget", "none")
}

/// Changes the task file.
fn write(case: &Case, tasks: &str) {
    fs::write(case.path("spl.tasks"), tasks).unwrap();
}

#[test]
fn methods_and_settings_change_and_the_calls_so_far_go_on() {
    let case = case(&format!("{FAST}\n"));
    let mut run = case.java(&LOOP);
    run.awaits_agent();
    case.awaits_measurements(FAST, 50);
    // Mistakes change nothing.
    write(&case, &format!("{SLOW}\nnot a method\n"));
    run.signal("HUP");
    run.awaits("tasks and settings stay as they were: ");
    let before = case.measurements(FAST).len() as u64;
    case.awaits_measurements(FAST, before + 10);
    let ini = fs::read_to_string(case.path("spl.ini")).unwrap();
    let ini = ini.replace("overhead-budget = none", "overhead-budget = 90%");
    fs::write(case.path("spl.ini"), ini + "[evaluator]\nlimit-p-value = 0.2\n").unwrap();
    write(&case, &format!("{SLOW}\n{FAST}\n"));
    run.signal("HUP");
    run.awaits("limit-p-value stays 0.05: a running measurement cannot change it to 0.2");
    run.awaits("overhead-budget changed from none to 90%");
    run.awaits(&format!("added: {SLOW}"));
    run.awaits("from now on the results go to out-2");
    // Again at once, before the agent has connected again.
    let ini = fs::read_to_string(case.path("spl.ini")).unwrap();
    fs::write(case.path("spl.ini"), ini.replace("overhead-budget = 90%", "overhead-budget = 80%")).unwrap();
    run.signal("HUP");
    run.awaits("from now on the results go to out-3");
    let next = case.path("out-3/measurements");
    awaits_measurements_in(&next, SLOW, 20);
    let ended = run.ends();
    ended.assert_status(0);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
    // The calls of before are the first of the new folder, and others came after them.
    let old = case.measurements(FAST);
    let new = read_measurements(&next, FAST);
    assert_eq!(new[..old.len()], old[..]);
    assert!(new.len() > old.len(), "{} {}", new.len(), old.len());
    let report = fs::read_to_string(case.path("out-3/report.html")).unwrap();
    for change in ["added: CompareLoop.slow", "overhead-budget changed from 90% to 80%"] {
        assert!(report.contains(change), "the report says what changed: {change}");
    }
    assert!(case.path("out/report.html").exists());
    for folder in ["out", "out-2", "out-3"] {
        let state = fs::read_to_string(case.path(folder).join("run.json")).unwrap();
        assert!(RunState::from_json(&state).unwrap().finished, "{folder} would be resumed");
    }
}

#[test]
fn tasks_change_before_the_first_call_is_stored() {
    let case = case(&format!("{FAST}\n")).set("communication", "initial-sleep", "5000");
    let mut run = case.java(&LOOP);
    run.awaits_agent();
    write(&case, &format!("{SLOW}\n"));
    run.signal("HUP");
    run.awaits(&format!("added: {SLOW}"));
    run.awaits("from now on the results go to out-2");
    awaits_measurements_in(&case.path("out-2/measurements"), SLOW, 20);
    let ended = run.ends();
    ended.assert_status(0);
    assert!(!ended.err.contains("interrupted run"), "{}", ended.err);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
}

#[test]
fn a_decided_claim_is_not_decided_again_and_a_removed_one_does_not_count() {
    let holds = format!("assert \"quick\": {FAST} <= 10 s\n");
    let never = "assert \"never\": CompareLoop.main([Ljava/lang/String;)V <= 1 s\n";
    let case = Case::comparing(&format!("{never}{holds}"))
        .set("scheduler", "profile", "production")
        .set("scheduler", "overhead-budget", "none")
        // On a busy machine a few hundred calls may not suffice.
        .set("controller", "max-method-measurements", "1000000");
    let mut run = case.java(&LOOP);
    run.awaits_agent();
    run.awaits("verdict: quick: holds");
    write(&case, &holds);
    run.signal("HUP");
    run.awaits("removed: assert \"never\"");
    run.awaits("1 comparisons decided");
    run.awaits("1 claim: 1 holds");
    run.signal("HUP");
    run.awaits("the measurement is over: tasks and settings are not read again");
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&["1 claim: 1 holds"]);
    assert_eq!(ended.err.matches("verdict: quick: holds").count(), 1, "{}", ended.err);
}

#[test]
fn a_terminal_that_goes_away_ends_the_measurement() {
    let case = case(&format!("{FAST}\n"));
    let shell = ["sh", "-c", "\"$@\"; true", "sh"];
    let mut terminal = Terminal::start_under(&case, &shell, &["--plain"], java(&LOOP));
    terminal.awaits("spl: measuring Java");
    case.awaits_measurements(FAST, 20);
    terminal.loses_its_leader();
    poll("the end of the measurement", DEADLINE, || {
        let state = fs::read_to_string(case.path("out/run.json")).ok()?;
        RunState::from_json(&state).ok()?.finished.then_some(())
    });
    assert!(!case.path("out-2").exists());
}
