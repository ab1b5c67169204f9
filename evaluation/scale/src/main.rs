//! Measures the controller as load grows and writes all figures as JSON.
#![forbid(unsafe_code)]

use clap::Parser;
use serde_json::{Value, json};
use spl_scale::{Agent, Controller, Fault, Plan, Shape, Turn};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tempfile::TempDir;

/// Programs that want to be measured at the same time.
const AGENTS: u32 = 100;
const SMALL: Shape = Shape { methods: 10, assertions: 0, samples: 100, buckets: 1 };

/// Throughput of one controller, over the real protocol, from simulated agents.
#[derive(Debug, Parser)]
struct Options {
    /// The controller.
    #[arg(long)]
    spl: PathBuf,
    /// Where to write the figures.
    #[arg(long)]
    json: PathBuf,
    /// Times that each size is measured.
    #[arg(long, default_value_t = 3)]
    repeat: usize,
    /// Only what is named: `intake`, `samples`, `methods`, `assertions`, `buckets` or `agents`; may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Divisor of the largest sizes, for a quick look.
    #[arg(long, default_value_t = 1)]
    divide: u64,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("scale: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), Fault> {
    let wanted = |part: &str| options.only.is_empty() || options.only.iter().any(|name| name == part);
    let mut intake_runs = Vec::new();
    for samples in [200_000, 1_000_000].map(|samples: u64| (samples / options.divide).max(1)) {
        for _ in 0..if wanted("intake") { options.repeat } else { 0 } {
            let shape = Shape { samples, ..SMALL };
            intake_runs.push(said("intake", intake(&options.spl, shape)?));
        }
    }
    let (mut growth, mut folders) = (serde_json::Map::new(), Vec::new());
    for (what, shapes) in shapes(options.divide).into_iter().filter(|(what, _)| wanted(what)) {
        let mut runs = Vec::new();
        for shape in shapes {
            for _ in 0..options.repeat {
                let (figures, folder) = whole(&options.spl, shape)?;
                runs.push(said(what, figures));
                // Ext4 goes one by one through the inodes that were deleted within the last minutes before it gives out a new
                // one, so a run would pay for the files of those before it.
                folders.extend((shape.methods > SMALL.methods).then_some(folder));
            }
        }
        growth.insert(what.to_owned(), Value::Array(runs));
    }
    let agents = if wanted("agents") { said("agents", agents(&options.spl)?) } else { Value::Null };
    let figures = json!({ "intake": intake_runs, "growth": growth, "agents": agents });
    std::fs::write(&options.json, format!("{figures:#}\n"))
        .map_err(|source| Fault::System { what: "cannot write the figures", source })
}

fn said(what: &str, figures: Value) -> Value {
    eprintln!("scale: {what}: {figures}");
    figures
}

/// Sizes of each kind, of which one grows.
fn shapes(divide: u64) -> [(&'static str, Vec<Shape>); 4] {
    let sizes = |list: [u64; 4]| list.into_iter().map(move |size| (size / divide).max(2));
    let count = |size: u64| usize::try_from(size).unwrap_or(usize::MAX);
    let of = |shape: &dyn Fn(u64) -> Shape, list| sizes(list).map(shape).collect();
    [
        (
            "samples",
            of(&|n| Shape { samples: n / 10, ..SMALL }, [1_000_000, 2_000_000, 4_000_000, 8_000_000]),
        ),
        ("methods", of(&|n| Shape { methods: count(n), ..SMALL }, [1000, 2500, 5000, 10_000])),
        (
            "assertions",
            of(&|n| Shape { methods: 200, assertions: count(n), ..SMALL }, [1000, 2500, 5000, 10_000]),
        ),
        (
            "buckets",
            of(
                &|n| Shape { methods: 2, assertions: 1, samples: 50 * n, buckets: n },
                [1000, 2500, 5000, 10_000],
            ),
        ),
    ]
}

fn facts(shape: Shape) -> Value {
    json!({ "methods": shape.methods, "assertions": shape.assertions, "buckets": shape.buckets,
            "samples": shape.samples * shape.methods as u64 })
}

/// CPU time of the samples alone: from when all gates are open until the controller says that it has taken them in.
fn intake(spl: &Path, shape: Shape) -> Result<Value, Fault> {
    // Methods that are never finished: each sample is checked, written, counted and kept.
    let plan = Plan::of(Shape { samples: u64::MAX >> 1, ..shape });
    let controller = Controller::start(spl, &plan, true)?;
    let mut agent = Agent::connect(controller.port(), &controller.token()?, 1, shape)?;
    agent.await_open()?;
    agent.settle()?;
    let (before, began) = (controller.used()?, Instant::now());
    agent.send_all()?;
    let (wall_s, after) = (began.elapsed().as_secs_f64(), controller.used()?);
    agent.ended()?;
    controller.end()?;
    Ok(json!({ "of": facts(shape), "cpu_s": after.cpu_s - before.cpu_s, "wall_s": wall_s,
               "before_kib": before.peak_kib, "peak_kib": after.peak_kib }))
}

/// All that a run costs, from the controller's start to its end, and where its files are.
fn whole(spl: &Path, shape: Shape) -> Result<(Value, Arc<TempDir>), Fault> {
    let controller = Controller::start(spl, &Plan::of(shape), true)?;
    let mut agent = Agent::connect(controller.port(), &controller.token()?, 1, shape)?;
    let began = Instant::now();
    let Turn::Measured(sent) = agent.run()? else {
        return Err(Fault::Unexpected("the only agent was refused".to_owned()));
    };
    let (wall_s, peak_kib, results) =
        (began.elapsed().as_secs_f64(), controller.used()?.peak_kib, written(&controller, shape)?);
    agent.detached()?;
    let folder = controller.folder();
    let (status, cpu_s) = controller.end()?;
    let figures = json!({ "of": facts(shape), "sent": sent, "cpu_s": cpu_s, "wall_s": wall_s, "peak_kib": peak_kib,
                          "results": results, "status": status.code() });
    Ok((figures, folder))
}

/// Results of assertions, where there are any.
fn written(controller: &Controller, shape: Shape) -> Result<usize, Fault> {
    if shape.assertions == 0 { Ok(0) } else { controller.results() }
}

/// A hundred programs at once: one is measured, the others are refused and come again.
fn agents(spl: &Path) -> Result<Value, Fault> {
    let controller = Controller::start(spl, &Plan::of(SMALL), false)?;
    let (port, token) = (controller.port(), controller.token()?);
    let (rejected, samples, began) = (AtomicU64::new(0), AtomicU64::new(0), Instant::now());
    let mut ends: Vec<f64> = std::thread::scope(|scope| {
        let one = |number| {
            let mut pauses = 0;
            loop {
                let mut agent = Agent::connect(port, &token, number, SMALL)?;
                match agent.run()? {
                    Turn::Rejected => {
                        rejected.fetch_add(1, Ordering::Relaxed);
                        std::thread::sleep(Agent::pause(pauses));
                        pauses += 1;
                    }
                    Turn::Measured(sent) => {
                        agent.detached()?;
                        samples.fetch_add(sent, Ordering::Relaxed);
                        return Ok(began.elapsed().as_secs_f64());
                    }
                }
            }
        };
        let threads: Vec<_> = (1..=AGENTS).map(|number| scope.spawn(move || one(number))).collect();
        threads
            .into_iter()
            .map(|thread| {
                thread.join().unwrap_or_else(|_| Err(Fault::Unexpected("an agent failed".to_owned())))
            })
            .collect::<Result<_, Fault>>()
    })?;
    ends.sort_by(f64::total_cmp);
    let used = controller.used()?;
    Ok(
        json!({ "agents": AGENTS, "measured": ends.len(), "rejected": rejected.into_inner(), "samples": samples.into_inner(),
               "ends_s": ends, "cpu_s": used.cpu_s, "peak_kib": used.peak_kib }),
    )
}
