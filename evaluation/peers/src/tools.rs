//! Where everything lies, and what this machine is.

use clap::Args;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that are needed.
#[derive(Clone, Debug, Args)]
pub struct Tools {
    /// The controller, with the agent's library in the same folder.
    #[arg(long)]
    pub spl: PathBuf,
    /// Launcher of the JDK that all can run on, 17 or later.
    #[arg(long, default_value = "java")]
    pub java: PathBuf,
    /// Its compiler.
    #[arg(long, default_value = "javac")]
    pub javac: PathBuf,
    /// JDK 25, for the JVM's own method timing.
    #[arg(long, default_value = ".cache/jdks/25")]
    pub jdk25: PathBuf,
    /// Folder with the other tools, as `scripts/setup.sh --peers` fills it.
    #[arg(long, default_value = ".cache/peers")]
    pub jars: PathBuf,
}

/// On what something was measured, as the evaluation's pages want it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Setting {
    /// Year, month, day.
    pub date: String,
    /// The machine.
    pub machine: Machine,
    /// The JVMs.
    pub java: String,
    /// The commit that was measured.
    pub commit: String,
}

/// Part of a [`Setting`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// The processor.
    pub cpu: String,
    /// Its cores.
    pub cores: usize,
}

impl Tools {
    /// These tools with absolute paths.
    ///
    /// # Errors
    /// When something is missing.
    pub fn resolved(&self) -> Result<Self, String> {
        let found = |path: &Path, remedy: &str| {
            path.canonicalize().map_err(|e| format!("{}: {e}; {remedy}", path.display()))
        };
        Ok(Self {
            spl: found(&self.spl, "run make build")?,
            jdk25: found(&self.jdk25, "run make jdks")?,
            jars: found(&self.jars, "run scripts/setup.sh --peers")?,
            ..self.clone()
        })
    }

    /// The agent's library.
    pub fn agent(&self) -> PathBuf {
        self.spl.with_file_name("libspl_agent.so")
    }

    /// The launcher of a JDK.
    pub fn launcher(&self, jdk: Jdk) -> PathBuf {
        match jdk {
            Jdk::Installed => self.java.clone(),
            Jdk::Jdk25 => self.jdk25.join("bin/java"),
        }
    }

    /// A file of the other tools.
    pub fn jar(&self, name: &str) -> String {
        self.jars.join(name).display().to_string()
    }

    /// Facts about this machine and the measured versions.
    ///
    /// # Errors
    /// When a JVM does not start.
    pub fn setting(&self) -> Result<Setting, String> {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        let version = |jdk| {
            let said = run(Command::new(self.launcher(jdk)).arg("-version"))?;
            Ok::<_, String>(said.lines().nth(1).unwrap_or_default().to_owned())
        };
        Ok(Setting {
            date: run(Command::new("date").arg("+%F"))?.trim().to_owned(),
            machine: Machine {
                cpu: model.map_or_else(|| "unknown processor".to_owned(), |(_, name)| name.to_owned()),
                cores: std::thread::available_parallelism().map_or(0, usize::from),
            },
            java: [version(Jdk::Installed)?, version(Jdk::Jdk25)?].join(" and "),
            commit: run(&mut Command::new(root().join("evaluation/commit.sh")))?.trim().to_owned(),
        })
    }

    /// Compiles sources for all JDKs.
    ///
    /// # Errors
    /// When the compiler refuses.
    pub fn compile(&self, sources: &Path, classpath: &str, into: &Path, more: &[&str]) -> Result<(), String> {
        let mut javac = Command::new(&self.javac);
        javac.args(["--release", "11", "-Xlint:all,-path,-classfile,-processing", "-Werror"]).args(more);
        javac.args(["-cp", classpath, "-d"]).arg(into).args(java_files(sources)?);
        run(&mut javac).map(drop)
    }
}

/// The JDK that everything is measured on, or the one that measures itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Jdk {
    /// The installed one.
    #[serde(rename = "installed")]
    Installed,
    /// JDK 25.
    #[serde(rename = "25")]
    Jdk25,
}

/// The project's folder.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// This crate's folder.
pub fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Runs a command to its end; gives all that it printed.
///
/// # Errors
/// When it cannot be started or fails.
pub fn run(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("cannot start {name}: {e}"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let said = text(&output.stdout) + &text(&output.stderr);
    if output.status.success() { Ok(said) } else { Err(format!("{name} failed, {}:\n{said}", output.status)) }
}

fn java_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let files = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let mut files: Vec<_> = files.filter(|path| path.extension() == Some(OsStr::new("java"))).collect();
    files.sort();
    Ok(files)
}
