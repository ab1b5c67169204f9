//! An error of the agent's own, wherever it may be: the program never notices, and every class is as it was.

use crate::harness::{self, poll};
use crate::running::TEN_SECONDS;
use crate::witness::{Witness, changed};
use spl_model::{Handle, Sizing};
use spl_overhead::{Door, Fault, Program, Session};
use spl_wire::{ByeReason, ToAgent, ToController};
use std::fs::File;
use std::process::Command;

const CLASSES: [&str; 1] = ["Events"];

/// The program's answer to one line.
const ANSWER: &str = "-1139256815";

/// The agent's message when it gives up, if it can send one.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Last {
    /// The agent never connects.
    Silence,
    /// Why.
    Reason,
    /// Its connection is lost.
    Lost,
    /// The agent works to the program's end.
    Nothing,
}

#[test]
fn a_panic_anywhere_in_the_agent_leaves_the_program_alone() {
    for (place, last) in [
        ("Agent_OnLoad", Last::Silence),
        ("VMInit", Last::Silence),
        ("ClassPrepare", Last::Reason),
        ("ClassFileLoadHook", Last::Reason),
        ("ThreadEnd", Last::Reason),
        ("GarbageCollectionStart", Last::Reason),
        ("GarbageCollectionFinish", Last::Reason),
        ("CompiledMethodLoad", Last::Reason),
        ("SplSizes.bytes", Last::Reason),
        ("SplSizes.references", Last::Reason),
        ("agent thread", Last::Reason),
        ("socket thread", Last::Lost),
        ("VMDeath", Last::Nothing),
    ] {
        panics(place, last);
    }
}

fn panics(place: &str, last: Last) {
    let door = Door::open().unwrap();
    let [socket, errors] = ["witness.sock", "errors"].map(|name| door.path().with_file_name(name));
    let classes = harness::classes().display().to_string();
    let mut java = Command::new(harness::java());
    java.args([&*door.option(&harness::agent()), &Witness::option(&socket), "-cp", &classes, "Events"])
        .env_remove("JAVA_TOOL_OPTIONS")
        .env("SPL_AGENT_PANIC", place)
        .stderr(File::create(&errors).unwrap());
    let mut program = Program::of(&mut java).unwrap();
    program.expect("ready").unwrap();
    let mut witness = Witness::connect(&socket);
    let original = witness.snapshot(&CLASSES);
    let mut agent = (last != Last::Silence).then(|| door.accept().unwrap());
    if let Some(agent) = &mut agent {
        measure(agent);
    }
    for _ in 0..2 {
        program.tell("go").unwrap();
        program.expect(ANSWER).unwrap();
    }
    if let Some(agent) = &mut agent {
        assert_eq!(heard(agent, place), last, "{place}");
    }
    if last != Last::Nothing {
        let restored = || changed(&original, &witness.snapshot(&CLASSES)).is_empty().then_some(());
        poll(&format!("the original bytecode after a panic in {place}"), TEN_SECONDS, restored);
    }
    program.tell("go").unwrap();
    program.expect(ANSWER).unwrap();
    assert_eq!(program.end().unwrap(), (Vec::new(), 0), "{place}");
    assert_eq!(std::fs::read_to_string(&errors).unwrap(), "", "{place}");
}

/// Everything at once: the agent may be gone at any moment.
fn measure(agent: &mut Session) {
    let said = |agent: &mut Session| -> Result<(), Fault> {
        agent.define(1, "Events.hot(I)I", Sizing::None)?;
        agent.define(2, "Events.sized(Ljava/lang/String;)I", Sizing::Deep)?;
        agent.define(3, "no/such/Klass.method()V", Sizing::None)?;
        agent.send(&ToAgent::Instrument { handles: vec![Handle(1), Handle(2), Handle(3)] })?;
        agent.send(&ToAgent::Arm { handle: Handle(1), every: 1, quota: 0 })?;
        agent.send(&ToAgent::Arm { handle: Handle(2), every: 1, quota: 0 })?;
        agent.settle()
    };
    // Whether it still listens is seen by what it says in the end.
    let _ = said(agent);
}

fn heard(agent: &mut Session, place: &str) -> Last {
    if place == "VMDeath" {
        return Last::Nothing;
    }
    let is_bye = |message: &ToController| matches!(message, ToController::Bye { .. });
    while !agent.said.iter().any(is_bye) && agent.take().is_ok() {}
    let at = agent.said.iter().position(is_bye);
    match at.map(|at| &agent.said[at]) {
        Some(ToController::Bye { reason: ByeReason::Failed(why) }) => {
            assert_eq!(*why, format!("an error inside the agent ({place})"));
            Last::Reason
        }
        Some(other) => panic!("{place}: {other:?}"),
        None => Last::Lost,
    }
}
