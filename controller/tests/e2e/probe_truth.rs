//! The probe's times against the clock on the wall, and the disturbances of calls.

use crate::harness;
use spl_model::{Handle, SampleFlags, Sizing};
use spl_overhead::{Door, Program, Session};
use spl_wire::WireSample;

const CALLS: usize = 250;
const BURSTS: usize = 120;
/// Bodies of which a probe must report the whole time. Pure arithmetic in registers may leave the measured region.
const BODIES: [&str; 4] = ["loads", "straightLoads", "loop", "calls"];
const ARITHMETIC: &str = "arithmetic";
const EMPTY: &str = "empty";

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

    /// Nanoseconds of a call.
    fn run(&mut self, body: &str, bursts: usize, calls: usize) -> f64 {
        self.program.tell(&format!("{body} {bursts} {calls}")).unwrap();
        self.agent.line_of(&mut self.program).unwrap().parse().unwrap()
    }

    fn warm(&mut self, body: &str) {
        self.run(body, 30, CALLS);
        self.run(body, 5, 100_000);
    }

    fn say(&mut self, word: &str) {
        self.program.tell(word).unwrap();
        self.program.expect(word).unwrap();
    }

    /// Of samples that nothing disturbed: the median of the means of groups, which a busy machine hardly moves.
    fn reported(&mut self, body: &str, handle: u32) -> f64 {
        self.agent.arm(handle, 1).unwrap();
        self.agent.samples.clear();
        self.run(body, BURSTS, CALLS);
        self.agent.arm(handle, 0).unwrap();
        let times =
            self.agent.samples.iter().filter(|sample| sample.handle == Handle(handle) && sample.flags == 0);
        let times = times.map(|sample| (sample.end_ns - sample.start_ns) as f64).collect::<Vec<_>>();
        let (all, lost) = (self.agent.samples.len(), self.agent.dropped);
        assert!(times.len() > BURSTS * CALLS / 4, "{} of {all} samples of {body}, {lost} lost", times.len());
        let mut means =
            times.chunks(250).map(|chunk| chunk.iter().sum::<f64>() / chunk.len() as f64).collect::<Vec<_>>();
        means.sort_by(f64::total_cmp);
        means[means.len() / 2]
    }
}

fn fits(share: f64) -> bool {
    (0.9..1.1).contains(&share)
}

fn method(body: &str) -> String {
    format!("Truth.{body}(J)J")
}

/// Prints what is reported of each body, and gives it as a share of its time on the wall.
fn shares(options: &[&str]) -> Vec<(&'static str, f64)> {
    let mut jvm = Measured::start(options);
    let mut empty = 0.0;
    let mut empty_wall = 0.0;
    let mut shares = Vec::new();
    for (handle, body) in (1..).zip([EMPTY, ARITHMETIC].into_iter().chain(BODIES)) {
        jvm.agent.define(handle, &method(body), Sizing::None).unwrap();
        jvm.agent.instrument(&[handle]).unwrap();
        jvm.warm(body);
        // The gate is closed, the compiled code the same.
        let (mut wall, mut reported) = (jvm.run(body, BURSTS, CALLS), jvm.reported(body, handle));
        for _ in 0..3 {
            // A busy machine disturbs one of both, and seldom again.
            if body == EMPTY || fits((reported - empty) / (wall - empty_wall)) {
                break;
            }
            (wall, reported) = (jvm.run(body, BURSTS, CALLS), jvm.reported(body, handle));
        }
        jvm.agent.restore(&[handle]).unwrap();
        if body == EMPTY {
            (empty, empty_wall) = (reported, wall);
            let said = jvm.agent.probe_empty_ns().unwrap();
            println!("{options:?} empty: reported {reported:.1} ns, calibrated at the start {said:.1} ns");
            assert!((0.3..3.0).contains(&(said / reported)), "{said} is not {reported}");
        } else {
            let (share, own) = ((reported - empty) / (wall - empty_wall), wall - empty_wall);
            println!("{options:?} {body}: {own:.1} ns on the wall, {share:.3} of it reported");
            shares.push((body, share));
        }
    }
    shares
}

#[test]
fn reported_times_are_the_times_on_the_wall() {
    for options in [&[][..], &["-XX:CompileCommand=quiet", "-XX:CompileCommand=dontinline,Truth::*"]] {
        for (body, share) in shares(options) {
            // Nothing holds pure arithmetic between two clock reads: it is shown, and nothing is claimed of it.
            assert!(body == ARITHMETIC || fits(share), "{options:?}: of {body} {share} is reported");
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
    for (handle, method) in [(1, "Truth.collect()V"), (2, "Truth.nap()V"), (3, &method("loop"))] {
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
    jvm.warm("loop");
    jvm.say("nap");
    jvm.agent.samples.clear();
    jvm.agent.instrument(&[3]).unwrap();
    jvm.agent.arm(3, 1).unwrap();
    jvm.run("loop", 20, 500);
    // The agent marks 5,000 calls at most.
    while flagged(&jvm.agent.samples, 3, SampleFlags::default()) < 7000 {
        jvm.run("loop", 20, 500);
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
