//! A controller that is gone at any moment, and many changes of one class: the program never pays for it.

use crate::harness::{self, poll};
use crate::running::TEN_SECONDS;
use crate::witness::{Snapshot, Witness, changed};
use spl_model::Outcome;
use spl_overhead::{Door, Program, Session};
use spl_wire::{SizeMode, ToAgent};
use std::time::Duration;

const KILLS: u64 = 20;
const CYCLES: u32 = 300;
const METHODS: [&str; 3] =
    ["Truth.loop(J)J", "Truth.loads(J)J", "java/lang/Integer.compareTo(Ljava/lang/Integer;)I"];
const CLASSES: [&str; 2] = ["Truth", "java/lang/Integer"];

/// A program that two agents watch: the one under test, and the one that shows bytecode.
struct Watched {
    program: Program,
    door: Door,
    witness: Witness,
    original: Snapshot,
}

impl Watched {
    fn start() -> (Self, Session) {
        let door = Door::open().unwrap();
        let socket = door.path().with_file_name("witness.sock");
        let classes = harness::classes().display().to_string();
        let options = [door.option(&harness::agent()), Witness::option(&socket)];
        let arguments = [&*options[0], &options[1], "-cp", &classes, "Truth"];
        let mut program = Program::start(&harness::java(), arguments).unwrap();
        let agent = door.accept().unwrap();
        program.expect("ready").unwrap();
        let mut witness = Witness::connect(&socket);
        let original = witness.snapshot(&CLASSES);
        (Self { program, door, witness, original }, agent)
    }

    fn changed(&mut self) -> Vec<String> {
        changed(&self.original, &self.witness.snapshot(&CLASSES))
    }
}

fn define(agent: &mut Session) {
    for (handle, method) in (1..).zip(METHODS) {
        agent.define(handle, method, SizeMode::None).unwrap();
    }
}

#[test]
fn a_controller_may_be_gone_at_any_moment() {
    let (mut watched, first) = Watched::start();
    let mut agent = Some(first);
    for kill in 1..=KILLS {
        let mut session = agent.take().unwrap_or_else(|| watched.door.accept().unwrap());
        define(&mut session);
        // What a dead process leaves is a closed socket; the moment is spread over all that the agent does.
        session.send(&ToAgent::Instrument { handles: vec![1, 2, 3] }).unwrap();
        (1..=3).for_each(|handle| {
            session.send(&ToAgent::Arm { handle, every: 1, quota: 0 }).unwrap();
        });
        watched.program.tell("loop 3 200").unwrap();
        std::thread::sleep(Duration::from_micros(kill * 7919 % 40_000));
        drop(session);
        poll("the original bytecode", TEN_SECONDS, || watched.changed().is_empty().then_some(()));
        watched.program.line().unwrap();
    }
    // The next one finds all as it should be.
    let mut agent = watched.door.accept().unwrap();
    define(&mut agent);
    let outcomes = agent.instrument(&[1]).unwrap();
    assert_eq!(outcomes, [(1, Outcome::Instrumented)]);
    agent.arm(1, 1).unwrap();
    watched.program.tell("loop 3 200").unwrap();
    agent.line_of(&mut watched.program).unwrap();
    agent.settle().unwrap();
    assert_eq!(agent.samples.len() as u64 + agent.dropped, 600);
    agent.detach().unwrap();
    assert_eq!(watched.changed(), Vec::<String>::new());
    assert_eq!(watched.program.end().unwrap(), (Vec::new(), 0));
}

#[test]
fn a_class_may_be_changed_and_restored_again_and_again() {
    let (mut watched, mut agent) = Watched::start();
    define(&mut agent);
    let resident = |program: &Program| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", program.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("Linux tells the size");
        line.split_whitespace().nth(1).and_then(|kb| kb.parse::<u64>().ok()).expect("a number")
    };
    let mut after_first = 0;
    for cycle in 1..=CYCLES {
        let handles: &[u32] = [&[1][..], &[1, 2], &[2, 3], &[3]][cycle as usize % 4];
        let outcomes = agent.instrument(handles).unwrap();
        assert!(outcomes.iter().all(|(_, outcome)| *outcome == Outcome::Instrumented), "{outcomes:?}");
        agent.restore(handles).unwrap();
        if cycle == CYCLES / 3 {
            after_first = resident(&watched.program);
        }
    }
    let grown = resident(&watched.program).saturating_sub(after_first);
    // Two hundred changes that each left a class behind would take more.
    assert!(grown < 24 * 1024, "the JVM has grown by {grown} KiB in {} changes", CYCLES * 2 / 3);
    assert_eq!(watched.changed(), Vec::<String>::new());
    agent.detach().unwrap();
    assert_eq!(watched.program.end().unwrap(), (Vec::new(), 0));
}
