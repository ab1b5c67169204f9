//! Time that a dormant agent adds to the start-up and the end of a small program.

use crate::bench::Bench;
use crate::claims::{Report, median};
use spl_overhead::{Door, Fault, Program};
use std::time::Instant;

/// Pairs of starts, one with and one without agent, for each figure: so many that the median of three figures is known to
/// some 0.003 of the start.
const PAIRS: usize = 100;
/// Samples of pairs drawn to see how far their median is known.
const RESAMPLES: usize = 1000;

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
    let (mut starts, mut ratios, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..bench.forks {
        let (mut times, mut added) = (Vec::new(), Vec::new());
        for pair in 0..PAIRS {
            // The second of a pair finds warmer caches.
            let (without, with) = if pair % 2 == 0 {
                let without = time(&alone)?;
                (without, time(&with)?)
            } else {
                let with = time(&with)?;
                (time(&alone)?, with)
            };
            times.push(without);
            added.push(with - without);
            pairs.push(with / without);
        }
        starts.push(median(&times));
        // Influences of the machine on both of a pair cancel out.
        ratios.push(1.0 + median(&added) / median(&times));
    }
    report.note("start", "a small program", " ms", &starts);
    report.at_most("start", "with a dormant agent against without", "", &ratios, 1.02);
    report.note("start", "95% of the medians of pairs drawn again", "", &interval(&pairs));
    Ok(())
}

/// Between which values 95% of the medians lie when as many pairs are drawn from these with replacement (Efron 1979).
fn interval(pairs: &[f64]) -> [f64; 2] {
    // Any seed does; a fixed one gives the same interval for the same pairs (xorshift, Marsaglia 2003).
    let mut x = 88_172_645_463_325_252_u64;
    let mut draw = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        pairs[(x % pairs.len() as u64) as usize]
    };
    let mut medians =
        (0..RESAMPLES).map(|_| median(&pairs.iter().map(|_| draw()).collect::<Vec<_>>())).collect::<Vec<_>>();
    medians.sort_by(f64::total_cmp);
    [medians[RESAMPLES / 40], medians[RESAMPLES - 1 - RESAMPLES / 40]]
}
