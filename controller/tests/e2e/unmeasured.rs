//! Obstacles to measuring do not keep `spl run` from running the program, unless that is asked for.

use crate::case::{self, Case};
use crate::harness;
use crate::running::{Ended, Running, plainly};
use std::ffi::OsString;
use std::fs;
use std::process::Command;

const FAST: &str = "CompareLoop.fast([I)J";
const PROGRAM: [&str; 2] = ["CompareLoop", "1"];
/// Of the address space, in KiB: too little for what a JVM takes by itself, enough for what the options allow it.
const LITTLE: &str = "2500000";
const SMALL: [&str; 2] = ["-XX:CompressedClassSpaceSize=64m", "-Xmx64m"];
const USUAL: [&str; 5] = ["--config", "spl.ini", "--tasks", "spl.tasks", "--out"];

fn run(case: &Case, arguments: &[&str], command: Vec<OsString>) -> Ended {
    let mut spl = case.spl_with(arguments);
    spl.arg("--").args(command);
    Running::start(spl, &case.path("")).ends()
}

/// The program runs as without `spl`, which says why it does not measure; with `--require` it is not started.
fn check_unmeasured(command: &str, arguments: &[&str], said: &[&str]) -> Ended {
    let case = Case::measuring(&[FAST]);
    fs::write(case.path("text.so"), "no library").unwrap();
    let program = case::java(&PROGRAM);
    let alone = plainly(Command::new(&program[0]).args(&program[1..]));
    let required = run(&case, &[&[command], arguments, &["--require"]].concat(), program.clone());
    required.assert_status(2);
    required.assert_said(said);
    assert_eq!(required.out, "", "the program was started");
    let ended = run(&case, &[&[command], arguments].concat(), program);
    ended.assert_said(said);
    ended.assert_said(&[
        "spl: The program is started and is not measured; with --require it would not be started.",
    ]);
    assert_eq!(ended.out, alone.1);
    ended
}

#[test]
fn a_library_that_does_not_load_is_left_out() {
    let words = [
        "does not load the agent library",
        "text.so",
        "The agent library has to be built for the JVM's machine and C library",
    ];
    let agent = ["--agent", "text.so"];
    let ended = check_unmeasured("run", &[&USUAL[..], &["out"], &agent].concat(), &words);
    ended.assert_status(2);
    ended.assert_said(&["spl: the program ended with status 0"]);
    // The client becomes the program.
    check_unmeasured("client", &agent, &words).assert_status(0);
}

#[test]
fn another_reason_is_not_blamed_on_the_machine() {
    // An agent of the JDK's, which needs other options than ours.
    let java = fs::canonicalize(harness::found_java()).unwrap();
    let library = java.parent().unwrap().parent().unwrap().join("lib/libinstrument.so");
    let library = library.to_str().unwrap();
    let words = ["does not load the agent library", "agent library failed"];
    let ended = check_unmeasured("run", &[&USUAL[..], &["out", "--agent", library]].concat(), &words);
    ended.assert_status(2);
    assert!(!ended.err.contains("C library"), "{}", ended.err);
}

#[test]
fn folders_that_cannot_be_written_to_are_no_reason_not_to_start() {
    // Nobody can make a folder there.
    let ended = check_unmeasured("run", &[&USUAL[..], &["/sys/spl"]].concat(), &["cannot write to /sys/spl"]);
    ended.assert_status(2);
}

#[test]
fn the_library_is_tried_with_the_programs_own_options() {
    let case = Case::measuring(&[FAST]).set("controller", "max-method-measurements", "50");
    fs::write(case.path("options"), SMALL.join("\n")).unwrap();
    let check = |variable: Option<&str>, options: &[&str]| {
        let run = ["run", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out", "--require", "--"];
        let spl = case.spl_with(&run);
        let mut command = Command::new("sh");
        command.args(["-c", &format!("ulimit -v {LITTLE}; exec \"$0\" \"$@\"")]);
        command.arg(spl.get_program()).args(spl.get_args()).current_dir(case.path(""));
        command.envs(spl.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let small = SMALL.join(" ");
        command.envs(variable.map(|name| (name, &small)));
        command.args(case::java(&[options, &["CompareLoop", "0"]].concat()));
        let mut run = Running::start(command, &case.path(""));
        run.awaits_agent();
        run.awaits("spl: every class is as it was");
        run.ends().assert_status(0);
    };
    check(None, &SMALL);
    check(None, &["@options"]);
    check(Some("JAVA_TOOL_OPTIONS"), &[]);
    check(Some("JDK_JAVA_OPTIONS"), &[]);
}

#[test]
fn options_with_effects_have_them_once() {
    let case = Case::measuring(&[FAST]).set("controller", "max-method-measurements", "50");
    let mut run = case.java(&["-Xlog:gc+init=debug,gc:file=gc.log:pid", "CompareLoop", "0"]);
    let pid = run.awaits_agent();
    run.awaits("spl: every class is as it was");
    run.ends().assert_status(0);
    let log = fs::read_to_string(case.path("gc.log")).unwrap();
    assert!(log.lines().count() > 0 && log.lines().all(|line| line.contains(&pid.to_string())), "{log}");
    assert!(!case.path("gc.log.0").exists(), "the log was rotated by a second JVM");
}
