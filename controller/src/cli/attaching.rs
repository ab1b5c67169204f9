//! `spl attach` and `spl detach`.

use super::shared::{Common, Ending, MODES, Reports};
use clap::Args;
use std::path::PathBuf;

const ATTACH_HELP: &str = "\
Examples:
  spl attach 4711 --tasks my.tasks --for 5m
  spl attach --match service.jar --tasks my.tasks --until-decided --yes
  spl attach 4711 --tasks my.tasks --for 5m --drill failed

Loads the agent into a JVM that runs already, measures, writes the results, restores every class, and takes the agent's \
threads away again; the program goes on. Where the agent is in the JVM already (spl client, an earlier spl attach), it is \
used as it is. A process that the JVM's signal would harm, or that would print its threads, gets none: the reason is said \
instead. A JVM of JDK 22 or earlier that was started without the agent discards all its compiled code when the first \
class is changed, and needs seconds to be fast again; spl says how many methods that concerns, and asks. \
With --drill failed it looks why claims fail before it leaves. \
It needs the rights of the JVM's user, or of root.

Exit status: as that of `spl run`.";

const DETACH_HELP: &str = "\
Example:
  spl detach 4711

Ends a measurement of this JVM, also one of another controller: every class gets its original bytes. An agent that was loaded by \
spl attach then has no thread and no descriptor left; one that the JVM was started with is dormant. The library itself \
stays in the JVM, and both can be attached again.

Exit status: 0 every class is as it was, 2 something went wrong.";

const DOCTOR_HELP: &str = "\
Examples:
  spl doctor 4711
  spl doctor --match service.jar --tasks my.tasks --json

Each line is a check: ok, note (a cost or a weakness) or BAD (the JVM cannot be measured), its fact, and the remedy. With \
--tasks each method of the file is looked up in the class path of the JVM. The JVM gets neither a signal nor a request.

Exit status: 0 nothing was found, 1 there are notes, 2 the JVM cannot be measured, or something went wrong.";

/// Which JVM is meant.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub struct Process {
    /// Process id of the JVM.
    #[arg(value_name = "PID")]
    pub pid: Option<u32>,
    /// The only JVM whose command line contains TEXT.
    #[arg(long = "match", value_name = "TEXT")]
    pub text: Option<String>,
}

/// `spl attach`
#[derive(Debug, Args)]
#[command(after_help = ATTACH_HELP)]
pub struct Attach {
    #[command(flatten)]
    pub process: Process,
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub until: Ending,
    /// Do not ask before a JVM that was started without the agent loses its compiled code.
    #[arg(long, short)]
    pub yes: bool,
    /// The agent's library [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
}

/// `spl detach`
#[derive(Debug, Args)]
#[command(after_help = DETACH_HELP)]
pub struct Detach {
    #[command(flatten)]
    pub process: Process,
    /// Show errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `spl doctor`
#[derive(Debug, Args)]
#[command(after_help = DOCTOR_HELP)]
pub struct Doctor {
    #[command(flatten)]
    pub process: Process,
    /// Look up the methods of this task file too.
    #[arg(long, value_name = "FILE")]
    pub tasks: Option<PathBuf>,
    /// The run mode that the task file is for [default: the one that more of its lines are written for]
    #[arg(long, value_parser = MODES, requires = "tasks")]
    pub mode: Option<String>,
    /// Print a JSON document.
    #[arg(long)]
    pub json: bool,
    /// The agent's library [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
}
