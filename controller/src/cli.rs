//! The command line.

mod attaching;
mod help;
mod shared;

pub use self::attaching::{Attach, Detach, Doctor, Process};
pub use self::shared::{Changes, Classes, Common, Ending, Instance, Jvms, Reports};

use self::help::{
    API_JAR_HELP, CFG_HELP, CHECK_HELP, CLIENT_HELP, COMPLETIONS_HELP, DRILL_HELP, EVAL_HELP, EXPORT_HELP,
    FMT_HELP, INSTRUMENT_HELP, MAN_HELP, METHODS_HELP, REPORT_HELP, RUN_HELP, SERVE_HELP, STATUS, TOP_HELP,
};
use self::shared::MODES;
use crate::duration;
use crate::looking::Looking;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use spl_model::DrillKind;
use spl_session::config::{DEFAULT_PORT, Judge};
use spl_session::until::Until;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// Performance assertions about Java methods, checked while the program runs.
#[derive(Debug, Parser)]
#[command(name = "spl", version, propagate_version = true, disable_help_subcommand = true)]
#[command(after_help = STATUS)]
pub struct Cli {
    /// The subcommand, if one was given.
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Start a program and measure it.
    Run(Run),
    /// Start a program and find the methods that it calls most and that take most of its time.
    Top(Top),
    /// Wait for programs that `spl client` starts, and measure them.
    Serve(Serve),
    /// Start a program that a controller in another terminal measures.
    Client(Client),
    /// Measure a program that runs already.
    Attach(Attach),
    /// End the measurement of a program that runs, and restore its classes.
    Detach(Detach),
    /// Say whether a program that runs can be attached to, and at which cost.
    Doctor(Doctor),
    /// Write the classes as the agent would install them, for inspection.
    Instrument(Instrument),
    /// Judge recorded measurements again, without a JVM.
    Eval(Eval),
    /// Make the HTML report of a run again from its files.
    Report(Report),
    /// Check a task file: its language, and its methods among a program's classes.
    Check(Check),
    /// List the methods of classes, to be pasted into a task file.
    Methods(Methods),
    /// Show the control-flow graphs of methods as their class files have them: blocks, edges, handlers, loops, what is counted of each block.
    Cfg(Cfg),
    /// Count the blocks of methods exactly while a program runs: why a method takes its time.
    Drill(Drill),
    /// Give the counts of a finished drill to other tools: JaCoCo, callgrind, speedscope, Graphviz and others.
    Export(Export),
    /// Format task files.
    Fmt(Fmt),
    /// Write the interfaces of size processors as a JAR to compile against.
    ApiJar(ApiJar),
    /// Print what a shell needs to complete the words of a command line.
    Completions(Completions),
    /// Write the manual pages.
    Man(Man),
}

impl Command {
    /// Whether standard output has to hold one JSON document, also after an error.
    pub fn prints_json(&self) -> bool {
        match self {
            Self::Run(_)
            | Self::Top(_)
            | Self::Drill(_)
            | Self::Export(_)
            | Self::Serve(_)
            | Self::Client(_)
            | Self::Attach(_)
            | Self::Detach(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
            Self::Doctor(arguments) => arguments.json,
            Self::Instrument(arguments) => arguments.json,
            Self::Eval(arguments) => arguments.json,
            Self::Report(arguments) => arguments.json,
            Self::Check(arguments) => arguments.json,
            Self::Methods(arguments) => arguments.json,
            Self::Cfg(arguments) => arguments.form == GraphForm::Json,
            Self::Fmt(arguments) => arguments.json,
            Self::ApiJar(arguments) => arguments.json,
        }
    }
}

/// `spl run`
#[derive(Debug, Args)]
#[command(after_help = RUN_HELP)]
pub struct Run {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub until: Ending,
    #[command(flatten)]
    pub which: Jvms,
    #[command(flatten)]
    pub instance: Instance,
    /// Look why claims fail: when all are decided, count what their methods run for some seconds, within the overhead budget.
    #[arg(long, value_name = "CLAIMS", value_parser = ["failed"], conflicts_with = "each")]
    pub drill: Option<String>,
    /// With --drill: time for it.
    #[arg(long, value_name = "TIME", value_parser = duration::parse, default_value = "20s", requires = "drill")]
    pub drill_for: Duration,
    /// End the program when its measurement is over: by SIGTERM, and by SIGKILL 10 s later.
    #[arg(long)]
    pub stop_program: bool,
    /// Exit with the program's status instead of the verdict's; 128 and the number of a signal that ended it.
    #[arg(long)]
    pub program_status: bool,
    /// The agent's library [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
    /// Do not start the program when it cannot be measured.
    #[arg(long)]
    pub require: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
    /// Where methods are only looked for: `spl top`.
    #[arg(skip)]
    pub looking: Option<Looking>,
}

impl Run {
    /// The end of the measurement. Failed claims are drilled while the program runs, so once all claims are decided.
    pub fn until(&self) -> Until {
        let until = self.until.until();
        Until { until_decided: until.until_decided || self.drill.is_some(), ..until }
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
    /// what each call enters, with its receivers (calls).
    #[arg(long, value_name = "KIND", value_delimiter = ',', value_parser = drill_kinds(), default_value = "blocks")]
    pub what: Vec<DrillKind>,
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

/// `spl top`
#[derive(Debug, Args)]
#[command(after_help = TOP_HELP)]
pub struct Top {
    /// Time to look from the beginning of the measurement on, as 30s or 5m; the program goes on.
    #[arg(long = "for", value_name = "TIME", value_parser = duration::parse, default_value = "30s")]
    pub longest: Duration,
    /// Methods to look at, as in a task file: com.shop.**#*, a class, @com.shop.Timed; may be given several times [default: the
    /// 1000 largest of the program's own classes]
    #[arg(long, value_name = "PATTERN")]
    pub methods: Vec<String>,
    /// CPU time that looking may take, in percent of what the program uses; beats `overhead-budget` of the configuration.
    #[arg(long, value_name = "PERCENT")]
    pub overhead_budget: Option<String>,
    /// Number of methods to show at most.
    #[arg(long, value_name = "COUNT", default_value_t = 20)]
    pub limit: usize,
    /// Write the table as one JSON document to FILE (docs/schema/top-1.json).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Configuration [default: splserver.ini, if there is one; or $SPL_SERVER_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Set a key of the configuration, as in --set initial-sleep=0; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Where the program's classes are; by default what its command line says.
    #[command(flatten)]
    pub classes: Classes,
    /// Look only at JVMs whose main class, or JAR, is this; with * for any characters.
    #[arg(long, value_name = "PATTERN")]
    pub main: Option<String>,
    /// Show errors only.
    #[arg(long, short)]
    pub quiet: bool,
    /// Show lines only, and no live view where standard error is a terminal.
    #[arg(long)]
    pub plain: bool,
    /// End the program when its measurement is over: by SIGTERM, and by SIGKILL 10 s later.
    #[arg(long)]
    pub stop_program: bool,
    /// The agent's library [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `spl serve`
#[derive(Debug, Args)]
#[command(after_help = SERVE_HELP)]
pub struct Serve {
    #[command(flatten)]
    pub common: Common,
    #[command(flatten)]
    pub reports: Reports,
    #[command(flatten)]
    pub until: Ending,
    /// End after the first program.
    #[arg(long)]
    pub once: bool,
    /// Put probes in and take them out by hand, at each Enter, and say every measured call; nothing is judged or written.
    #[arg(long, conflicts_with_all = ["out", "json", "junit", "metrics", "longest", "until_decided"])]
    pub manual: bool,
    /// Refused with a reason: `spl run` has it.
    #[arg(long, hide = true)]
    pub stop_program: bool,
    /// Refused with a reason: `spl run` has it.
    #[arg(long, hide = true)]
    pub program_status: bool,
    /// Port of this machine to listen on, 0 for any; beats `port` of the configuration.
    #[arg(long)]
    pub port: Option<u16>,
    /// Where to write the token that programs need [default: in $XDG_RUNTIME_DIR/spl, or a folder of yours in /tmp]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
}

/// `spl client`
#[derive(Debug, Args)]
#[command(after_help = CLIENT_HELP)]
pub struct Client {
    #[command(flatten)]
    pub instance: Instance,
    /// The controller's port.
    #[arg(long, default_value_t = DEFAULT_PORT)]
    pub port: u16,
    /// Where the controller wrote its token [default: where it writes it by default]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The agent's library [default: libspl_agent.so next to this program]
    #[arg(long, value_name = "FILE")]
    pub agent: Option<PathBuf>,
    /// Do not start the program when it cannot be measured.
    #[arg(long)]
    pub require: bool,
    /// The program and its arguments.
    #[arg(last = true, required = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `spl eval`
#[derive(Debug, Args)]
#[command(after_help = EVAL_HELP)]
pub struct Eval {
    /// Configuration [default: splserver.ini, if there is one; or $SPL_SERVER_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The task file with the claims; overrides `tasks-file` of the configuration.
    #[arg(long, value_name = "FILE")]
    pub tasks: Option<PathBuf>,
    /// The folder with the *.msr files of a run.
    #[arg(long, value_name = "DIR")]
    pub measurements: PathBuf,
    /// How comparisons are judged; beats `method` of the configuration. sequential needs windows in the files.
    #[arg(long, value_parser = judges(), value_name = "METHOD")]
    pub method: Option<Judge>,
    /// Set a key of the configuration, as in --set limit-p-value=0.01; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Write the results to FILE, and next to it assertions.jsonl and buckets.json.
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Say how often the test calls a method different from itself.
    #[arg(long)]
    pub self_check: bool,
    /// Print one JSON document (docs/schema/eval-1.json).
    #[arg(long)]
    pub json: bool,
    /// Write the results as JUnit XML to FILE, a test case for each claim.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Where methods are looked for that the tasks name as in Java.
    #[command(flatten)]
    pub classes: Classes,
    /// Show errors only.
    #[arg(long, short)]
    pub quiet: bool,
}

/// `spl report`
#[derive(Debug, Args)]
#[command(after_help = REPORT_HELP)]
pub struct Report {
    /// The folder with the results of a run (result.eval, context.json).
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
    /// Where to write it [default: report.html in that folder]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print one JSON document (docs/schema/report-1.json).
    #[arg(long)]
    pub json: bool,
}

/// `spl instrument`
#[derive(Debug, Args)]
#[command(after_help = INSTRUMENT_HELP)]
pub struct Instrument {
    /// Which methods, as in a task file in measurement mode: pkg.Class#name, globs with *, or * alone for all.
    #[arg(long)]
    pub methods: String,
    /// How the workload size is found.
    #[arg(long, value_parser = ["nocheck", "sizeof", "deep", "length"], default_value = "nocheck")]
    pub argument_size: String,
    /// Write a signed JAR without its signature, which would be wrong; else one is refused.
    #[arg(long)]
    pub unsign: bool,
    /// Print one JSON document (docs/schema/instrument-1.json).
    #[arg(long)]
    pub json: bool,
    /// A class file or a JAR.
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// Where to write it with probes.
    #[arg(long, short, value_name = "OUT")]
    pub output: PathBuf,
}

/// `spl api-jar`
#[derive(Debug, Args)]
#[command(after_help = API_JAR_HELP)]
pub struct ApiJar {
    /// Where to write it.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Print one JSON document (docs/schema/api-jar-1.json).
    #[arg(long)]
    pub json: bool,
}

/// `spl completions`
#[derive(Debug, Args)]
#[command(after_help = COMPLETIONS_HELP)]
pub struct Completions {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub shell: Shell,
}

/// `spl man`
#[derive(Debug, Args)]
#[command(after_help = MAN_HELP)]
pub struct Man {
    /// Where to write them; it is made if it is missing.
    #[arg(value_name = "DIR")]
    pub folder: PathBuf,
}

/// `spl check`
#[derive(Debug, Args)]
#[command(after_help = CHECK_HELP)]
pub struct Check {
    #[command(flatten)]
    pub classes: Classes,
    /// The run mode that the file is for [default: the one that more of its lines are written for]
    #[arg(long, value_parser = MODES)]
    pub mode: Option<String>,
    /// Print one JSON document (docs/schema/check-1.json).
    #[arg(long)]
    pub json: bool,
    /// Do not list the methods that are fine.
    #[arg(long, short)]
    pub quiet: bool,
    /// The task file.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
}

/// `spl methods`
#[derive(Debug, Args)]
#[command(after_help = METHODS_HELP)]
pub struct Methods {
    #[command(flatten)]
    pub classes: Classes,
    /// Name them as Java does: pkg.Class#name(int).
    #[arg(long)]
    pub java: bool,
    /// List at most this number of methods.
    #[arg(long, default_value_t = 1000)]
    pub limit: usize,
    /// Print one JSON document (docs/schema/methods-1.json).
    #[arg(long)]
    pub json: bool,
    /// Which methods: as in a task file in measurement mode, or a class alone for all that it has.
    #[arg(value_name = "PATTERN")]
    pub pattern: String,
}

/// `spl cfg`
#[derive(Debug, Args)]
#[command(after_help = CFG_HELP)]
pub struct Cfg {
    #[command(flatten)]
    pub classes: Classes,
    /// In which form.
    #[arg(long = "as", value_name = "FORM", value_enum, default_value = "text")]
    pub form: GraphForm,
    /// All methods of the class path; without one, of the JDK.
    #[arg(long)]
    pub all: bool,
    /// Which methods: as in a task file in measurement mode, or a class alone for all that it has.
    #[arg(value_name = "PATTERN", required_unless_present = "all", conflicts_with = "all")]
    pub pattern: Option<String>,
}

/// How graphs are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum GraphForm {
    /// A line for each block and each handler.
    Text,
    /// Graphviz's language, one graph for each method.
    Dot,
    /// One JSON document (docs/schema/cfg-1.json).
    Json,
    /// A line for each block, with what is counted of it.
    Csv,
    /// The XML of JBInsTrace (docs/schema/jbinstrace-1.xsd).
    #[value(alias = "xml")]
    Jbinstrace,
    /// A drawing; several methods stand below each other in one document.
    Svg,
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

/// `spl fmt`
#[derive(Debug, Args)]
#[command(after_help = FMT_HELP)]
pub struct Fmt {
    /// Print nothing but the names of files that are not formatted.
    #[arg(long, conflicts_with = "write")]
    pub check: bool,
    /// Write the files instead of printing them.
    #[arg(long, short)]
    pub write: bool,
    /// The run mode that the files are for [default: the one that more of a file's lines are written for]
    #[arg(long, value_parser = MODES)]
    pub mode: Option<String>,
    /// Print one JSON document (docs/schema/fmt-1.json).
    #[arg(long)]
    pub json: bool,
    /// The task files.
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
}

/// A share in percent.
fn percent(text: &str) -> Result<f64, String> {
    let value = text.trim_end_matches('%').parse::<f64>().ok();
    value
        .filter(|value| *value > 0.0 && *value <= 100.0)
        .ok_or_else(|| "a number over 0 and up to 100, such as 5".to_owned())
}

/// The values of `--what`.
fn drill_kinds() -> impl TypedValueParser<Value = DrillKind> {
    let names = PossibleValuesParser::new(DrillKind::ALL.map(DrillKind::name));
    names.map(|name| DrillKind::ALL.into_iter().find(|kind| kind.name() == name).unwrap_or(DrillKind::Blocks))
}

/// The values of `method`.
fn judges() -> impl TypedValueParser<Value = Judge> {
    let values = [
        PossibleValue::new("welch").help("By Welch's test, once (thesis 3.2.7)"),
        PossibleValue::new("sequential").help("After every window, as soon as the evidence suffices"),
    ];
    PossibleValuesParser::new(values).map(|name| match name.as_str() {
        "welch" => Judge::Welch,
        _ => Judge::Sequential,
    })
}
