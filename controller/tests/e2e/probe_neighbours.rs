//! Other agents that change the measured class, before this one and after it; and one that spoils a class.

use crate::harness;
use spl_model::{Outcome, Refusal};
use spl_overhead::{Door, Program, Session};
use spl_wire::SizeMode;
use std::fs;
use std::path::Path;

const WORD: &str = "Transformed.word()Ljava/lang/String;";
const LENGTHS: [&str; 3] = ["Transformed$One", "Transformed$Two", "Transformed$Broken"];
/// Calls of a line of the program.
const CALLS: usize = 100;

/// The other agent as a JAR in this folder.
fn transformer(folder: &Path, argument: &str) -> String {
    let class = fs::read(harness::classes().join("Transformer.class")).unwrap();
    let manifest = "Manifest-Version: 1.0\nPremain-Class: Transformer\nCan-Retransform-Classes: true\n\n";
    let jar = folder.join("transformer.jar");
    let manifest = ("META-INF/MANIFEST.MF".to_owned(), manifest.as_bytes().to_vec());
    harness::jar(&jar, &[manifest, ("Transformer.class".to_owned(), class)]);
    format!("-javaagent:{}{argument}", jar.display())
}

fn start(argument: &str, last: bool) -> (Program, Session, Door) {
    let door = Door::open().unwrap();
    let mut options = [transformer(door.path().parent().unwrap(), argument), door.option(&harness::agent())];
    if last {
        options.reverse();
    }
    let classes = harness::classes().display().to_string();
    let arguments = [&options[0], &options[1], "-cp", &classes, "Transformed"];
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    let agent = door.accept().unwrap();
    program.expect("ready 120").unwrap();
    (program, agent, door)
}

fn says(program: &mut Program, line: &str) {
    program.tell(line).unwrap();
    program.expect("after! 786").unwrap();
}

#[test]
fn another_agent_changes_the_same_class() {
    for last in [false, true] {
        let (mut program, mut agent, _door) = start("", last);
        agent.define(1, WORD, SizeMode::None).unwrap();
        says(&mut program, "say");
        for again in [false, true] {
            assert_eq!(agent.instrument(&[1]).unwrap(), [(1, Outcome::Instrumented)]);
            agent.arm(1, 1).unwrap();
            agent.samples.clear();
            says(&mut program, "say");
            agent.settle().unwrap();
            assert_eq!(agent.samples.len(), CALLS, "other agent last: {last}");
            if again {
                // Its change of its own takes the probes away, which harms nobody: they come back with the next plan.
                says(&mut program, "again");
            }
            agent.restore(&[1]).unwrap();
            says(&mut program, "say");
        }
        agent.detach().unwrap();
        says(&mut program, "say");
        assert_eq!(program.end().unwrap(), (Vec::new(), 0));
    }
}

#[test]
fn a_class_that_spoils_a_batch_is_found_and_left_alone() {
    let (mut program, mut agent, _door) = start("=break", false);
    agent.define(1, WORD, SizeMode::None).unwrap();
    for (handle, class) in (2..).zip(LENGTHS) {
        agent.define(handle, &format!("{class}.length(Ljava/lang/String;)I"), SizeMode::None).unwrap();
    }
    for round in 1..=5 {
        let outcomes = agent.instrument(&[1, 2, 3, 4]).unwrap();
        assert!(outcomes[..3].iter().all(|(_, outcome)| *outcome == Outcome::Instrumented), "{outcomes:?}");
        let (4, Outcome::Refused(Refusal::Jvm(why))) = &outcomes[3] else { panic!("{outcomes:?}") };
        assert_eq!(why.contains("left alone after 3 failures"), round > 3, "round {round}: {why}");
        (1..=3).for_each(|handle| agent.arm(handle, 1).unwrap());
        agent.samples.clear();
        says(&mut program, "say");
        agent.settle().unwrap();
        assert_eq!(agent.samples.len(), CALLS + 2);
        agent.restore(&[1, 2, 3, 4]).unwrap();
    }
    agent.detach().unwrap();
    says(&mut program, "say");
    assert_eq!(program.end().unwrap(), (Vec::new(), 0));
}
