//! The command line.

mod analysing;
mod attaching;
mod drilling;
mod enabling;
mod help;
mod shared;
mod skipping;
mod storing;

pub use self::analysing::{Analyse, Choosing, Claiming, Counted, Metrics, ValueForm};
pub use self::attaching::{Attach, Detach, Doctor, Process};
pub use self::drilling::{
    Drill, Export, ExportForm, Loops, Trace, TraceForm, TraceOrder, TraceQuestion, WhenFull,
};
pub use self::enabling::{CopyAgent, Disable, Enable, Unit};
pub use self::shared::{Changes, Classes, Common, Ending, Instance, Jvms, Reports};
pub use self::storing::{AnswerForm, Pages, Query, Store, StoreAdd, StoreCommand, StoreList};

use self::help::{
    API_JAR_HELP, CFG_HELP, CHECK_HELP, CLIENT_HELP, COMPLETIONS_HELP, EVAL_HELP, FMT_HELP, INSTRUMENT_HELP,
    MAN_HELP, METHODS_HELP, REPORT_HELP, RUN_HELP, SERVE_HELP, STATUS, TOP_HELP,
};
use self::shared::MODES;
use crate::duration;
use crate::looking::Looking;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use spl_session::config::{DEFAULT_PORT, Judge};
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
    /// Let a systemd service load the dormant agent at its next start.
    Enable(Enable),
    /// Take back what `spl enable` wrote.
    Disable(Disable),
    /// Copy the agent's library into a folder, as from an image without a shell.
    CopyAgent(CopyAgent),
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
    /// Answer questions to a trace that a drill has recorded: what ran, in its order.
    Trace(Trace),
    /// Compute metrics from the counts of a finished drill: how large, polymorphic, allocating, locking a program is.
    Analyse(Analyse),
    /// Run a program with everything counted, and compute its metrics.
    Metrics(Metrics),
    /// Keep the metrics and verdicts of many runs in one file.
    Store(Store),
    /// Ask the store in SQL.
    Query(Query),
    /// Make pages of the store's runs: metrics of each, and differences with the spread of repeats.
    Pages(Pages),
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
            | Self::Trace(_)
            | Self::Metrics(_)
            | Self::Pages(_)
            | Self::Serve(_)
            | Self::Client(_)
            | Self::Attach(_)
            | Self::Detach(_)
            | Self::Enable(_)
            | Self::Disable(_)
            | Self::CopyAgent(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
            Self::Doctor(arguments) => arguments.json,
            Self::Instrument(arguments) => arguments.json,
            Self::Eval(arguments) => arguments.json,
            Self::Report(arguments) => arguments.json,
            Self::Check(arguments) => arguments.json,
            Self::Methods(arguments) => arguments.json,
            Self::Cfg(arguments) => arguments.form == GraphForm::Json,
            Self::Analyse(arguments) => arguments.form == ValueForm::Json && arguments.output.is_none(),
            Self::Store(arguments) => {
                matches!(&arguments.command, StoreCommand::List(list) if list.form == AnswerForm::Json)
            }
            Self::Query(arguments) => arguments.form == AnswerForm::Json && arguments.output.is_none(),
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
