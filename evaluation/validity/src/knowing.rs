//! `spl-validity known`: claims about methods of a known ratio in a JVM, idle and with busy processes.

use crate::claiming::Claims;
use clap::Args;
use serde_json::{Value, json};
use spl_validity::interval::interval;
use spl_validity::known::{Judgement, Medians, Plan, Run, Tools, rare, run};
use std::path::PathBuf;

/// Claims this far from their limit are never to be decided wrongly.
const NEVER_WRONG: f64 = 0.05;
/// Claims as near as this are at their limit: the program's own timing is not better.
const AT_LIMIT: f64 = 0.01;
/// Of claims at their limit, the part that may be decided wrongly.
const WRONG_AT_LIMIT: f64 = 0.05;
/// Claims this far from their limit are to be decided.
const CLEAR: f64 = 0.1;
/// This part of them.
const DECIDED: f64 = 0.8;
/// Largest distance of ratios of medians from the program's own timing, from this length on.
const MEDIANS: (f64, u32) = (0.01, 1_000);

/// Methods of a known ratio.
#[derive(Debug, Args)]
pub struct Known {
    /// The controller, with the agent's library in the same folder.
    #[arg(long)]
    spl: PathBuf,
    /// The JVM's launcher.
    #[arg(long, default_value = "java")]
    java: PathBuf,
    /// The Java compiler.
    #[arg(long, default_value = "javac")]
    javac: PathBuf,
    /// Runs of the program, with other pairs each; from 15 on each length has met each ratio.
    #[arg(long, default_value_t = 15)]
    runs: usize,
    /// Number of the first run.
    #[arg(long, default_value_t = 0)]
    first: usize,
    /// Seconds of measuring in a run.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Processes that use a processor each, in addition to the program; the runs are made with each number.
    #[arg(long, value_delimiter = ',', default_values_t = [0, 2])]
    busy: Vec<usize>,
    /// Settings: the text of a splserver.ini, with ; for the ends of its lines.
    #[arg(long, default_value = "")]
    settings: String,
}

impl Known {
    pub fn run(&self, claims: &mut Claims) -> Result<Value, String> {
        let spl = self.spl.canonicalize().map_err(|e| format!("cannot find {}: {e}", self.spl.display()))?;
        let tools = Tools { spl, java: self.java.clone(), javac: self.javac.clone() };
        let (mut all, mut long_calls) = (Vec::new(), Vec::new());
        for &busy in &self.busy {
            let plan = Plan { settings: self.settings.replace(';', "\n"), seconds: self.seconds, busy };
            let runs = self.first..self.first + self.runs;
            let runs = runs.map(|number| run(&tools, &plan, number)).collect::<Result<Vec<_>, _>>()?;
            say(&runs, busy, self.seconds, claims);
            all.extend(runs);
            let claimed = rare(&tools, &plan)?;
            let wrong = claimed.iter().filter(|one| one.wrong).count();
            let decided = claimed.iter().filter(|one| one.decided).count();
            let text = format!(
                "{}: of claims about rare long calls wrong are {wrong} of {}, {decided} are decided",
                load(busy),
                claimed.len()
            );
            claims.say(wrong == 0, &text);
            for one in claimed.iter().filter(|one| one.wrong) {
                println!("       {} ({})", one.text, one.truth);
            }
            long_calls.push(json!({ "busy": busy, "claims": claimed }));
        }
        Ok(
            json!({ "schema": "spl.known/1", "seconds": self.seconds, "settings": self.settings, "runs": all, "rare": long_calls }),
        )
    }
}

fn say(runs: &[Run], busy: usize, seconds: u64, claims: &mut Claims) {
    let load = load(busy);
    let judgements = || runs.iter().flat_map(|run| run.judgements.iter());
    let far: Vec<&Judgement> = judgements().filter(|one| one.distance >= NEVER_WRONG).collect();
    let wrong = far.iter().filter(|one| one.wrong).count();
    let text = format!("{load}: of claims 5% or more from their limit wrong are {}", rate(wrong, far.len()));
    claims.say(wrong == 0, &text);
    for one in far.iter().filter(|one| one.wrong) {
        println!("       {}: {} ({}) by {:.1}%", one.pair.name(), one.text, one.truth, 100.0 * one.distance);
    }
    let near: Vec<&Judgement> = judgements().filter(|one| one.distance <= AT_LIMIT).collect();
    let wrong = near.iter().filter(|one| one.wrong).count();
    let text = format!("{load}: of claims at their limit wrong are {} (at most 5%)", rate(wrong, near.len()));
    claims.say(interval(wrong as u64, near.len() as u64)[0] <= WRONG_AT_LIMIT, &text);
    let clear: Vec<&Judgement> = judgements().filter(|one| one.distance >= CLEAR).collect();
    let decided = clear.iter().filter(|one| one.decided).count();
    let text = format!(
        "{load}: of claims 10% or more from their limit decided within {seconds} s are {} (at least 80%)",
        rate(decided, clear.len())
    );
    claims.say(decided as f64 >= DECIDED * clear.len() as f64, &text);
    for one in clear.iter().filter(|one| !one.decided) {
        println!(
            "       {}: {}: {}",
            one.pair.name(),
            one.text,
            one.reason.as_deref().unwrap_or("no reason is given")
        );
    }
    ratios(runs, &load, claims);
}

fn ratios(runs: &[Run], load: &str, claims: &mut Claims) {
    let (most, from_ns) = MEDIANS;
    // The program's own times before and after differ too: between both nothing is off.
    let error = |one: &Medians| {
        let [low, high] = [one.timed[0].min(one.timed[1]), one.timed[0].max(one.timed[1])];
        (one.recorded / one.recorded.clamp(low, high) - 1.0).abs()
    };
    let all = || runs.iter().flat_map(|run| run.medians.iter());
    // Too few calls have no median worth the name.
    let counted: Vec<&Medians> =
        all().filter(|one| one.pair.about_ns >= from_ns && one.calls >= 50).collect();
    let off: Vec<&&Medians> = counted.iter().filter(|one| error(one) > most).collect();
    let worst = counted.iter().map(|one| error(one)).fold(0.0, f64::max);
    let text = format!(
        "{load}: ratios of medians of 1 µs or more off by over 1% from the program's own timing are {}, the worst by {:.2}%",
        rate(off.len(), counted.len()),
        100.0 * worst
    );
    claims.say(off.is_empty() && !counted.is_empty(), &text);
    for one in off {
        let [before, after] = one.timed;
        println!(
            "       {}: {:.4}; timed {before:.4}, {after:.4}; {} calls",
            one.pair.name(),
            one.recorded,
            one.calls
        );
    }
}

fn load(busy: usize) -> String {
    if busy == 0 { "idle".to_owned() } else { format!("with {busy} busy processes") }
}

fn rate(count: usize, all: usize) -> String {
    let [low, high] = interval(count as u64, all as u64);
    let percent = 100.0 * count as f64 / all.max(1) as f64;
    format!("{count} of {all}, {percent:.1}% [{:.1}, {:.1}]", 100.0 * low, 100.0 * high)
}
