//! User code that finds sizes and to which something happens meanwhile, and class loaders that come and go: the program keeps
//! what is its own, and nothing of it is kept.

use crate::harness::{self, DEADLINE, poll};
use crate::sizes::sized;
use crate::witness::Witness;
use spl_model::{Handle, Instrument, Outcome, ProbeKind, SampleFlags, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::{ToAgent, ToController, WireSample, WireSize};
use std::path::PathBuf;

const COMPUTABLE: u32 = 1;
const PROCESSED: u32 = 2;
const ANY: u32 = 3;
const QUICK: u32 = 4;
/// Each with whether the processor is asked for its sizes.
const METHODS: [(u32, &str, bool); 4] = [
    (COMPUTABLE, "Rough.computable(LRough$Task;)I", false),
    (PROCESSED, "Rough.processed(LRough$Task;)I", true),
    (ANY, "Rough.any(Ljava/lang/Object;)I", false),
    (QUICK, "Rough$Brief.quick(Ljava/lang/Object;)I", true),
];
/// Fewer than a size may need too long before it is asked for no more.
const ROUNDS: usize = 3;
const CALLS: usize = 20;
const LOADERS: usize = 60;
/// More than there are blocks for threads of their own.
const CROWD: usize = 600;
/// Objects that may still be referenced after use: by a thread's stack, by the agent's last order.
const LAST_LOADERS: usize = 3;

fn start() -> (Program, Session, Door) {
    let door = Door::open().unwrap();
    let classes = sized().display().to_string();
    let options = [door.option(&harness::agent()), Witness::option(&witness_socket(&door))];
    let arguments = [&*options[0], &options[1], "-Xmx64m", "-cp", &classes, "Rough"];
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    let mut agent = door.accept().unwrap();
    program.expect("ready").unwrap();
    for (handle, method, asked) in METHODS {
        let method = method.parse().unwrap();
        let sizing = if asked { Sizing::Processor("Rough$Asking".to_owned()) } else { Sizing::Deep };
        let instrument = Instrument { method, kind: ProbeKind::Times(sizing) };
        agent.send(&ToAgent::Define { handle: Handle(handle), instrument }).unwrap();
    }
    agent.instrument(&METHODS.map(|(handle, ..)| handle)).unwrap();
    METHODS.iter().for_each(|(handle, ..)| agent.arm(*handle, 1).unwrap());
    (program, agent, door)
}

fn witness_socket(door: &Door) -> PathBuf {
    door.path().with_file_name("witness.sock")
}

fn says(program: &mut Program, agent: &mut Session, line: &str) -> String {
    program.tell(line).unwrap();
    let said = agent.line_of(program);
    said.unwrap_or_else(|error| panic!("{line}: {error:?}; the agent's last word: {:?}", agent.said.last()))
}

fn is_whole(sample: &WireSample) -> bool {
    !SampleFlags(sample.flags).contains(SampleFlags::SIZE_TRUNCATED)
}

/// As many calls with right sizes as were made: nothing of what came before is left.
fn assert_right(program: &mut Program, agent: &mut Session) {
    agent.settle().unwrap();
    agent.samples.clear();
    for line in ["computable right", "processed right"] {
        (0..CALLS).for_each(|_| assert_eq!(says(program, agent, line), "7"));
    }
    agent.settle().unwrap();
    for (handle, size) in [(COMPUTABLE, WireSize::Value(10)), (PROCESSED, WireSize::Label(0))] {
        let calls = agent.samples.iter().filter(|sample| sample.handle == Handle(handle));
        let right = |sample: &&WireSample| {
            is_whole(sample) && sample.size == size && sample.depth.is_none_or(|depth| depth == 0)
        };
        assert_eq!(calls.clone().filter(right).count(), CALLS, "{:?}", calls.collect::<Vec<_>>());
    }
    assert_eq!((agent.dropped, agent.anomalies), (0, 0));
}

#[test]
fn a_thread_that_is_stopped_while_its_size_is_found_is_stopped() {
    let (mut program, mut agent, door) = start();
    let mut witness = Witness::connect(&witness_socket(&door));
    assert_right(&mut program, &mut agent);
    for _ in 0..ROUNDS {
        for line in ["computable spin", "processed spin"] {
            agent.settle().unwrap();
            agent.samples.clear();
            let mut said = says(&mut program, &mut agent, line);
            if said == "spinning" {
                witness.stop("victim");
                said = agent.line_of(&mut program).unwrap();
            }
            assert_eq!(said, "stopped");
            agent.settle().unwrap();
            // The call of a thread that was stopped before it began is not measured.
            assert_eq!(agent.samples.len(), 0, "{:?}", agent.samples);
        }
        assert_right(&mut program, &mut agent);
    }
    agent.detach().unwrap();
    // The agent takes no questions any more.
    program.tell("computable right").unwrap();
    program.expect("7").unwrap();
    assert_eq!(program.end().unwrap(), (Vec::new(), 0));
}

#[test]
fn what_user_code_throws_is_not_the_programs_even_if_it_looks_like_a_stop() {
    let (mut program, mut agent, _door) = start();
    assert_right(&mut program, &mut agent);
    for line in ["computable death", "processed death"] {
        agent.settle().unwrap();
        agent.samples.clear();
        (0..CALLS).for_each(|_| assert_eq!(says(&mut program, &mut agent, line), "7", "{line}"));
        agent.settle().unwrap();
        assert_eq!(agent.samples.len(), CALLS, "{line}");
    }
    let warned = |message: &&ToController| matches!(message, ToController::Warning { text } if text.contains("threw java.lang.ThreadDeath"));
    // Warnings come by way of the agent's other thread.
    let both = || {
        agent.settle().unwrap();
        (agent.said.iter().filter(warned).count() >= 2).then_some(())
    };
    poll("a warning for each that threw it", DEADLINE, both);
    assert_right(&mut program, &mut agent);
    assert_eq!(agent.said.iter().filter(warned).count(), 2, "each is warned of once");
    program.end().unwrap();
}

#[test]
fn sizes_load_no_class_of_the_program() {
    let (mut program, mut agent, _door) = start();
    agent.samples.clear();
    assert_eq!(says(&mut program, &mut agent, "holder"), "asked for []");
    agent.settle().unwrap();
    let [sample] = &agent.samples[..] else { panic!("{:?}", agent.samples) };
    // The object with three references, a string and its array.
    let WireSize::Value(bytes) = sample.size else { panic!("{sample:?}") };
    assert!(is_whole(sample) && bytes >= 3 * 24, "{sample:?}");
    program.end().unwrap();
}

#[test]
fn class_loaders_of_measured_classes_are_not_kept() {
    let (mut program, mut agent, _door) = start();
    let instrumented = |agent: &Session| {
        let is_one = |message: &&ToController| {
            matches!(
                message,
                ToController::Outcome { handle: Handle(QUICK), outcome: Outcome::Instrumented(_), .. }
            )
        };
        agent.said.iter().filter(is_one).count()
    };
    // Classes that are gone before the agent thread comes to them get no probes, and on a busy machine all may be.
    let some = poll("a class with probes", DEADLINE, || {
        assert_eq!(says(&mut program, &mut agent, &format!("churn {LOADERS}")), "done");
        agent.settle().unwrap();
        Some(instrumented(&agent)).filter(|some| *some > 0)
    });
    let left = poll("the loaders' end", DEADLINE, || {
        agent.settle().unwrap();
        let left: usize = says(&mut program, &mut agent, "alive").parse().unwrap();
        (left <= LAST_LOADERS).then_some(left)
    });
    println!("{some} got probes, {left} are still there");
    agent.restore(&[QUICK]).unwrap();
    agent.detach().unwrap();
    assert_eq!(program.end().unwrap(), (Vec::new(), 0));
}

#[test]
fn one_of_very_many_threads_is_the_same_when_the_others_have_gone() {
    let (mut program, mut agent, _door) = start();
    for (place, of) in [("size", COMPUTABLE), ("in", ANY)] {
        agent.settle().unwrap();
        agent.samples.clear();
        assert_eq!(says(&mut program, &mut agent, &format!("crowd {CROWD} {place}")), "done");
        agent.settle().unwrap();
        // The longest is the last thread's, which waits for all others.
        let longest = |sample: &&WireSample| sample.end_ns - sample.start_ns;
        let last = agent
            .samples
            .iter()
            .filter(|sample| sample.handle == Handle(of))
            .max_by_key(longest)
            .unwrap()
            .thread;
        let nested: Vec<_> = agent
            .samples
            .iter()
            .filter(|sample| {
                sample.thread == last && sample.handle == Handle(ANY) && longest(sample) < 100_000_000
            })
            .collect();
        let others = agent.samples.iter().filter(|sample| sample.thread != last).count();
        assert_eq!((others, agent.dropped), (CROWD, 0));
        if place == "size" {
            assert_eq!(
                nested,
                Vec::<&WireSample>::new(),
                "calls that a size computation makes are not the program's"
            );
        } else {
            assert!(!nested.is_empty(), "calls of a thread without a block of its own are measured");
            assert!(nested.iter().all(|sample| sample.depth.is_none_or(|depth| depth == 1)), "{nested:?}");
        }
    }
    program.end().unwrap();
}
