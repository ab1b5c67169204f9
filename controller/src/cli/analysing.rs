//! Metrics: `spl analyse` and `spl metrics`.

use super::help::{ANALYSE_HELP, METRICS_HELP};
use super::skipping::Skipping;
use crate::duration;
use crate::every::Every;
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// `spl analyse`
#[derive(Debug, Args)]
#[command(after_help = ANALYSE_HELP)]
pub struct Analyse {
    /// The drill: its folder (out/drill, out/drill-2), or the folder that it is in if there is no other.
    #[arg(value_name = "DRILL_FOLDER", required_unless_present_any = ["hierarchy", "explain", "needs", "dep_graph"])]
    pub folder: Option<PathBuf>,
    /// In which form.
    #[arg(long = "as", value_name = "FORM", value_enum, default_value = "text")]
    pub form: ValueForm,
    /// Where to write it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub choosing: Choosing,
    #[command(flatten)]
    pub claiming: Claiming,
    /// Print the tree of packs and metrics; what is disabled, or needs what the drill lacks, stands in brackets.
    #[arg(long, conflicts_with_all = ["explain", "needs", "form", "output"])]
    pub hierarchy: bool,
    /// Print the definitions of metrics, with what they need and their options; may be given several times.
    #[arg(long, value_name = "PATTERN", conflicts_with_all = ["needs", "form", "output"])]
    pub explain: Vec<String>,
    /// Print the least specification for `spl drill --spec` that counts what the named metrics need [default: the enabled ones]
    #[arg(long, value_name = "PATTERN", num_args = 0.., conflicts_with_all = ["form", "output"])]
    pub needs: Option<Vec<String>>,
    /// Write which metric needs which facts and events, as a graph for Graphviz.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["hierarchy", "explain", "needs", "form", "output"])]
    pub dep_graph: Option<PathBuf>,
}

/// `spl metrics`
#[derive(Debug, Args)]
#[command(after_help = METRICS_HELP)]
pub struct Metrics {
    #[command(flatten)]
    pub choosing: Choosing,
    #[command(flatten)]
    pub claiming: Claiming,
    /// The kind of counts.
    #[arg(long, value_enum, value_name = "WHAT", default_value_t = Counted::Receivers)]
    pub what: Counted,
    /// Methods to count, by class and name: com.shop.Parser#next*, com.shop.**, a class; may be given several times [default: all]
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    pub methods: Vec<String>,
    /// Count all methods of all classes but the JDK's, which is the default.
    #[arg(long, conflicts_with = "methods")]
    pub all: bool,
    /// Count the JDK's classes too.
    #[arg(long)]
    pub jdk: bool,
    /// Methods to leave out; may be given several times.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    pub not: Vec<String>,
    /// End the drill after this time, such as 90s or 5m, and restore all classes; the program goes on.
    #[arg(long = "for", value_name = "TIME", value_parser = duration::parse)]
    pub longest: Option<Duration>,
    /// Compute metrics over time as well: of each second (1s; at least 100ms), or of each number of calls of a method (100000:com.shop.Parser#parse).
    #[arg(long, value_name = "TRIGGER", value_parser = Every::parse)]
    pub every: Option<Every>,
    /// Look at the objects of the heap in the end, too (pointer.pointsTo, pointer.pointedBy): the program stands still for about a second for each
    /// million objects, 10 s at most.
    #[arg(long)]
    pub heap: bool,
    /// Change no class: hear the JVM's events only (waits for monitors, threads, collections, a sample of the allocated objects), for production.
    /// It gives rates for each second in DIR/sampled.
    #[arg(
        long,
        conflicts_with_all = [
            "enable", "disable", "set", "library", "spaces", "include", "exclude", "tasks", "junit", "what", "methods", "all", "jdk", "not",
            "every", "heap",
        ]
    )]
    pub sampled: bool,
    /// With --sampled: the process id of a JVM that runs already, instead of a command.
    #[arg(long, value_name = "PID", requires = "sampled", conflicts_with = "command")]
    pub attach: Option<u32>,
    /// With --sampled: mean number of allocated KiB between two samples.
    #[arg(
        long,
        value_name = "KIB",
        requires = "sampled",
        default_value_t = 512,
        value_parser = clap::value_parser!(u32).range(1..=1_048_576)
    )]
    pub interval: u32,
    /// Write the results into DIR/drill.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace the results of an earlier drill there, instead of writing into a new folder next to it (drill-2).
    #[arg(long)]
    pub replace: bool,
    /// Let JVMs that a JVM of the command starts have the agent too, as forks of a build tool.
    #[arg(long)]
    pub children: bool,
    /// The agent's library [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
    /// Show errors only.
    #[arg(long, short)]
    pub quiet: bool,
    /// The program and its arguments.
    #[arg(last = true, required_unless_present = "attach", value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// The facts that metrics are computed from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Counted {
    /// Blocks, the classes of receivers, and sizes.
    Receivers,
    /// Besides the methods that calls enter: exceptions leave fewer bounds. It slows the program down twice as much.
    Calls,
    /// Blocks alone, which slows the program down half as much: metrics of receivers and of bytes are left out.
    Blocks,
}

/// Which metrics are computed, and of what.
#[derive(Clone, Debug, Default, Args)]
pub struct Choosing {
    /// Compute these metrics though --disable names them; may be given several times.
    #[arg(long, value_name = "PATTERN")]
    pub enable: Vec<String>,
    /// Leave these metrics out: a pack, a metric, a number, with * for any characters; may be given several times.
    #[arg(long, value_name = "PATTERN")]
    pub disable: Vec<String>,
    /// Set an option of metrics, as in --set 'size.hot*:p=0.8'; may be given several times.
    #[arg(long, value_name = "PATTERN:OPTION=VALUE")]
    pub set: Vec<String>,
    /// Beginnings of names of library classes, as in java.,kotlin.; starj is the list of *J [default: names of the JDK]
    #[arg(long, value_name = "PREFIXES")]
    pub library: Option<String>,
    /// One more space: the methods of a pattern, or of several with the same name; may be given several times.
    #[arg(long = "space", value_name = "NAME=PATTERN")]
    pub spaces: Vec<String>,
    #[command(flatten)]
    pub skipping: Skipping,
}

/// Which claims are judged.
#[derive(Clone, Debug, Default, Args)]
pub struct Claiming {
    /// Judge the claims of this task file about metrics, such as metric(size.run, com.shop.Parser) <= 5000.
    #[arg(long, value_name = "FILE")]
    pub tasks: Option<PathBuf>,
    /// Write the results of the claims as JUnit XML to FILE, a test case for each claim.
    #[arg(long, value_name = "FILE", requires = "tasks")]
    pub junit: Option<PathBuf>,
}

/// How values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ValueForm {
    /// A line for each value. Below stand the reasons why some are not exact.
    Text,
    /// One JSON document (docs/schema/metrics-1.json).
    Json,
    /// One table with a line for each value.
    Csv,
    /// The XML of *J, with what is known of each value (docs/schema/metrics-1.xsd).
    Xml,
}
