//! The command line.

use crate::duration;
use crate::looking::Looking;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use spl_classes::Places;
use spl_session::config::{DEFAULT_PORT, Judge};
use spl_session::until::Until;
use spl_session::which::Which;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
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
    /// Wait for programs that `spl client` starts, and measure one after the other.
    Serve(Serve),
    /// Start a program that a controller in another terminal measures.
    Client(Client),
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
            | Self::Serve(_)
            | Self::Client(_)
            | Self::Completions(_)
            | Self::Man(_) => false,
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

/// Options of every measurement.
#[derive(Debug, Args)]
pub struct Common {
    /// Configuration [default: splserver.ini, if there is one; or $SPL_SERVER_CONFIG]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// The task file: claims, or methods; overrides `tasks-file` of the configuration.
    #[arg(long, value_name = "FILE")]
    pub tasks: Option<PathBuf>,
    /// Write DIR/measurements/*.msr and DIR/result.eval; beats the configuration's paths.
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Replace the results of an earlier run there, instead of writing into a new folder next to it (DIR-2).
    #[arg(long)]
    pub replace: bool,
    /// Settings of the configuration for this run.
    #[command(flatten)]
    pub changes: Changes,
    /// Where methods are looked for that the tasks name as in Java; by default those of the program's command line.
    #[command(flatten)]
    pub classes: Classes,
    /// Show errors only.
    #[arg(long, short)]
    pub quiet: bool,
    /// Show all that is known of each result, and every result as it comes.
    #[arg(long, short, conflicts_with = "quiet")]
    pub verbose: bool,
    /// Show lines only, and no live view where standard error is a terminal.
    #[arg(long)]
    pub plain: bool,
}

impl Common {
    /// Whether the operator wants a live view.
    pub fn wants_view(&self) -> bool {
        !self.quiet && !self.plain
    }
}

/// When a measurement ends by itself.
#[derive(Clone, Debug, Default, Args)]
pub struct Ending {
    /// End the measurement after this time, such as 90s or 5m; the program goes on.
    #[arg(long = "for", value_name = "TIME", value_parser = duration::parse)]
    pub longest: Option<Duration>,
    /// End the measurement as soon as every claim is proved or refuted.
    #[arg(long)]
    pub until_decided: bool,
}

impl Ending {
    /// The end of the measurement, as a measurement takes it.
    pub fn until(&self) -> Until {
        Until { longest: self.longest, until_decided: self.until_decided }
    }
}

/// Which JVMs of a command are measured: a script may start `java -version` first, a build tool its forks.
#[derive(Clone, Debug, Default, Args)]
pub struct Jvms {
    /// Measure only JVMs whose main class, or JAR, is this; with * for any characters.
    #[arg(long, value_name = "PATTERN")]
    pub main: Option<String>,
    /// Let JVMs that a JVM of the command starts have the agent too, as forks of a build tool; --main and --each do so. The program sees
    /// it in JAVA_TOOL_OPTIONS.
    #[arg(long)]
    pub children: bool,
    /// Measure each JVM that the command starts on its own, one after the other, with results of its own.
    #[arg(long)]
    pub each: bool,
}

impl Jvms {
    /// Whether JVMs that a JVM starts have the agent too.
    pub fn wants_children(&self) -> bool {
        self.children || self.each || self.main.is_some()
    }

    /// The choice of JVMs, as a measurement takes it.
    pub fn which(&self) -> Which {
        Which { main: self.main.clone(), each: self.each }
    }
}

/// Settings that the command line changes; they beat the configuration.
#[derive(Clone, Debug, Default, Args)]
pub struct Changes {
    /// Set a key of the configuration, as in --set window=50; may be given several times.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Order in which methods are measured: --set policy=…
    #[arg(long, value_parser = ["paired", "delay"])]
    pub policy: Option<String>,
    /// How claims are judged: --set method=…
    #[arg(long, value_parser = ["sequential", "welch"])]
    pub method: Option<String>,
    /// How workload sizes are found: --set argument-size=…
    #[arg(long, value_parser = ["auto", "nocheck", "sizeof", "deep", "length"])]
    pub argument_size: Option<String>,
}

impl Changes {
    /// All of them as keys and values, with the option that says each; those of their own options last.
    ///
    /// # Errors
    /// A correct example, for an argument without `=`.
    pub fn pairs(&self) -> Result<Vec<(String, String)>, String> {
        let set = self.set.iter().map(|text| match text.split_once('=') {
            Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
            None => Err(format!("--set {text}: expected KEY=VALUE, as in --set window=50")),
        });
        let own =
            [("policy", &self.policy), ("method", &self.method), ("argument-size", &self.argument_size)];
        let own = own.into_iter().filter_map(|(key, value)| Some(Ok((key.to_owned(), value.clone()?))));
        set.chain(own).collect()
    }
}

/// Where a measurement's results go for machines; the program has standard output.
#[derive(Clone, Debug, Args)]
pub struct Reports {
    /// Write the results as one JSON document to FILE (docs/schema/eval-1.json).
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Write the results as JUnit XML to FILE, a test case for each claim.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
    /// Keep the state of the measurement in FILE, every second, in the text format of Prometheus.
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}

impl Reports {
    /// The files.
    pub fn files(&self) -> impl Iterator<Item = &Path> {
        [&self.json, &self.junit, &self.metrics].into_iter().filter_map(|file| file.as_deref())
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

/// Where classes are.
#[derive(Clone, Debug, Args)]
pub struct Classes {
    /// Folders and JARs of the program, as for java: between colons, DIR/* for all JARs in DIR.
    #[arg(long, visible_alias = "class-path", value_name = "PATH")]
    pub classpath: Option<OsString>,
    /// The JDK whose classes the program uses [default: $JAVA_HOME, or that of java on the path]
    #[arg(long, value_name = "HOME")]
    pub jdk: Option<PathBuf>,
}

impl Classes {
    /// Where methods are looked for that are named as in Java: there, else where the program of this command has its classes.
    pub fn places(&self, command: &[OsString]) -> Places {
        Places::new(self.classpath.as_deref(), self.jdk.as_deref(), command)
    }
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

/// The values of `run-mode`.
const MODES: [&str; 2] = ["comparison", "measurement"];

const STATUS: &str = "Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), \
3 some were not evaluated, 2 something went wrong. The program's own status is reported, not mixed in.";

const RUN_HELP: &str = "\
Examples:
  spl run --tasks my.tasks -- java -jar service.jar
  spl run --config splserver.ini --out out -- java -cp app.jar com.example.Main --port 8080

A task file has one comparison a line, as in
  java/util/ArrayList.get(I)Ljava/lang/Object; <= (1, 2) java/util/LinkedList.get(I)Ljava/lang/Object;

The program's output passes through unchanged; what spl has to say goes to standard error, each line after \"spl:\".
On a terminal its lowest lines show the measurement. Ctrl-C ends it, and the program goes on; Ctrl-C again ends that too.
The environment variable RUST_LOG=info shows every decision. A measurement that was cut short, its controller killed,
goes on where it was when it is started again with the same tasks and the same output folder.
When nothing can be measured here (the JVM does not load the agent, no folder can be written to), the program is still
started, and the status is 2; with --require it is not started.

Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), 3 some were not evaluated,
2 something went wrong. The program's own status is reported, not mixed in.";

const TOP_HELP: &str = "\
Examples:
  spl top -- java -jar service.jar
  spl top --for 2m --methods 'com.shop.**#*' --stop-program -- java -cp app.jar com.shop.Main

The table on standard error has a line for each method that was called, the one with the greatest share of time first.
calls/s, mean and median are of the calls that were taken while the method was looked at; \"looked at\" says how long that
was. Times are inclusive: a caller has those of what it calls, and a recursive call counts again. Each name can stand in a
task file. Methods are looked at in turn; a method whose class was not loaded, or whose turn did not come, is counted below.

Exit status: 0 there was a measurement, 2 something went wrong.";

const SERVE_HELP: &str = "\
Examples:
  spl serve --tasks my.tasks                    in one terminal, and in another
  spl client -- java -jar service.jar

  spl serve --once --port 40000 --token-file t  and  spl client --port 40000 --token-file t -- java -jar service.jar

  spl serve --manual --tasks my.tasks           each Enter puts the probes in, or takes them out

The controller listens on this machine only, and measures only programs that know its token. A second program waits
until the first has ended or all its methods are finished. Interrupt the controller to end it; programs go on.

Exit status: as that of `spl run`, of the program that did worst.";

const CLIENT_HELP: &str = "\
Example:
  spl client -- java -cp app.jar com.example.Main

Becomes the program, so that its exit status and signals are the program's own. It runs unmeasured while there is no
controller: the agent keeps trying, and costs nothing meanwhile. Where the JVM does not load the agent, it runs without it;
with --require it is not started then, and the status is 2.";

const INSTRUMENT_HELP: &str = "\
Example:
  spl instrument --methods 'org.jdom2.Verifier#check*' jdom2.jar -o probed.jar
  javap -c -p -cp probed.jar org.jdom2.Verifier

Lists the methods that are refused, with the reason. The classes run only in a JVM that has the agent, because the probes
call its class java.lang.SplProbe. There they do what they did before, and are not measured: measure the classes as they
were. A signed JAR is refused unless --unsign is there, because the JVM refuses changed classes under a signature.

Exit status: 0 some method was instrumented, 2 none was or something went wrong.";

const API_JAR_HELP: &str = "\
Example:
  spl api-jar -o spl-api.jar
  javac -cp spl-api.jar:app.jar -d classes Entries.java

The JAR is for the compiler, and has the sources with their documentation. A measured program has the interfaces from the
agent; one that implements spl.size.Computable needs the JAR on its class path when it runs without the agent.

Exit status: 0 it is written, 2 it could not be.";

const COMPLETIONS_HELP: &str = "\
Examples:
  spl completions bash > ~/.local/share/bash-completion/completions/spl
  spl completions zsh > /usr/local/share/zsh/site-functions/_spl
  spl completions fish > ~/.config/fish/completions/spl.fish";

const MAN_HELP: &str = "\
Example:
  spl man ~/.local/share/man/man1     and then  man spl-run";

const EVAL_HELP: &str = "\
Example:
  spl eval --tasks my.tasks --measurements out/measurements --out again/result.eval --self-check

Judges by the rules of a run, with its windows, so that the same configuration gives the same verdicts; another one, or
--method, shows what would have come of it. Samples that the run discarded do not count. Files of any length are read, a part
at a time; what is kept in memory are the times that count.

Exit status: 0 every comparison holds, 1 some fail (refuted or not proved), 3 some were not evaluated, 2 something went
wrong.";

const REPORT_HELP: &str = "\
Example:
  spl report out --out /tmp/report.html

`spl run` and `spl serve` write the report when a measurement ends; this makes it again, also of a run that was killed. It is
one file that needs no network, can be sent by mail and opened by a double click.

Exit status: 0 it is written, 2 it could not be.";

const CHECK_HELP: &str = "\
Examples:
  spl check my.tasks
  spl check --classpath 'app.jar:lib/*' --jdk /usr/lib/jvm/java-21 my.tasks

No Java is run: class files are read from folders, JARs, JDK modules and the JDK's runtime image. Without --classpath only
the language and the methods of JDK classes are checked.

Exit status: 0 everything is fine, 1 a method is missing or cannot be measured, 2 the file's language is wrong or
something could not be read.";

const CFG_HELP: &str = "\
Examples:
  spl cfg java.util.ArrayList#indexOf
  spl cfg --classpath app.jar --as dot 'com.example.Parser#next' | dot -Tsvg -o next.svg
  spl cfg --classpath app.jar --all --as csv > blocks.csv

No Java is run. A block begins at the method's start, at targets of jumps and handlers, and behind jumps, returns and throws; calls
end none. The manual says what stands in each form.

Exit status: 0 at least one method has a graph, 1 none has, 2 something went wrong.";

const METHODS_HELP: &str = "\
Examples:
  spl methods java.util.ArrayList
  spl methods --classpath jdom2.jar 'org.jdom2.Verifier#check*'
  spl methods --java 'java.util.*List#get(int)'

Each line can stand in a task file. Methods that cannot be measured are listed as comments.

Exit status: 0 some method is meant, 1 none is, 2 something went wrong.";

const FMT_HELP: &str = "\
Examples:
  spl fmt my.tasks              prints it formatted
  spl fmt --write *.tasks       formats the files
  spl fmt --check *.tasks       for a build: fails unless they are formatted

Exit status: 0 done, 1 with --check: some file is not formatted, 2 a file cannot be read or has an error; it stays as it is.";
