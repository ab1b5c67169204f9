//! Processes of this machine that connect and say nothing: they keep no program from being measured.

use crate::case::{self, Case};
use crate::running::{Running, plainly};
use crate::stand_in::{Served, TOKEN_FILE, serve};
use std::process::Command;

const FAST: &str = "CompareLoop.fast([I)J";

/// A program is measured during this number of silent connections, each opened again when it is closed.
fn check(connections: &str) {
    let case = Case::measuring(&[FAST]).endless();
    let Served { mut run, port, .. } = serve(&case, &["--once"]);
    let port = port.to_string();
    let silent = case::java(&["Silent", &port, connections]);
    let mut command = Command::new(&silent[0]);
    command.args(&silent[1..]).env_remove("JAVA_TOOL_OPTIONS");
    let mut silent = Running::start(command, &case.path(""));
    silent.awaits("open");

    let program = ["CompareLoop", "0", "100000"];
    let mut spl = case.spl_with(&["client", "--port", &port, "--token-file", TOKEN_FILE, "--"]);
    spl.args(case::java(&program));
    let measured = Running::start(spl, &case.path(""));
    run.awaits_agent();
    case.awaits_measurements(FAST, 100);
    let measured = measured.ends();
    let alone = plainly(Command::new(crate::harness::java()).args(&case::java(&program)[1..]));
    assert_eq!((measured.status, measured.out), (alone.0, alone.1));
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&["an agent could not be used: it did not say who it is, and others came"]);
    assert!(ended.err.lines().count() < 100, "the operator hears too much of them:\n{}", ended.err);
    silent.ends();
}

#[test]
fn three_hundred_silent_connections_keep_no_program_from_being_measured() {
    check("300");
}

#[test]
fn a_thousand_silent_connections_keep_no_program_from_being_measured() {
    check("1000");
}
