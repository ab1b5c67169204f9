//! Ends that nobody planned: Ctrl-C, a program that is killed. `restore` shows the restored bytecode.

use crate::case::{Case, java};
use crate::running::{Running, kill};
use crate::stand_in::{Served, serve};
use spl_verdict::Standing;
use std::fs;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";

fn case() -> Case {
    Case::comparing(&format!("{FAST} <= (1, 1000) {SLOW}\n{FAST} >= (1, 1000) {SLOW}\n")).endless()
}

fn assert_leftovers(case: &Case) {
    let results = case.results();
    let found = results.iter().map(|r| (r.evaluation.comparison, r.evaluation.standing()));
    assert_eq!(found.collect::<Vec<_>>(), [(0, Standing::Holds), (1, Standing::Fails)]);
    assert!(results.iter().all(|result| result.evaluation.leftover && result.evaluation.n_smaller() >= 2));
}

/// Calls of which the mean stands far from its error, also where some were preempted.
const ENOUGH: u64 = 1000;

#[test]
fn an_interrupt_judges_what_there_is_and_leaves_the_program_alone() {
    let case = case();
    let mut run = case.java(&["CompareLoop", "0", "100000"]);
    run.awaits_agent();
    for method in [FAST, SLOW] {
        case.awaits_measurements(method, ENOUGH);
    }
    run.signal("INT");
    run.spl_ends_with(Some(1));
    run.awaits("spl: the program goes on");
    assert_leftovers(&case);
    assert!(run.ends().out.ends_with("ended\n"));
}

#[test]
fn a_program_that_is_killed_leaves_verdicts() {
    let case = case().in_detail();
    let mut run = case.java(&["CompareLoop", "0", "100000"]);
    let program = run.awaits_agent();
    for method in [FAST, SLOW] {
        case.awaits_measurements(method, ENOUGH);
    }
    kill(program, "KILL");
    let ended = run.ends_by_itself();
    ended.assert_status(1);
    ended.assert_said(&["spl: the program was ended by signal 9", ", judged at the end with what there was"]);
    assert_leftovers(&case);
}

#[test]
fn a_program_that_is_killed_before_a_call_was_measured() {
    let case = || Case::measuring(&[FAST]).endless().set("communication", "initial-sleep", "600000");
    let ends = |run: Running| {
        let ended = run.ends_by_itself();
        ended.assert_status(2);
        ended.assert_said(&["error: nothing was measured: the program was killed", "was ended by signal 9"]);
        assert!(!ended.err.contains("could not be used"), "{}", ended.err);
    };
    let before_it_connects = case();
    ends(before_it_connects.start(["sh", "-c", "kill -9 $$"]));
    let connects = "p=${JAVA_TOOL_OPTIONS#*spl.client.socket=}; p=${p%%[\\\",]*}; exec perl -MSocket -e '\
        socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or die $!; kill 9, $$' \"$p\"";
    let while_it_connects = case();
    ends(while_it_connects.start(["sh", "-c", connects]));
    let after_that = case();
    let mut run = after_that.java(&["CompareLoop", "0", "100000"]);
    let program = run.awaits_agent();
    kill(program, "KILL");
    ends(run);
}

#[test]
fn an_interrupt_before_an_agent_connects_is_named() {
    let case = case();
    let mut run = case.start(["sh", "-c", "echo begun; exec cat"]);
    run.awaits("begun");
    run.signal("INT");
    run.spl_ends_with(Some(2));
    run.awaits("nothing was measured: it was interrupted before an agent connected");
    run.ends();
}

#[test]
fn a_second_interrupt_does_not_wait_for_an_agent_that_is_silent() {
    let case = case();
    let mut served = serve(&case, &["--once", "-v"]);
    let mut agent = served.measures();
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 5]);
    let Served { mut run, .. } = served;
    run.signal("INT");
    run.awaits("spl: verdict: ");
    run.signal("INT");
    run.awaits("spl: error: interrupted again");
    run.spl_ends_with(Some(2));
    assert_eq!(case.results().len(), 2);
}

/// The private folders in a case's folder.
fn private_folders(case: &Case) -> Vec<String> {
    let names = fs::read_dir(case.path("")).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).filter(|name| name.starts_with("spl-")).collect()
}

#[test]
fn no_end_leaves_a_folder_behind_for_long() {
    for (signal, status) in [("INT", Some(1)), ("TERM", Some(1)), ("KILL", None)] {
        let case = case();
        let mut run = case.java(&["CompareLoop", "0", "100000"]);
        run.awaits_agent();
        for method in [FAST, SLOW] {
            case.awaits_measurements(method, ENOUGH);
        }
        assert_eq!(private_folders(&case).len(), 1);
        run.signal(signal);
        run.spl_ends_with(status);
        let left = private_folders(&case);
        assert_eq!(left.len(), usize::from(signal == "KILL"), "{signal}: {left:?}");
        assert!(run.ends().out.ends_with("ended\n"), "{signal}");
        // The next one takes away what was left, and then its own.
        case.start(["true"]).ends_by_itself().assert_status(2);
        assert_eq!(private_folders(&case), [""; 0], "{signal}");
    }
}

#[test]
fn a_hangup_that_is_ignored_stays_ignored() {
    let case = case();
    let spl = case.spl();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "trap '' HUP; exec \"$0\" \"$@\""]).arg(spl.get_program()).args(spl.get_args());
    command.current_dir(case.path(""));
    command.envs(spl.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.args(java(&["CompareLoop", "0", "100000"]));
    let mut run = Running::start(command, &case.path(""));
    let program = run.awaits_agent();
    case.awaits_measurements(FAST, 20);
    run.signal("HUP");
    let status = fs::read_to_string(format!("/proc/{program}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap().trim();
    assert_eq!(u64::from_str_radix(mask, 16).unwrap() & 1, 1, "the program would end with its terminal");
    let before = case.measurements(FAST).len() as u64;
    case.awaits_measurements(FAST, before + 20);
    run.ends().assert_status(1);
}

#[test]
fn a_program_that_crashed_is_told_even_if_quiet() {
    let case = case();
    for options in [&["--quiet"][..], &["--quiet", "--sampled"]] {
        let mut spl = case.spl_with(&[&["metrics", "--replace"], options, &["--", "sh", "-c"]].concat());
        spl.args(["\"$@\"; kill -SEGV $$", "sh"]).args(java(&["Metrics"]));
        let output = spl.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("spl: error: the program was ended by signal 11"), "{options:?}: {said}");
    }
}
