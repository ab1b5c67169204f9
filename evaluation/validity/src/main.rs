//! Prints a line `ok|FAIL claim figure` for each claim, and writes all figures as JSON.
#![forbid(unsafe_code)]

mod cases;
mod claiming;
mod judging;
mod knowing;

use cases::Cases;
use claiming::Claims;
use clap::{Args, Parser, Subcommand};
use judging::{Families, Judging};
use knowing::Known;
use serde_json::{Value, json};
use spl_validity::fleets::{self, FLEETS};
use spl_validity::latencies::{CASES, Kind};
use spl_validity::ratios::{Tools, measure};
use spl_validity::simulation::{ALPHA, Outcome, Plan, SLOWDOWN, simulate};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Of equal methods, the part that the sequential mode may call different in autocorrelated and drifting cases.
const ALPHA_DEPENDENT: f64 = 0.06;
/// Least rate at which the slowdown is found, in the first case.
const POWER: f64 = 0.99;
/// Largest distance of a reported ratio from the truth.
const RATIO_ERROR: f64 = 0.02;

/// Measures rates of wrong verdicts.
#[derive(Debug, Parser)]
struct Options {
    #[command(subcommand)]
    what: What,
    /// Where to write everything as JSON.
    #[arg(long, global = true)]
    json: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Simulated comparisons.
    Simulate(Simulate),
    /// Simulated fleets of instances.
    Fleets(Fleets),
    /// Recorded runs of every process, judged by `spl eval`.
    Judge(Judging),
    /// Many claims together, judged by `spl eval`.
    Families(Families),
    /// Recorded runs that were judged wrongly once.
    Cases(Cases),
    /// Claims about methods of a JVM whose true ratio is known, by default settings.
    Known(Known),
    /// Reported ratios of methods of a JVM whose true ratio is known.
    Ratios(Ratios),
}

#[derive(Debug, Args)]
struct Simulate {
    /// Comparisons of each case.
    #[arg(long, default_value_t = 2000)]
    repetitions: u64,
    /// Pairs of calls in a comparison.
    #[arg(long, default_value_t = 1000)]
    pairs: u64,
    /// Pairs in a window, after each of which is looked; a table for each.
    #[arg(long, value_delimiter = ',', default_values_t = [10, 1])]
    windows: Vec<u64>,
    /// Decides all.
    #[arg(long, default_value_t = 20_150_731)]
    seed: u64,
}

#[derive(Debug, Args)]
struct Fleets {
    /// Fleets of each kind.
    #[arg(long, default_value_t = 2000)]
    fleets: u64,
    /// Instances of a fleet.
    #[arg(long, default_value_t = 6)]
    instances: u64,
    /// Windows of each instance.
    #[arg(long, default_value_t = 60)]
    windows: u64,
    /// Decides all.
    #[arg(long, default_value_t = 20_150_731)]
    seed: u64,
}

#[derive(Debug, Args)]
struct Ratios {
    /// The controller, with the agent's library in the same folder.
    #[arg(long)]
    spl: PathBuf,
    /// The JVM's launcher.
    #[arg(long, default_value = "java")]
    java: PathBuf,
    /// The Java compiler.
    #[arg(long, default_value = "javac")]
    javac: PathBuf,
    /// Runs of the program.
    #[arg(long, default_value_t = 50)]
    runs: usize,
}

fn main() -> ExitCode {
    let options = Options::parse();
    let mut claims = Claims::default();
    let done = match &options.what {
        What::Simulate(arguments) => Ok(simulated(arguments, &mut claims)),
        What::Fleets(arguments) => Ok(fleets_simulated(arguments, &mut claims)),
        What::Judge(arguments) => arguments.run(&mut claims),
        What::Families(arguments) => arguments.run(&mut claims),
        What::Cases(arguments) => arguments.run(&mut claims),
        What::Known(arguments) => arguments.run(&mut claims),
        What::Ratios(arguments) => ratios(arguments, &mut claims),
    };
    let written = done.and_then(|document| match &options.json {
        Some(path) => write(path, &document),
        None => Ok(()),
    });
    if let Err(problem) = written {
        eprintln!("validity: {problem}");
        return ExitCode::from(2);
    }
    if claims.failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

fn write(path: &Path, document: &Value) -> Result<(), String> {
    std::fs::write(path, format!("{document:#}\n"))
        .map_err(|e| format!("cannot write {}: {e}", path.display()))
}

fn simulated(arguments: &Simulate, claims: &mut Claims) -> Value {
    let Simulate { repetitions, pairs, seed, .. } = *arguments;
    let mut tables = Vec::new();
    for &window in &arguments.windows {
        let plan = Plan { repetitions, pairs, window, seed };
        let mut outcomes = Vec::new();
        for case in &CASES {
            let outcome = simulate(case, &plan);
            false_alarms(&outcome, &plan, claims);
            outcomes.push(outcome);
        }
        let (name, power) = (outcomes[0].name, outcomes[0].slower.sequential * 100.0);
        let (least, slowdown) = (POWER * 100.0, (SLOWDOWN - 1.0) * 100.0);
        let text =
            format!("{name}: a slowdown of {slowdown:.0}% is found in {power:.1}% (at least {least:.0}%)");
        claims.say(power >= least, &text);
        tables.push(json!({ "plan": plan, "cases": outcomes }));
    }
    json!({ "schema": "spl.validity/1", "alpha": ALPHA, "slowdown": SLOWDOWN, "tables": tables })
}

/// Of slow and bad hosts, the part that has to be named.
const NAMED: f64 = 0.95;

fn fleets_simulated(arguments: &Fleets, claims: &mut Claims) -> Value {
    let Fleets { fleets, instances, windows, seed } = *arguments;
    let plan = fleets::Plan { fleets, instances, windows, seed };
    let outcomes: Vec<fleets::Outcome> = FLEETS.iter().map(|&fleet| fleets::simulate(fleet, &plan)).collect();
    let percent = |rate: f64| rate * 100.0;
    for one in &outcomes {
        let name = one.fleet.name;
        let text = format!(
            "{name}: {fleets} fleets, decided wrongly {:.1}% (at most {:.0}%); all windows in one pot {:.1}%, e-values multiplied {:.1}%",
            percent(one.wrong),
            percent(fleets::LEVEL),
            percent(one.pot),
            percent(one.product)
        );
        claims.say(one.wrong <= fleets::LEVEL, &text);
        if one.fleet.bad || one.fleet.slow {
            let text = format!(
                "{name}: it alone is named in {:.1}% (at least {:.0}%)",
                percent(one.named),
                percent(NAMED)
            );
            claims.say(one.named >= NAMED, &text);
        } else {
            let text = format!("{name}: one of alike instances is named in {:.1}%", percent(one.misnamed));
            claims.say(one.misnamed <= fleets::LEVEL || one.fleet.drift, &text);
        }
    }
    let worst = |of: &dyn Fn(&fleets::Outcome) -> f64| outcomes.iter().map(of).fold(0.0, f64::max);
    let (pot, product) = (worst(&|one| one.pot), worst(&|one| one.product));
    let text = format!(
        "pooling without regard to instances fails: {:.1}% and {:.1}%",
        percent(pot),
        percent(product)
    );
    claims.say(pot.min(product) > 2.0 * fleets::LEVEL, &text);
    let alike = &outcomes[0];
    let show = |windows: Option<u64>| windows.map_or("-".to_owned(), |windows| windows.to_string());
    let text = format!(
        "{}: 20% are found by {instances} instances in {} windows of each, by one alone in {}",
        alike.fleet.name,
        show(alike.windows),
        show(alike.windows_alone)
    );
    let quarter = |one: &fleets::Outcome| {
        one.windows.zip(one.windows_alone).is_some_and(|(all, alone)| all * 4 <= alone)
    };
    claims.say(quarter(alike), &text);
    json!({ "schema": "spl.fleets/1", "level": fleets::LEVEL, "plan": plan, "outcomes": outcomes })
}

fn false_alarms(outcome: &Outcome, plan: &Plan, claims: &mut Claims) {
    let limit = if outcome.kind == Kind::Independent { ALPHA } else { ALPHA_DEPENDENT };
    let (rate, looks) = (outcome.equal.sequential, plan.pairs / plan.window);
    let (percent, most) = (rate * 100.0, limit * 100.0);
    let name = outcome.name;
    claims.say(
        rate <= limit,
        &format!("{name}: false alarms at {looks} looks: {percent:.1}% (at most {most:.0}%)"),
    );
}

fn ratios(arguments: &Ratios, claims: &mut Claims) -> Result<Value, String> {
    let Ratios { spl, java, javac, runs } = arguments;
    let spl = spl.canonicalize().map_err(|e| format!("cannot find {}: {e}", spl.display()))?;
    let tools = Tools { spl, java: java.clone(), javac: javac.clone() };
    let pairs = measure(&tools, *runs)?;
    for pair in &pairs {
        let (median, worst) = (pair.median(), pair.worst_error());
        let text = format!(
            "{}: true ratio {}, reported {median:.4}, at worst {:.2}% from it (at most {:.0}%)",
            pair.name,
            pair.truth,
            worst * 100.0,
            RATIO_ERROR * 100.0
        );
        claims.say(worst <= RATIO_ERROR, &text);
    }
    let (wrong, all) = (pairs.iter().map(|pair| pair.wrong).sum::<usize>(), 2 * runs * pairs.len());
    let text = format!("wrong verdicts: {wrong} of {all} (at most {:.0}%)", ALPHA * 100.0);
    claims.say(wrong as f64 <= ALPHA * all as f64, &text);
    Ok(json!({ "schema": "spl.ratios/1", "runs": runs, "pairs": pairs }))
}
