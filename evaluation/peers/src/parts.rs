//! The probe's part in a method's time: the program's own clock around each call, before probes are there and while their
//! gates are closed, and what probes report, all in one JVM.

use crate::tools::{Jdk, Tools};
use serde::Serialize;
use spl_model::Sizing;
use spl_overhead::{Door, Fault, Program, Session};
use std::path::Path;

/// Periods, and the milliseconds of each, until the code is compiled, and that count.
const WARM: &str = "1 3000";
const COUNTED: &str = "20 100";
/// Reported calls of one method of which the middle mean is taken.
const BLOCK: usize = 500;

/// Nanoseconds of a method's calls in one JVM.
#[derive(Clone, Debug, Serialize)]
pub struct Part {
    /// The JVM.
    pub jdk: Jdk,
    /// From 1.
    pub run: usize,
    /// The method's plain name.
    pub method: String,
    /// By the program's clock, without probes, less what an empty method takes.
    pub plain_ns: f64,
    /// By the program's clock, with probes whose gates are closed, less what an empty method takes.
    pub closed_ns: f64,
    /// As probes report it.
    pub reported_ns: f64,
}

/// Measures all methods of the program in one JVM; `classes` is the folder of the compiled program.
///
/// # Errors
/// When the program or the agent does not answer.
pub fn measure(tools: &Tools, jdk: Jdk, run: usize, classes: &Path) -> Result<Vec<Part>, String> {
    eprintln!("the program's own clock ({jdk:?})");
    parts(tools, jdk, run, classes).map_err(|fault| format!("the program's own clock: {fault}"))
}

fn parts(tools: &Tools, jdk: Jdk, run: usize, classes: &Path) -> Result<Vec<Part>, Fault> {
    let door = Door::open()?;
    let classes = classes.display().to_string();
    let arguments = [&door.option(&tools.agent()), "-cp", &classes, "truth.Timed"];
    let mut program = Program::start(&tools.launcher(jdk), arguments)?;
    let mut agent = door.accept()?;
    let names = program.line()?;
    let handles: Vec<(u32, &str)> = (1..).zip(names.split(' ')).collect();
    let plain = clocked(&mut program, &mut agent)?;
    for (handle, method) in &handles {
        agent.define(*handle, &format!("truth/Pairs.{method}(J)J"), Sizing::None)?;
    }
    agent.instrument(&handles.iter().map(|(handle, _)| *handle).collect::<Vec<_>>())?;
    let closed = clocked(&mut program, &mut agent)?;
    for (handle, _) in &handles {
        agent.arm(*handle, 1)?;
    }
    clocked(&mut program, &mut agent)?;
    let mut samples = std::mem::take(&mut agent.samples);
    program.end()?;
    samples.sort_by_key(|sample| sample.start_ns);
    let times = |handle: u32| {
        let of = samples.iter().filter(|sample| sample.handle.0 == handle);
        of.map(|sample| (sample.end_ns - sample.start_ns) as f64).collect::<Vec<_>>()
    };
    let part = |(handle, method): &(u32, &str)| {
        let at = *handle as usize - 1;
        Part {
            jdk,
            run,
            method: (*method).to_owned(),
            plain_ns: plain[at],
            closed_ns: closed[at],
            reported_ns: reported(&times(*handle)),
        }
    };
    Ok(handles.iter().map(part).collect())
}

/// Nanoseconds of each method, less those of the empty one, which stands last in the program's answer. Afterwards the agent's samples
/// are those of the counted periods alone.
fn clocked(program: &mut Program, agent: &mut Session) -> Result<Vec<f64>, Fault> {
    program.tell(WARM)?;
    agent.line_of(program)?;
    agent.settle()?;
    agent.samples.clear();
    program.tell(COUNTED)?;
    let answer = agent.line_of(program)?;
    agent.settle()?;
    let times: Vec<f64> = answer.split(' ').filter_map(|word| word.parse().ok()).collect();
    let (empty, times) =
        times.split_last().ok_or_else(|| Fault::Unexpected(format!("the program said {answer:?}")))?;
    Ok(times.iter().map(|time| time - empty).collect())
}

/// The middle one of the means of blocks of calls, as they came.
fn reported(times: &[f64]) -> f64 {
    middle(times.chunks_exact(BLOCK).map(|block| block.iter().sum::<f64>() / block.len() as f64).collect())
}

/// The upper median; infinite when there is none.
pub fn middle(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::INFINITY)
}
