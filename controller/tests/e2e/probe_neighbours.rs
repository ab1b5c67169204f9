//! Other agents that change the measured class, before this one and after it; one that takes our probes out; and one that spoils a
//! class.

use crate::case::Case;
use crate::harness;
use spl_model::{Handle, Outcome, Refusal, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::ToController;
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
        agent.define(1, WORD, Sizing::None).unwrap();
        says(&mut program, "say");
        for again in [false, true] {
            assert!(agent.instrument(&[1]).unwrap()[0].1.is_instrumented());
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

/// Waits until the agent has found these methods' probes gone and has put them in again, for the `wanted`th
/// time.
fn awaits_removed(agent: &mut Session, from: usize, of: u32, wanted: u32) {
    let removed = |message: &ToController| matches!(message, ToController::Removed { .. });
    let at = agent.await_from(from, "the removal of probes to be noticed", removed).unwrap();
    let ToController::Removed { handles, times, gap_ns } = &agent.said[at] else { unreachable!() };
    assert_eq!((&handles[..], *times), (&[Handle(of)][..], wanted));
    assert!(*gap_ns > 0);
}

#[test]
fn probes_that_another_agent_takes_out_are_put_in_again_a_few_times() {
    for last in [false, true] {
        let (mut program, mut agent, _door) = start("", last);
        agent.define(1, WORD, Sizing::None).unwrap();
        // Nobody changes this one, and nobody calls it while its gate is open: its probes are not missed.
        agent.define(2, &format!("{}.length(Ljava/lang/String;)I", LENGTHS[0]), Sizing::None).unwrap();
        assert!(agent.instrument(&[1, 2]).unwrap().iter().all(|(_, one)| one.is_instrumented()));
        says(&mut program, "say");
        agent.arm(1, 1).unwrap();
        agent.arm(2, 1).unwrap();
        for times in 1..=4 {
            agent.settle().unwrap();
            agent.samples.clear();
            let from = agent.said.len();
            says(&mut program, "again");
            agent.settle().unwrap();
            let unseen = agent.samples.iter().filter(|sample| sample.handle == Handle(1)).count();
            assert_eq!(unseen, 0, "the other agent did not take the probes out");
            if times == 4 {
                let refused = |message: &ToController| {
                    let why = Outcome::Refused(Refusal::Removed(3));
                    matches!(message, ToController::Outcome { handle: Handle(1), outcome, .. } if *outcome == why)
                };
                agent.await_from(from, "the end of patience", refused).unwrap();
                continue;
            }
            awaits_removed(&mut agent, from, 1, times);
            agent.settle().unwrap();
            agent.samples.clear();
            says(&mut program, "say");
            agent.settle().unwrap();
            let seen = agent.samples.iter().filter(|sample| sample.handle == Handle(1)).count();
            assert_eq!(seen, CALLS, "time {times}, other agent last: {last}");
        }
        // The class stays as the other agent wants it.
        agent.restore(&[1, 2]).unwrap();
        agent.detach().unwrap();
        says(&mut program, "say");
        assert_eq!(program.end().unwrap(), (Vec::new(), 0));
    }
}

#[test]
fn a_measurement_goes_on_after_another_agents_change_and_says_so() {
    let case = Case::measuring(&[WORD]).endless();
    let transformer = transformer(&case.path(""), "");
    let mut run = case.java(&[&transformer, "Transformed", "busy"]);
    case.awaits_measurements(WORD, 1);
    run.line();
    run.awaits("another agent changed its class, which took its probes out for");
    let before = case.measurements(WORD).len() as u64;
    case.awaits_measurements(WORD, before + 20);
    let ended = run.ends();
    ended.assert_status(0);
    let remark = fs::read_to_string(case.path("out/context.json")).unwrap();
    assert!(remark.contains("they were put in again, for the 1. time"), "{remark}");
}

#[test]
fn a_verdict_names_the_agent_that_takes_the_probes_out() {
    let case = Case::comparing(&format!("{WORD} <= {}.length(Ljava/lang/String;)I\n", LENGTHS[0]));
    let transformer = transformer(&case.path(""), "");
    let mut run = case.java(&[&transformer, "Transformed", "often"]);
    run.awaits("probes removed by another agent");
    let ended = run.ends();
    ended.assert_said(&["undecided: not measured: Transformed.word()", "probes removed by another agent"]);
    let [result] = &case.results()[..] else { panic!("{:?}", case.results()) };
    let why = result.evaluation.verdict.as_ref().expect_err("nothing was measured").to_string();
    assert!(why.contains("probes removed by another agent, which changed its class again"), "{why}");
}

#[test]
fn a_class_that_spoils_a_batch_is_found_and_left_alone() {
    let (mut program, mut agent, _door) = start("=break", false);
    agent.define(1, WORD, Sizing::None).unwrap();
    for (handle, class) in (2..).zip(LENGTHS) {
        agent.define(handle, &format!("{class}.length(Ljava/lang/String;)I"), Sizing::None).unwrap();
    }
    for round in 1..=5 {
        let outcomes = agent.instrument(&[1, 2, 3, 4]).unwrap();
        assert!(outcomes[..3].iter().all(|(_, outcome)| outcome.is_instrumented()), "{outcomes:?}");
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
