//! Reported times of the first calls after a change of their class, against the times once all is compiled.

use crate::bench::Bench;
use crate::claims::{Report, median};
use spl_model::{SampleFlags, Sizing};
use spl_overhead::{Door, Fault, Program};
use spl_wire::ToController;

const HANDLE: u32 = 1;
const FIRST: usize = 1000;

/// Medians in nanoseconds, and numbers of calls.
struct Fork {
    truth: f64,
    first: f64,
    /// Of the calls that the agent marked.
    cold: f64,
    marked: f64,
    /// Of the first calls that it did not mark.
    unmarked: f64,
    /// Milliseconds from the change to the last call that it marked.
    marked_ms: f64,
}

pub fn run(bench: &Bench, report: &mut Report) -> Result<(), Fault> {
    let forks = (0..bench.forks).map(|_| fork(bench)).collect::<Result<Vec<_>, _>>()?;
    let all = |of: &dyn Fn(&Fork) -> f64| forks.iter().map(of).collect::<Vec<_>>();
    report.note("warm-up", "the median of the calls when all is compiled", " ns", &all(&|f| f.truth));
    report.note("warm-up", "the first 1,000 calls against it", "", &all(&|f| f.first / f.truth));
    report.note("warm-up", "calls that are marked as warm-up", "", &all(&|f| f.marked));
    report.note("warm-up", "those against the truth", "", &all(&|f| f.cold / f.truth));
    report.note("warm-up", "the first 1,000 others against the truth", "", &all(&|f| f.unmarked / f.truth));
    report.note("warm-up", "the last marked call after", " ms", &all(&|f| f.marked_ms));
    Ok(())
}

fn fork(bench: &Bench) -> Result<Fork, Fault> {
    let door = Door::open()?;
    let classes = bench.classes.display().to_string();
    let mut program = Program::start(&bench.java, [&door.option(&bench.agent), "-cp", &classes, "Warm"])?;
    let mut agent = door.accept()?;
    program.expect("ready")?;
    agent.define(HANDLE, "Warm.body(J)J", Sizing::None)?;
    program.tell("200 1 250")?;
    agent.line_of(&mut program)?;
    agent.instrument(&[HANDLE])?;
    agent.arm(HANDLE, 1)?;
    program.tell("300 2 100")?;
    agent.line_of(&mut program)?;
    agent.settle()?;
    agent.samples.sort_by_key(|sample| sample.start_ns);
    let marked = |flags: u16| SampleFlags(flags).contains(SampleFlags::WARM_UP);
    let times = |wanted: &dyn Fn(u16) -> bool| {
        let of = agent.samples.iter().filter(|sample| wanted(sample.flags));
        of.map(|sample| (sample.end_ns - sample.start_ns) as f64).collect::<Vec<_>>()
    };
    let (all, cold, rest) = (times(&|_| true), times(&marked), times(&|flags| !marked(flags)));
    if all.len() < 5 * FIRST || rest.len() < 2 * FIRST {
        return Err(Fault::Unexpected(format!("only {} calls were recorded", all.len())));
    }
    let changed_ns = agent.said.iter().find_map(|message| {
        let ToController::Retransformed { at_ns, .. } = message else { return None };
        Some(*at_ns)
    });
    let last = agent.samples.iter().filter(|sample| marked(sample.flags)).map(|sample| sample.start_ns).max();
    let marked_ns = last.zip(changed_ns).map(|(last, changed)| last.saturating_sub(changed));
    program.end()?;
    Ok(Fork {
        truth: median(&all[all.len() - 2 * FIRST..]),
        first: median(&all[..FIRST]),
        cold: median(&cold),
        marked: cold.len() as f64,
        unmarked: median(&rest[..FIRST]),
        marked_ms: marked_ns.map_or(f64::NAN, |ns| ns as f64 / 1e6),
    })
}
