//! A measured program and its children see and say what they do without the agent, byte by byte.

use crate::case::{Case, java};
use crate::harness;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};

const FAST: &str = "CompareLoop.fast([I)J";
/// Some seconds of calls, always as many: the number of rounds is part of the output.
const PROGRAM: [&str; 3] = ["CompareLoop", "1500", "100000"];

/// The bytes that a command without agent writes to standard output and standard error.
fn alone(command: &[OsString], variables: &[(&str, &str)]) -> (Vec<u8>, Vec<u8>) {
    let mut alone = Command::new(&command[0]);
    alone
        .args(&command[1..])
        .stdin(Stdio::null())
        .env_remove("JAVA_TOOL_OPTIONS")
        .env_remove("SPL_TEST_JAVA")
        .envs(variables.iter().copied());
    let output = alone.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.stdout, output.stderr)
}

/// A command for `sh` that writes the two streams to `out.txt` and `err.txt`.
fn redirected(command: &[impl AsRef<OsStr>]) -> String {
    let quoted =
        command.iter().map(|word| format!("'{}'", word.as_ref().to_str().unwrap())).collect::<Vec<_>>();
    format!("exec {} >out.txt 2>err.txt", quoted.join(" "))
}

fn case() -> Case {
    Case::measuring(&[FAST, "CompareLoop.slow([I)J", "java/lang/Integer.compareTo(Ljava/lang/Integer;)I"])
        .set("controller", "max-method-measurements", "300")
}

fn assert_same(what: &str, measured: &[u8], alone: &[u8]) {
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert!(measured == alone, "{what} differs:\n{}\nand alone\n{}", text(measured), text(alone));
}

#[test]
fn a_launchers_output_is_the_same_byte_for_byte() {
    let (out, err) = alone(&java(&PROGRAM), &[]);
    let case = case();
    // `spl` knows a launcher by its name; this one lets nobody but itself write to the two streams.
    let launcher = case.path("java");
    let real = redirected(&[harness::java()]).replace(" >", " \"$@\" >");
    fs::write(&launcher, format!("#!/bin/sh\n{real}\n")).unwrap();
    fs::set_permissions(&launcher, fs::Permissions::from_mode(0o755)).unwrap();

    let command = java(&PROGRAM);
    let run = case.start(std::iter::once(launcher.into_os_string()).chain(command.into_iter().skip(1)));
    let ended = run.ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["spl: every class is as it was", "spl: the program ended with status 0"]);
    assert!(case.measurements(FAST).len() >= 300);
    assert_eq!(ended.out, "", "spl wrote to standard output");
    assert_eq!(ended.err, ended.spl(), "spl wrote lines that do not begin with its name");
    assert_same("standard output", &fs::read(case.path("out.txt")).unwrap(), &out);
    assert_same("standard error", &fs::read(case.path("err.txt")).unwrap(), &err);
}

#[test]
fn through_the_environment_only_the_jvms_own_line_is_added() {
    let (out, err) = alone(&java(&PROGRAM), &[]);
    let case = case();
    let run = case.start(["sh", "-c", &redirected(&java(&PROGRAM))]);
    let ended = run.ends_by_itself();
    ended.assert_status(0);
    ended.assert_said(&["spl: every class is as it was", "spl: the program ended with status 0"]);
    assert!(case.measurements(FAST).len() >= 300);
    assert_same("standard output", &fs::read(case.path("out.txt")).unwrap(), &out);
    assert_same("standard error", picked_up(&fs::read(case.path("err.txt")).unwrap()), &err);
}

/// Standard error after the line with which a JVM tells that it uses the variable.
fn picked_up(err: &[u8]) -> &[u8] {
    let end = err.iter().position(|byte| *byte == b'\n').map_or(err.len(), |at| at + 1);
    let line = String::from_utf8_lossy(&err[..end]);
    assert!(line.starts_with("Picked up JAVA_TOOL_OPTIONS: ") && line.contains("-agentpath:"), "{line}");
    &err[end..]
}

#[test]
fn the_program_and_its_children_see_the_environment_as_it_was() {
    for before in [None, Some("-Dof.the.operator=1")] {
        let variables = before.map(|value| ("JAVA_TOOL_OPTIONS", value));
        let program = java(&["Environment", "0"]);
        let (out, _) = alone(&program, variables.as_slice());
        let case =
            Case::measuring(&["Environment.work(I)I"]).set("controller", "max-method-measurements", "50");
        let mut spl = case.spl();
        spl.envs(variables).args(["sh", "-c", &redirected(&program)]);
        let mut run = crate::running::Running::start(spl, &case.path(""));
        run.awaits_agent();
        run.awaits("spl: every class is as it was");
        run.ends().assert_status(0);
        let measured = fs::read(case.path("out.txt")).unwrap();
        assert_same("what the program sees", &measured, &out);
        let text = String::from_utf8_lossy(&measured).into_owned();
        let expected = before.map_or("not set".to_owned(), |value| format!("set to {value}"));
        assert!(text.contains(&format!("own: JAVA_TOOL_OPTIONS {expected}\n")), "{text}");
        assert!(!text.contains("SPL_") && !text.contains("agentpath"), "{text}");
    }
}
