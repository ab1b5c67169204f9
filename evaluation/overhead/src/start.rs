//! What a dormant agent adds to the start-up and the end of a small program.

use crate::Bench;
use crate::claims::{Report, median};
use spl_overhead::{Door, Fault, Program};
use std::time::Instant;

/// Pairs of starts, one with and one without agent, for each figure.
const PAIRS: usize = 40;

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
        let (mut times, mut added) = (Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            // Whoever comes second finds warmer caches.
            let (without, with) = if pair % 2 == 0 {
                let without = time(&alone)?;
                (without, time(&with)?)
            } else {
                let with = time(&with)?;
                (time(&alone)?, with)
            };
            times.push(without);
            added.push(with - without);
        }
        starts.push(median(&times));
        // What the machine does to both of a pair cancels out.
        ratios.push(1.0 + median(&added) / median(&times));
    }
    report.note("start", "a small program", " ms", &starts);
    report.at_most("start", "with a dormant agent against without", "", &ratios, 1.02);
    Ok(())
}
