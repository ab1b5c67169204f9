//! Time that a dormant agent adds to the start-up and the end of a small program, and what an agent that does nothing adds.

use crate::bench::Bench;
use crate::claims::{Report, median};
use spl_overhead::{Door, Fault, Program, system};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Starts in each of the three ways, for each figure: without an agent, with one that does nothing, and with ours. The median of three
/// figures is known to some 0.003 of the start then.
const TRIPLES: usize = 100;
/// Samples of triples drawn to see how far their median is known.
const RESAMPLES: usize = 1000;

/// The C source of an agent that does nothing: what loading any agent costs.
const EMPTY: &str = "int Agent_OnLoad(void *vm, char *options, void *reserved) { return 0; }\n";

pub fn run(bench: &Bench, report: &mut Report) -> Result<(), Fault> {
    let folder = tempfile::tempdir().map_err(system("cannot make a folder"))?;
    let empty = format!("-agentpath:{}", build_empty(folder.path())?);
    // Nobody listens: a dormant agent.
    let door = Door::open()?;
    let dormant = door.option(&bench.agent).replace("spl.sock", "nobody.sock");
    let classes = bench.classes.display().to_string();
    let time = |option: Option<&str>| {
        let start = Instant::now();
        let program = Program::start(&bench.java, option.into_iter().chain(["-cp", &classes, "Hello"]))?;
        program.end()?;
        Ok::<_, Fault>(start.elapsed().as_secs_f64() * 1000.0)
    };
    let ways = [None, Some(empty.as_str()), Some(dormant.as_str())];
    time(ways[2])?;
    let (mut starts, mut ratios, mut triples) = (Vec::new(), [const { Vec::new() }; 3], Vec::new());
    for _ in 0..bench.forks {
        let mut times = [const { Vec::new() }; 3];
        for triple in 0..TRIPLES {
            // Those after the first find warmer caches.
            for way in 0..ways.len() {
                let way = (way + triple) % ways.len();
                times[way].push(time(ways[way])?);
            }
        }
        // Influences of the machine on all of a triple cancel out.
        let added = |of: usize, to: usize| {
            let added: Vec<f64> = times[of].iter().zip(&times[to]).map(|(of, to)| of - to).collect();
            1.0 + median(&added) / median(&times[to])
        };
        for (all, (of, to)) in ratios.iter_mut().zip([(1, 0), (2, 0), (2, 1)]) {
            all.push(added(of, to));
        }
        starts.push(median(&times[0]));
        triples.extend(times[2].iter().zip(&times[0]).map(|(with, without)| with / without));
    }
    report.note("start", "a small program", " ms", &starts);
    report.note("start", "with an agent that does nothing against without", "", &ratios[0]);
    report.aims_at("start", "with a dormant agent against without", "", &ratios[1], [1.01, 1.02]);
    report.note("start", "95% of the medians of triples drawn again", "", &interval(&triples));
    report.aims_at(
        "start",
        "with a dormant agent against one that does nothing",
        "",
        &ratios[2],
        [1.01, 1.02],
    );
    Ok(())
}

/// The library of an agent that does nothing.
fn build_empty(folder: &Path) -> Result<String, Fault> {
    let [source, library] = ["empty.c", "libempty.so"].map(|name| folder.join(name));
    std::fs::write(&source, EMPTY).map_err(system("cannot write an agent"))?;
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    match built.map_err(system("cannot run cc"))?.success() {
        true => Ok(library.display().to_string()),
        false => Err(Fault::Unexpected("cc could not build an agent that does nothing".into())),
    }
}

/// Between which values 95% of the medians lie when as many triples are drawn from these with replacement (Efron 1979).
fn interval(triples: &[f64]) -> [f64; 2] {
    // Any seed does; a fixed one gives the same interval for the same triples (xorshift, Marsaglia 2003).
    let mut x = 88_172_645_463_325_252_u64;
    let mut draw = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        triples[(x % triples.len() as u64) as usize]
    };
    let mut medians = (0..RESAMPLES)
        .map(|_| median(&triples.iter().map(|_| draw()).collect::<Vec<_>>()))
        .collect::<Vec<_>>();
    medians.sort_by(f64::total_cmp);
    [medians[RESAMPLES / 40], medians[RESAMPLES - 1 - RESAMPLES / 40]]
}
