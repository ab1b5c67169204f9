//! Metaspace that changes of classes keep: the lambdas of a changed class are linked again, and HotSpot keeps
//! the old ones. However often classes change, no more is kept than the account allows.

use crate::case::Case;
use crate::harness;
use crate::keys::{A, B};
use crate::stand_in::serve;
use crate::witness::{Witness, changed};
use spl_model::{Facts, Handle, Outcome, Refusal, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::{ToAgent, ToController};

/// Changes of each class, in and out.
const CYCLES: u64 = 40;
const SOAK_CYCLES: u64 = 3000;
/// Changes between two garbage collections, as programs have them.
const COLLECTED_AFTER: u64 = 20;
const MEGABYTE: u64 = 1 << 20;
/// Calls of each lambda after a change, after which the JVM has compiled it.
const HOT: u64 = 3000;
/// With lambdas of its own, a class of the program; and classes of the JDK.
const METHODS: [&str; 4] = [
    "Lambdas.measured(I)I",
    "java/lang/Integer.compareTo(Ljava/lang/Integer;)I",
    "java/lang/String.hashCode()I",
    "Alike.measured(I)I",
];
const CLASSES: [&str; 3] = ["Lambdas", "java/lang/Integer", "java/lang/String"];

/// A program with many lambdas, in which it is known what classes weigh.
struct Weighed {
    program: Program,
    door: Door,
    witness: Witness,
}

impl Weighed {
    fn start(options: &[&str]) -> (Self, Session) {
        let door = Door::open().unwrap();
        let socket = door.path().with_file_name("witness.sock");
        let classes = harness::classes().display().to_string();
        let agents = [door.option(&harness::agent()), Witness::option(&socket)];
        let arguments = agents.iter().map(String::as_str).chain(options.iter().copied());
        let mut program =
            Program::start(&harness::java(), arguments.chain(["-cp", &classes, "Lambdas"])).unwrap();
        let agent = door.accept().unwrap();
        program.expect("ready").unwrap();
        let witness = Witness::connect(&socket);
        (Self { program, door, witness }, agent)
    }

    fn ask(&mut self, question: &str) -> u64 {
        self.program.tell(question).unwrap();
        self.program.line().unwrap().parse().unwrap()
    }

    /// Bytes of metaspace, after garbage collections.
    fn weigh(&mut self) -> u64 {
        self.ask("weigh")
    }

    /// Puts probes in and takes them out again `cycles` times, with `calls` of all lambdas after each and a
    /// garbage collection now and then; returns the number of changes that were not refused.
    fn cycles(&mut self, agent: &mut Session, handles: &[u32], cycles: u64, calls: u64) -> u64 {
        let run = format!("run {calls}");
        let mut possible = 0;
        for cycle in 0..cycles {
            let outcomes = agent.instrument(handles).unwrap();
            let refused = outcomes.iter().any(|(_, outcome)| is_refused(outcome));
            let all = |of: fn(&Outcome) -> bool| outcomes.iter().filter(|(_, outcome)| of(outcome)).count();
            assert_eq!(all(is_refused) + all(|one| one.is_instrumented()), handles.len(), "{outcomes:?}");
            self.ask(&run);
            agent.restore(handles).unwrap();
            self.ask(&run);
            possible += u64::from(!refused);
            if cycle % COLLECTED_AFTER == 0 {
                self.weigh();
            }
            // Nobody is to wait longer for longer lists of what was said.
            let last = account(agent);
            agent.said.retain(|message| matches!(message, ToController::Hello { .. }));
            agent.said.push(ToController::Metaspace { kept: last[0], reserved: last[1], limit: last[2] });
        }
        possible
    }
}

fn is_refused(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Refused(Refusal::Metaspace { .. }))
}

fn is_full(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Refused(Refusal::MetaspaceFull { .. }))
}

/// The agent's last report in bytes: kept by changes, set aside, and the limit.
fn account(agent: &Session) -> [u64; 3] {
    let of = |message: &ToController| match *message {
        ToController::Metaspace { kept, reserved, limit } => Some([kept, reserved, limit]),
        _ => None,
    };
    agent.said.iter().rev().find_map(of).expect("the agent tells after each change")
}

fn define(agent: &mut Session, limit: u64) {
    agent.send(&ToAgent::MetaspaceLimit { bytes: limit }).unwrap();
    for (handle, method) in (1..).zip(METHODS) {
        agent.define(handle, method, Sizing::None).unwrap();
    }
}

/// Whether the JVM keeps the classes of old lambdas: JDK 11 frees them.
fn keeps_lambdas(agent: &Session) -> bool {
    let is_11 = |message: &ToController| matches!(message, ToController::Hello { java_version, .. } if java_version.starts_with("11."));
    !agent.said.iter().any(is_11)
}

/// Changes the classes of these methods as often as the account allows, and looks what metaspace has grown by.
fn grows(handles: &[u32], lambdas: bool, calls: u64) {
    let soak = harness::many(0, 1) == 1;
    let limit = if soak { 16 } else { 8 } * MEGABYTE;
    let (mut weighed, mut agent) = Weighed::start(&[]);
    let original = weighed.witness.snapshot(&CLASSES);
    define(&mut agent, limit);
    let keeps = keeps_lambdas(&agent);
    let before = weighed.weigh();
    let cycles = harness::many(CYCLES, SOAK_CYCLES);
    let possible = weighed.cycles(&mut agent, handles, cycles, calls);
    let grown = weighed.ask("used").max(weighed.weigh()).saturating_sub(before);
    let [kept, reserved, said] = account(&agent);
    let [grown_kb, kept_kb, limit_kb] = [grown, kept, limit].map(|bytes| bytes >> 10);
    println!(
        "{possible} of {cycles} cycles of {handles:?}; metaspace grew by {grown_kb} KB, {kept_kb} of {limit_kb} KB are charged"
    );
    assert_eq!((said, reserved), (limit, 0));
    assert!(kept <= limit && possible > 2, "{possible} cycles keep {kept} bytes");
    if keeps && lambdas {
        assert!(possible < cycles, "{possible} of {cycles} cycles of a hundred lambdas were possible");
    }
    // The figure includes the JVM's notes about methods during the test.
    assert!(grown <= limit + MEGABYTE / 2, "metaspace has grown by {grown} bytes");
    // At any state of the account every class gets its bytecode back, and there is room for that.
    assert_eq!(changed(&original, &weighed.witness.snapshot(&CLASSES)), Vec::<String>::new());
    agent.detach().unwrap();
    assert_eq!(weighed.program.end().unwrap(), (Vec::new(), 0));
}

#[test]
fn growth_by_lambdas_stays_within_the_account() {
    grows(&[1], true, 1);
}

#[test]
fn growth_by_hot_lambdas_stays_within_the_account() {
    grows(&[1], true, harness::many(300, HOT));
}

#[test]
fn growth_by_classes_of_the_jdk_stays_within_the_account() {
    grows(&[2, 3], false, 1);
}

#[test]
fn the_account_outlives_controllers_and_restoring_is_always_paid() {
    let (mut weighed, mut agent) = Weighed::start(&[]);
    let original = weighed.witness.snapshot(&CLASSES);
    define(&mut agent, 8 * MEGABYTE);
    let possible = weighed.cycles(&mut agent, &[1], 3, 1);
    let [before, ..] = account(&agent);
    assert!(possible == 3 && before > 0);
    // Gone without a word, with probes in the class.
    assert_eq!(agent.instrument(&[1, 2]).unwrap().len(), 2);
    let [kept, reserved, _] = account(&agent);
    assert!(reserved > 100 * 1024, "{reserved} bytes are set aside for a class of a hundred lambdas");
    drop(agent);
    let mut agent = weighed.door.accept().unwrap();
    // Less than is kept already: nothing goes in, and all that was in is out.
    define(&mut agent, kept / 2);
    let outcomes = agent.instrument(&[1, 3]).unwrap();
    assert!(outcomes.iter().all(|(_, outcome)| is_refused(outcome)), "{outcomes:?}");
    assert_eq!(changed(&original, &weighed.witness.snapshot(&CLASSES)), Vec::<String>::new());
    agent.send(&ToAgent::MetaspaceLimit { bytes: 64 * MEGABYTE }).unwrap();
    assert!(agent.instrument(&[3]).unwrap()[0].1.is_instrumented());
    assert!(account(&agent)[0] >= before, "a new controller begins a new account");
    agent.detach().unwrap();
    assert_eq!(weighed.program.end().unwrap(), (Vec::new(), 0));
}

#[test]
fn the_price_covers_lambdas_that_run_hot() {
    let (mut weighed, mut agent) = Weighed::start(&[]);
    define(&mut agent, 16 * MEGABYTE);
    weighed.ask(&format!("run {HOT}"));
    let before = weighed.weigh();
    let possible = weighed.cycles(&mut agent, &[1], 5, HOT);
    let grown = weighed.ask("used").saturating_sub(before);
    let [kept, ..] = account(&agent);
    println!("5 cycles: metaspace grew by {} KB, {} KB are charged", grown >> 10, kept >> 10);
    assert_eq!(possible, 5);
    // Before a collection, and with what the JVM notes of other methods meanwhile.
    assert!(grown <= kept + MEGABYTE / 2, "{grown} bytes came, {kept} are charged");
    agent.detach().unwrap();
    weighed.program.end().unwrap();
}

#[test]
fn equal_method_references_are_priced_one_by_one_before_the_first_change() {
    let (mut weighed, mut agent) = Weighed::start(&[]);
    // Loads the class.
    assert!(weighed.ask("alike") > 0);
    define(&mut agent, 400 * 1024);
    let outcomes = agent.instrument(&[4]).unwrap();
    assert!(outcomes.iter().all(|(_, outcome)| is_refused(outcome)), "{outcomes:?}");
    agent.send(&ToAgent::MetaspaceLimit { bytes: 800 * 1024 }).unwrap();
    let outcomes = agent.instrument(&[4]).unwrap();
    assert!(outcomes.iter().all(|(_, outcome)| outcome.is_instrumented()), "{outcomes:?}");
    agent.detach().unwrap();
    weighed.program.end().unwrap();
}

#[test]
fn a_program_whose_metaspace_is_nearly_full_is_left_alone() {
    let (mut weighed, mut agent) = Weighed::start(&["-XX:MaxMetaspaceSize=32m"]);
    let original = weighed.witness.snapshot(&CLASSES);
    define(&mut agent, 16 * MEGABYTE);
    // There is room, and then there is none.
    assert!(agent.instrument(&[1]).unwrap()[0].1.is_instrumented());
    agent.restore(&[1]).unwrap();
    assert!(weighed.ask("fill 88") > 0);
    // From what is loaded, before a collection tells what is taken: on JDK 11 a small class takes more than that tells.
    if !keeps_lambdas(&agent) {
        weighed.weigh();
    }
    for _ in 0..3 {
        let outcomes = agent.instrument(&[1, 2, 3]).unwrap();
        assert!(outcomes.iter().all(|(_, outcome)| is_full(outcome)), "{outcomes:?}");
        assert!(weighed.ask(&format!("run {HOT}")) > 0);
    }
    assert_eq!(changed(&original, &weighed.witness.snapshot(&CLASSES)), Vec::<String>::new());
    agent.detach().unwrap();
    assert_eq!(weighed.program.end().unwrap(), (Vec::new(), 0));
}

#[test]
fn a_change_that_the_jvm_has_no_memory_for_is_said_to_be_one() {
    // Without counters nobody knows that it is full.
    let (mut weighed, mut agent) = Weighed::start(&["-XX:MaxMetaspaceSize=32m", "-XX:-UsePerfData"]);
    define(&mut agent, 16 * MEGABYTE);
    assert!(agent.instrument(&[1]).unwrap()[0].1.is_instrumented());
    agent.restore(&[1]).unwrap();
    assert!(weighed.ask("fill 101") > 0);
    // Three classes at once, so that no gap is large enough; a chunk of JDK 11 may be.
    let keeps = keeps_lambdas(&agent);
    for handles in [&[1, 2, 3][..], &[2]] {
        for (_, outcome) in agent.instrument(handles).unwrap() {
            let is_said = matches!(outcome, Outcome::Refused(Refusal::NoMemory(_)));
            assert!(is_said || !keeps && outcome.is_instrumented(), "{outcome:?}");
        }
    }
    agent.detach().unwrap();
    weighed.program.end().unwrap();
}

#[test]
fn a_program_with_little_metaspace_lives_on() {
    // Also where the JVM keeps no counters: then every change costs its price.
    for counters in ["-XX:+UsePerfData", "-XX:-UsePerfData"] {
        let (mut weighed, mut agent) = Weighed::start(&["-XX:MaxMetaspaceSize=24m", counters]);
        define(&mut agent, 16 * MEGABYTE);
        let possible = weighed.cycles(&mut agent, &[1], 60, 1);
        let [kept, _, limit] = account(&agent);
        assert_eq!(limit, 24 * MEGABYTE / 10, "a tenth of what there may be");
        assert!(kept <= limit && (1..60).contains(&possible), "{counters}: {possible} cycles, {kept} bytes");
        assert!(weighed.ask("run 1000") > 0);
        agent.detach().unwrap();
        assert_eq!(weighed.program.end().unwrap(), (Vec::new(), 0));
    }
}

#[test]
fn a_class_with_many_lambdas_is_named_dear() {
    let (weighed, mut agent) = Weighed::start(&[]);
    define(&mut agent, 16 * MEGABYTE);
    agent.instrument(&[1, 2]).unwrap();
    agent.settle().unwrap();
    let dear = |message: &ToController| match message {
        ToController::Dear { handles, bytes } => Some((handles.clone(), *bytes)),
        _ => None,
    };
    let dear: Vec<_> = agent.said.iter().filter_map(dear).collect();
    let [(handles, bytes)] = &dear[..] else { panic!("{dear:?}") };
    assert_eq!(*handles, [Handle(1)]);
    // JDK 11 takes more, and five times the file.
    assert!((100 * 4800..100 * 8000).contains(bytes), "{bytes} bytes a change");
    agent.detach().unwrap();
    weighed.program.end().unwrap();
}

#[test]
fn what_the_limit_prevents_is_said_everywhere() {
    let case = Case::comparing(&format!("{A} = {B}\n"));
    let mut served = serve(&case, &["--once", "--metrics", "spl.prom"]);
    let mut agent = served.measures();
    let metaspace =
        ToController::Metaspace { kept: 15 * MEGABYTE, reserved: MEGABYTE / 2, limit: 16 * MEGABYTE };
    agent.say(&metaspace);
    let why = Refusal::Metaspace { kept_kb: 15_872, limit_kb: 16_384 };
    let instrumented = Outcome::Instrumented(Facts::default());
    for (handle, outcome) in [(1, instrumented.clone()), (0, instrumented), (0, Outcome::Refused(why))] {
        agent.say(&ToController::Outcome { handle: Handle(handle), class_loader: String::new(), outcome });
    }
    agent.settles();
    agent.bye();
    let ended = served.run.ends();
    let reason = "changes of classes keep 15872 KB of metaspace in this JVM, with what is set aside to restore them, and \
                  another of its class would pass the limit of 16384 KB (metaspace-limit)";
    ended.assert_said(&[
        &format!("{A} cannot be measured: {reason}"),
        &format!("undecided: not measured: {A}: {reason}"),
    ]);
    let [result] = &case.results()[..] else { panic!("{:?}", case.results()) };
    let why = result.evaluation.verdict.as_ref().expect_err("nothing was measured").to_string();
    assert_eq!(why, format!("not measured: {A}: {reason}"));
    let metrics = std::fs::read_to_string(case.path("spl.prom")).unwrap();
    for (what, bytes) in [("kept", 15 * MEGABYTE), ("reserved", MEGABYTE / 2), ("limit", 16 * MEGABYTE)] {
        let line = format!("spl_metaspace_{what}_bytes {bytes}");
        assert!(metrics.lines().any(|one| one == line), "{line} is missing in {metrics}");
    }
    let page = std::fs::read_to_string(case.path("out/report.html")).unwrap();
    assert!(
        page.contains("keep at most 15.0 MB of this JVM's metaspace until it ends, of 16.0 MB"),
        "no line in the report"
    );
    assert!(
        page.contains("cannot be measured any more: changes of classes keep 15872 KB"),
        "no remark in the report"
    );
}
