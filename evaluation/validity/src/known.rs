//! Claims about methods of a known ratio in a real JVM, by `spl`'s default settings: how many are decided, and how many wrongly.

use crate::bodies::{Pair, method, pairs_of, source};
use crate::judged::{Decision, decisions, reasons};
use serde::Serialize;
use serde_json::Value;
use spl_records::{Measurement, Reader};
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

const FOLDER: &str = env!("CARGO_MANIFEST_DIR");
/// Message of `spl` when it has measured everything.
const DONE: &str = "spl: every class is as it was";
/// The longest time before measuring begins, seconds.
const WARM_UP_S: u64 = 5;
/// After this many seconds without an end a run has failed.
const DEADLINE_S: u64 = 60;

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

/// How a run is made.
#[derive(Clone, Debug, Serialize)]
pub struct Plan {
    /// Settings, as in `splserver.ini`; empty: the default.
    pub settings: String,
    /// Seconds of measuring.
    pub seconds: u64,
    /// Processes that do nothing but use a processor.
    pub busy: usize,
}

/// A claim in a run.
#[derive(Clone, Debug, Serialize)]
pub struct Judgement {
    /// The pair.
    pub pair: Pair,
    /// The claim, as in the task file.
    pub text: String,
    /// Distance of the truth from the limit of the claim, as a part of the limit.
    pub distance: f64,
    /// Whether the claim is true.
    pub truth: bool,
    /// Whether it was decided.
    pub decided: bool,
    /// Whether it was decided wrongly.
    pub wrong: bool,
    /// Why it was not decided.
    pub reason: Option<String>,
}

/// How the times of a pair compare: the means of their middle halves.
#[derive(Clone, Debug, Serialize)]
pub struct Medians {
    /// The pair.
    pub pair: Pair,
    /// Ratio of what the program took in a JVM without an agent, and in the measured one after the measurement.
    pub timed: [f64; 2],
    /// Ratio of the calls that `spl` recorded.
    pub recorded: f64,
    /// The smaller number of recorded calls.
    pub calls: usize,
    /// Time of the shorter method, nanoseconds, as the program timed it.
    pub took_ns: f64,
}

/// A run.
#[derive(Clone, Debug, Serialize)]
pub struct Run {
    /// Its number.
    pub number: usize,
    /// Number of busy processes at the same time.
    pub busy: usize,
    /// The claims.
    pub judgements: Vec<Judgement>,
    /// The medians.
    pub medians: Vec<Medians>,
}

/// A claim before it is measured: `b` compared with `factor` times `a`.
struct Claim {
    pair: usize,
    text: String,
    key: String,
    /// Sign of the claim: `<`, `>` or `=`.
    sign: char,
    factor: f64,
}

/// A claim about the program with rare long calls.
#[derive(Clone, Debug, Serialize)]
pub struct Rare {
    /// As in the task file.
    pub text: &'static str,
    /// Whether it is true.
    pub truth: bool,
    /// Whether it was decided.
    pub decided: bool,
    /// Whether it was decided wrongly.
    pub wrong: bool,
}

/// Claims about `Rare`, none of which is near its limit. Where they name means, those of all calls are meant.
const RARE: [(&str, bool); 9] = [
    ("Rare.seldom(I)V < Rare.even(I)V", false),
    ("Rare.seldom(I)V <= Rare.even(I)V", false),
    ("Rare.seldom(I)V > Rare.even(I)V", true),
    ("Rare.seldom(I)V = Rare.even(I)V", false),
    ("Rare.seldom(I)V <= 12 ms", false),
    ("Rare.seldom(I)V <= 60 ms", true),
    ("median(Rare.seldom(I)V) < median(Rare.even(I)V)", true),
    ("p95(Rare.seldom(I)V) <= 100 ms", true),
    ("p99(Rare.seldom(I)V) <= 100 ms", false),
];

/// Measures the program with rare long calls.
///
/// # Errors
/// As [`run`].
pub fn rare(tools: &Tools, plan: &Plan) -> Result<Vec<Rare>, String> {
    let work = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
    let write = |name: &str, text: &str| {
        fs::write(work.path().join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    };
    write("t.tasks", &RARE.iter().map(|(text, _)| format!("{text}\n")).collect::<String>())?;
    write("c.ini", &plan.settings)?;
    compile(tools, work.path(), &[Path::new(FOLDER).join("java/Rare.java")])?;
    let busy = Busy::start(plan.busy)?;
    let said = measured(tools, plan, work.path(), "Rare");
    drop(busy);
    let timed = timed(&said?)?;
    let mean = |name: &str| timed.get(&format!("Rare.{name}(I)V")).copied();
    let (seldom, even) = mean("seldom").zip(mean("even")).ok_or("the program printed no means")?;
    if seldom < 1.25 * even || !(15e6..50e6).contains(&seldom) {
        return Err(format!("the machine is too slow for this: {seldom} and {even} ns"));
    }
    let document =
        fs::read(work.path().join("r.json")).map_err(|e| format!("spl run wrote no document: {e}"))?;
    let document: Value = serde_json::from_slice(&document).map_err(|e| format!("no JSON: {e}"))?;
    let decisions = decisions(&document);
    let judge = |&(text, truth): &(&'static str, bool)| {
        let decision = decisions.get(text).copied().unwrap_or(Decision::Undecided);
        let wrong = decision == if truth { Decision::Fails } else { Decision::Holds };
        Rare { text, truth, decided: decision != Decision::Undecided, wrong }
    };
    Ok(RARE.iter().map(judge).collect())
}

/// The tolerance of a bare `=`.
const WITHIN: f64 = 0.05;

fn claims(pairs: &[Pair]) -> Vec<Claim> {
    let mut all = Vec::new();
    for (number, pair) in pairs.iter().enumerate() {
        let (a, b) = (method(0, number), method(1, number));
        let mut add = |part: f64, sign: char, line: bool, statistic: &str| {
            // Written with few digits, and what is written counts.
            let factor = (pair.ratio() * part * 1000.0).round() / 1000.0;
            let (sign_text, of) = match (sign, statistic) {
                (_, "mean") => (sign, [b.clone(), a.clone()]),
                _ => (sign, [format!("{statistic}({b})"), format!("{statistic}({a})")]),
            };
            // A line with factors in parentheses, the form of the thesis; an assertion with the newer one.
            let text = if factor == 1.0 {
                // Results leave it out.
                format!("{} {sign_text} {}", of[0], of[1])
            } else if line && statistic == "mean" {
                format!("{} {sign_text} (1, {factor}) {}", of[0], of[1])
            } else {
                format!("{} {sign_text} {factor} * {}", of[0], of[1])
            };
            let key = if line { text.clone() } else { format!("{statistic} {number} {sign} {part}") };
            let text = if line { text } else { format!("assert \"{key}\": {text}") };
            all.push(Claim { pair: number, text, key, sign, factor });
        };
        add(1.13, '<', true, "mean");
        add(0.89, '<', true, "mean");
        add(1.0, '=', true, "mean");
        add(1.0, '<', true, "mean");
        add(1.06, '>', false, "mean");
        add(0.94, '>', false, "mean");
        add(1.13, '<', false, "median");
        add(0.89, '<', false, "median");
    }
    all
}

/// Makes a run.
///
/// # Errors
/// When something cannot be started or does not end as it should; text.
pub fn run(tools: &Tools, plan: &Plan, number: usize) -> Result<Run, String> {
    let work = tempfile::tempdir().map_err(|e| format!("cannot make a folder: {e}"))?;
    let pairs = pairs_of(number);
    let mut claims = claims(&pairs);
    // Another order in each run: who is first may fare better.
    let shift = (7 * number) % claims.len();
    claims.rotate_left(shift);
    prepare(tools, plan, work.path(), &pairs, &claims)?;
    let busy = Busy::start(plan.busy)?;
    let alone = alone(tools, work.path());
    let said = measured(tools, plan, work.path(), "Known");
    drop(busy);
    let timed = [timed(&alone?)?, timed(&said?)?];
    let document =
        fs::read(work.path().join("r.json")).map_err(|e| format!("spl run wrote no document: {e}"))?;
    let document: Value = serde_json::from_slice(&document).map_err(|e| format!("no JSON: {e}"))?;
    let medians =
        (0..pairs.len()).map(|pair| medians(work.path(), &pairs, pair, &timed)).collect::<Result<_, _>>()?;
    let decisions = decisions(&document);
    let judge = |claim: &Claim| judgement(claim, pairs[claim.pair], &timed, &decisions);
    let mut judgements = claims.iter().map(judge).collect::<Result<Vec<_>, _>>()?;
    let reasons = reasons(&document);
    for (judgement, claim) in judgements.iter_mut().zip(&claims).filter(|(judgement, _)| !judgement.decided) {
        judgement.reason = reasons.get(&claim.key).cloned();
    }
    Ok(Run { number, busy: plan.busy, judgements, medians })
}

fn prepare(tools: &Tools, plan: &Plan, work: &Path, pairs: &[Pair], claims: &[Claim]) -> Result<(), String> {
    let tasks: String = claims.iter().map(|claim| format!("{}\n", claim.text)).collect();
    let write = |name: &str, text: &str| {
        fs::write(work.join(name), text).map_err(|e| format!("cannot write {name}: {e}"))
    };
    write("t.tasks", &tasks)?;
    write("c.ini", &plan.settings)?;
    write("Bodies.java", &source(pairs))?;
    compile(tools, work, &[Path::new(FOLDER).join("java/Known.java"), work.join("Bodies.java")])
}

fn compile(tools: &Tools, work: &Path, sources: &[PathBuf]) -> Result<(), String> {
    let mut javac = Command::new(&tools.javac);
    javac.args(["--release", "11", "-Xlint:all", "-Werror", "-d"]).arg(work).args(sources);
    match javac.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err("javac refuses the program".to_owned()),
        Err(error) => Err(format!("cannot start {}: {error}; install a JDK", tools.javac.display())),
    }
}

/// Runs the program in a JVM without an agent; gives what it printed.
fn alone(tools: &Tools, work: &Path) -> Result<String, String> {
    let mut java = Command::new(&tools.java);
    java.args(["-cp", ".", "Known"]).current_dir(work).stdin(Stdio::null());
    let output = java.output().map_err(|e| format!("cannot start {}: {e}", tools.java.display()))?;
    String::from_utf8(output.stdout).map_err(|_| "the program printed no text".to_owned())
}

/// Runs the program under `spl run`; gives what the program printed.
fn measured(tools: &Tools, plan: &Plan, work: &Path, class: &str) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("cannot run {}: {error}", tools.spl.display());
    let mut spl = Command::new(&tools.spl);
    spl.args([
        "run",
        "--replace",
        "--config",
        "c.ini",
        "--tasks",
        "t.tasks",
        "--out",
        "out",
        "--json",
        "r.json",
        "--",
    ]);
    spl.arg(&tools.java).args(["-cp", ".", class]).current_dir(work);
    let mut child =
        spl.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
    let (mut stdin, mut stdout) = (child.stdin.take(), child.stdout.take());
    let stderr = BufReader::new(child.stderr.take().ok_or("no pipe")?);
    let printed = thread::spawn(move || {
        let mut text = String::new();
        stdout.as_mut().map(|out| out.read_to_string(&mut text));
        text
    });
    let (sender, lines) = mpsc::channel();
    let reader =
        thread::spawn(move || stderr.lines().map_while(Result::ok).for_each(|line| drop(sender.send(line))));
    let mut said = Vec::new();
    let done = await_line(&lines, Duration::from_secs(plan.seconds + WARM_UP_S), &mut said)
        || interrupt(&child).is_ok() && await_line(&lines, Duration::from_secs(DEADLINE_S), &mut said);
    if let Some(stdin) = &mut stdin {
        // A program that is gone reads no line.
        let _gone = stdin.write_all(b"\n");
    }
    let ended = child.wait().map_err(cannot);
    drop(stdin);
    drop(reader.join());
    let printed = printed.join().map_err(|_| "the program's output could not be read")?;
    ended?;
    said.extend(lines.try_iter());
    if done { Ok(printed) } else { Err(format!("the run did not come to its end:\n{}", said.join("\n"))) }
}

/// Waits until `spl` has measured everything; `false` when it had not in that time.
fn await_line(lines: &mpsc::Receiver<String>, time: Duration, said: &mut Vec<String>) -> bool {
    let end = std::time::Instant::now() + time;
    loop {
        let left = end.saturating_duration_since(std::time::Instant::now());
        let Ok(line) = lines.recv_timeout(left) else { return false };
        let is_done = line.starts_with(DONE);
        said.push(line);
        if is_done {
            return true;
        }
    }
}

/// Sends `spl` the signal of Ctrl-C.
fn interrupt(child: &Child) -> Result<(), String> {
    let status = Command::new("kill").arg("-INT").arg(child.id().to_string()).status();
    status.map_err(|e| format!("cannot start kill: {e}")).map(drop)
}

/// Work of a busy process, as long as we are there.
const BUSY: &str = "while kill -0 $PPID 2>/dev/null; do :; done";

/// Processes that use a processor each, until they are dropped.
struct Busy(Vec<Child>);

impl Busy {
    fn start(count: usize) -> Result<Self, String> {
        let mut busy = Self(Vec::new());
        for _ in 0..count {
            let child = Command::new("sh").args(["-c", BUSY]).stdin(Stdio::null()).spawn();
            busy.0.push(child.map_err(|e| format!("cannot start sh: {e}"))?);
        }
        Ok(busy)
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // The process is ours, and does not end by itself.
            let _killed = child.kill();
            let _ended = child.wait();
        }
    }
}

/// Means that the program took, by method, nanoseconds.
type Timed = BTreeMap<String, f64>;

fn timed(printed: &str) -> Result<Timed, String> {
    let line = |line: &str| {
        let mut fields = line.split_whitespace();
        let name = fields.next().filter(|what| *what == "mean").and_then(|_| fields.next())?.to_owned();
        Some((name, fields.next()?.parse().ok()?))
    };
    let timed: Timed = printed.lines().filter_map(line).collect();
    if timed.is_empty() { Err("the program printed no times".to_owned()) } else { Ok(timed) }
}

fn ratio(timed: &Timed, pair: usize) -> Result<f64, String> {
    let of = |side: usize| timed.get(&method(side, pair)).copied();
    of(1).zip(of(0)).map(|(b, a)| b / a).ok_or_else(|| format!("no times of pair {pair}"))
}

fn medians(work: &Path, pairs: &[Pair], pair: usize, timed: &[Timed; 2]) -> Result<Medians, String> {
    let [a, b] = [recorded(work, 0, pair)?, recorded(work, 1, pair)?];
    let probe_ns = probe_ns(work)?;
    Ok(Medians {
        pair: pairs[pair],
        timed: [ratio(&timed[0], pair)?, ratio(&timed[1], pair)?],
        recorded: (middle(&b) - probe_ns) / (middle(&a) - probe_ns),
        calls: a.len().min(b.len()),
        took_ns: timed[1].get(&method(0, pair)).copied().unwrap_or(f64::NAN),
    })
}

/// Reported time of a call of an empty method, nanoseconds: the probe's part of each recorded time.
fn probe_ns(work: &Path) -> Result<f64, String> {
    let text = fs::read_to_string(work.join("out/context.json"))
        .map_err(|e| format!("spl run wrote no context: {e}"))?;
    let context: Value = serde_json::from_str(&text).map_err(|e| format!("no JSON: {e}"))?;
    let probe_ps = find(&context, "probe_empty_ps").and_then(Value::as_f64);
    Ok(probe_ps.unwrap_or(0.0) / 1000.0)
}

/// The first value of that name, however deep it lies.
fn find<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    match value {
        Value::Object(fields) => {
            fields.get(name).or_else(|| fields.values().find_map(|field| find(field, name)))
        }
        Value::Array(items) => items.iter().find_map(|item| find(item, name)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

/// The mean of the middle half: a median whose steps are finer than the clock's.
fn middle(sorted: &[u64]) -> f64 {
    let quarter = sorted.len() / 4;
    let half = &sorted[quarter..sorted.len() - quarter];
    half.iter().sum::<u64>() as f64 / half.len() as f64
}

/// The recorded times of a method in order of their length.
fn recorded(work: &Path, side: usize, pair: usize) -> Result<Vec<u64>, String> {
    let file = work.join("out/measurements").join(format!("{}.msr", method(side, pair)));
    let Ok(bytes) = fs::read(&file) else { return Ok(Vec::new()) };
    let reader = Reader::<Measurement>::new(&bytes).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut times: Vec<u64> = reader.flatten().map(|one| one.sample.duration_ns()).collect();
    times.sort_unstable();
    Ok(times)
}

fn judgement(
    claim: &Claim,
    pair: Pair,
    timed: &[Timed; 2],
    decisions: &BTreeMap<String, Decision>,
) -> Result<Judgement, String> {
    // The program's own times in two JVMs: where they disagree, the truth lies between them.
    let mut distances = Vec::new();
    for times in timed {
        distances.push(distance(claim, ratio(times, claim.pair)?));
    }
    let is_true = distances[0] > 0.0;
    let agree = distances.iter().all(|distance| (*distance > 0.0) == is_true);
    let nearest = distances.iter().map(|distance| distance.abs()).fold(f64::INFINITY, f64::min);
    let distance = if agree { nearest } else { 0.0 };
    let decision = decisions.get(&claim.key).copied();
    let decision = decision.ok_or_else(|| format!("spl says nothing of {}", claim.key))?;
    let wrong = if is_true { Decision::Fails } else { Decision::Holds };
    Ok(Judgement {
        pair,
        text: claim.text.clone(),
        distance,
        truth: is_true,
        decided: decision != Decision::Undecided,
        wrong: decision == wrong,
        reason: None,
    })
}

/// Distance of a true ratio from a claim's limit, on its right side, as a part of the limit; negative where
/// the claim is false.
fn distance(claim: &Claim, truth: f64) -> f64 {
    let part = truth / claim.factor;
    match claim.sign {
        '<' => 1.0 - part,
        '>' => part - 1.0,
        _ => WITHIN - (part.max(1.0 / part) - 1.0),
    }
}
