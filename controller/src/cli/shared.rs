//! Groups of options that several commands have.

use super::drilling::Drilling;
use crate::duration;
use clap::Args;
use spl_classes::Places;
use spl_session::config::Config;
use spl_session::until::Until;
use spl_session::which::Which;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The values of `run-mode`.
pub const MODES: [&str; 2] = ["comparison", "measurement"];

/// Options of every measurement.
#[derive(Clone, Debug, Args)]
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
    /// The end of a measurement with this configuration. Failed claims are drilled while the program runs, so once all claims
    /// are decided.
    pub fn until(&self, config: &Config) -> Until {
        Until { longest: self.longest, until_decided: self.until_decided || config.drills() }
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

/// The name of a program's instance.
#[derive(Clone, Debug, Default, Args)]
pub struct Instance {
    /// Name of this instance of the program in results of several [default: $POD_NAME, or the host's name].
    #[arg(long, value_name = "NAME", value_parser = instance_name)]
    pub instance: Option<String>,
}

impl Instance {
    /// The agent's options with the name.
    pub fn added_to(&self, options: String) -> String {
        self.instance.iter().fold(options, |options, name| format!("{options},spl.client.instance={name}"))
    }
}

/// A name that can be an option of the agent and a part of a sample's origin.
fn instance_name(text: &str) -> Result<String, String> {
    const MOST: usize = spl_wire::MAX_INSTANCE_BYTES;
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-/@".contains(c);
    if text.is_empty() || text.len() > MOST || !text.chars().all(fits) {
        return Err(format!("expected at most {MOST} letters, digits and . _ - / @, as in --instance web-2"));
    }
    Ok(text.to_owned())
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
    #[command(flatten)]
    pub drilling: Drilling,
    /// Keys and values that a running measurement keeps when its files are read again.
    #[arg(skip)]
    pub kept: Vec<(String, String)>,
}

impl Changes {
    /// All of them as keys and values; what is kept comes last.
    ///
    /// # Errors
    /// A correct example, for an argument without `=`.
    pub fn pairs(&self) -> Result<Vec<(String, String)>, String> {
        Ok([self.asked()?, self.kept.clone()].concat())
    }

    /// Keys and values of the command line; options of their own come last.
    ///
    /// # Errors
    /// A correct example, for an argument without `=`.
    pub fn asked(&self) -> Result<Vec<(String, String)>, String> {
        let set = self.set.iter().map(|text| match text.split_once('=') {
            Some((key, value)) => Ok((key.trim().to_owned(), value.trim().to_owned())),
            None => Err(format!("--set {text}: expected KEY=VALUE, as in --set window=50")),
        });
        let own =
            [("policy", &self.policy), ("method", &self.method), ("argument-size", &self.argument_size)];
        let own = own.into_iter().filter_map(|(key, value)| Some(Ok((key.to_owned(), value.clone()?))));
        set.chain(own).chain(self.drilling.pairs().map(Ok)).collect()
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
