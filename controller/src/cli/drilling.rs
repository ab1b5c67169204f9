//! Counting: `spl drill`, `spl export`, and the options of a measurement about the reasons of failed claims.

use super::help::{DRILL_HELP, EXPORT_HELP, TRACE_HELP};
use crate::duration;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use spl_model::{Clock, DrillKind};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Reasons of failed claims: short forms of the keys of `[drill]`.
#[derive(Clone, Debug, Default, Args)]
pub struct Drilling {
    /// Look why claims fail (failed): when all are decided, count what their methods run for some seconds; beats `claims` of the
    /// configuration (none by default).
    #[arg(long, value_name = "CLAIMS", value_parser = ["failed", "none"])]
    pub drill: Option<String>,
    /// Longest time for it, such as 20s; beats `drill-time` of the configuration.
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub drill_for: Option<Duration>,
}

impl Drilling {
    /// Keys and values of the options.
    pub fn pairs(&self) -> impl Iterator<Item = (String, String)> {
        let time = self.drill_for.map(|time| time.as_millis().to_string());
        let all = [("claims", self.drill.clone()), ("drill-time", time)];
        all.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)))
    }
}

/// `spl drill`
#[derive(Debug, Args)]
#[command(after_help = DRILL_HELP)]
pub struct Drill {
    /// Drill a JVM that runs already, by its process id, instead of a command. It loses its compiled code for a while.
    #[arg(long, value_name = "PID", conflicts_with_all = ["command", "children"])]
    pub attach: Option<u32>,
    /// With --attach: do not ask before the JVM loses its compiled code.
    #[arg(long, short, requires = "attach")]
    pub yes: bool,
    /// Count how often blocks run (blocks), find out which blocks run, which costs little in the end (cover), or count blocks and
    /// what each call enters, with its receivers (calls), or add up the time of calls, with callees and without (time), or count
    /// which blocks ran one after the other (paths; blocks,paths has exact counts of blocks where exceptions are thrown, too), or
    /// record everything that runs, in its order (trace; trace,blocks counts blocks too, as a check).
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = drill_kinds(), default_value = "blocks")]
    pub what: Vec<DrillKind>,
    /// With --what time: read the clock twice a call, or also where each probe begins and ends (four), as a check.
    #[arg(long, value_name = "READS", value_parser = clocks())]
    pub clock: Option<Clock>,
    /// With --what trace: what a thread does whose ring is full: leave events out and count them, or wait for this program (wait), which
    /// is for laboratories.
    #[arg(long, value_name = "HOW", value_enum)]
    pub full: Option<WhenFull>,
    /// With --what trace: size of a thread's ring in KiB, a multiple of 16, at most 4080 [default: 4080]
    #[arg(long, value_name = "KIB", value_parser = chunks)]
    pub ring: Option<u8>,
    /// Methods to count, by class and name: com.shop.Parser#next*, com.shop.**, a class; may be given several times.
    #[arg(long, value_name = "PATTERN", num_args = 1.., required_unless_present = "all")]
    pub methods: Vec<String>,
    /// Count all methods of all classes but the JDK's.
    #[arg(long)]
    pub all: bool,
    /// With patterns that begin with *, and --all: the JDK's classes too.
    #[arg(long)]
    pub jdk: bool,
    /// Methods to leave out; may be given several times.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    pub not: Vec<String>,
    /// End the drill after this time, such as 90s or 5m, and restore all classes; the program goes on.
    #[arg(long = "for", value_name = "TIME", value_parser = duration::parse)]
    pub longest: Option<Duration>,
    /// Let counting take at most this part of the program's processor time; the methods that count most stop when it takes more.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub budget: Option<f64>,
    /// Write the results into DIR/drill.
    #[arg(long, value_name = "DIR", default_value = "out")]
    pub out: PathBuf,
    /// Replace the results of an earlier drill there, instead of writing into a new folder next to it (drill-2).
    #[arg(long)]
    pub replace: bool,
    /// Number of methods to show at most.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub limit: usize,
    /// Keep no copies of the class files, only their digests.
    #[arg(long)]
    pub no_classes: bool,
    /// Show the source next to the graphs of the page: a folder, JAR or ZIP with source files by package; may be given several times.
    #[arg(long, value_name = "PATH")]
    pub sources: Vec<PathBuf>,
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

/// Behaviour of a thread whose ring is full.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WhenFull {
    /// Leave events out, and count them.
    Drop,
    /// Wait for this program, up to 5 s.
    Wait,
}

/// `spl export`
#[derive(Debug, Args)]
#[command(after_help = EXPORT_HELP)]
pub struct Export {
    /// The drill: its folder (out/drill, out/drill-2), or the folder that it is in if there is no other.
    #[arg(value_name = "DRILL_FOLDER")]
    pub folder: PathBuf,
    /// In which form.
    #[arg(long = "as", value_name = "FORM", value_enum)]
    pub form: ExportForm,
    /// Where to write it [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// `spl trace`
#[derive(Debug, Args)]
#[command(after_help = TRACE_HELP)]
pub struct Trace {
    /// The question.
    #[arg(value_name = "QUESTION", value_enum)]
    pub question: TraceQuestion,
    /// The drill: its folder (out/drill, out/drill-2), or the folder that it is in if there is no other.
    #[arg(value_name = "DRILL_FOLDER")]
    pub folder: PathBuf,
    /// Only this thread, by its id.
    #[arg(long, value_name = "ID")]
    pub thread: Option<u64>,
    /// Number of lines to show at most (tree, hot, worst).
    #[arg(long, value_name = "COUNT", default_value_t = 40)]
    pub limit: usize,
    /// Segments of a sequence, at most 64 (hot).
    #[arg(long, value_name = "SEGMENTS", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub length: u8,
}

/// A question to a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceQuestion {
    /// Every call, block and end of a call, in its order.
    Replay,
    /// The tree of calls, with bytecodes.
    Tree,
    /// The segments in a row that ran most bytecodes.
    Hot,
    /// The call of each method that ran most bytecodes, with its blocks.
    Worst,
    /// Whether counters of the same run have counted the same (--what trace,blocks).
    Check,
    /// The trace's words and bytes.
    Size,
}

/// How counts are given to other tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// One table with a line for each block of each method.
    Csv,
    /// The XML of JBInsTrace, with the counts of blocks (docs/schema/jbinstrace-2.xsd).
    Jbinstrace,
    /// The XML of JaCoCo: instructions, branches, lines, methods and classes that ran.
    Jacoco,
    /// The profile format of Valgrind's callgrind: bytecodes by source line, and calls with their cost.
    Callgrind,
    /// The JSON of speedscope: the calls as a tree, by averages, with bytecodes for time.
    Speedscope,
    /// The call graph as GraphML.
    Graphml,
    /// The call graph in Graphviz's language.
    Dot,
    /// The call graph as text: callers and callees of each method, most work first.
    Calls,
}

/// A share in percent.
fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('%').parse::<f64>().ok();
    value
        .filter(|value| *value > 0.0 && *value <= 100.0)
        .ok_or_else(|| "a number over 0 and up to 100, such as 5".to_owned())
}

/// Chunks of a ring.
fn chunks(text: &str) -> Result<u8, String> {
    let chunks = text.parse::<u32>().ok().filter(|kib| kib % 16 == 0).map(|kib| kib / 16);
    let chunks = chunks.and_then(|chunks| u8::try_from(chunks).ok()).filter(|chunks| *chunks > 0);
    chunks.ok_or_else(|| "a multiple of 16 from 16 to 4080".to_owned())
}

/// The values of `--clock`.
fn clocks() -> impl TypedValueParser<Value = Clock> {
    let names = PossibleValuesParser::new(["two", "four"]);
    names.map(|name| if name == "four" { Clock::Four } else { Clock::Two })
}

/// The values of `--what`.
fn drill_kinds() -> impl TypedValueParser<Value = DrillKind> {
    let names = PossibleValuesParser::new(DrillKind::ALL.map(DrillKind::name));
    names.map(|name| DrillKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(DrillKind::Blocks))
}
