//! The command line.

use clap::{Args, Parser, Subcommand};
use std::ffi::OsString;
use std::path::PathBuf;

/// Performance assertions about Java methods, checked while the program runs.
#[derive(Debug, Parser)]
#[command(name = "spl", version, propagate_version = true, disable_help_subcommand = true)]
#[command(after_help = STATUS)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a program and measure it.
    Run(Run),
}

/// `spl run`
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
pub struct Run {
    /// Configuration [default: splserver.ini, if there is one; or $SPL_SERVER_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// What to measure; beats `tasks-file` of the configuration.
    #[arg(long, value_name = "FILE")]
    pub tasks: Option<PathBuf>,
    /// Write DIR/measurements/*.msr and DIR/result.eval; beats the configuration's paths.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The agent's library [default: libspl_agent.so beside this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
    /// Show errors only.
    #[arg(long, short)]
    pub quiet: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

const STATUS: &str = "Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), \
3 some were not evaluated, 2 something went wrong. The program's own status is reported, not mixed in.";

const RUN_HELP: &str = "\
Examples:
  spl run --tasks my.tasks -- java -jar service.jar
  spl run --config splserver.ini --out out -- java -cp app.jar com.example.Main --port 8080

A task file has one comparison a line, as in
  java/util/ArrayList.get(I)Ljava/lang/Object; <= (1, 2) java/util/LinkedList.get(I)Ljava/lang/Object;

The program's output passes through unchanged; what spl has to say goes to standard error, each line after \"spl:\".
The environment variable RUST_LOG=info shows every decision.

Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), 3 some were not evaluated,
2 something went wrong. The program's own status is reported, not mixed in.";
