//! Cost of a call: never instrumented, gate closed, armed, one in a hundred, restored.

use crate::bench::Bench;
use crate::claims::Report;
use spl_model::Sizing;
use spl_overhead::{Door, Fault, Program, Session};

const METHOD: &str = "Burst$Probed.body(J)J";
const HANDLE: u32 = 1;
/// Calls of a burst, as in `Overhead.java`.
const CALLS: f64 = 1500.0;
/// Factor by which a burst is longer where nothing is recorded: against a body of two nanoseconds the clock
/// itself would count.
const LONG: u32 = 20;
/// Microseconds between bursts: the agent empties its rings every millisecond.
const PAUSE_US: u32 = 2500;

/// Nanoseconds of a call in one phase: without probe, with two clock reads, of the measured method.
#[derive(Clone, Copy, Debug)]
struct Phase {
    never: f64,
    floor: f64,
    probed: f64,
}

/// One JVM's figures.
struct Fork {
    before: Phase,
    closed: Phase,
    armed: Phase,
    one_in_100: Phase,
    restored: Phase,
    /// Share of the calls in the armed phase that were recorded.
    recorded: f64,
    /// Cost of a measured call as the agent reports it, in nanoseconds.
    calibrated: f64,
}

pub fn run(bench: &Bench, threads: usize, report: &mut Report) -> Result<(), Fault> {
    let forks = (0..bench.forks).map(|_| fork(bench, threads)).collect::<Result<Vec<_>, _>>()?;
    let part = if threads == 1 { "one thread" } else { "two threads" };
    let all = |of: &dyn Fn(&Fork) -> f64| forks.iter().map(of).collect::<Vec<_>>();
    report.note(part, "a body", " ns", &all(&|f| f.before.never));
    report.note(part, "with two clock reads and a store", " ns", &all(&|f| f.armed.floor));
    report.note(part, "armed", " ns", &all(&|f| f.armed.probed));
    report.note(part, "calibrated by the agent", " ns", &all(&|f| f.calibrated));
    let calibrated = all(&|f| (f.calibrated / f.armed.probed - 1.0).abs());
    report.at_most(part, "calibrated is off from armed by a part of", "", &calibrated, 0.10);
    report.at_most(part, "armed calls that were not recorded", "", &all(&|f| 1.0 - f.recorded), 0.01);
    let armed = all(&|f| f.armed.probed / f.armed.floor);
    report.aims_at(part, "armed against two clock reads", "", &armed, [1.10, 1.15]);
    let closed = all(&|f| f.closed.probed - f.closed.never);
    report.aims_at(part, "a closed gate adds", " ns", &closed, [1.5, 2.0]);
    let hundred = all(&|f| f.one_in_100.probed - f.one_in_100.never);
    report.note(part, "one call in a hundred adds", " ns", &hundred);
    let restored = all(&|f| (f.restored.probed / f.restored.never) / (f.before.probed / f.before.never));
    report.at_most(part, "restored against before", "", &restored, 1.02);
    Ok(())
}

fn fork(bench: &Bench, threads: usize) -> Result<Fork, Fault> {
    let door = Door::open()?;
    let classes = bench.classes.display().to_string();
    let count = threads.to_string();
    let arguments = [&door.option(&bench.agent), "-cp", &classes, "Overhead", &count];
    let mut program = Program::start(&bench.java, arguments)?;
    let mut agent = door.accept()?;
    program.expect("ready")?;
    let before = phase(bench, &mut program, &mut agent, 0)?.0;
    agent.define(HANDLE, METHOD, Sizing::None)?;
    agent.instrument(&[HANDLE])?;
    let closed = phase(bench, &mut program, &mut agent, 0)?.0;
    let (armed, samples) = phase(bench, &mut program, &mut agent, 1)?;
    let one_in_100 = phase(bench, &mut program, &mut agent, 100)?.0;
    agent.restore(&[HANDLE])?;
    let restored = phase(bench, &mut program, &mut agent, 0)?.0;
    let recorded = samples as f64 / (CALLS * bench.rounds as f64 * threads as f64);
    program.end()?;
    let calibrated = agent.probe_cost_ns().unwrap_or(f64::NAN);
    Ok(Fork { before, closed, armed, one_in_100, restored, recorded, calibrated })
}

/// Gives the figures, and the number of samples that came.
fn phase(
    bench: &Bench,
    program: &mut Program,
    agent: &mut Session,
    every: u32,
) -> Result<(Phase, usize), Fault> {
    agent.arm(HANDLE, every)?;
    let length = if every == 0 { LONG } else { 1 };
    program.tell(&format!("{} {PAUSE_US} {length}", bench.rounds))?;
    // Most of the warm-up's samples are dropped; the rest must not wait in the socket.
    let answer = agent.line_of(program)?;
    if answer != "warm" {
        return Err(Fault::Unexpected(format!("the program said {answer:?}")));
    }
    agent.settle()?;
    agent.samples.clear();
    program.tell("")?;
    let answer = agent.line_of(program)?;
    agent.settle()?;
    let numbers = answer.split(' ').map(str::parse::<f64>).collect::<Result<Vec<_>, _>>();
    match numbers.as_deref() {
        Ok(&[never, floor, probed]) => Ok((Phase { never, floor, probed }, agent.samples.len())),
        _ => Err(Fault::Unexpected(format!("the program said {answer:?}"))),
    }
}
