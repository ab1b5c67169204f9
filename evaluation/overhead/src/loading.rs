//! Additional cost of loading an unmeasured class while the agent waits for classes.

use crate::bench::Bench;
use crate::claims::{Report, median};
use spl_model::Sizing;
use spl_overhead::{Door, Fault, Program};

/// Loaders of 500 classes each, in a row.
const LOADERS: usize = 10;
/// Number of turns of waiting and not waiting.
const TURNS: usize = 12;
const HANDLE: u32 = 1;

pub fn run(bench: &Bench, report: &mut Report) -> Result<(), Fault> {
    let forks = (0..bench.forks).map(|_| fork(bench)).collect::<Result<Vec<_>, _>>()?;
    let each = forks.iter().map(|(each, _)| *each).collect::<Vec<_>>();
    let added = forks.iter().map(|(_, added)| *added).collect::<Vec<_>>();
    report.note("loading", "a small class", " ns", &each);
    report.at_most(
        "loading",
        "a class outside the plan, while classes are waited for, adds",
        " ns",
        &added,
        1000.0,
    );
    Ok(())
}

/// Nanoseconds of a class, and what waiting for another adds.
fn fork(bench: &Bench) -> Result<(f64, f64), Fault> {
    let door = Door::open()?;
    let classes = bench.classes.display().to_string();
    let mut program = Program::start(&bench.java, [&door.option(&bench.agent), "-cp", &classes, "Load"])?;
    let mut agent = door.accept()?;
    program.expect("ready")?;
    agent.define(HANDLE, "no/such/Klass.method()V", Sizing::None)?;
    let load = |program: &mut Program, loaders: usize| {
        program.tell(&loaders.to_string())?;
        let line = program.line()?;
        line.parse::<f64>().map_err(|_| Fault::Unexpected(format!("the program said {line:?}")))
    };
    load(&mut program, 3 * LOADERS)?;
    let (mut alone, mut added) = (Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let without = load(&mut program, LOADERS)?;
        agent.instrument(&[HANDLE])?;
        let with = load(&mut program, LOADERS)?;
        agent.restore(&[HANDLE])?;
        alone.push(without);
        added.push(with - without);
    }
    program.end()?;
    Ok((median(&alone), median(&added)))
}
