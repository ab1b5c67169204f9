//! Truth of reported ratios: the controller's compared with JMH's and the JVM's own method timing, on the
//! same methods.

use crate::parts::{self, Part, middle};
use crate::tools::{Jdk, Setting, Tools, root, run};
use serde::Serialize;
use serde_json::Value;
use spl_overhead::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

const SETTINGS: &str = "truth.ini";
const TASKS: &str = "truth.tasks";
/// Message of `spl` when it has measured everything.
const DONE: &str = "spl: every class is as it was";
/// Files that JMH consists of.
const JMH: [&str; 4] =
    ["jmh-core.jar", "jmh-generator-annprocess.jar", "jopt-simple.jar", "commons-math3.jar"];
/// In which company JMH calls a method. Its time for each is bounded: iterations, and their milliseconds, to
/// warm up and to measure.
struct Company {
    class: &'static str,
    options: [&'static str; 10],
}

/// Each method in a JVM that does nothing else, as JMH does it by itself.
const ALONE: Company =
    Company { class: "Alone", options: ["-f", "1", "-wi", "6", "-w", "250ms", "-i", "10", "-r", "50ms"] };
/// Each method with the others called between its calls, and all in one JVM: the company that the program has.
const AMONG: Company =
    Company { class: "Among", options: ["-f", "0", "-wi", "3", "-w", "200ms", "-i", "8", "-r", "80ms"] };
/// Seconds of the program that the JVM's own timing is given; what it says of those before `JFR_FROM` is left out.
const JFR_UNTIL: u64 = 8;
const JFR_FROM: usize = 12;
/// Period of its reports.
const JFR_PERIOD: &str = "250ms";

/// All that was measured.
#[derive(Debug, Serialize)]
pub struct Truth {
    schema: String,
    /// Where.
    #[serde(flatten)]
    pub setting: Setting,
    /// Pairs as tasks have them: the longer one, the shorter one.
    pub pairs: Vec<[String; 2]>,
    /// JMH's, each method alone.
    pub alone: Vec<Score>,
    /// JMH's, each method among the others.
    pub among: Vec<Score>,
    /// The controller's.
    pub ratios: Vec<Ratio>,
    /// The JVM's own timing, JDK 25.
    pub jfr: Vec<Score>,
    /// The program's own clock, without probes and with them, and what these report of the same program.
    pub parts: Vec<Part>,
}

/// The time of a method in one JVM.
#[derive(Clone, Debug, Serialize)]
pub struct Score {
    /// The JVM.
    pub jdk: Jdk,
    /// From 1.
    pub run: usize,
    /// The method's plain name.
    pub method: String,
    /// Nanoseconds of a call, the mean of the middle one of JMH's iterations or of JFR's periods: the controller's ratio is of
    /// all that came too, fast and slow, and only a few moments of other programs are left out.
    pub call_ns: f64,
}

/// The ratio of a pair by a run of the controller.
#[derive(Clone, Debug, Serialize)]
pub struct Ratio {
    /// The JVM.
    pub jdk: Jdk,
    /// The pair's number in `pairs`.
    pub pair: usize,
    /// The longer one's time in the shorter one's.
    pub ratio: f64,
    /// Its interval.
    pub low: f64,
    /// Its interval.
    pub high: f64,
    /// Calls of each.
    pub samples: u64,
}

/// Measures everything and writes it.
///
/// # Errors
/// When a tool does not run or leaves no figures.
pub fn measure(tools: &Tools, runs: usize, json: &Path) -> Result<(), String> {
    let tools = &tools.resolved()?;
    let work = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
    let jmh_path = JMH.map(|jar| tools.jar(jar)).join(":");
    // JMH's processor makes a class for each benchmark.
    tools.compile(&folder().join("java/truth"), &jmh_path, work.path(), &[])?;
    let mut truth = Truth {
        schema: "spl.truth/1".to_owned(),
        setting: tools.setting()?,
        pairs: pairs()?,
        alone: Vec::new(),
        among: Vec::new(),
        ratios: Vec::new(),
        jfr: Vec::new(),
        parts: Vec::new(),
    };
    // In turn, so that a processor that changes its clock rate between two of JMH's benchmarks does so for all.
    for number in 1..=runs {
        for jdk in [Jdk::Installed, Jdk::Jdk25] {
            truth.among.extend(jmh(tools, jdk, number, &AMONG, &work, &jmh_path)?);
            truth.ratios.extend(ours(tools, jdk, &work, truth.pairs.len())?);
            truth.parts.extend(parts::measure(tools, jdk, number, work.path())?);
        }
    }
    for jdk in [Jdk::Installed, Jdk::Jdk25] {
        truth.alone.extend(jmh(tools, jdk, 1, &ALONE, &work, &jmh_path)?);
    }
    truth.jfr = jfr(tools, &work, &truth.pairs)?;
    let text = serde_json::to_string_pretty(&truth).map_err(|e| e.to_string())?;
    fs::create_dir_all(json.parent().unwrap_or(Path::new(".")))
        .and_then(|()| fs::write(json, text + "\n"))
        .map_err(|e| format!("{}: {e}", json.display()))
}

/// The folder with the programs, tasks and settings.
fn folder() -> PathBuf {
    root().join("evaluation/truth")
}

/// The pairs of the task file, in its order.
fn pairs() -> Result<Vec<[String; 2]>, String> {
    let path = folder().join(TASKS);
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let pair = |line: &str| line.split_once(" > ").map(|(left, right)| [left, right].map(plain_name));
    Ok(lines.filter_map(pair).collect())
}

/// `linkedList` of `truth/Pairs.linkedList(J)J`.
fn plain_name(method: &str) -> String {
    let end = method.find('(').unwrap_or(method.len());
    method[..end].rsplit('.').next().unwrap_or_default().to_owned()
}

fn jmh(
    tools: &Tools,
    jdk: Jdk,
    run_number: usize,
    company: &Company,
    work: &TempDir,
    classpath: &str,
) -> Result<Vec<Score>, String> {
    eprintln!("JMH, {} ({jdk:?})", company.class);
    let results = work.path().join("jmh.json");
    let mut java = Command::new(tools.launcher(jdk));
    java.args(["-cp", &format!("{}:{classpath}", work.path().display()), "org.openjdk.jmh.Main"]);
    java.args(["-bm", "avgt", "-tu", "ns", "-rf", "json", "-rff"]).arg(&results);
    java.args(company.options).arg(format!("truth.{}.*", company.class)).env_remove("JAVA_TOOL_OPTIONS");
    // JMH must not lock the machine against others that measure at the same time in a folder of their own.
    java.current_dir(work.path());
    let said = run(&mut java)?;
    let text = fs::read_to_string(&results).map_err(|_| format!("JMH left no results:\n{said}"))?;
    let document: Value = serde_json::from_str(&text).map_err(|e| format!("JMH's results: {e}"))?;
    let scores = document.as_array().map(Vec::as_slice).unwrap_or_default().iter().map(|one| {
        let iterations = one["primaryMetric"]["rawData"][0].as_array().map(Vec::as_slice).unwrap_or_default();
        let call_ns = middle(iterations.iter().filter_map(Value::as_f64).collect());
        let name = one["benchmark"].as_str().unwrap_or_default();
        Score { jdk, run: run_number, method: plain_name(name), call_ns }
    });
    Ok(scores.collect())
}

/// One run of the controller and what it finds.
fn ours(tools: &Tools, jdk: Jdk, work: &TempDir, pairs: usize) -> Result<Vec<Ratio>, String> {
    eprintln!("spl run ({jdk:?})");
    let cannot = |error: std::io::Error| format!("cannot run {}: {error}", tools.spl.display());
    let arguments = |what: &str| {
        let mut spl = Command::new(&tools.spl);
        spl.arg(what).arg("--config").arg(folder().join(SETTINGS)).arg("--tasks").arg(folder().join(TASKS));
        spl.current_dir(work.path());
        spl
    };
    let mut spl = arguments("run");
    spl.args(["--replace", "--out", "out", "--"]).arg(tools.launcher(jdk)).args(["-cp", ".", "truth.Mix"]);
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
    let output =
        arguments("eval").args(["--measurements", "out/measurements", "--json"]).output().map_err(cannot)?;
    let why = || String::from_utf8_lossy(&output.stderr).into_owned();
    let document: Value = serde_json::from_slice(&output.stdout)
        .map_err(|e| format!("spl eval prints no document: {e}: {}", why()))?;
    (0..pairs)
        .map(|pair| {
            let result = &document["comparisons"][pair]["results"][0];
            let look = &result["details"]["sequential"];
            let number =
                |key: &str| look[key].as_f64().ok_or_else(|| format!("pair {pair} has no {key}: {result}"));
            let samples = result["samples"][0].as_u64().unwrap_or_default();
            Ok(Ratio {
                jdk,
                pair,
                ratio: number("ratio")?,
                low: number("low")?,
                high: number("high")?,
                samples,
            })
        })
        .collect()
}

/// Times by the JVM's own timing, without the program's first seconds.
fn jfr(tools: &Tools, work: &TempDir, pairs: &[[String; 2]]) -> Result<Vec<Score>, String> {
    eprintln!("JFR method timing (Jdk25)");
    let file = work.path().join("truth.jfr");
    let event = "+jdk.MethodTiming";
    // No filter by class: it would take the methods that these call too, and their cost would be in these.
    let methods =
        pairs.iter().flatten().map(|method| format!("truth.Pairs::{method}")).collect::<BTreeSet<_>>();
    let filter = methods.into_iter().collect::<Vec<_>>().join(";");
    let settings = format!("{event}#enabled=true,{event}#filter={filter},{event}#period={JFR_PERIOD}");
    let recording = format!("-XX:StartFlightRecording:settings=none,filename={},{settings}", file.display());
    let classes = work.path().display().to_string();
    let arguments = [&recording, "-Xlog:disable", "-cp", &classes, "truth.Mix"];
    let fault = |fault: spl_overhead::Fault| format!("JFR method timing: {fault}");
    let mut program = Program::start(&tools.launcher(Jdk::Jdk25), arguments).map_err(fault)?;
    // The program prints nothing; this only lets its time pass.
    if let Some(line) = program.line_within(std::time::Duration::from_secs(JFR_UNTIL)).map_err(fault)? {
        return Err(format!("the program said {line:?}"));
    }
    program.end().map_err(fault)?;
    let mut print = Command::new(tools.jdk25.join("bin/jfr"));
    print.args(["print", "--json", "--events", "jdk.MethodTiming"]).arg(&file);
    let document: Value =
        serde_json::from_str(&run(&mut print)?).map_err(|e| format!("jfr print gives no document: {e}"))?;
    let mut sums: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    for event in document["recording"]["events"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let values = &event["values"];
        let (Some(name), Some(calls)) = (values["method"]["name"].as_str(), values["invocations"].as_f64())
        else {
            continue;
        };
        let sum = calls * values["average"].as_str().and_then(nanoseconds).unwrap_or(0.0);
        sums.entry(name.to_owned()).or_default().push((calls, sum));
    }
    let scores = sums.into_iter().filter_map(|(method, sums)| {
        let periods = sums.get(JFR_FROM..)?.windows(2).filter(|pair| pair[1].0 > pair[0].0);
        let means = periods.map(|pair| (pair[1].1 - pair[0].1) / (pair[1].0 - pair[0].0)).collect::<Vec<_>>();
        // The program has no method that was called in no period.
        (!means.is_empty()).then(|| Score { jdk: Jdk::Jdk25, run: 1, method, call_ns: middle(means) })
    });
    Ok(scores.collect())
}

/// A duration as JSON has it, `PT0.000005031S`.
fn nanoseconds(text: &str) -> Option<f64> {
    let seconds: f64 = text.strip_prefix("PT")?.strip_suffix('S')?.parse().ok()?;
    Some(seconds * 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_durations_are_read() {
        assert_eq!(plain_name("truth/Pairs.linkedList(J)J"), "linkedList");
        assert_eq!(plain_name("truth.Alone.linkedList"), "linkedList");
        assert_eq!(nanoseconds("PT0.000005031S").map(f64::round), Some(5031.0));
        assert_eq!(nanoseconds("5031"), None);
    }

    #[test]
    fn every_pair_of_the_task_file_is_known() {
        let pairs = pairs().unwrap();
        assert_eq!(pairs.len(), 7);
        assert_eq!(pairs[0], ["steps105", "steps100"].map(str::to_owned));
    }
}
