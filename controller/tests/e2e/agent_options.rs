//! Settings of the agent (thesis 3.3.1): by its options or by properties of the JVM. The controller is a
//! stand-in.

use crate::case::{self, Case};
use crate::harness;
use crate::running::Running;
use crate::stand_in::Controller;
use spl_model::Handle;
use spl_overhead::{Door, Program};
use spl_wire::{Readings, ToController};
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::net::UnixListener;
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;

const FAST: &str = "CompareLoop.fast([I)J";
const PROGRAM: [&str; 3] = ["CompareLoop", "0", "100000"];
/// Four times the default, and its part of what the test waits for.
const SLEEP_MS: u64 = 400;

/// Starts the program with the agent, its options and these properties.
fn start(folder: &TempDir, options: &str, properties: &[String]) -> Running {
    let program = case::java(&PROGRAM);
    let mut command = Command::new(&program[0]);
    command.arg(format!("-agentpath:{}={options}", harness::agent().display()));
    command.args(properties.iter().map(|property| format!("-D{property}")));
    command.args(&program[1..]).env_remove("JAVA_TOOL_OPTIONS");
    Running::start(command, folder.path())
}

/// The limit that the agent has told.
fn told(controller: &Controller) -> Option<u64> {
    match &controller.hello {
        ToController::Hello { max_measurements, .. } => *max_measurements,
        other => panic!("no hello: {other:?}"),
    }
}

fn assert_unharmed(run: Running) {
    let ended = run.ends();
    ended.assert_status(0);
    assert!(ended.out.starts_with("ready\n") && ended.out.ends_with("ended\n"), "{}", ended.out);
    assert_eq!(ended.err.lines().count(), 2, "more than the program's own lines: {}", ended.err);
}

/// Samples come in batches with this pause between them.
fn check_sleep(controller: &mut Controller) {
    let began = Instant::now();
    controller.measures(FAST);
    for _ in 0..4 {
        controller.samples();
    }
    assert!(began.elapsed() >= Duration::from_millis(3 * SLEEP_MS), "{:?}", began.elapsed());
}

/// No more samples of a method than this limit are taken.
fn check_limit(controller: &mut Controller, limit: usize) {
    controller.measures(FAST);
    let mut samples = 0;
    loop {
        match controller.hears().expect("the agent goes on") {
            ToController::Readings { readings: Readings::Times(more), .. } => samples += more.len(),
            ToController::Limit { handle: Handle(1) } => break,
            _ => {}
        }
    }
    assert_eq!(samples, limit);
}

#[test]
fn properties_name_port_token_and_limit() {
    let folder = tempfile::tempdir().unwrap();
    let token = folder.path().join("token");
    fs::write(&token, "secret\n").unwrap();
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = listener.local_addr().unwrap().port();
    let properties = [
        format!("spl.client.port={port}"),
        format!("spl.client.token-file={}", token.display()),
        "spl.client.measurements=5".to_owned(),
    ];
    let run = start(&folder, "", &properties);
    let mut controller = Controller::tcp(&listener, "secret");
    assert_eq!(told(&controller), Some(5));
    check_limit(&mut controller, 5);
    drop(controller);
    // The secret is read again for each connection: a controller that was started again has another.
    fs::write(&token, "other").unwrap();
    drop(Controller::tcp(&listener, "other"));
    assert_unharmed(run);
}

#[test]
fn properties_name_socket_and_pause() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let properties = [
        format!("spl.client.socket={}", socket.display()),
        format!("spl.client.sleep={SLEEP_MS}"),
        // A socket beats a port.
        "spl.client.port=1".to_owned(),
    ];
    let run = start(&folder, "", &properties);
    let mut controller = Controller::unix(&listener);
    assert_eq!(told(&controller), None);
    check_sleep(&mut controller);
    assert_unharmed(run);
}

#[test]
fn options_beat_properties_and_useless_values_leave_the_defaults() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let properties = ["socket=/nowhere", "sleep=0", "measurements=3", "port=many"];
    let properties = properties.map(|property| format!("spl.client.{property}"));
    let options = format!(
        "spl.client.socket={},spl.client.sleep={SLEEP_MS},spl.client.measurements=1000000,spl.client.prot=1",
        socket.display(),
    );
    let run = start(&folder, &options, &properties);
    let mut controller = Controller::unix(&listener);
    assert_eq!(told(&controller), Some(1_000_000));
    for part in ["unknown agent option \"spl.client.prot\"", "spl.client.port = \"many\" is not a number"] {
        let heard = controller.hears();
        assert!(
            matches!(&heard, Some(ToController::Warning { text }) if text.starts_with(part)),
            "{heard:?}"
        );
    }
    check_sleep(&mut controller);
    assert_unharmed(run);
}

#[test]
fn the_operator_hears_of_useless_values() {
    let case = Case::measuring(&[FAST]).set("controller", "max-method-measurements", "50");
    let useless = ["-Dspl.client.sleep=soon", "-Dspl.client.measurements=-1"];
    let mut run = case.java(&[&useless[..], &["CompareLoop", "0"]].concat());
    run.awaits("spl: every class is as it was");
    let ended = run.ends();
    ended.assert_status(0);
    ended.assert_said(&[
        "spl: the agent warns: spl.client.sleep = \"soon\" is not a number from 0 to 3600000; it is ignored\n",
        "spl: the agent warns: spl.client.measurements = \"-1\" is not a number",
    ]);
    assert!(case.measurements(FAST).len() >= 50);
}

#[test]
fn of_an_agent_that_is_named_twice_the_first_options_count() {
    let [first, second] = [(); 2].map(|()| Door::open().unwrap());
    let [one, other] = [&first, &second].map(|door| door.option(&harness::agent()));
    let classes = harness::classes().display().to_string();
    let mut program =
        Program::start(&harness::java(), [&one, &other, "-cp", &classes, "CompareLoop", "0"]).unwrap();
    let mut agent = first.accept().unwrap();
    let warning = |message: &ToController| matches!(message, ToController::Warning { text } if text.contains("named twice"));
    agent.await_said("a warning", warning).unwrap();
    program.tell("").unwrap();
    assert_eq!(program.end().unwrap().1, 0);
}

#[test]
fn a_program_without_room_for_the_agent_runs_and_the_operator_hears_why() {
    let case = Case::measuring(&["CompareLoop.fast([I)J"]);
    // In kilobytes: enough for this JVM, too little for the samples' memory in addition.
    let limited = "ulimit -v 600000; exec \"$0\" \"$@\"";
    let java = harness::java().display().to_string();
    let small = ["-Xshare:off", "-XX:+UseSerialGC", "-Xmx32m", "-XX:CompressedClassSpaceSize=16m"];
    let classes = harness::classes().display().to_string();
    let program = ["-XX:ReservedCodeCacheSize=32m", "-cp", &classes, "CompareLoop", "3"];
    let command = [&["sh", "-c", limited, &java][..], &small, &program].concat();
    let ended = case.start(command).ends();
    ended.assert_status(2);
    ended.assert_said(&[
        "the agent failed: no address space for 147456 KB of samples: Cannot allocate memory",
    ]);
    assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
}
