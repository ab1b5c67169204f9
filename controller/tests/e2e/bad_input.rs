//! Mistakes of an operator: refused before the program starts, with a message that names the place and the
//! remedy.

use crate::case::{self, Case};
use crate::harness;
use crate::running::{Ended, Running};
use crate::stand_in::{Agent, serve};
use std::ffi::OsString;
use std::fs;
use std::process::Stdio;

const TASK: &str = "CompareLoop.fast([I)J <= CompareLoop.slow([I)J\n";
const USUAL: [&str; 5] = ["run", "--config", "spl.ini", "--out", "out"];
/// Says "ready" when it starts.
const PROGRAM: [&str; 2] = ["CompareLoop", "1"];

/// Files of a test by name, and their text.
type Files<'a> = &'a [(&'a str, &'a str)];

fn run(case: &Case, arguments: &[&str], command: Vec<OsString>) -> Ended {
    let mut spl = case.spl_with(arguments);
    spl.arg("--").args(command);
    Running::start(spl, &case.path("")).ends()
}

/// The program must not start; every part must be said.
fn check(arguments: &[&str], files: Files<'_>, parts: &[&str]) {
    let case = Case::comparing(TASK);
    for (name, text) in files {
        fs::write(case.path(name), text).unwrap();
    }
    let ended = run(&case, arguments, case::java(&PROGRAM));
    ended.assert_status(2);
    ended.assert_said(parts);
    assert_eq!(ended.out, "", "the program was started: {parts:?}");
    assert!(ended.err.starts_with("spl: error: "), "{}", ended.err);
    assert_eq!(ended.err, ended.spl(), "a line does not begin with spl's name");
}

/// As [`check`], with this configuration.
fn check_ini(text: &str, parts: &[&str]) {
    check(&["run", "--config", "my.ini", "--tasks", "spl.tasks"], &[("my.ini", text)], parts);
}

/// As [`check`], with these tasks.
fn check_tasks(text: &str, parts: &[&str]) {
    let arguments = [&USUAL[..], &["--tasks", "my.tasks"]].concat();
    check(&arguments, &[("my.tasks", text)], parts);
}

#[test]
fn configurations() {
    check(&["run", "--config", "none.ini", "--tasks", "spl.tasks"], &[], &["none.ini", "No such file"]);
    check(&["run", "--config", ".", "--tasks", "spl.tasks"], &[], &["the configuration .", "Is a directory"]);
    check_ini(
        "[scheduler]\n\nmin-mesuring-diff = 1\n",
        &["my.ini:3: unknown key \"min-mesuring-diff\"", "did you mean \"min-measuring-diff\"?"],
    );
    check_ini(
        "[scheduler]\nargument-size = big\n[communication]\nport = 99999\n",
        &[
            "my.ini:2: argument-size = \"big\": expected one of auto, nocheck, sizeof, deep, length",
            "my.ini:4: port = \"99999\": expected a port from 0 to 65535",
        ],
    );
    check_ini("[controller]\nport = 1\n", &["my.ini:2: port belongs to section [communication]"]);
    check_ini("[scheduler\n", &["my.ini:", "expected a section as [name] or a line key = value"]);
    check_ini(
        "[evaluator]\narguments-size-scale-base = 0\n",
        &["arguments-size-scale-base", "a logarithmic scale needs a base of at least 2, not 0"],
    );
}

#[test]
fn task_files() {
    let none = [&USUAL[..], &["--tasks", "none.tasks"]].concat();
    check(&none, &[], &["none.tasks", "No such file", "--tasks FILE"]);
    // Line, column, a caret under the place, and what would be right; every mistake, not the first alone.
    check_tasks(
        "# fine\nCompareLoop.fast([I)J =< CompareLoop.slow([I)J\nCompareLoop.fast(int)J < CompareLoop.slow([I)J\n",
        &[
            "my.tasks:2:23",
            "CompareLoop.fast([I)J =< CompareLoop.slow([I)J\n",
            "                       ^^",
            "did you mean `<=`",
            "my.tasks:3:18",
            "did you mean `CompareLoop.fast(I)J`",
        ],
    );
}

#[test]
fn agent_libraries() {
    let named =
        |file: &'static str| [&USUAL[..], &["--tasks", "spl.tasks", "--require", "--agent", file]].concat();
    check(&named("none.so"), &[], &["the agent library none.so", "No such file", "--agent FILE"]);
    check(&named("."), &[], &["the agent library .", "is not a file", "--agent FILE"]);
    let remedy = "The agent library has to be built for the JVM's machine and C library";
    check(&named("text.so"), &[("text.so", "no library")], &["does not load", "text.so", remedy]);
}

#[test]
fn an_agent_library_of_another_machine() {
    let case = Case::comparing(TASK);
    let mut library = fs::read(harness::agent()).unwrap();
    // `e_machine` of an ELF header: AArch64, or x86-64 when this is one.
    let machine: u16 = if cfg!(target_arch = "aarch64") { 62 } else { 183 };
    library[18..20].copy_from_slice(&machine.to_le_bytes());
    fs::write(case.path("other.so"), library).unwrap();
    let ended = run(
        &case,
        &[&USUAL[..], &["--tasks", "spl.tasks", "--require", "--agent", "other.so"]].concat(),
        case::java(&PROGRAM),
    );
    ended.assert_status(2);
    ended.assert_said(&[
        "spl: error: ",
        "does not load the agent library",
        "other.so",
        "machine and C library",
    ]);
    assert_eq!(ended.out, "");
}

#[test]
fn commands() {
    let check = |command: &[&str], status: i32, parts: &[&str]| {
        let case = Case::comparing(TASK);
        let command = command.iter().map(OsString::from).collect();
        let ended = run(&case, &[&USUAL[..], &["--tasks", "spl.tasks"]].concat(), command);
        ended.assert_status(status);
        ended.assert_said(parts);
    };
    check(&["/nowhere/java", "Main"], 2, &["cannot start /nowhere/java", "PATH", "/path/to/jdk/bin/java"]);
    check(&["./start.sh"], 2, &["cannot start ./start.sh", "is it installed"]);
    check(&["./spl.ini"], 2, &["cannot start ./spl.ini", "is the file executable?"]);
    check(
        &["true"],
        2,
        &["no agent connected: the command started no JVM", "the program ended with status 0"],
    );
    check(&["sh", "-c", "exit 5"], 2, &["no agent connected", "the program ended with status 5"]);
}

#[test]
fn a_missing_command_shows_the_usage() {
    let case = Case::comparing(TASK);
    let ended = Running::start(case.spl_with(&USUAL), &case.path("")).ends();
    ended.assert_status(2);
    ended.assert_said(&["<COMMAND>", "Usage: spl run"]);
}

#[test]
fn output_folders() {
    // Not by permissions: they do not hold root back.
    check(
        &["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "spl.tasks"],
        &[],
        &["cannot create the folder spl.tasks", "choose another with --out"],
    );
    check_ini("[evaluator]\nresult-file-path = .\n", &["cannot write .", "Is a directory"]);
    for keep in ["0", "1"] {
        check_ini(
            &format!("[evaluator]\nresult-file-path = /dev/full\noverwrite-results = {keep}\n"),
            &["cannot write /dev/full: it is not a regular file"],
        );
    }
    check_ini(
        "[controller]\noutput-dir = /proc/spl\n",
        &["cannot create the folder /proc/spl: ", "choose another with --out"],
    );
}

/// Two methods of a stand-in's, for what goes wrong in mid-run.
fn measuring(case: &Case) -> (Running, Agent) {
    let mut served = serve(case, &["--once"]);
    let agent = served.measures();
    (served.run, agent)
}

#[test]
fn a_folder_that_disappears_in_mid_run_is_an_error_and_the_measurement_goes_on() {
    let case = Case::comparing("p/A.a()V = p/B.b()V\n").set("controller", "min-method-measurements", "20");
    let (mut run, mut agent) = measuring(&case);
    agent.calls(0, &[10; 20]);
    fs::remove_dir_all(case.path("out")).unwrap();
    agent.calls(1, &[10; 20]);
    run.awaits("spl: verdict: ");
    agent.bye();
    let ended = run.ends();
    ended.assert_status(2);
    ended.assert_said(&["spl: error: cannot write out/", "No such file", "holds (not-refuted)"]);
}

#[test]
fn a_full_disk_is_an_error_and_the_program_goes_on() {
    let case = Case::measuring(&["CompareLoop.fast([I)J"]).endless();
    // A limit of 16 KiB on what a process writes to one file stands for it; the JVM is not to write any.
    let script = "trap '' XFSZ; ulimit -f 32; exec \"$0\" \"$@\"";
    let spl = case.spl();
    let mut command = std::process::Command::new("sh");
    command.args(["-c", script]).arg(spl.get_program()).args(spl.get_args()).current_dir(case.path(""));
    command.envs(spl.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.args(case::java(&["-XX:-UsePerfData", "CompareLoop", "0"]));
    let mut run = Running::start(command, &case.path(""));
    run.awaits_agent();
    run.awaits("spl: error: cannot write out/measurements/CompareLoop.fast([I)J.msr: File too large");
    let ended = run.ends();
    ended.assert_status(2);
    assert!(ended.out.starts_with("ready\n") && ended.out.ends_with("ended\n"), "{}", ended.out);
    let said = |text| ended.err.matches(text).count();
    // The page at the end is a file of its own.
    let errors = [said("spl: error: cannot write out/measurements"), said("spl: error: there is no report")];
    assert_eq!((errors, said("spl: error: ")), ([1, 1], 2), "said again and again: {}", ended.err);
}

#[test]
fn a_folder_has_one_controller_at_a_time() {
    let case = Case::comparing(TASK).endless();
    let mut first = case.java(&["CompareLoop", "0", "100000"]);
    first.awaits_agent();
    case.awaits_measurements("CompareLoop.fast([I)J", 1);
    let ended = case.java(&PROGRAM).ends();
    ended.assert_status(2);
    ended.assert_said(&["another controller is writing to out/measurements", "--out"]);
    assert_eq!(ended.out, "", "the second program was started");
    // The first one's files and program are untouched.
    let ended = first.ends();
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
    assert!(case.results().iter().any(|result| result.evaluation.leftover));
}

#[test]
fn thousands_of_comparisons_are_begun_and_ended() {
    let line = |n| format!("CompareLoop.fast([I)J >= no/Such{n}.f()V\n");
    let case = Case::comparing(&(0..2_000).map(line).collect::<String>());
    let mut run = case.java(&["CompareLoop", "0"]);
    run.awaits_agent();
    case.awaits_measurements("CompareLoop.fast([I)J", 10);
    let ended = run.ends();
    ended.assert_status(3);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
    assert_eq!(case.results().len(), 2_000);
}

#[test]
fn nobody_has_to_read_to_the_end() {
    let case = Case::comparing(TASK);
    let classes = harness::classes().to_str().unwrap();
    for arguments in [
        &["methods", "--classpath", classes, "java.lang.String#*"][..],
        &["methods", "--json", "--classpath", classes, "java.lang.String#*"],
        &["check", "--classpath", classes, "spl.tasks"],
        &["completions", "bash"],
    ] {
        let mut spl = case.spl_with(arguments);
        let mut spl = spl.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(spl.stdout.take());
        let ended = spl.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr);
        assert_eq!((ended.status.code(), &*said), (Some(0), ""), "{arguments:?}");
    }
    // Other failures of printing are reported.
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut spl = case.spl_with(&["completions", "bash"]);
    let ended = spl.stdout(full).output().unwrap();
    assert_eq!(ended.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&ended.stderr).starts_with("spl: error: cannot print: No space left"));
}
