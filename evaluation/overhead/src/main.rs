//! Cost of the agent for the program: each figure the median of several JVMs, what is compared measured in
//! turn.
#![forbid(unsafe_code)]

mod bench;
mod calls;
mod claims;
mod loading;
mod sizes;
mod start;
mod truth;
mod warmup;

use bench::Bench;
use clap::Parser;
use spl_overhead::{Fault, java_classes};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Measures what the agent costs and prints a line `ok|FAIL claim figure` for each claim.
#[derive(Debug, Parser)]
struct Options {
    /// The JVMs' launcher.
    #[arg(long, default_value = "java")]
    java: PathBuf,
    /// The Java compiler.
    #[arg(long, default_value = "javac")]
    javac: PathBuf,
    /// The agent's library; by default the one next to this program.
    #[arg(long)]
    agent: Option<PathBuf>,
    /// The library of another build, whose starts are measured in turn with this one's.
    #[arg(long)]
    other: Option<PathBuf>,
    /// JVMs for each figure.
    #[arg(long, default_value_t = 5)]
    forks: usize,
    /// Bursts of each kind in a JVM.
    #[arg(long, default_value_t = 300)]
    rounds: usize,
    /// Only these parts: calls, threads, truth, loading, warmup, start; and sizes, which is else left out.
    #[arg(long, value_delimiter = ',')]
    only: Vec<String>,
    /// Where to write everything as JSON.
    #[arg(long)]
    json: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("overhead: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<bool, Fault> {
    let system = |what| move |source| Fault::System { what, source };
    let classes = tempfile::tempdir().map_err(system("cannot make a folder"))?;
    let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("java");
    let interfaces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../agent/java/spl/size");
    java_classes(&options.javac, &interfaces, classes.path())?;
    java_classes(&options.javac, &sources, classes.path())?;
    let beside = || Ok(std::env::current_exe()?.with_file_name("libspl_agent.so"));
    let agent =
        options.agent.clone().map_or_else(beside, Ok).map_err(system("cannot find this program's folder"))?;
    let agent = agent.canonicalize().map_err(system("cannot find the agent's library"))?;
    let other = options.other.as_ref().map(|path| path.canonicalize()).transpose();
    let other = other.map_err(system("cannot find the other build's library"))?;
    let bench = Bench {
        java: options.java.clone(),
        agent,
        other,
        classes: classes.path().to_owned(),
        forks: options.forks.max(1),
        rounds: options.rounds.max(1),
    };
    let wanted = |part: &str| options.only.is_empty() || options.only.iter().any(|name| name == part);
    let mut report = claims::Report::default();
    if wanted("calls") {
        calls::run(&bench, 1, &mut report)?;
    }
    if wanted("threads") {
        calls::run(&bench, 2, &mut report)?;
    }
    if wanted("truth") {
        truth::run(&bench, &mut report)?;
    }
    if wanted("loading") {
        loading::run(&bench, &mut report)?;
    }
    if wanted("warmup") {
        warmup::run(&bench, &mut report)?;
    }
    if wanted("start") {
        start::run(&bench, &mut report)?;
    }
    if options.only.iter().any(|name| name == "sizes") {
        sizes::run(&bench, &mut report)?;
    }
    if let Some(path) = &options.json {
        std::fs::write(path, report.json()).map_err(system("cannot write the JSON file"))?;
    }
    Ok(report.all_hold())
}
