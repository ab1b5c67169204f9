//! `spl attach` and `spl detach`: programs that run already, without the agent until then.

use crate::case::{self, Case};
use crate::harness::{self, DEADLINE, poll};
use crate::running::{Ended, Running, plainly};
use crate::stand_in::serve_as;
use crate::witness::{Snapshot, Witness, changed};
use std::collections::BTreeSet;
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Command;

const FAST: &str = "CompareLoop.fast([I)J";
const TASKS: &str = "CompareLoop#fast(int[]) <= (1, 2) CompareLoop#slow(int[])\n";
/// JDK 21 and later warn of an agent that comes late, unless they have these options.
const QUIET: [&str; 2] = ["-XX:+IgnoreUnrecognizedVMOptions", "-XX:+EnableDynamicAgentLoading"];
const CLASSES: [&str; 2] = ["CompareLoop", "java/lang/Integer"];

/// A program without the agent. Its bytecode is watched by another one.
struct Program {
    run: Running,
    witness: Witness,
    original: Snapshot,
    threads: BTreeSet<String>,
    descriptors: usize,
}

impl Program {
    fn start(case: &Case) -> Self {
        let socket = case.path("witness.sock");
        let arguments = [&Witness::option(&socket), QUIET[0], QUIET[1], "CompareLoop", "0", "100000"];
        let mut run = start(&arguments, &case.path(""));
        run.awaits("ready");
        let mut witness = Witness::connect(&socket);
        let original = witness.snapshot(&CLASSES);
        let pid = run.pid();
        Self { run, witness, original, threads: threads(pid), descriptors: descriptors(pid) }
    }

    /// Asserts that nothing of the agent works in the JVM. The JVM itself keeps its own thread and socket for
    /// requests.
    fn assert_as_it_was(&mut self) {
        let pid = self.run.pid();
        poll("the end of the agent's threads", DEADLINE, || {
            let new: Vec<String> = threads(pid).difference(&self.threads).cloned().collect();
            let is_ours = |name: &String| name.starts_with("spl");
            (!new.iter().any(is_ours) && descriptors(pid) <= self.descriptors + 1).then_some(())
        });
        assert_eq!(changed(&self.original, &self.witness.snapshot(&CLASSES)), [""; 0]);
    }

    fn ends(self) {
        let ended = self.run.ends();
        ended.assert_status(0);
        assert!(ended.out.ends_with("ended\n"), "{}", ended.out);
        assert!(
            ended.err.lines().all(|line| line.contains("arrays of") || line.ends_with(" rounds")),
            "{}",
            ended.err
        );
        assert_no_dump(&ended);
    }
}

fn start(arguments: &[&str], folder: &Path) -> Running {
    let line = case::java(arguments);
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).env_remove("JAVA_TOOL_OPTIONS");
    Running::start(command, folder)
}

fn assert_no_dump(ended: &Ended) {
    assert!(![&ended.out, &ended.err].iter().any(|text| text.contains("Full thread dump")), "{}", ended.out);
}

fn threads(pid: u32) -> BTreeSet<String> {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).unwrap();
    tasks.map(|task| fs::read_to_string(task.unwrap().path().join("comm")).unwrap_or_default()).collect()
}

fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

/// `spl attach` to a process, with the case's settings.
fn attach(case: &Case, pid: u32, more: &[&str]) -> Running {
    let pid = pid.to_string();
    let usual = ["attach", &pid, "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out", "--yes"];
    Running::start(case.spl_with(&[&usual, more].concat()), &case.path(""))
}

fn detach(case: &Case, pid: u32) -> (Option<i32>, String) {
    let (status, _, said) = plainly(&mut case.spl_with(&["detach", &pid.to_string()]));
    (status, said)
}

/// Status and findings of `spl doctor`.
fn doctor(case: &Case, pid: u32) -> (Option<i32>, String) {
    let (status, found, said) = plainly(&mut case.spl_with(&["doctor", &pid.to_string()]));
    (status, found + &said)
}

#[test]
fn a_running_program_is_measured_and_left_as_it_was_again_and_again() {
    let case = Case::comparing(TASKS);
    let mut program = Program::start(&case);
    let pid = program.run.pid();
    let (status, found) = doctor(&case, pid);
    let records = found.contains("ok   price");
    assert!(records || status == Some(1) && found.contains("note price"), "{found}");
    assert!(found.contains("ok   attach") && found.contains("one SIGQUIT"), "{found}");
    assert!(!Path::new(&format!("/tmp/.java_pid{pid}")).exists(), "it was asked to listen");
    for cycle in 0..3 {
        let mut run = attach(&case, pid, &["--replace"]);
        assert_eq!(run.awaits_agent(), pid);
        let ended = run.ends();
        assert_eq!(ended.status, Some(0), "cycle {cycle}: {}", ended.err);
        assert!(ended.err.contains("1 claim: 1 holds"), "cycle {cycle}: {}", ended.err);
        // From JDK 23 on a JVM discards only what contains changed methods.
        let version =
            ended.err.split_once("measuring Java ").and_then(|(_, rest)| rest.split(['.', ',', '+']).next());
        assert_eq!(version.unwrap().parse::<u32>().unwrap() >= 23, records, "{found}");
        assert_eq!(
            ended.err.contains("was started without the agent"),
            cycle == 0 && !records,
            "{}",
            ended.err
        );
        program.assert_as_it_was();
    }
    let (status, said) = detach(&case, pid);
    assert!(status == Some(0) && said.contains("goes on"), "nothing is there to be ended: {said}");
    program.ends();
}

#[test]
fn a_measurement_is_ended_from_outside_and_by_the_death_of_its_controller() {
    let case = Case::measuring(&[FAST]).endless();
    let mut program = Program::start(&case);
    let pid = program.run.pid();
    let mut run = attach(&case, pid, &[]);
    case.awaits_measurements(FAST, 10);
    let other = attach(&case, pid, &[]).ends_by_itself();
    assert!(other.status == Some(2) && other.err.contains("serves another controller"), "{}", other.err);
    let (status, said) = detach(&case, pid);
    assert!(status == Some(0) && said.contains("every class as it was"), "{said}");
    program.assert_as_it_was();
    run.awaits("every class is as it was");
    run.spl_ends_with(Some(0));
    let mut killed = attach(&case, pid, &["--replace"]);
    killed.awaits("the measurement starts");
    case.awaits_measurements(FAST, 10);
    killed.signal("KILL");
    killed.spl_ends_with(None);
    program.assert_as_it_was();
    program.ends();
}

#[test]
fn a_library_of_another_path_does_not_come_beside_the_first() {
    let case = Case::comparing(TASKS);
    let mut program = Program::start(&case);
    let pid = program.run.pid();
    let copy = case.path("other.so");
    fs::copy(harness::agent(), &copy).unwrap();
    assert_eq!(attach(&case, pid, &["--replace"]).ends().status, Some(0));
    program.assert_as_it_was();
    let load = |options: &str| {
        let mut jcmd = Command::new(harness::jdk_tool("jcmd"));
        jcmd.env_remove("JAVA_TOOL_OPTIONS").args([&pid.to_string(), "JVMTI.agent_load"]);
        plainly(jcmd.arg(&copy).arg(options)).1
    };
    let answer = load("\"spl.client.socket=/nowhere\"");
    assert!(answer.contains("return code: 105"), "{answer}");
    program.assert_as_it_was();
    assert_eq!(attach(&case, pid, &["--replace"]).ends().status, Some(0));
    program.assert_as_it_was();
    program.ends();
}

#[test]
fn a_program_that_waits_for_a_server_is_attached_to_and_waits_on() {
    let case = Case::measuring(&[FAST]).endless();
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = free.local_addr().unwrap().port().to_string();
    let door = ["--port", &port, "--token-file", "token"];
    let mut client = case.spl_with(&[&["client"], &door[..], &["--"]].concat());
    client.args(case::java(&["CompareLoop", "0", "100000"]));
    let mut program = Running::start(client, &case.path(""));
    program.awaits("ready");
    drop(free);
    for (end, status) in [("INT", Some(0)), ("KILL", None)] {
        let mut run = attach(&case, program.pid(), &["--replace"]);
        run.awaits("the measurement starts");
        assert!(!run.has_said("discards"), "the agent was there already");
        case.awaits_measurements(FAST, 10);
        run.signal(end);
        run.spl_ends_with(status);
        let out = format!("served-{end}");
        let usual = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", &out, "--once"];
        let mut served = serve_as(&case, &[&usual[..], &door].concat());
        served.run.awaits("spl: measuring Java ");
        case::awaits_measurements_in(&case.path(&out).join("measurements"), FAST, 10);
        served.run.signal("TERM");
        served.run.spl_ends_with(Some(0));
    }
    program.ends().assert_status(0);
}

#[test]
fn a_request_of_somebody_else_is_not_disturbed() {
    let case = Case::comparing(TASKS);
    let mut run = start(&["CompareLoop", "0", "100000"], &case.path(""));
    run.awaits("ready");
    // HotSpot looks into its working folder first.
    let folder = fs::read_link(format!("/proc/{}/cwd", run.pid())).unwrap();
    let request = folder.join(format!(".attach_pid{}", run.pid()));
    fs::write(&request, "").unwrap();
    let refused = attach(&case, run.pid(), &[]).ends_by_itself();
    fs::remove_file(request).unwrap();
    assert!(refused.status == Some(2) && refused.err.contains("was not answered yet"), "{}", refused.err);
    let ended = run.ends();
    ended.assert_status(0);
    assert_no_dump(&ended);
}

#[test]
fn what_the_signal_would_harm_is_left_alone() {
    let case = Case::comparing(TASKS);
    let refused = |pid: u32, why: &str| {
        let ended = attach(&case, pid, &[]).ends_by_itself();
        assert!(ended.status == Some(2) && ended.err.contains(why), "{why}: {}", ended.err);
        assert!(!case.path("out").exists());
    };
    let mut sleep = Command::new("sleep").arg("600").spawn().unwrap();
    refused(sleep.id(), "not a HotSpot JVM");
    assert_eq!(sleep.try_wait().unwrap(), None, "it was ended");
    sleep.kill().unwrap();
    sleep.wait().unwrap();
    refused(sleep.id(), "no such process");
    for (option, why) in [
        ("-XX:+DisableAttachMechanism", "DisableAttachMechanism"),
        ("-XX:-EnableDynamicAgentLoading", "EnableDynamicAgentLoading"),
    ] {
        let mut run = start(&[option, "-XX:-UsePerfData", "CompareLoop", "0", "100000"], &case.path(""));
        run.awaits("ready");
        refused(run.pid(), why);
        let (status, found) = doctor(&case, run.pid());
        assert!(status == Some(2) && found.starts_with("BAD  attach") && found.contains(why), "{found}");
        let ended = run.ends();
        ended.assert_status(0);
        assert_no_dump(&ended);
    }
    let mut deaf = start(&["-Xrs", QUIET[0], QUIET[1], "CompareLoop", "0", "100000"], &case.path(""));
    deaf.awaits("ready");
    assert_eq!(attach(&case, deaf.pid(), &[]).ends().status, Some(0), "it listens without a signal");
    let ended = deaf.ends();
    ended.assert_status(0);
    assert_no_dump(&ended);
}
