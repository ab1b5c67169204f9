//! Time that a dormant agent adds to the start-up and the end of a small program, and what less than it adds: an agent that does
//! nothing, one that loads our library and nothing more, and one that loads it and asks for the capability to change classes.

use crate::bench::Bench;
use crate::claims::{Report, median};
use spl_overhead::{Door, Fault, Program, system};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// Starts in each of the ways, for each figure. The median of three figures is known to some 0.003 of the start then.
const ROUNDS: usize = 100;
/// Samples of rounds drawn to see how far their median is known.
const RESAMPLES: usize = 1000;

/// The C source of an agent that does less than ours. Without options it does nothing, which is what any agent costs. With the path of a
/// library it loads that. With `+` before the path it also asks for the capability to change classes: where an agent asks later, the first
/// change of a class discards all compiled code. The numbers are the places of `GetEnv` in JNI's invocation table, of `AddCapabilities`
/// in JVM TI's table, and of `can_retransform_classes` among the capabilities.
const LESSER: &str = "#include <dlfcn.h>\n\
    static int ask(void **vm) {\n\
        void **env;\n\
        if (((int (*)(void *, void *, int)) ((void ***) vm)[0][6])(vm, &env, 0x30010200)) return 1;\n\
        unsigned long long wanted[2] = { 1ULL << 37 };\n\
        return ((int (*)(void *, void *)) ((void ***) env)[0][141])(env, wanted);\n\
    }\n\
    int Agent_OnLoad(void *vm, char *options, void *reserved) {\n\
        int asks = options && *options == '+';\n\
        if (options && *options && !dlopen(options + asks, RTLD_LAZY)) return 1;\n\
        return asks && ask(vm);\n\
    }\n";
// Ways to start: without an agent, with one that does nothing, with one that loads our library, with one that also asks for the capability,
// with ours, and with that of another build if one is given.
const ALONE: usize = 0;
const NOTHING: usize = 1;
const LOADS: usize = 2;
const ASKS: usize = 3;
const DORMANT: usize = 4;
const OTHER: usize = 5;

pub fn run(bench: &Bench, report: &mut Report) -> Result<(), Fault> {
    let folder = tempfile::tempdir().map_err(system("cannot make a folder"))?;
    let nothing = format!("-agentpath:{}", build_lesser(folder.path())?);
    let loads = format!("{nothing}={}", bench.agent.display());
    let asks = format!("{nothing}=+{}", bench.agent.display());
    // Nobody listens: a dormant agent.
    let door = Door::open()?;
    let of_build = |agent: &Path| door.option(agent).replace("spl.sock", "nobody.sock");
    let dormant = of_build(&bench.agent);
    let other = bench.other.as_deref().map(of_build);
    let classes = bench.classes.display().to_string();
    let time = |option: Option<&str>| {
        let start = Instant::now();
        let program = Program::start(&bench.java, option.into_iter().chain(["-cp", &classes, "Hello"]))?;
        match program.end()? {
            (_, 0) => Ok(start.elapsed().as_secs_f64() * 1000.0),
            (_, status) => Err(Fault::Unexpected(format!("the program ended with status {status}"))),
        }
    };
    let mut ways =
        vec![None, Some(nothing.as_str()), Some(loads.as_str()), Some(asks.as_str()), Some(dormant.as_str())];
    ways.extend(other.as_deref().map(Some));
    time(ways[DORMANT])?;
    let mut pairs = vec![
        (NOTHING, ALONE),
        (LOADS, ALONE),
        (ASKS, ALONE),
        (DORMANT, ALONE),
        (DORMANT, NOTHING),
        (DORMANT, ASKS),
    ];
    pairs.extend(other.iter().map(|_| (OTHER, ALONE)));
    let (mut starts, mut ratios, mut rounds) = (Vec::new(), vec![Vec::new(); pairs.len()], Vec::new());
    for _ in 0..bench.forks {
        let mut times = vec![Vec::new(); ways.len()];
        for round in 0..ROUNDS {
            // Those after the first find warmer caches.
            for way in 0..ways.len() {
                let way = (way + round) % ways.len();
                times[way].push(time(ways[way])?);
            }
        }
        // Influences of the machine on all of a round cancel out.
        let added = |of: usize, to: usize| {
            let added: Vec<f64> = times[of].iter().zip(&times[to]).map(|(of, to)| of - to).collect();
            1.0 + median(&added) / median(&times[to])
        };
        for (all, (of, to)) in ratios.iter_mut().zip(&pairs) {
            all.push(added(*of, *to));
        }
        starts.push(median(&times[ALONE]));
        rounds.extend(times[DORMANT].iter().zip(&times[ALONE]).map(|(with, without)| with / without));
    }
    tell(report, &starts, &ratios, &rounds);
    Ok(())
}

/// Puts the figures into the report: the starts in milliseconds, the ratios in the order of the pairs, and those of single rounds.
fn tell(report: &mut Report, starts: &[f64], ratios: &[Vec<f64>], rounds: &[f64]) {
    let [nothing, loads, asks, dormant, of_nothing, of_asks, of_other @ ..] = ratios else {
        unreachable!("a figure of each pair")
    };
    report.note("start", "a small program", " ms", starts);
    report.note("start", "with an agent that does nothing against without", "", nothing);
    report.note("start", "with an agent that loads ours and does nothing against without", "", loads);
    report.note(
        "start",
        "with an agent that loads ours and asks for the capability against without",
        "",
        asks,
    );
    report.aims_at("start", "with a dormant agent against without", "", dormant, [1.01, 1.02]);
    for of_other in of_other {
        report.note("start", "with a dormant agent of the other build against without", "", of_other);
    }
    report.note("start", "95% of the medians of rounds drawn again", "", &interval(rounds));
    report.aims_at(
        "start",
        "with a dormant agent against one that does nothing",
        "",
        of_nothing,
        [1.01, 1.02],
    );
    report.note(
        "start",
        "with a dormant agent against one that loads ours and asks for the capability",
        "",
        of_asks,
    );
}

/// The library of that agent.
fn build_lesser(folder: &Path) -> Result<String, Fault> {
    let [source, library] = ["lesser.c", "liblesser.so"].map(|name| folder.join(name));
    std::fs::write(&source, LESSER).map_err(system("cannot write an agent"))?;
    let built =
        Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).arg("-ldl").status();
    match built.map_err(system("cannot run cc"))?.success() {
        true => Ok(library.display().to_string()),
        false => Err(Fault::Unexpected("cc could not build an agent that does nothing".into())),
    }
}

/// Between which values 95% of the medians lie when as many rounds are drawn from these with replacement (Efron 1979).
fn interval(rounds: &[f64]) -> [f64; 2] {
    // Any seed does; a fixed one gives the same interval for the same rounds (xorshift, Marsaglia 2003).
    let mut x = 88_172_645_463_325_252_u64;
    let mut draw = || {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        rounds[(x % rounds.len() as u64) as usize]
    };
    let mut medians = (0..RESAMPLES)
        .map(|_| median(&rounds.iter().map(|_| draw()).collect::<Vec<_>>()))
        .collect::<Vec<_>>();
    medians.sort_by(f64::total_cmp);
    [medians[RESAMPLES / 40], medians[RESAMPLES - 1 - RESAMPLES / 40]]
}
