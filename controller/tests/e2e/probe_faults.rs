//! A controller that is gone at any moment, and many changes of one class: the program never pays for it.

use crate::case::Case;
use crate::harness::{self, DEADLINE, poll};
use crate::running::TEN_SECONDS;
use crate::stand_in::{TOKEN_FILE, serve, serve_as};
use crate::witness::{Snapshot, Witness, changed};
use spl_model::Sizing;
use spl_overhead::{Door, Program, Session};
use spl_wire::ToAgent;
use std::time::{Duration, Instant};

const KILLS: u64 = 20;
const SOAK_KILLS: u64 = 200;
const CYCLES: u64 = 300;
const SOAK_CYCLES: u64 = 9999;
const SEED: u64 = 0x5eed;
const METHODS: [&str; 5] = [
    "Truth.loop(J)J",
    "Truth.waits([J)V",
    "Truth.nap()V",
    "java/lang/Integer.compareTo(Ljava/lang/Integer;)I",
    "java/lang/String.hashCode()I",
];
const CLASSES: [&str; 3] = ["Truth", "java/lang/Integer", "java/lang/String"];

/// Memory of a JVM, in bytes.
#[derive(Debug)]
struct Weight {
    resident: u64,
    metaspace: u64,
    constant_pools: [u64; CLASSES.len()],
}

/// A program that two agents watch: the one under test, and the one that shows bytecode.
struct Watched {
    program: Program,
    _door: Door,
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
        (Self { program, _door: door, witness, original }, agent)
    }

    fn changed(&mut self) -> Vec<String> {
        changed(&self.original, &self.witness.snapshot(&CLASSES))
    }

    /// After a garbage collection, which takes away what earlier versions of the classes left.
    fn weight(&mut self) -> Weight {
        for word in ["gc", "metaspace"] {
            self.program.tell(word).unwrap();
        }
        self.program.expect("gc").unwrap();
        let metaspace = self.program.line().unwrap().parse().unwrap();
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.program.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("Linux tells the size");
        let kib = line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number");
        let constant_pools = CLASSES.map(|class| self.witness.constant_pool(class));
        Weight { resident: kib << 10, metaspace, constant_pools }
    }
}

/// Uniform numbers below `below` (xorshift, Marsaglia 2003).
fn random(state: &mut u64, below: u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % below
}

#[test]
fn a_controller_may_be_killed_at_any_moment() {
    // Calls of a millisecond and more, so that their samples are few.
    const METHODS: [&str; 2] = ["CompareLoop.fast([I)J", "java/lang/Integer.compareTo(Ljava/lang/Integer;)I"];
    const CLASSES: [&str; 2] = ["CompareLoop", "java/lang/Integer"];
    /// Milliseconds from the start of a controller to its end: fewer than this.
    const FROM_START: u64 = 300;
    /// Milliseconds from the coming of its agent to its end: fewer than this.
    const FROM_AGENT: u64 = 100;
    let case = Case::measuring(&METHODS).endless();
    // The first one only finds a port, and has no time to take leave of it.
    let mut served = serve(&case, &[]);
    served.run.signal("KILL");
    served.run.spl_ends_with(None);
    let (port, socket) = (served.port.to_string(), case.path("witness.sock"));
    let again = ["serve", "--config", "spl.ini", "--tasks", "spl.tasks", "--out", "out"];
    let start = || serve_as(&case, &[&again[..], &["--port", &port, "--token-file", TOKEN_FILE]].concat());
    let options = format!(
        "-agentpath:{}=spl.client.port={port},spl.client.token-file={}",
        harness::agent().display(),
        case.path(TOKEN_FILE).display()
    );
    let classes = harness::classes().display().to_string();
    let arguments = [&*options, &Witness::option(&socket), "-cp", &classes, "CompareLoop", "0", "100000"];
    let mut program = Program::start(&harness::java(), arguments).unwrap();
    program.expect("ready").unwrap();
    let mut witness = Witness::connect(&socket);
    let original = witness.snapshot(&CLASSES);
    let mut state = SEED;
    for kill in 1..=harness::many(KILLS, SOAK_KILLS) {
        let mut served = start();
        match kill % 3 {
            0 => std::thread::sleep(Duration::from_millis(random(&mut state, FROM_START))),
            1 => {
                served.run.awaits("spl: measuring Java ");
                std::thread::sleep(Duration::from_millis(random(&mut state, FROM_AGENT)));
            }
            _ => poll(&format!("changed classes before kill {kill}"), DEADLINE, || {
                (!changed(&original, &witness.snapshot(&CLASSES)).is_empty()).then_some(())
            }),
        }
        served.run.signal("KILL");
        served.run.spl_ends_with(None);
        let restored = || changed(&original, &witness.snapshot(&CLASSES)).is_empty().then_some(());
        poll(&format!("the original bytecode after kill {kill} (seed {SEED:#x})"), TEN_SECONDS, restored);
    }
    // The next one finds all as it should be, and goes on with the measurement.
    let mut served = start();
    let before = METHODS.map(|method| case.measurements(method).len());
    served.run.awaits("spl: measuring Java ");
    poll("more measurements", DEADLINE, || {
        (0..METHODS.len()).all(|n| case.measurements(METHODS[n]).len() > before[n]).then_some(())
    });
    served.run.signal("TERM");
    served.run.awaits("spl: every class is as it was");
    assert_eq!(changed(&original, &witness.snapshot(&CLASSES)), Vec::<String>::new());
    program.tell("").unwrap();
    let (said, status) = program.end().unwrap();
    assert_eq!((said.last().map(String::as_str), status), (Some("ended"), 0));
}

#[test]
fn a_class_may_be_changed_and_restored_again_and_again() {
    let (mut watched, mut agent) = Watched::start();
    // Another test checks the account's limit; this one checks the remains of all changes.
    agent.send(&ToAgent::MetaspaceLimit { bytes: 1 << 40 }).unwrap();
    for (handle, method) in (1..).zip(METHODS) {
        agent.define(handle, method, Sizing::None).unwrap();
    }
    let cycles = harness::many(CYCLES, SOAK_CYCLES);
    let (mut state, mut spans, mut weights, mut since) = (SEED, Vec::new(), Vec::new(), Instant::now());
    let speed = |watched: &mut Watched| {
        watched.program.tell("loop 50000").unwrap();
        watched.program.line().unwrap().parse::<f64>().unwrap()
    };
    let before = speed(&mut watched);
    for cycle in 1..=cycles {
        let plan = 1 + random(&mut state, (1 << METHODS.len()) - 1);
        let handles = (1..=METHODS.len() as u32).filter(|n| plan >> (n - 1) & 1 == 1).collect::<Vec<_>>();
        let outcomes = agent.instrument(&handles).unwrap();
        assert!(outcomes.iter().all(|(_, outcome)| outcome.is_instrumented()), "{outcomes:?}");
        agent.restore(&handles).unwrap();
        // Nobody is to wait longer for longer lists of what was said.
        agent.said.clear();
        if cycle % (cycles / 3) == 0 {
            spans.push(since.elapsed());
            weights.push(watched.weight());
            since = Instant::now();
        }
    }
    let after = speed(&mut watched);
    println!(
        "thirds of {cycles} changes took {spans:?}; {weights:?}; a body took {before:.0} ns, then {after:.0} ns"
    );
    let (first, last) = (&weights[0], &weights[2]);
    assert_eq!(first.constant_pools, last.constant_pools, "constant pools grow");
    // Two hundred changes that each left a class behind would take more, and so would 6,667.
    assert!(last.resident < first.resident + (24 << 20), "the JVM has grown: {weights:?}");
    assert!(last.metaspace < first.metaspace + (2 << 20), "metaspace has grown: {weights:?}");
    if cycles == SOAK_CYCLES {
        assert!(spans[2] < spans[0].mul_f64(1.5), "changes take ever longer: {spans:?}");
        assert!(after < before * 1.2, "a body took {before} ns before and takes {after} ns");
    }
    assert_eq!(watched.changed(), Vec::<String>::new());
    agent.detach().unwrap();
    assert_eq!(watched.program.end().unwrap(), (Vec::new(), 0));
}
