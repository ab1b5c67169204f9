//! Cost of a call, measured: rounds in which every way has one JVM.

use crate::tools::{Jdk, Setting, Tools};
use crate::ways::{Built, Way, spl_methods};
use serde::{Deserialize, Serialize};
use spl_model::Sizing;
use spl_overhead::{Door, Program, Session};
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

/// Bodies as `Bench` names them.
pub const BODIES: [&str; 3] = ["tiny", "busy", "nested"];
/// Threads that call at once.
pub const THREADS: [u32; 2] = [1, 2];
/// Bursts of each kind for a figure.
const BURSTS: u32 = 150;
/// Microseconds between them: the agent empties its rings every millisecond.
const PAUSE_US: u32 = 2500;
/// The part of the calls that may be missing when every call should be recorded: rings that were full are counted.
const MAY_BE_LOST: f64 = 0.01;

/// All that was measured.
#[derive(Debug, Serialize, Deserialize)]
pub struct Costs {
    schema: String,
    /// Where.
    #[serde(flatten)]
    pub setting: Setting,
    /// Each JVM and way.
    pub forks: Vec<Fork>,
}

/// Cost of one way in one JVM.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fork {
    /// From 1.
    pub round: usize,
    /// The JVM.
    pub jdk: Jdk,
    /// The tool, or the state of the probe.
    pub way: String,
    /// Whether the time of each call is recorded.
    pub each_call: bool,
    /// Calls of the measured methods.
    pub calls: u64,
    /// Number of recorded calls.
    pub recorded: u64,
    /// The figures.
    pub cells: Vec<Cell>,
}

/// Nanoseconds of a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cell {
    /// The called body.
    pub body: String,
    /// Number of threads that call it at once.
    pub threads: u32,
    /// Without anything.
    pub plain_ns: f64,
    /// With two clock reads and a store.
    pub floor_ns: f64,
    /// With two clock reads and a record of the call, with the calls of the same method below it, by hand.
    pub record_ns: f64,
    /// Measured.
    pub measured_ns: f64,
}

/// Reads what was measured.
///
/// # Errors
/// When there is none.
pub fn read(file: &Path) -> Result<Costs, String> {
    let text =
        fs::read_to_string(file).map_err(|e| format!("{}: {e}; run make evaluate-peers", file.display()))?;
    serde_json::from_str(&text).map_err(|e| format!("{}: {e}; measure again", file.display()))
}

/// Measures and writes after each JVM what there is.
///
/// # Errors
/// When a tool does not run, or does not record every call.
pub fn measure(
    tools: &Tools,
    rounds: usize,
    only: &[String],
    append: bool,
    json: &Path,
) -> Result<(), String> {
    let tools = &tools.resolved()?;
    let mut costs = Costs { schema: "spl.peers/1".to_owned(), setting: tools.setting()?, forks: Vec::new() };
    if append && json.exists() {
        costs.forks = read(json)?.forks;
    }
    let built = Built::new(tools)?;
    let ways = built.ways(tools);
    let wanted = |name: &str| only.is_empty() || only.iter().any(|one| one == name);
    let before = costs.forks.iter().map(|fork| fork.round).max().unwrap_or(0);
    for round in before + 1..=before + rounds {
        for jdk in [Jdk::Installed, Jdk::Jdk25].into_iter().filter(|_| wanted("probe")) {
            costs.add(probe(tools, &built, jdk, round)?, json)?;
        }
        for way in ways.iter().filter(|way| wanted(way.name)) {
            costs.add(vec![other(tools, &built, way, round)?], json)?;
        }
    }
    Ok(())
}

impl Costs {
    fn add(&mut self, forks: Vec<Fork>, json: &Path) -> Result<(), String> {
        for fork in &forks {
            let ratios = fork.cells.iter().map(|cell| format!("{:.2}", cell.measured_ns / cell.floor_ns));
            let ratios = ratios.collect::<Vec<_>>().join(" ");
            eprintln!("round {}: {} ({:?}): {ratios} of the floor", fork.round, fork.way, fork.jdk);
        }
        self.forks.extend(forks);
        let text = serde_json::to_string_pretty(self).map_err(|e| e.to_string())?;
        let folder = json.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(json, text + "\n"))
            .map_err(|e| format!("{}: {e}", json.display()))
    }
}

/// A figure of every body and number of threads; `ask` sends a line and gives the answer.
fn cells(mut ask: impl FnMut(&str) -> Result<String, String>) -> Result<(Vec<Cell>, u64), String> {
    let (mut cells, mut calls) = (Vec::new(), 0);
    for threads in THREADS {
        for body in BODIES {
            let answer = ask(&format!("{body} {threads} {BURSTS} {PAUSE_US}"))?;
            let numbers: Vec<f64> = answer.split(' ').filter_map(|word| word.parse().ok()).collect();
            let [plain_ns, floor_ns, record_ns, measured_ns, so_far] = numbers[..] else {
                return Err(format!("the program said {answer:?}"));
            };
            cells.push(Cell { body: body.to_owned(), threads, plain_ns, floor_ns, record_ns, measured_ns });
            calls = so_far as u64;
        }
    }
    Ok((cells, calls))
}

/// One of the other tools.
fn other(tools: &Tools, built: &Built, way: &Way, round: usize) -> Result<Fork, String> {
    let log = built.path("stderr");
    let (cells, calls) = conversation(tools, way, &log)
        .map_err(|why| format!("{}: {why}\n{}", way.name, fs::read_to_string(&log).unwrap_or_default()))?;
    let recorded = built.recorded(tools, way)?;
    if recorded != calls {
        return Err(format!("{} recorded {recorded} of {calls} calls", way.name));
    }
    Ok(Fork {
        round,
        jdk: way.jdk,
        way: way.name.to_owned(),
        each_call: way.each_call,
        calls,
        recorded,
        cells,
    })
}

fn conversation(tools: &Tools, way: &Way, log: &Path) -> Result<(Vec<Cell>, u64), String> {
    let stderr = File::create(log).map_err(|e| format!("{}: {e}", log.display()))?;
    let mut command = Command::new(tools.launcher(way.jdk));
    command.args(&way.arguments).arg("peers.Bench").env_remove("JAVA_TOOL_OPTIONS").stderr(stderr);
    let mut program = Program::of(&mut command).map_err(|e| e.to_string())?;
    let mut talk = || {
        program.expect("ready")?;
        program.tell("warm")?;
        program.expect("warm")
    };
    talk().map_err(|e| e.to_string())?;
    let found = cells(|line| {
        let mut asked = || {
            program.tell(line)?;
            program.line()
        };
        asked().map_err(|e| e.to_string())
    })?;
    // Recorded calls are counted when the JVM ends.
    match program.end().map_err(|e| e.to_string())? {
        (_, 0) => Ok(found),
        (_, status) => Err(format!("the program ended with status {status}")),
    }
}

/// The probe in its states, all in one JVM: not yet there, closed, armed, taken out.
fn probe(tools: &Tools, built: &Built, jdk: Jdk, round: usize) -> Result<Vec<Fork>, String> {
    let fault = |fault: spl_overhead::Fault| format!("the probe: {fault}");
    let door = Door::open().map_err(fault)?;
    let classes = built.path("classes").display().to_string();
    let arguments = [&door.option(&tools.agent()), "-cp", &classes, "peers.Bench"];
    let mut program = Program::start(&tools.launcher(jdk), arguments).map_err(fault)?;
    let mut agent = door.accept().map_err(fault)?;
    program.expect("ready").map_err(fault)?;
    let handles = [1, 2, 3];
    let mut forks = vec![state("before", jdk, round, &mut program, &mut agent)?];
    for (handle, method) in handles.into_iter().zip(spl_methods()) {
        agent.define(handle, method, Sizing::None).map_err(fault)?;
    }
    agent.instrument(&handles).map_err(fault)?;
    forks.push(state("closed gate", jdk, round, &mut program, &mut agent)?);
    for handle in handles {
        agent.arm(handle, 1).map_err(fault)?;
    }
    let armed = state("armed probe", jdk, round, &mut program, &mut agent)?;
    if (armed.recorded as f64) < armed.calls as f64 * (1.0 - MAY_BE_LOST) {
        return Err(format!("the probe recorded {} of {} calls", armed.recorded, armed.calls));
    }
    forks.push(armed);
    for handle in handles {
        agent.arm(handle, 0).map_err(fault)?;
    }
    agent.restore(&handles).map_err(fault)?;
    forks.push(state("restored", jdk, round, &mut program, &mut agent)?);
    program.end().map_err(fault)?;
    Ok(forks)
}

fn state(
    name: &str,
    jdk: Jdk,
    round: usize,
    program: &mut Program,
    agent: &mut Session,
) -> Result<Fork, String> {
    let fault = |fault: spl_overhead::Fault| format!("the probe, {name}: {fault}");
    // Rings overflow in the warm-up, which has no pauses; what it calls is counted neither here nor there.
    program.tell("warm").and_then(|()| agent.line_of(program)).map_err(fault)?;
    agent.settle().map_err(fault)?;
    agent.samples.clear();
    let mut recorded = 0;
    let (cells, _) = cells(|line| {
        let answer = program.tell(line).and_then(|()| agent.line_of(program));
        agent.settle().map_err(fault)?;
        recorded += std::mem::take(&mut agent.samples).len() as u64;
        answer.map_err(fault)
    })?;
    let calls =
        u64::from(BURSTS) * CALLS_A_BURST * (BODIES.len() as u64) * u64::from(THREADS.iter().sum::<u32>());
    let each_call = name == "armed probe";
    Ok(Fork { round, jdk, way: name.to_owned(), each_call, calls, recorded, cells })
}

/// Calls in a burst of `Calls`.
const CALLS_A_BURST: u64 = 1500;
