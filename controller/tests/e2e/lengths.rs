//! Lengths of arguments: found without code that could wait for a lock, write or walk through what it counts.

use crate::harness::{self, DEADLINE, poll};
use spl_model::{SampleFlags, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::{ToController, WireSize};

const TAKE: &str = "Lengths.take(Ljava/lang/Object;)V";
const LEAST: &str = "java/lang/Math.min(JJ)J";

fn start() -> (Program, Session, Door, Vec<String>) {
    let door = Door::open().unwrap();
    let classes = harness::classes().display().to_string();
    let option = door.option(&harness::agent());
    let mut program = Program::start(&harness::java(), [&option, "-cp", &classes, "Lengths"]).unwrap();
    let mut agent = door.accept().unwrap();
    let arguments = agent.line_of(&mut program).unwrap().split(' ').map(str::to_owned).collect();
    for (handle, method) in [(1, TAKE), (2, LEAST)] {
        agent.define(handle, method, Sizing::Length).unwrap();
        assert!(agent.instrument(&[handle]).unwrap()[0].1.is_instrumented());
    }
    (program, agent, door, arguments)
}

fn sizes(agent: &Session) -> Vec<u64> {
    let size = |size| if let WireSize::Value(size) = size { size } else { panic!("{size:?}") };
    agent.samples.iter().map(|sample| size(sample.size)).collect()
}

fn warnings(agent: &Session) -> Vec<&str> {
    let said = agent.said.iter().filter_map(|message| match message {
        ToController::Warning { text } if text.starts_with("length of ") => Some(text.as_str()),
        _ => None,
    });
    said.collect()
}

#[test]
fn an_argument_whose_monitor_another_thread_holds_keeps_no_call() {
    let (mut program, mut agent, _door, arguments) = start();
    agent.arm(1, 1).unwrap();
    program.tell("all").unwrap();
    assert_eq!(agent.line_of(&mut program).unwrap(), "done");
    agent.settle().unwrap();
    let expected = arguments.iter().map(|name| name.parse().unwrap_or(0)).collect::<Vec<u64>>();
    assert_eq!(sizes(&agent), expected, "{arguments:?}");
    let unknown = arguments.iter().filter(|name| name.starts_with('?')).count();
    // Once for each class, by way of the agent thread.
    poll("the warnings", DEADLINE, || {
        agent.settle().unwrap();
        (warnings(&agent).len() >= unknown).then_some(())
    });
    let warnings = warnings(&agent);
    assert!(warnings.iter().all(|text| text.contains("without running its code")), "{warnings:?}");
    assert_eq!(warnings.len(), unknown, "{warnings:?}");
    agent.detach().unwrap();
    program.end().unwrap();
}

/// The recorder's own arithmetic must not be the program's calls.
#[test]
fn methods_of_math_are_measured_as_the_program_calls_them() {
    let (mut program, mut agent, _door, _) = start();
    agent.arm(2, 1).unwrap();
    program.tell("least").unwrap();
    assert_eq!(agent.line_of(&mut program).unwrap(), "done");
    agent.settle().unwrap();
    // The smaller of two numbers is 2 each time; the sizes are their sums.
    assert_eq!(sizes(&agent), [7, 8, 9]);
    agent.detach().unwrap();
    program.end().unwrap();
}

/// The agent's own thread prepares its Java side: on a thread of the program the preparation could overflow
/// the stack, and would never succeed then.
#[test]
fn the_first_call_may_come_at_the_end_of_the_stack() {
    let (mut program, mut agent, _door, _) = start();
    agent.arm(1, 1).unwrap();
    program.tell("deep").unwrap();
    assert_eq!(agent.line_of(&mut program).unwrap(), "done");
    agent.settle().unwrap();
    let last = agent.samples.iter().max_by_key(|sample| sample.start_ns).unwrap();
    assert_eq!((last.size, last.flags & SampleFlags::SIZE_TRUNCATED.0), (WireSize::Value(5), 0));
    agent.detach().unwrap();
    program.end().unwrap();
}
