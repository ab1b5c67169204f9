//! Costs of the sorting example: of changes of its classes, of closed gates in its methods, and of open
//! gates, each by itself. The first two are what no choice of samples can save.
#![forbid(unsafe_code)]

use clap::Parser;
use spl_model::Sizing;
use spl_overhead::{Door, Fault, Program, Session, system};
use spl_wire::ToController;
use std::path::PathBuf;
use std::process::ExitCode;

/// Cycles before the first change, from which on the program is warm.
const WARM_UP: usize = 300;
/// Cycles whose median is the normal time, or that with closed gates.
const STEADY: usize = 60;
/// Cycles after a change in which code is compiled again.
const WAVE: usize = 200;
/// Cycles with open gates; each takes several hundred thousand samples.
const OPEN: usize = 30;

/// Prints a JSON object: what a cycle takes, how long it takes at worst after a change of classes, what is lost until
/// compiled code is back, what closed gates cost from then on, and what a cycle takes while every call is a sample. Times are
/// milliseconds.
#[derive(Debug, Parser)]
struct Options {
    /// The JVM's launcher.
    #[arg(long, default_value = "java")]
    java: PathBuf,
    /// The agent's library; by default the one next to this program.
    #[arg(long)]
    agent: Option<PathBuf>,
    /// Folder with the classes of the sorting example.
    #[arg(long)]
    classes: PathBuf,
    /// Task file with the methods.
    #[arg(long)]
    tasks: PathBuf,
    /// Number of its methods, from the first on.
    #[arg(long, default_value_t = usize::MAX)]
    methods: usize,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("wave: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<serde_json::Value, Fault> {
    let text = std::fs::read_to_string(&options.tasks).map_err(system("cannot read the task file"))?;
    let methods: Vec<&str> = text
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'))
        .take(options.methods)
        .collect();
    let beside = || Ok(std::env::current_exe()?.with_file_name("libspl_agent.so"));
    let agent =
        options.agent.clone().map_or_else(beside, Ok).map_err(system("cannot find this program's folder"))?;
    let agent = agent.canonicalize().map_err(system("cannot find the agent's library"))?;
    let door = Door::open()?;
    let classes = options.classes.display().to_string();
    let command = [&door.option(&agent), "-cp", &classes, "sorting.Main", "--cycles", "0"];
    let mut program = Program::start(&options.java, command)?;
    let mut session = door.accept()?;
    let handles: Vec<u32> = (0..).take(methods.len()).collect();
    for (&handle, method) in handles.iter().zip(&methods) {
        session.define(handle, method, Sizing::None)?;
    }
    cycles(&mut session, &mut program, WARM_UP)?;
    let normal = median(cycles(&mut session, &mut program, STEADY)?);
    session.instrument(&handles)?;
    let put_in = Wave::of(cycles(&mut session, &mut program, WAVE)?);
    let open = opened(&mut session, &mut program, &handles)?;
    session.restore(&handles)?;
    let taken_out = Wave::of(cycles(&mut session, &mut program, WAVE)?);
    let changes_ms: Vec<f64> = session.said.iter().filter_map(took_ms).collect();
    Ok(serde_json::json!({
        "methods": methods.len(), "normal_ms": normal, "changes_ms": changes_ms, "open": open,
        "put_in": put_in.json(normal), "taken_out": taken_out.json(normal),
    }))
}

/// The times of the next cycles.
fn cycles(session: &mut Session, program: &mut Program, count: usize) -> Result<Vec<f64>, Fault> {
    let mut times = Vec::new();
    while times.len() < count {
        let line = session.line_of(program)?;
        let time = line.rsplit_once(", ").and_then(|(_, time)| time.strip_suffix(" ms")?.parse().ok());
        times.push(time.ok_or_else(|| Fault::Unexpected(format!("the program said {line:?}")))?);
    }
    Ok(times)
}

/// Cycles while every gate is open, and the calls that were taken and lost meanwhile.
fn opened(session: &mut Session, program: &mut Program, handles: &[u32]) -> Result<serde_json::Value, Fault> {
    session.samples.clear();
    for &handle in handles {
        session.arm(handle, 1)?;
    }
    let (mut times, mut samples) = (Vec::new(), 0);
    while times.len() < OPEN {
        times.extend(cycles(session, program, 1)?);
        // Nobody looks at them, and they are millions.
        samples += std::mem::take(&mut session.samples).len();
    }
    for &handle in handles {
        session.arm(handle, 0)?;
    }
    Ok(serde_json::json!({
        "peak_ms": times.iter().copied().fold(0.0, f64::max), "median_ms": median(times), "samples": samples,
        "dropped": session.dropped,
    }))
}

/// Time that a change of classes took.
fn took_ms(message: &ToController) -> Option<f64> {
    let ToController::Retransformed { took_ns, .. } = message else { return None };
    Some(*took_ns as f64 / 1e6)
}

/// The cycles after a change of classes.
struct Wave {
    /// Median of the last cycles, when all is compiled.
    after: f64,
    times: Vec<f64>,
}

impl Wave {
    fn of(times: Vec<f64>) -> Self {
        Self { after: median(times[times.len() - STEADY..].to_vec()), times }
    }

    fn json(&self, normal: f64) -> serde_json::Value {
        let peak = self.times.iter().copied().fold(0.0, f64::max);
        // Until the first of ten cycles in a row that are as long as those at the end, but for a twentieth.
        let is_steady = |times: &[f64]| median(times.to_vec()) <= self.after * 1.05;
        let until = self.times.windows(10).position(is_steady).unwrap_or(self.times.len());
        let lost: f64 = self.times[..until].iter().map(|time| time - self.after).sum();
        serde_json::json!({
            "peak_ms": peak, "peak_ratio": peak / normal, "cycles": until, "lost_ms": lost,
            "after_ms": self.after, "after_ratio": self.after / normal,
        })
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
