//! Methods that the JVM, its class loading, and the probe's surroundings stand on: measured, or refused with a reason.

use crate::harness;
use spl_model::{Facts, Handle, Outcome, Refusal, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::ToController;

/// Each with whether it can be measured.
const TARGETS: [(&str, bool); 10] = [
    ("java/lang/String.hashCode()I", true),
    ("java/util/HashMap.get(Ljava/lang/Object;)Ljava/lang/Object;", true),
    ("java/lang/Object.<init>()V", false),
    ("java/lang/Thread.currentThread()Ljava/lang/Thread;", false),
    ("java/lang/ThreadLocal.get()Ljava/lang/Object;", true),
    ("java/util/concurrent/ConcurrentHashMap.get(Ljava/lang/Object;)Ljava/lang/Object;", true),
    ("java/lang/ClassLoader.loadClass(Ljava/lang/String;)Ljava/lang/Class;", true),
    ("java/util/concurrent/locks/AbstractQueuedSynchronizer.acquire(I)V", true),
    ("java/lang/System.nanoTime()J", false),
    ("java/lang/Throwable.<init>()V", true),
];
/// Least number of calls of each target in a line of the program.
const ROUNDS: &str = "300";

fn start(options: &[&str], main: &str) -> Program {
    let classes = harness::classes().display().to_string();
    let arguments = [options, &["-cp", &classes, main]].concat();
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    program.expect("ready").unwrap();
    program
}

fn measured() -> (Program, Session, Door) {
    measured_in("HardTargets")
}

fn measured_in(main: &str) -> (Program, Session, Door) {
    let door = Door::open().unwrap();
    let option = door.option(&harness::agent());
    let program = start(&[&option], main);
    let agent = door.accept().unwrap();
    (program, agent, door)
}

/// The program's answers to these lines without an agent.
fn alone(lines: &[&str]) -> Vec<String> {
    let mut program = start(&[], "HardTargets");
    let mut answer = |line: &&str| {
        program.tell(line).unwrap();
        program.line().unwrap()
    };
    lines.iter().map(&mut answer).collect()
}

fn says(program: &mut Program, agent: &mut Session, line: &str) -> String {
    program.tell(line).unwrap();
    agent.line_of(program).unwrap()
}

#[test]
fn hard_targets_are_measured_or_refused() {
    let expected = alone(&[ROUNDS; TARGETS.len()]);
    let (mut program, mut agent, _door) = measured();
    for ((handle, (method, measurable)), expected) in (1..).zip(TARGETS).zip(&expected) {
        agent.define(handle, method, Sizing::None).unwrap();
        let outcome = agent.instrument(&[handle]).unwrap()[0].1.clone();
        agent.arm(handle, 1).unwrap();
        agent.samples.clear();
        assert_eq!(says(&mut program, &mut agent, ROUNDS), *expected, "{method}");
        agent.settle().unwrap();
        println!("{method}: {outcome:?}, {} samples", agent.samples.len());
        match outcome {
            Outcome::Instrumented(_) => {
                assert!(measurable && agent.samples.len() >= 300, "{method}")
            }
            Outcome::Native | Outcome::Refused(Refusal::Special(_)) => {
                assert!(!measurable && agent.samples.is_empty(), "{method}");
            }
            other => panic!("{method}: {other:?}"),
        }
        agent.restore(&[handle]).unwrap();
    }
    agent.detach().unwrap();
    assert_eq!(program.end().unwrap(), (Vec::new(), 0));
}

/// Each of them is called inside others, and computing sizes meets some of them again.
#[test]
fn hard_targets_are_measured_all_at_once_with_their_sizes() {
    let expected = alone(&[ROUNDS; 3]);
    let (mut program, mut agent, _door) = measured();
    let handles = (1..=TARGETS.len() as u32).collect::<Vec<_>>();
    for (&handle, (method, _)) in handles.iter().zip(TARGETS) {
        agent.define(handle, method, Sizing::Deep).unwrap();
    }
    agent.instrument(&handles).unwrap();
    handles.iter().for_each(|handle| agent.arm(*handle, 1).unwrap());
    for expected in &expected {
        assert_eq!(says(&mut program, &mut agent, ROUNDS), *expected);
    }
    agent.settle().unwrap();
    for (handle, (method, measurable)) in (1..).zip(TARGETS) {
        let seen = agent.samples.iter().any(|sample| sample.handle == Handle(handle));
        assert_eq!(seen, measurable, "{method}");
    }
    agent.detach().unwrap();
    assert_eq!(program.end().unwrap(), (Vec::new(), 0));
}

/// Calls of these may begin in one thread and end in another, to which other probes write.
#[test]
fn what_puts_virtual_threads_on_their_carriers_is_refused() {
    const METHODS: [&str; 4] = [
        "jdk/internal/vm/Continuation.yield(Ljdk/internal/vm/ContinuationScope;)Z",
        "jdk/internal/vm/Continuation.run()V",
        "java/lang/VirtualThread.mount()V",
        "java/lang/VirtualThread.runContinuation()V",
    ];
    let (mut program, mut agent, _door) = measured_in("Virtual");
    for (handle, method) in (1..).zip(METHODS) {
        agent.define(handle, method, Sizing::None).unwrap();
        let outcome = agent.instrument(&[handle]).unwrap()[0].1.clone();
        println!("{method}: {outcome:?}");
        match outcome {
            // Before JDK 19.
            Outcome::NotLoaded => {}
            // The JVM itself does not let Continuation be changed.
            Outcome::Refused(Refusal::Unmodifiable | Refusal::Annotation(_)) => {}
            other => panic!("{method}: {other:?}"),
        }
    }
    agent.detach().unwrap();
    program.tell("").unwrap();
    let (said, status) = program.end().unwrap();
    assert!(status == 0 && said.last().is_some_and(|line| line == "ended"), "{said:?} {status}");
}

#[test]
fn an_intrinsic_whose_calls_are_seen_no_more_is_warned_of() {
    const MAX: &str = "java/lang/Math.max(II)I";
    let (mut program, mut agent, _door) = measured();
    agent.define(1, MAX, Sizing::None).unwrap();
    let outcomes = agent.instrument(&[1]).unwrap();
    assert!(
        matches!(outcomes[..], [(1, Outcome::Instrumented(Facts { intrinsic: true, .. }))]),
        "{outcomes:?}"
    );
    agent.arm(1, 1).unwrap();
    let warned = |message: &ToController| matches!(message, ToController::Warning { text } if text.starts_with(MAX) && text.contains("intrinsic"));
    while !agent.said.iter().any(warned) {
        assert_eq!(says(&mut program, &mut agent, "max 1000000"), "max 999999");
        agent.settle().unwrap();
    }
    assert!(!agent.samples.is_empty(), "the interpreter's calls are seen");
    program.end().unwrap();
}
