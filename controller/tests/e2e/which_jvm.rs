//! Commands that start several JVMs: the one that has the classes is measured, or the ones that the operator
//! names, or each.

use crate::case::{Case, awaits_measurements_in, java};
use crate::running::{Running, kill};
use std::ffi::OsString;
use std::fs;

const FAST: &str = "CompareLoop.fast([I)J";
const TASKS: &str = "median(CompareLoop.fast([I)J) <= 10 s\n";

fn case() -> Case {
    Case::comparing(TASKS)
}

fn start(case: &Case, options: &[&str], command: Vec<OsString>) -> Running {
    let mut spl = case.spl_with(&["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"]);
    spl.args(options).arg("--").args(command);
    Running::start(spl, &case.path(""))
}

/// A script, which has Java and its arguments.
fn script(text: &str) -> Vec<OsString> {
    let words = [OsString::from("sh"), "-c".into(), text.into(), "sh".into()];
    words.into_iter().chain(java(&["CompareLoop", "0"])).collect()
}

#[test]
fn a_script_that_asks_for_the_version_first() {
    // With the usual pause the first JVM is over before it; without, it is being measured.
    for pause in ["0", "300"] {
        let case = case().set("communication", "initial-sleep", pause);
        let mut run = start(&case, &[], script("\"$1\" -version; \"$1\" -version; exec \"$@\""));
        run.awaits(": CompareLoop 0");
        run.awaits("spl: every class is as it was");
        let ended = run.ends();
        ended.assert_status(0);
        // Whether an agent could say hello before its JVM ended is a race.
        ended.assert_said(&["1 claim: 1 holds"]);
    }
}

/// As a JVM does that ends while its agent connects.
#[test]
fn a_connection_that_is_closed_at_once_keeps_no_jvm_from_being_measured() {
    let closes = "p=${JAVA_TOOL_OPTIONS#*spl.client.socket=}; p=${p%%[\\\",]*}; perl -MSocket -e '\
        socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un($ARGV[0])) or die $!' \"$p\" && echo closed >&2; exec \"$@\"";
    let case = case();
    let mut run = start(&case, &[], script(closes));
    run.awaits("closed");
    run.awaits(": CompareLoop 0");
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(0);
    assert!(!ended.err.contains("could not be used"), "{}", ended.err);
}

#[test]
fn a_program_that_does_its_work_in_a_child() {
    let case = case();
    let mut run = start(&case, &["--children"], java(&["Forks", "CompareLoop", "0"]));
    run.awaits("spl: measuring Java ");
    run.awaits("is not measured: another JVM of the program has the classes");
    run.awaits("spl: report: out/report.html");
    let ended = run.ends();
    ended.assert_status(0);
    assert!(!case.measurements(FAST).is_empty());
    assert_eq!(ended.err.matches("every class is as it was").count(), 1, "{}", ended.err);
    // Without it the child is not measured, and a message says so.
    let case = self::case().tasks("CompareLoop.fast([I)J < CompareLoop.slow([I)J\n");
    let mut run = start(&case, &[], java(&["Forks", "CompareLoop", "0"]));
    run.awaits("CompareLoop.slow([I)J: its class is not loaded yet");
    let ended = run.ends();
    ended.assert_status(3);
    ended.assert_said(&["class never loaded: CompareLoop.fast([I)J, CompareLoop.slow([I)J", "--children"]);
}

#[test]
fn the_jvm_of_a_main_class() {
    let case = case();
    let mut run = start(&case, &["--main", "Compare*"], java(&["Forks", "CompareLoop", "0"]));
    run.awaits("is not measured: its main class is Forks, and --main asks for Compare*");
    run.awaits("spl: report: out/report.html");
    let ended = run.ends();
    ended.assert_status(0);
    assert_eq!(ended.err.matches("spl: measuring Java ").count(), 1, "{}", ended.err);
}

#[test]
fn each_jvm_on_its_own() {
    let case = case();
    let mut run = start(&case, &["--each"], script("\"$@\"; \"$@\""));
    run.awaits("spl: report: out/report.html");
    run.line();
    run.awaits("spl: report: out-2/report.html");
    let ended = run.ends();
    ended.assert_status(0);
    for folder in ["out", "out-2"] {
        let text = fs::read_to_string(case.path(folder).join("assertions.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 1, "{folder}");
    }
    assert!(!case.path("out-3").exists(), "nothing came third");
}

#[test]
fn two_jvms_at_once_are_measured_one_after_the_other() {
    let case = Case::measuring(&[FAST]).endless();
    let words = ["sh", "-c", "exec 3<&0; \"$@\" <&3 & \"$@\" <&3 & wait", "sh"].map(OsString::from);
    let command = words.into_iter().chain(java(&["CompareLoop", "0"])).collect();
    let mut run = start(&case, &["--each"], command);
    // Both JVMs may be taken at first; the one whose class comes first is measured.
    let waits = pid_in(&run.awaits(" waits: another JVM"));
    let all: Vec<u32> =
        run.transcript().lines().filter(|line| line.contains("spl: measuring Java ")).map(pid_in).collect();
    let measured = all.into_iter().find(|pid| *pid != waits).unwrap();
    awaits_measurements_in(&case.path("out/measurements"), FAST, 10);
    kill(measured, "TERM");
    run.awaits("spl: report: out/report.html");
    awaits_measurements_in(&case.path("out-2/measurements"), FAST, 10);
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&["spl: report: out-2/report.html"]);
    assert!(!ended.err.contains("waited and was not measured"), "{}", ended.err);
}

/// The process id that a line names.
fn pid_in(line: &str) -> u32 {
    let digits = line.split("pid ").nth(1).and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
    digits.and_then(|digits| digits.parse().ok()).unwrap_or_else(|| panic!("there is no pid in {line:?}"))
}

/// A build tool lives longer than its forks and has none of the classes.
#[test]
fn each_fork_of_a_program_without_the_classes() {
    let case = case();
    let mut run = start(&case, &["--each"], java(&["Forks", "CompareLoop", "0"]));
    // On a busy machine the fork may come first.
    run.awaits(" waits: another JVM");
    run.awaits("spl: report: out/report.html");
    let ended = run.ends();
    ended.assert_status(0);
    assert!(!case.measurements(FAST).is_empty());
    assert!(!case.path("out-2").exists(), "the program itself has no results");
}

#[test]
fn a_program_that_ends_before_it_is_measured_says_why() {
    let case = case().set("communication", "initial-sleep", "3600000");
    let mut run = start(&case, &[], java(&["CompareLoop", "0"]));
    run.awaits("spl: measuring Java ");
    let ended = run.ends();
    ended.assert_status(3);
    ended.assert_said(&[
        "- the program ended after ",
        "before the measurement began (initial-sleep: at most 3600000 ms); let it run longer, or --set initial-sleep=0",
    ]);
}
