//! The probe's times against the clock on the wall, and the disturbances of calls.

use crate::harness;
use spl_model::{Handle, SampleFlags, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::WireSample;

/// The program with a connected agent.
struct Measured {
    program: Program,
    agent: Session,
    _door: Door,
}

impl Measured {
    fn start(options: &[&str]) -> Self {
        let door = Door::open().unwrap();
        let classes = harness::classes().display().to_string();
        let option = door.option(&harness::agent());
        let arguments = [&[&*option], options, &["-cp", &classes, "Truth"]].concat();
        let mut program = Program::start(&harness::java(), arguments).unwrap();
        let agent = door.accept().unwrap();
        program.expect("ready").unwrap();
        Self { program, agent, _door: door }
    }

    /// Answer of the program to a line. Messages of the agent are kept.
    fn ask(&mut self, line: &str) -> String {
        self.program.tell(line).unwrap();
        self.agent.line_of(&mut self.program).unwrap()
    }

    fn say(&mut self, word: &str) {
        self.program.tell(word).unwrap();
        self.program.expect(word).unwrap();
    }
}

#[test]
fn a_reported_call_begins_before_its_method_and_ends_after_it() {
    const CALLS: usize = 300;
    for options in
        [&[][..], &["-Xint"], &["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Truth::*"]]
    {
        let mut jvm = Measured::start(options);
        jvm.agent.define(1, "Truth.waits([J)V", Sizing::None).unwrap();
        jvm.agent.instrument(&[1]).unwrap();
        jvm.agent.arm(1, 1).unwrap();
        let times = jvm.ask(&format!("waits {CALLS}"));
        jvm.agent.settle().unwrap();
        let times = times.split(' ').map(|word| word.parse().unwrap()).collect::<Vec<u64>>();
        let mut samples = std::mem::take(&mut jvm.agent.samples);
        samples.sort_by_key(|sample| sample.start_ns);
        assert_eq!((times.len(), samples.len()), (4 * CALLS, CALLS), "{options:?}");
        for (clock, sample) in times.chunks(4).zip(&samples) {
            let order = [clock[0], sample.start_ns, clock[1], clock[2], sample.end_ns, clock[3]];
            assert!(order.is_sorted(), "{options:?}: {order:?}");
        }
    }
}

#[test]
fn samples_say_what_disturbed_them() {
    let mut jvm = Measured::start(&[]);
    let flagged = |samples: &[WireSample], handle: u32, flag: SampleFlags| {
        let of = samples.iter().filter(|sample| sample.handle == Handle(handle));
        of.filter(|sample| SampleFlags(sample.flags).contains(flag)).count()
    };
    for (handle, method) in [(1, "Truth.collect()V"), (2, "Truth.nap()V"), (3, "Truth.loop(J)J")] {
        jvm.agent.define(handle, method, Sizing::None).unwrap();
    }
    // Never compiled before, so never cold.
    jvm.agent.instrument(&[1, 2]).unwrap();
    jvm.agent.arm(1, 1).unwrap();
    jvm.agent.arm(2, 1).unwrap();
    jvm.say("gc");
    jvm.agent.settle().unwrap();
    assert_eq!(jvm.agent.samples.len(), 1);
    assert_eq!(flagged(&jvm.agent.samples, 1, SampleFlags::GC), 1);
    assert_eq!(flagged(&jvm.agent.samples, 1, SampleFlags::WARM_UP), 0);

    // Compiled, then changed while another thread naps in a measured method: it is cold until it was compiled
    // again.
    jvm.ask("loop 500000");
    jvm.say("nap");
    jvm.agent.samples.clear();
    jvm.agent.instrument(&[3]).unwrap();
    jvm.agent.arm(3, 1).unwrap();
    jvm.ask("loop 500");
    // The agent marks 5,000 calls at most.
    while flagged(&jvm.agent.samples, 3, SampleFlags::default()) < 7000 {
        jvm.ask("loop 500");
    }
    while flagged(&jvm.agent.samples, 2, SampleFlags::default()) == 0 {
        jvm.agent.settle().unwrap();
    }
    assert_eq!(flagged(&jvm.agent.samples, 2, SampleFlags::RETRANSFORM), 1);
    let cold = |sample: &WireSample| SampleFlags(sample.flags).contains(SampleFlags::WARM_UP);
    let mut loops = jvm.agent.samples.iter().filter(|sample| sample.handle == Handle(3)).collect::<Vec<_>>();
    loops.sort_by_key(|sample| sample.start_ns);
    assert!(loops[..100].iter().all(|sample| cold(sample)), "the first calls are cold");
    assert!(!cold(loops[loops.len() - 1]) && flagged(&jvm.agent.samples, 3, SampleFlags::WARM_UP) <= 5000);
}
