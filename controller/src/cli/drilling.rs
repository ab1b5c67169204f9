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
    /// what each call enters, with its receivers, and sizes of objects (calls), or add up the time of calls, with callees and without (time), or count
    /// which blocks ran one after the other (paths; blocks,paths has exact counts of blocks where exceptions are thrown, too), or
    /// record everything that runs, in its order (trace; trace,blocks counts blocks too, as a check).
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = drill_kinds(), default_value = "blocks")]
    pub what: Vec<DrillKind>,
    /// Let a file say which events are recorded or counted, with which fields, in the language of *J; in place of --what.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["what", "clock"])]
    pub spec: Option<PathBuf>,
    /// With --spec: print what the file means, event by event, and the kind of drill that it takes; start nothing.
    #[arg(long, requires = "spec")]
    pub show: bool,
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
    /// With --what trace: write the trace as one stream, in place of files of its threads: to a file to make, a pipe that somebody reads,
    /// unix:SOCKET or tcp:127.0.0.1:PORT. A name that ends with .gz is packed. `spl trace QUESTION FILE` reads it, and - as it comes.
    #[arg(long, value_name = "TO")]
    pub stream: Option<String>,
    /// With --what trace: the order in which events are known, of each thread by itself (threads), or of all threads in one order (total), so
    /// that they can be replayed together [default: threads]
    #[arg(long, value_name = "ORDER", value_enum)]
    pub order: Option<TraceOrder>,
    /// With --what trace: record the class of each call's receiver, too.
    #[arg(long)]
    pub receivers: bool,
    /// With --what trace: record only what runs within calls of these methods, in the thread that makes the call; may be given several
    /// times.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    pub within: Vec<String>,
    /// With --within: record one call of COUNT in each thread, the first to begin with.
    #[arg(long, value_name = "COUNT", requires = "within", value_parser = clap::value_parser!(u32).range(1..=i64::from(i32::MAX)))]
    pub one_in: Option<u32>,
    /// With --what trace: record the clock at the beginning and the end of each call, for `spl trace calls` and `timeline`.
    #[arg(long)]
    pub timed: bool,
    /// Methods to count, by class and name: com.shop.Parser#next*, com.shop.**, a class; may be given several times.
    #[arg(long, value_name = "PATTERN", num_args = 1.., required_unless_present_any = ["all", "show"])]
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
    #[arg(last = true, required_unless_present_any = ["attach", "show"], value_name = "COMMAND")]
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

/// The order in which the events of a trace are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceOrder {
    /// Of each thread by itself.
    Threads,
    /// Of all threads.
    Total,
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
    /// The drill: its folder (out/drill, out/drill-2), or the folder that it is in if there is no other; or a trace that
    /// `spl drill --stream` has written, a pipe for it, or - for standard input. For events, a table that --as jbinstrace has written, or -.
    #[arg(value_name = "DRILL_FOLDER")]
    pub folder: PathBuf,
    /// Only this thread, by its id.
    #[arg(long, value_name = "ID")]
    pub thread: Option<u64>,
    /// Only what ran from this time on after the trace's first clock, such as 250ms or 1m30s; calls that were under way then are not known.
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub from: Option<Duration>,
    /// Only what ran up to this time after the trace's first clock. Clocks stand 4,096 words apart, with --timed at each call.
    #[arg(long, value_name = "TIME", value_parser = duration::parse)]
    pub to: Option<Duration>,
    /// Number of lines to show at most (tree, hot, worst, unseen, calls, sites, switches; of each method: paths), or of calls (timeline)
    /// [default: 40, for timeline 20]
    #[arg(long, value_name = "COUNT")]
    pub limit: Option<usize>,
    /// Only calls with this number (calls, timeline): among those of their thread, as --within counts them, or of its outermost calls.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub call: Option<u64>,
    /// Segments of a sequence, at most 64 (hot).
    #[arg(long, value_name = "SEGMENTS", default_value_t = 4, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub length: u8,
    /// Detail of loops in a path (paths).
    #[arg(long, value_name = "DETAIL", value_enum, default_value_t = Loops::Counts)]
    pub loops: Loops,
    /// Only these methods, by class and name as in `spl drill` (paths, worst); may be given several times.
    #[arg(long, value_name = "PATTERN", num_args = 1..)]
    pub methods: Vec<String>,
    /// In which form: json (paths, unseen, sites, switches, calls), csv (calls), chrome (timeline), jbinstrace (replay) [default: text]
    #[arg(long = "as", value_name = "FORM", value_enum)]
    pub form: Option<TraceForm>,
    /// All threads in the order in which their events came, of a drill with --order total (replay).
    #[arg(long)]
    pub merged: bool,
    /// With --as jbinstrace: 1 for one trace of all threads, 2 for one of each thread [default: 2]
    #[arg(long, value_name = "MODE", value_parser = clap::value_parser!(u8).range(1..=2))]
    pub mode: Option<u8>,
    /// With --as jbinstrace: a folder to make for its tables. For timeline: the file of the page, or of --as chrome.
    #[arg(long, short, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

impl Trace {
    /// Lines, or calls, to show at most.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.limit.unwrap_or(if self.question == TraceQuestion::Timeline { 20 } else { 40 })
    }
}

/// Detail of loops in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Loops {
    /// Their turns in order.
    Exact,
    /// Numbers of turns for each way through a loop.
    Counts,
    /// Which ways were taken.
    Once,
}

/// The form of an answer about a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceForm {
    /// Text for people.
    Text,
    /// A line of JSON for each path, call, or pair of threads.
    Json,
    /// A table with a line for each call.
    Csv,
    /// The Trace Event Format, which Perfetto, chrome://tracing and speedscope open.
    Chrome,
    /// JBInsTrace's event numbers.
    Jbinstrace,
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
    /// Which ways whole calls took through their methods, with loops as parts of their own.
    Paths,
    /// Number of times that another thread went on, by pairs of threads, of a drill with --order total.
    Switches,
    /// The calls whose receiver chooses the method, with its classes, of a drill with --receivers.
    Sites,
    /// Calls that entered no traced method: native ones, and those of methods that were not traced.
    Unseen,
    /// The calls within which was traced, or the outermost ones of each thread: the slowest first.
    Calls,
    /// The slowest calls over time, with what they called (--timed): as text, as a page of HTML (--output) or for other tools.
    Timeline,
    /// The events of a table in JBInsTrace's numbers.
    Events,
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
