//! `spl serve` and `spl client`: two processes, a token between them, programs one after the other.

use crate::case::{self, Case, has_measurements, read_results};
use crate::harness::{self, DEADLINE, poll};
use crate::running::{Running, plainly};
use crate::stand_in::{Agent, Served, TOKEN_FILE, serve, serve_as};
use spl_records::RunState;
use spl_wire::ToAgent;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

const FAST: &str = "CompareLoop.fast([I)J";
const SLOW: &str = "CompareLoop.slow([I)J";
const PROGRAM: [&str; 3] = ["CompareLoop", "0", "100000"];

fn two_methods() -> Case {
    Case::comparing("p/A.a()V = p/B.b()V\n").set("controller", "min-method-measurements", "5")
}

/// Starts a program for the controller at a port.
fn client(case: &Case, port: u16, token_file: &str, arguments: &[&str]) -> Running {
    let port = port.to_string();
    let mut spl = case.spl_with(&["client", "--port", &port, "--token-file", token_file, "--"]);
    spl.args(case::java(arguments));
    Running::start(spl, &case.path(""))
}

fn assert_refused(mut agent: Agent, reason: &str) {
    let heard = std::iter::from_fn(|| agent.hears()).collect::<Vec<_>>();
    assert_eq!(heard, [ToAgent::Reject { reason: reason.to_owned() }]);
}

#[test]
fn an_agent_that_lacks_a_kind_of_probes_is_refused_by_its_name() {
    let case = two_methods();
    let Served { mut run, port, token } = serve(&case, &["--once"]);
    let mut other = Agent::known(port, &token);
    other.introduces(1, None, &["blocks"]);
    let why = "its agent does not know probes of the kind times: use the agent library of this spl";
    assert_refused(other, why);
    run.awaits(&format!("pid 1 is not measured: {why}"));
    let mut agent = Agent::connect(port, &token);
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 5]);
    agent.bye();
    run.ends().assert_status(0);
}

#[test]
fn only_who_knows_the_token_is_measured() {
    let case = two_methods();
    fs::write(case.path(TOKEN_FILE), "old, and readable by all").unwrap();
    let Served { mut run, port, token } = serve(&case, &["--once"]);
    let mode = fs::metadata(case.path(TOKEN_FILE)).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert!(token.len() >= 32, "{token}");
    assert_ne!(port, 0);
    for wrong in ["", "wrong", &token[1..], "old, and readable by all"] {
        assert_refused(Agent::known(port, wrong), "the token is wrong or missing");
    }
    let mut agent = Agent::connect(port, &token);
    run.awaits("spl: the measurement starts");
    // Peers that come meanwhile are refused, with or without the token.
    assert_refused(Agent::known(port, ""), "the token is wrong or missing");
    assert_refused(Agent::connect(port, &token), "another JVM is being measured");
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 5]);
    agent.bye();
    let ended = run.ends();
    ended.assert_status(0);
    // Once, although it was refused again and again.
    assert_eq!(ended.err.matches("it does not know the token").count(), 1, "{}", ended.err);
    assert!(!case.path(TOKEN_FILE).exists(), "the token is of no use any more");
}

#[test]
fn who_does_not_know_the_token_is_not_measured_by_hand_either() {
    let case = two_methods();
    let arguments = ["serve", "--manual", "--config", "spl.ini", "--tasks", "spl.tasks", "--port", "0"];
    let mut served = serve_as(&case, &[&arguments[..], &["--token-file", TOKEN_FILE]].concat());
    assert_refused(Agent::known(served.port, ""), "the token is wrong or missing");
    let mut agent = Agent::connect(served.port, &served.token);
    served.run.awaits("spl: Enter puts the probes in, and takes them out again");
    assert_refused(Agent::connect(served.port, &served.token), "another JVM is being measured");
    served.run.line();
    while agent.armed.len() < 2 {
        agent.settles();
    }
    agent.calls(0, &[10; 15]);
    served.run.awaits("spl: and 5 more calls");
    assert!(!case.path("out").exists(), "something was written");
    served.run.signal("INT");
    agent.bye();
    served.run.ends().assert_status(0);
}

#[test]
fn two_servers_do_not_share_a_port_or_a_folder() {
    let case = two_methods();
    let first = serve(&case, &[]);
    let port = first.port.to_string();
    let check = |out: &str, port: &str, parts: &[&str]| {
        let arguments = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--token-file", "second"];
        let spl = case.spl_with(&[&arguments[..], &["--out", out, "--port", port]].concat());
        let ended = Running::start(spl, &case.path("")).ends();
        ended.assert_status(2);
        ended.assert_said(parts);
        assert!(!case.path("second").exists(), "a token was left behind");
    };
    let taken = format!("port {port} is taken, perhaps by another controller");
    check("other", &port, &[&taken, "--port"]);
    check("out", "0", &["another controller is writing to out/measurements", "--out"]);
    // The first one is not affected.
    let mut served = first;
    let mut agent = served.measures();
    agent.calls(0, &[10; 5]);
    agent.calls(1, &[10; 5]);
    assert_eq!(case.results().len(), 1);
}

#[test]
fn the_status_is_that_of_the_program_that_did_worst() {
    let case = two_methods();
    let mut served = serve(&case, &[]);
    for (left, right) in [([10; 5], [10; 5]), ([10; 5], [20; 5]), ([10; 5], [10; 5])] {
        let mut agent = Agent::connect(served.port, &served.token);
        // No earlier than the program before is done with.
        served.run.awaits("the measurement starts");
        while agent.armed.len() < 2 {
            agent.settles();
        }
        agent.calls(0, &left);
        agent.calls(1, &right);
        agent.bye();
    }
    // Each program has its own, and none is there of one that did not come.
    for folder in ["out", "out-2", "out-3"] {
        let file = case.path(folder).join("result.eval");
        poll("a result", DEADLINE, || (read_results(&file).len() == 1).then_some(()));
    }
    served.run.awaits("the results of this run go to out-4");
    served.run.signal("INT");
    served.run.ends().assert_status(1);
    assert!(!case.path("out-4").exists());
}

#[test]
fn an_interrupted_server_without_programs_says_that_nothing_was_decided() {
    let case = two_methods();
    let served = serve(&case, &[]);
    served.run.signal("TERM");
    served.run.ends().assert_status(3);
    assert!(!case.path(TOKEN_FILE).exists());
}

#[test]
fn programs_are_measured_one_after_the_other() {
    let alone =
        plainly(Command::new(harness::java()).args(&case::java(&["CompareLoop", "0", "100000"])[1..]));
    let case = Case::comparing(&format!("{FAST} <= {SLOW}\n")).endless();
    let mut served = serve(&case, &["-v"]);
    let unknown = client(&case, served.port, "no.token", &PROGRAM);
    served.run.awaits("is not measured: it does not know the token");
    let mut first = client(&case, served.port, TOKEN_FILE, &PROGRAM);
    served.run.awaits("spl: measuring Java ");
    case.awaits_measurements(FAST, 20);
    let second = client(&case, served.port, TOKEN_FILE, &PROGRAM);
    served.run.awaits("is not measured: another JVM is now, and this one waits");
    assert_eq!(case.results().len(), 0);
    first.awaits("ready");

    // The controller sends them nothing: only the first one's end lets the second in.
    let unmeasured = unknown.ends();
    assert_eq!((unmeasured.status, &unmeasured.out), (alone.0, &alone.1));
    let measured = first.ends();
    assert_eq!((measured.status, &measured.out), (alone.0, &alone.1));
    poll("the second program", DEADLINE, || {
        has_measurements(&case.path("out-2/measurements"), FAST, 1).then_some(())
    });
    let measured = second.ends();
    assert_eq!((measured.status, &measured.out), (alone.0, &alone.1));
    poll("two results", DEADLINE, || {
        (read_results(&case.path("out-2/result.eval")).len() == 1).then_some(())
    });
    assert_eq!(case.results().len(), 1, "those of the first stay as they were");
    served.run.signal("INT");
    let ended = served.run.ends();
    ended.assert_said(&["spl: waiting for the next program", ", judged at the end with what there was"]);
    assert_eq!(ended.err.matches("is not measured").count(), 2, "{}", ended.err);
    assert!(!ended.err.contains("could not be used"), "{}", ended.err);
}

#[test]
fn a_client_without_a_controller_is_the_program() {
    let case = two_methods();
    // A port at which nobody answers: the one that the test holds.
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let mut run = client(&case, port, "none", &["ExitWhileMeasured", "0", "exit", "7"]);
    run.awaits("ready");
    run.line();
    let ended = run.ends_by_itself();
    ended.assert_status(7);
    assert_eq!(ended.out, "ready\nleaving by exit\nhook ran\n");
    assert_eq!(ended.spl(), "");
}

/// As a timer does that measures a service every night.
#[test]
fn a_program_is_measured_again_by_each_controller_that_comes() {
    let case = Case::comparing(&format!("{FAST} <= {SLOW}\n")).endless();
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    let program = client(&case, port, TOKEN_FILE, &PROGRAM);
    drop(free);
    let number = port.to_string();
    for night in 0..3 {
        let out = format!("out{night}");
        let usual = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", &out, "--once"];
        let mut served =
            serve_as(&case, &[&usual[..], &["--token-file", TOKEN_FILE, "--port", &number]].concat());
        served.run.awaits("spl: measuring Java ");
        for method in [FAST, SLOW] {
            case::awaits_measurements_in(&case.path(&out).join("measurements"), method, 20);
        }
        served.run.signal("TERM");
        served.run.ends().assert_said(&["spl: every class is as it was"]);
    }
    program.ends().assert_status(0);
}

#[test]
fn a_program_finds_its_controller_late_and_again_after_a_crash() {
    let case = Case::comparing(&format!("{FAST} <= {SLOW}\n")).endless();
    let early = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = early.local_addr().unwrap().port();
    let program = client(&case, port, TOKEN_FILE, &PROGRAM);
    // The agent has tried before there is a controller.
    drop(early.accept().unwrap());
    drop(early);
    let number = port.to_string();
    let usual = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out", "--once"];
    let arguments = [&usual[..], &["--token-file", TOKEN_FILE, "--port", &number]].concat();
    let mut served = serve_as(&case, &arguments);
    served.run.awaits("spl: measuring Java ");
    for method in [FAST, SLOW] {
        case.awaits_measurements(method, 20);
    }
    served.run.signal("KILL");
    served.run.spl_ends_with(None);
    let [fast, slow] = [FAST, SLOW].map(|method| case.measurements(method));
    let state = fs::read_to_string(case.path("out/run.json")).unwrap();
    assert!(!RunState::from_json(&state).unwrap().finished);

    let mut served = serve_as(&case, &arguments);
    let line = served.run.awaits("spl: going on with an interrupted run");
    assert!(
        line.contains(&format!(": {} samples, 0 comparisons decided", fast.len() + slow.len())),
        "{line}"
    );
    poll("more samples", DEADLINE, || (case.measurements(FAST).len() > fast.len()).then_some(()));
    served.run.signal("INT");
    let ended = served.run.ends();
    ended.assert_said(&["spl: every class is as it was"]);
    for (method, before) in [(FAST, fast), (SLOW, slow)] {
        assert_eq!(case.measurements(method)[..before.len()], before, "{method}");
    }
    assert_eq!(case.results().len(), 1);
    let ended = program.ends();
    ended.assert_status(0);
    assert!(ended.out.ends_with("ended\n") && ended.spl().is_empty(), "{}{}", ended.out, ended.err);
}
