//! Peers that break every rule: neither the program nor the controller is harmed, and both serve the next one.

use crate::case::{self, Case};
use crate::harness::{self, DEADLINE, poll};
use crate::running::{Running, plainly};
use crate::stand_in::{Agent, Controller, PID, TOKEN_FILE, serve};
use spl_model::{Handle, Instrument, MethodRef, Outcome, ProbeKind, Sizing};
use spl_wire::{ByeReason, Label, Readings, ToAgent, ToController, WireSample, WireSize};
use std::collections::BTreeSet;
use std::os::unix::net::UnixListener;
use std::process::Command;

const FAST: &str = "CompareLoop.fast([I)J";

/// Numbers that are the same in every run (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit.max(1) as u64) as usize
    }

    fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count).map(|_| self.below(256) as u8).collect()
    }
}

/// Ways to damage a stream of frames.
const DAMAGES: usize = 7;

/// The frames, cut, repeated, exchanged, changed, or with bytes that belong to none of them.
fn damage(mut frames: Vec<Vec<u8>>, how: usize, random: &mut Random) -> Vec<u8> {
    let at = random.below(frames.len());
    let other = random.below(frames.len());
    match how % DAMAGES {
        0 => {
            let whole = frames.concat();
            return whole[..random.below(whole.len())].to_vec();
        }
        1 => frames.insert(other, frames[at].clone()),
        2 => frames.swap(at, other),
        3 => {
            let byte = random.below(frames[at].len());
            frames[at][byte] ^= 1 << random.below(8);
        }
        4 => frames.insert(at, random.bytes(40)),
        5 => frames[at][..4].copy_from_slice(&u32::MAX.to_le_bytes()),
        _ => {
            frames.remove(at);
        }
    }
    frames.concat()
}

/// Messages that no agent would send.
fn lies() -> Vec<ToController> {
    let extremes = [0, 1, u64::MAX - 1, u64::MAX];
    let sizes =
        [WireSize::Unchecked, WireSize::Value(u64::MAX), WireSize::Label(7), WireSize::Label(u32::MAX)];
    let mut samples = Vec::new();
    for handle in [0, u32::MAX] {
        for (start_ns, end_ns) in extremes.iter().flat_map(|start| extremes.map(|end| (*start, end))) {
            for size in sizes {
                let depth = Some(u32::MAX);
                let thread = u64::MAX;
                let handle = Handle(handle);
                samples.push(WireSample { handle, start_ns, end_ns, thread, depth, size, flags: u16::MAX });
            }
        }
    }
    let label = |id: u32, text: &str| Label { id, text: text.to_owned() };
    let text = "\u{1b}[2J\r\nspl: verdict: ,\",\"".to_owned();
    vec![
        ToController::Labels { labels: vec![label(7, &text), label(7, ""), label(0, "x")] },
        ToController::Readings {
            readings: Readings::Times(samples.clone()),
            dropped: u64::MAX,
            anomalies: 0,
        },
        ToController::Readings { readings: Readings::Times(samples), dropped: u64::MAX, anomalies: u64::MAX },
        ToController::Limit { handle: Handle(u32::MAX) },
        ToController::Limit { handle: Handle(1) },
        ToController::Outcome {
            handle: Handle(u32::MAX),
            class_loader: text.clone(),
            outcome: Outcome::Native,
        },
        ToController::Outcome {
            handle: Handle(0),
            class_loader: text.clone(),
            outcome: Outcome::NoSuchMethod { nearest: vec![text.clone(); 100] },
        },
        ToController::Restored { handles: vec![Handle(u32::MAX); 1000] },
        ToController::Warning { text: text.clone() },
        ToController::Pong { id: u64::MAX, now_ns: u64::MAX, clock_reads_ps: u64::MAX },
        ToController::Pong { id: u64::MAX, now_ns: u64::MAX, clock_reads_ps: 0 },
    ]
}

fn hello() -> ToController {
    ToController::Hello {
        pid: PID,
        java_version: "\u{7}".to_owned(),
        instance: "\n,\"x".repeat(10_000),
        command: "x".repeat(100_000),
        now_ns: u64::MAX,
        kinds: vec!["times".to_owned(), "x".repeat(100_000)],
        max_measurements: Some(0),
        probe_cost_ps: Some(u64::MAX),
        probe_empty_ps: Some(u64::MAX),
        clock_reads_ps: Some(1),
    }
}

#[test]
fn a_controller_survives_hostile_agents_and_serves_the_next_program() {
    let case = Case::comparing("CompareLoop.fast([I)J <= CompareLoop.slow([I)J\n").endless().set(
        "controller",
        "human-readable-measurements",
        "0",
    );
    // The results of its several programs are put together.
    let case = case.set("controller", "overwrite-measurements", "0");
    let mut served = serve(&case, &[]);
    let (port, token) = (served.port, served.token.clone());
    let mut random = Random(0x5eed);
    // Peers without the token, and some with it.
    for round in 0..8 * DAMAGES {
        let mut agent = Agent::known(port, if round % 3 == 0 { "wrong" } else { &token });
        let messages = [&[hello()][..], &lies(), &[ToController::Bye { reason: ByeReason::Detached }]];
        let frames = messages.concat().iter().map(|message| agent.frame(message)).collect();
        let bytes = damage(frames, round, &mut random);
        // The controller may have closed the connection before all was said.
        let _ = agent.bytes(&bytes);
    }
    // Undamaged lies, each kind by an agent of its own.
    for lie in lies() {
        let mut agent = Agent::connect(port, &token);
        agent.say(&lie);
        agent.say(&ToController::Bye { reason: ByeReason::Failed("\u{1b}".to_owned()) });
        while agent.hears().is_some() {}
    }
    let port = port.to_string();
    let mut spl = case.spl_with(&["client", "--port", &port, "--token-file", TOKEN_FILE, "--"]);
    spl.args(case::java(&["CompareLoop", "0"]));
    let program = Running::start(spl, &case.path(""));
    let calls = || {
        let records = case.measurements(FAST);
        records.iter().filter(|record| record.origin.parse() != Ok(PID)).count()
    };
    poll("samples of the program", DEADLINE, || (calls() > 20).then_some(()));
    program.ends().assert_status(0);
    served.run.signal("INT");
    // Something went wrong, and was said.
    served.run.spl_ends_with(Some(2));
    let said = served.run.transcript();
    assert!(!said.contains("panicked"), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\u{7}'), "control characters reach the terminal");
}

/// A method that is defined under a number.
fn define(handle: u32, method: &str) -> ToAgent {
    let method: MethodRef = method.parse().unwrap();
    let kind = ProbeKind::Times(Sizing::Processor("no.Such".to_owned()));
    ToAgent::Define { handle: Handle(handle), instrument: Instrument { method, kind } }
}

/// Orders that no controller would give.
fn orders() -> Vec<ToAgent> {
    let own = [
        "java/lang/SplProbe.enter(I)I",
        "java/lang/SplSizes.bytes(Ljava/lang/Object;)J",
        "java/lang/SplSizes.references(Ljava/lang/Class;)Ljava/lang/String;",
        "jdk/internal/misc/Unsafe.getInt(J)I",
        "java/lang/Object.<init>()V",
        "java/lang/System.nanoTime()J",
        "java/lang/Thread.run()V",
        "java/lang/Throwable.<init>()V",
        "java/lang/ClassLoader.loadClass(Ljava/lang/String;)Ljava/lang/Class;",
        "Life.wantsRound()Z",
        "Life.check(Ljava/lang/String;)V",
        "no/Such.method()V",
    ];
    let handles = (10..).take(own.len());
    let mut orders = vec![
        ToAgent::ProcessorJar { path: "/dev/zero".to_owned() },
        define(1, "Life.end()V"),
        define(2, FAST),
        ToAgent::Arm { handle: Handle(u32::MAX), every: u32::MAX, quota: u64::MAX },
        ToAgent::Arm { handle: Handle(1), every: u32::MAX, quota: u64::MAX },
        ToAgent::Arm { handle: Handle(1), every: 0, quota: 0 },
        ToAgent::Instrument { handles: vec![Handle(1); 10_000] },
        ToAgent::Instrument { handles: (0..10_000).map(Handle).collect() },
        ToAgent::Restore { handles: vec![Handle(u32::MAX), Handle(2)] },
        ToAgent::Disarm { handle: Handle(u32::MAX) },
    ];
    orders.extend(handles.clone().zip(own).map(|(handle, method)| define(handle, method)));
    orders.push(ToAgent::Instrument { handles: handles.clone().map(Handle).collect() });
    orders.extend(handles.map(|handle| ToAgent::Arm { handle: Handle(handle), every: 1, quota: 0 }));
    orders.extend((0..1000).map(|id| ToAgent::Ping { id }));
    orders.extend([ToAgent::Drain, ToAgent::Pong { id: 0 }]);
    orders
}

#[test]
fn a_program_survives_hostile_controllers_and_is_measured_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let socket = folder.path().join("socket");
    let listener = UnixListener::bind(&socket).unwrap();
    let program = case::java(&["CompareLoop", "0"]);
    let alone = plainly(Command::new(&program[0]).args(&program[1..]));
    let mut command = Command::new(&program[0]);
    command.arg(format!("-agentpath:{}=spl.client.socket={}", harness::agent().display(), socket.display()));
    command.args(&program[1..]).env_remove("JAVA_TOOL_OPTIONS");
    let run = Running::start(command, folder.path());
    let mut random = Random(0x5eed);
    let mut costs = BTreeSet::new();
    for round in 0..3 * DAMAGES {
        let mut controller = Controller::unix(&listener);
        if let ToController::Hello { probe_cost_ps, .. } = controller.hello {
            costs.insert(probe_cost_ps);
        }
        controller.measures(FAST);
        let frames = orders().iter().map(|order| controller.frame(order)).collect();
        controller.bytes(&damage(frames, round, &mut random));
    }
    // No two calibrations agree to the picosecond.
    assert_eq!(costs.len(), 1, "calibrated for each controller: {costs:?}");
    // Undamaged, with a pong at the end of them all.
    let mut controller = Controller::unix(&listener);
    controller.measures(FAST);
    orders().iter().for_each(|order| controller.say(order));
    while !matches!(controller.hears(), Some(ToController::Pong { id: 999, .. })) {}
    controller.say(&ToAgent::Reject { reason: String::new() });
    while controller.hears().is_some() {}

    let mut controller = Controller::unix(&listener);
    controller.measures(FAST);
    assert!(controller.samples().iter().all(|sample| sample.handle == Handle(1)));
    controller.say(&ToAgent::Detach);
    let last = std::iter::from_fn(|| controller.hears()).last();
    assert_eq!(last, Some(ToController::Bye { reason: ByeReason::Detached }));
    let ended = run.ends();
    assert_eq!((ended.status, ended.out), (alone.0, alone.1));
    assert_eq!(ended.err.lines().count(), 2, "more than the program's own lines: {}", ended.err);
}
