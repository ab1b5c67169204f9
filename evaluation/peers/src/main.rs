//! Cost of a measured call compared with other tools', and truth of the reported ratios compared with JMH's.
#![forbid(unsafe_code)]

mod costs;
mod parts;
mod tools;
mod truth;
mod ways;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use tools::Tools;

/// Compares the probe with other tools.
#[derive(Debug, Parser)]
struct Options {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Cost of a call, in nanoseconds and against two clock reads; adds to what is measured already with
    /// --append.
    Costs {
        #[command(flatten)]
        tools: Tools,
        /// JVMs of each way of measuring, one a round.
        #[arg(long, default_value_t = 3)]
        rounds: usize,
        /// Only ways with these names, for a look.
        #[arg(long, value_delimiter = ',')]
        only: Vec<String>,
        /// Add rounds to those in the file.
        #[arg(long)]
        append: bool,
        /// Where to write everything.
        #[arg(long, default_value = "evaluation/out/peers.json")]
        json: PathBuf,
    },
    /// Ratios of methods: the controller's compared with those of JMH and of the JVM's own method timing.
    Truth {
        #[command(flatten)]
        tools: Tools,
        /// Runs of JMH and of the controller on each JDK.
        #[arg(long, default_value_t = 10)]
        runs: usize,
        /// Where to write everything.
        #[arg(long, default_value = "evaluation/out/truth.json")]
        json: PathBuf,
    },
}

fn main() -> ExitCode {
    let done = match Options::parse().what {
        What::Costs { tools, rounds, only, append, json } => {
            costs::measure(&tools, rounds, &only, append, &json)
        }
        What::Truth { tools, runs, json } => truth::measure(&tools, runs, &json),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("peers: {problem}");
            ExitCode::from(2)
        }
    }
}
