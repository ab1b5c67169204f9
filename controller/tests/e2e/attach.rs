//! The agent loaded into a JVM that runs already, which it cannot serve: it says so, and nothing else happens.

use crate::case::{self, Case, NO_LIMIT};
use crate::harness;
use crate::running::{Running, plainly};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const PROGRAM: [&str; 3] = ["CompareLoop", "0", "100000"];

/// Loads a library into a running JVM; gives what `jcmd` says.
fn load(pid: u32, library: &Path) -> String {
    let mut jcmd = Command::new(harness::jdk_tool("jcmd"));
    jcmd.env_remove("JAVA_TOOL_OPTIONS").args([&pid.to_string(), "JVMTI.agent_load"]).arg(library);
    let (_, out, err) = plainly(&mut jcmd);
    out + &err
}

fn threads(pid: u32) -> BTreeSet<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default()).collect()
}

/// The agent's library and a copy of it, each asked twice.
fn assert_refused(pid: u32, case: &Case) {
    let copy = case.path("copy.so");
    fs::copy(harness::agent(), &copy).unwrap();
    for library in [&harness::agent(), &copy, &harness::agent(), &copy] {
        let said = load(pid, library);
        assert!(said.contains("return code: -1"), "{said}");
    }
}

#[test]
fn a_jvm_that_runs_already_gets_an_error_and_nothing_else() {
    let case = Case::measuring(&[]);
    let program = case::java(&PROGRAM);
    let alone = plainly(Command::new(&program[0]).args(&program[1..]));
    let mut command = Command::new(&program[0]);
    // Said by JDK 21 and later.
    let quiet = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"];
    command.args(quiet).args(&program[1..]).env_remove("JAVA_TOOL_OPTIONS");
    let mut run = Running::start(command, &case.path(""));
    run.awaits("ready");
    assert_refused(run.pid(), &case);
    let threads = threads(run.pid());
    assert!(!threads.iter().any(|name| name.starts_with("spl")), "{threads:?}");
    let ended = run.ends();
    assert_eq!((ended.status, ended.out), (alone.0, alone.1));
    assert_eq!(ended.err.lines().count(), alone.2.lines().count(), "{}", ended.err);
}

#[test]
fn a_measured_jvm_is_measured_on() {
    let fast = "CompareLoop.fast([I)J";
    let case = Case::measuring(&[fast]).endless();
    let mut run = case.java(&[&[NO_LIMIT], &PROGRAM[..]].concat());
    let pid = run.awaits_agent();
    case.awaits_measurements(fast, 10);
    assert_refused(pid, &case);
    let before = case.measurements(fast).len() as u64;
    case.awaits_measurements(fast, before + 100);
    run.ends().assert_status(0);
}
