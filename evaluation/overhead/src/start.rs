//! What a dormant agent adds to the start-up and the end of a small program.

use crate::Bench;
use crate::claims::{Report, median};
use spl_overhead::{Door, Fault, Program};
use std::time::Instant;

/// Starts with and without agent, in turn, for each figure.
const STARTS: usize = 25;

pub fn run(bench: &Bench, report: &mut Report) -> Result<(), Fault> {
    // Nobody listens: a dormant agent.
    let door = Door::open()?;
    let option = door.option(&bench.agent).replace("spl.sock", "nobody.sock");
    let classes = bench.classes.display().to_string();
    let time = |arguments: &[&str]| {
        let start = Instant::now();
        let program = Program::start(&bench.java, arguments)?;
        program.end()?;
        Ok::<_, Fault>(start.elapsed().as_secs_f64() * 1000.0)
    };
    let (alone, with) = (["-cp", &classes, "Hello"], [&option, "-cp", &classes, "Hello"]);
    time(&with)?;
    let (mut starts, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..bench.forks {
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..STARTS {
            a.push(time(&alone)?);
            b.push(time(&with)?);
        }
        starts.push(median(&a));
        ratios.push(median(&b) / median(&a));
    }
    report.note("start", "a small program", " ms", &starts);
    report.at_most("start", "with a dormant agent against without", "", &ratios, 1.02);
    Ok(())
}
