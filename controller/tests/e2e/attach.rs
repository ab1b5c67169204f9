//! The agent loaded into a JVM that runs already, by the JDK's own tools: an error where it could not serve. One whose controller
//! has detached it serves the next controller.

use crate::case::{self, Case};
use crate::harness::{self, DEADLINE, poll};
use crate::running::{Running, plainly};
use spl_model::Sizing;
use spl_overhead::{Door, Program};
use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixStream;
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
        assert!(said.contains("return code: 101"), "{said}");
    }
}

#[test]
fn an_agent_without_a_controller_is_an_error_and_nothing_else() {
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
    let mut run = case.java(&PROGRAM);
    let pid = run.awaits_agent();
    case.awaits_measurements(fast, 10);
    assert_refused(pid, &case);
    let before = case.measurements(fast).len() as u64;
    case.awaits_measurements(fast, before + 100);
    run.ends().assert_status(0);
}

/// Asks a JVM to load the agent with these options, as `jcmd` does, but sooner (HotSpot's attach protocol, version 1). Says whether
/// the agent took it.
fn attaches(pid: u32, library: &Path, options: &str) -> bool {
    let mut stream = UnixStream::connect(format!("/tmp/.java_pid{pid}")).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    let words = ["1", "load", library.to_str().unwrap(), "true", options];
    let request = words.iter().flat_map(|word| word.bytes().chain([0])).collect::<Vec<_>>();
    stream.write_all(&request).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains("return code: "), "{answer}");
    answer.contains("return code: 0")
}

fn descriptors(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).unwrap().count()
}

#[test]
fn a_detached_agent_serves_again_and_again() {
    const CYCLES: u32 = 100;
    const CALLS: usize = 20;
    let door = Door::open().unwrap();
    let classes = harness::classes().display().to_string();
    let option = door.option(&harness::agent());
    let listens = "-XX:+StartAttachListener";
    let mut program =
        Program::start(&harness::java(), [&option, listens, "-cp", &classes, "Stress"]).unwrap();
    let pid = program.id();
    let mut agent = door.accept().unwrap();
    program.expect("ready").unwrap();
    let options = option.split_once('=').unwrap().1.split_once('=').unwrap();
    let options = format!("{}={}", options.0, options.1);
    assert!(!attaches(pid, &harness::agent(), &options), "it serves a controller");
    let mut before = None;
    for cycle in 0..CYCLES {
        agent.define(1, "Stress.bare(I)I", Sizing::None).unwrap();
        assert!(agent.instrument(&[1]).unwrap()[0].1.is_instrumented(), "cycle {cycle}");
        agent.arm(1, 1).unwrap();
        program.tell(&format!("bare {CALLS}")).unwrap();
        program.expect("done").unwrap();
        agent.settle().unwrap();
        assert_eq!((agent.samples.len() % CALLS, agent.samples.is_empty()), (0, false), "cycle {cycle}");
        agent.detach().unwrap();
        if cycle % 10 == 0 {
            // A controller that is gone before the agent comes keeps no other from it.
            let nobody = options.replace("spl.sock", "none.sock");
            poll("an agent that looks for nobody", DEADLINE, || {
                attaches(pid, &harness::agent(), &nobody).then_some(())
            });
        }
        // The agent says goodbye, and is dormant a moment later.
        poll("a dormant agent", DEADLINE, || attaches(pid, &harness::agent(), &options).then_some(()));
        agent = door.accept().unwrap();
        let now = (threads(pid).len(), descriptors(pid));
        let first = *before.get_or_insert(now);
        assert!(now.0 <= first.0 && now.1 <= first.1 + 1, "cycle {cycle}: {now:?}, and {first:?} at first");
    }
    agent.detach().unwrap();
    let (_, status) = program.end().unwrap();
    assert_eq!(status, 0);
}
