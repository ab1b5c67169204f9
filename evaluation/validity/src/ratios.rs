//! Methods of a real JVM whose true ratio is known, compared in one run after the other.

use serde::Serialize;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
/// The true ratios, in percent.
const PERCENT: [u32; 4] = [100, 105, 120, 200];
/// Message of `spl` when it has measured everything.
const DONE: &str = "spl: every class is as it was";

/// Inputs of a run.
#[derive(Clone, Debug)]
pub struct Tools {
    /// The controller; the agent's library lies in the same folder.
    pub spl: PathBuf,
    /// The JVM's launcher.
    pub java: PathBuf,
    /// The compiler.
    pub javac: PathBuf,
}

/// A pair of methods in all runs.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The longer method, then the shorter one.
    pub name: String,
    /// Whether the one calls the other.
    pub nested: bool,
    /// The true ratio.
    pub truth: f64,
    /// The reported ratio in each run.
    pub reported: Vec<f64>,
    /// Runs in which the interval held the true ratio.
    pub covered: usize,
    /// Runs in which the verdict was right: that the one is longer, and of equal ones not.
    pub right: usize,
    /// Wrong verdicts, of two in each run: of this comparison, and of the one with the true ratio, which nothing should refute.
    pub wrong: usize,
    /// The shorter method's mean time in each run, nanoseconds; empty where nothing was decided.
    pub mean_ns: Vec<f64>,
}

impl Pair {
    /// The largest distance of a reported ratio from the truth, as a part of it.
    #[must_use]
    pub fn worst_error(&self) -> f64 {
        self.reported.iter().map(|ratio| (ratio / self.truth - 1.0).abs()).fold(0.0, f64::max)
    }

    /// The middle reported ratio.
    #[must_use]
    pub fn median(&self) -> f64 {
        let mut ratios = self.reported.clone();
        ratios.sort_by(f64::total_cmp);
        ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Measures all pairs `runs` times, each time in a JVM of its own.
///
/// # Errors
/// When something cannot be started or does not end as it should; one line of text.
pub fn measure(tools: &Tools, runs: usize) -> Result<Vec<Pair>, String> {
    let work = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
    compile(tools, work.path())?;
    let mut pairs: Vec<Pair> =
        names().into_iter().map(|(name, nested, truth)| pair(name, nested, truth)).collect();
    fs::write(work.path().join("ratios.tasks"), pairs.iter().map(Pair::tasks).collect::<String>())
        .map_err(|e| format!("cannot write the tasks: {e}"))?;
    for _ in 0..runs {
        let document = run(tools, work.path())?;
        for (index, pair) in pairs.iter_mut().enumerate() {
            let result = |number: usize| &document["comparisons"][number]["results"][0];
            let (longer, as_known) = (result(2 * index), result(2 * index + 1));
            pair.take(longer, as_known).ok_or_else(|| format!("{} has no ratio: {as_known}", pair.name))?;
        }
    }
    Ok(pairs)
}

fn names() -> Vec<(String, bool, f64)> {
    let kinds = [("plain", "base", false), ("outer", "inner", true)];
    let name = |percent: u32, (long, short, nested): (&str, &str, bool)| {
        (format!("Ratios.{long}{percent} Ratios.{short}{percent}"), nested, f64::from(percent) / 100.0)
    };
    kinds.into_iter().flat_map(|kind| PERCENT.map(|percent| name(percent, kind))).collect()
}

fn pair(name: String, nested: bool, truth: f64) -> Pair {
    Pair { name, nested, truth, reported: Vec::new(), covered: 0, right: 0, wrong: 0, mean_ns: Vec::new() }
}

impl Pair {
    /// Claims that one is longer, and that their ratio is the known one, within the tolerance of an equality.
    /// The latter is true, so that nothing should ever refute it.
    fn tasks(&self) -> String {
        let (long, short) = self.name.split_once(' ').unwrap_or_default();
        format!("{long}(J)J > {short}(J)J\n{long}(J)J = (1, {}) {short}(J)J\n", self.truth)
    }

    /// Takes both results of a run.
    fn take(&mut self, longer: &Value, as_known: &Value) -> Option<()> {
        let look = &as_known["details"]["sequential"];
        let (ratio, low, high) = (look["ratio"].as_f64()?, look["low"].as_f64()?, look["high"].as_f64()?);
        self.reported.push(ratio * self.truth);
        self.covered += usize::from((low..=high).contains(&1.0));
        let is = |result: &Value, what: &str| result["result"] == what;
        // Of equal methods the one is not longer, and which is longer by nothing may be left open.
        let (right, wrong) = if self.truth == 1.0 {
            (!is(longer, "holds"), is(longer, "holds"))
        } else {
            (is(longer, "holds"), is(longer, "fails"))
        };
        self.right += usize::from(right);
        self.wrong += usize::from(wrong) + usize::from(is(as_known, "fails"));
        self.mean_ns.extend(longer["right"]["mean_ns"].as_f64());
        Some(())
    }
}

fn compile(tools: &Tools, work: &Path) -> Result<(), String> {
    let source = Path::new(FOLDER).join("java/Ratios.java");
    let mut javac = Command::new(&tools.javac);
    javac.args(["--release", "11", "-Xlint:all", "-Werror", "-d"]).arg(work).arg(source);
    match javac.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("javac refuses the program".to_owned()),
        Err(error) => Err(format!("cannot start {}: {error}; install a JDK", tools.javac.display())),
    }
}

/// One run, and what `spl eval` finds in what it recorded.
fn run(tools: &Tools, work: &Path) -> Result<Value, String> {
    let cannot = |error: std::io::Error| format!("cannot run {}: {error}", tools.spl.display());
    let config = Path::new(FOLDER).join("ratios.ini");
    let mut spl = Command::new(&tools.spl);
    spl.args(["run", "--replace", "--config"]).arg(&config).args([
        "--tasks",
        "ratios.tasks",
        "--out",
        "out",
        "--",
    ]);
    spl.arg(&tools.java).args(["-cp", ".", "Ratios"]).current_dir(work);
    let mut child =
        spl.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
    let mut said = Vec::new();
    for line in BufReader::new(child.stderr.take().expect("it is a pipe")).lines() {
        let line = line.map_err(cannot)?;
        if line.starts_with(DONE) {
            // The program ends with its input.
            drop(child.stdin.take());
        }
        said.push(line);
    }
    child.wait().map_err(cannot)?;
    if !said.iter().any(|line| line.starts_with(DONE)) {
        return Err(format!("the run did not come to its end:\n{}", said.join("\n")));
    }
    let mut spl = Command::new(&tools.spl);
    spl.arg("eval").arg("--config").arg(&config).args(["--tasks", "ratios.tasks"]);
    spl.args(["--measurements", "out/measurements", "--json"]).current_dir(work);
    let output = spl.output().map_err(cannot)?;
    let why = || String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).map_err(|e| format!("spl eval prints no document: {e}: {}", why()))
}
