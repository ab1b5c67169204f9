//! `spl run --drill failed`: why a claim fails. While the program goes on, the blocks of the claim's methods count for some
//! seconds, and in further rounds the blocks of the methods that these call.

use super::collected::Profile;
use super::serving::{Orders, collect};
use super::{FOR_AN_AGENT, told};
use crate::attach;
use crate::attached;
use crate::cli::Process;
use crate::ending;
use crate::progress::Progress;
use serde::Serialize;
use spl_attach::system::Target;
use spl_graph::CallKind;
use spl_lang::Atom;
use spl_model::{DrillKind, Pattern, Scope, Sign};
use spl_profile::{Cause, Known, Site, TELLING, Work};
use spl_session::files::write_whole;
use spl_session::measure::Inputs;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_verdict::Standing;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Name of the file with what was found, in the folder of the results.
pub const FILE: &str = "why.json";
/// Name and version of its form.
const SCHEMA: &str = "spl.why/1";
/// Time that the methods of a round count.
const ROUND: Duration = Duration::from_secs(2);
/// Methods and patterns that join in one round.
const JOIN: usize = 40;
/// Calls a call, below which a method does not join.
const RARE: f64 = 0.01;
/// Differences that are written.
const WRITTEN: usize = 20;
/// Methods that most classes have: each of them would be changed.
const EVERYWHERE: [&str; 4] =
    ["hashCode()I", "equals(Ljava/lang/Object;)Z", "toString()Ljava/lang/String;", "run()V"];

/// A claim that fails.
#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    /// The claim in the words of the task file.
    pub claim: String,
    /// The method that takes too long, as in a task file with its descriptor.
    pub slow: String,
    /// The method that it is compared with; `None` for a bound.
    pub quick: Option<String>,
    /// The ratio of the times, or the time, in the words of the table of claims.
    pub figure: String,
}

/// Findings about a claim.
#[derive(Debug, Serialize)]
pub struct Found {
    #[serde(flatten)]
    pub of: Failed,
    /// Instructions of bytecode of one call with all that it calls; `None` where the method was not called meanwhile.
    pub bytecodes: Option<f64>,
    /// Instructions of a call of the method that it is compared with.
    pub bytecodes_of_other: Option<f64>,
    /// Exceptions that are caught in such a call, and in one of the other method.
    pub caught: Option<f64>,
    pub caught_of_other: Option<f64>,
    /// Why the slow method runs more, the greatest cause first; for a bound, where its instructions are.
    pub causes: Vec<Place>,
    /// Counted methods that both methods call: what they do for each of the two is not known apart.
    pub shared: Vec<String>,
    /// Calls of methods that were not counted and that the slow method makes more often, the most frequent first.
    pub unseen: Vec<Unseen>,
}

/// A cause: code of the slow method itself, or a method that it calls more often.
#[derive(Debug, Serialize)]
pub struct Place {
    /// Share of all that is more.
    pub share: f64,
    /// The called method and those in it that take nearly all, from caller to callee; empty for the slow method itself.
    pub path: Vec<String>,
    /// Line of the call.
    pub line: Option<u16>,
    /// In a call of the slow method, and of the other one.
    pub calls: [f64; 2],
    /// Instructions with all that is called.
    pub bytecodes: [f64; 2],
    /// The block with most instructions in the last method of the path, its lines, and its runs in a call of that method.
    pub block: Option<usize>,
    pub lines: Option<(u16, u16)>,
    pub runs: Option<f64>,
}

/// A method that was not counted.
#[derive(Debug, Serialize)]
pub struct Unseen {
    pub method: String,
    pub calls: f64,
    pub calls_of_other: f64,
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    seconds: f64,
    rounds: usize,
    claims: &'a [Found],
}

/// The claims that fail, with methods to compare.
pub fn failed(setup: &Setup, results: &Results) -> Vec<Failed> {
    let methods = setup.methods();
    let name = |index: usize| methods.get(index).map(ToString::to_string);
    let rows = ending::rows(setup, results, &[]);
    let program = &setup.program;
    let pairs = program.tasks.comparisons.iter().map(|one| vec![(one.left, one.sign, Some(one.right))]);
    let atoms = program.assertions.iter().map(|assertion| {
        let mut all = Vec::new();
        assertion.formula.value.for_each(&mut |atom| {
            all.push(match *atom {
                Atom::Pair { left, sign, right, .. } => (left.method, sign, Some(right.method)),
                Atom::Bound { times, sign, .. } => (times.method, sign, None),
            });
        });
        all
    });
    let mut found = Vec::new();
    for (row, atoms) in rows.into_iter().zip(pairs.chain(atoms)) {
        if row.standing != Some(Standing::Fails) {
            continue;
        }
        for (left, sign, right) in atoms {
            // Of `=` the figure tells: it is the ratio of the times.
            let is_left = match sign {
                Sign::Less | Sign::LessOrEqual => true,
                Sign::Greater | Sign::GreaterOrEqual => false,
                Sign::Equal => row.figure.parse::<f64>().is_ok_and(|ratio| ratio > 1.0),
            };
            let (slow, quick) = if is_left { (Some(left), right) } else { (right, Some(left)) };
            let Some(slow) = slow.and_then(name) else { continue };
            let quick = quick.and_then(name);
            found.push(Failed { claim: row.claim.clone(), slow, quick, figure: row.figure.clone() });
        }
    }
    found
}

/// Where and how long to look.
#[derive(Debug)]
pub struct Look<'a> {
    /// Process of the JVM.
    pub pid: u32,
    /// The socket that its agent connects to.
    pub socket: &'a Path,
    /// Share of the program's time that counting may take.
    pub budget: Option<f64>,
    /// Time for all rounds together.
    pub longest: Duration,
    /// Folder of the results.
    pub folder: &'a Path,
}

/// Counts what the methods of these claims run, says what differs, and writes it. An interrupt ends it early.
pub async fn explain(failed: &[Failed], look: &Look<'_>, inputs: &mut Inputs, progress: &Progress) {
    let began = Instant::now();
    progress.note(&format!(
        "looking for the reasons of {} for at most {} s",
        told::plural(failed.len() as u64, "failed claim"),
        look.longest.as_secs()
    ));
    let mut known = Known::default();
    let rounds = match counted(failed, look, &mut known, inputs).await {
        Ok(rounds) => rounds,
        Err(why) => return progress.problem(&format!("no reasons: {why}")),
    };
    let found: Vec<Found> = failed.iter().map(|one| found(one, &known)).collect();
    found.iter().for_each(|one| told::say(one, progress));
    let document =
        Document { schema: SCHEMA, seconds: began.elapsed().as_secs_f64(), rounds, claims: &found };
    let path = look.folder.join(FILE);
    let text = serde_json::to_string_pretty(&document).unwrap_or_default() + "\n";
    match write_whole(&path, text.as_bytes()) {
        Ok(()) => progress.note(&format!("what was found is in {}", path.display())),
        Err(error) => progress.problem(&format!("cannot write {}: {error}", path.display())),
    }
}

/// Counts, in rounds; each round has the methods that those of the rounds before call. Gives the number of rounds.
async fn counted(
    failed: &[Failed],
    look: &Look<'_>,
    known: &mut Known,
    inputs: &mut Inputs,
) -> Result<usize, String> {
    let until = Instant::now() + look.longest;
    let target = attached::target(&Process { pid: Some(look.pid), text: None })?;
    target.approach().map_err(|why| why.to_string())?;
    let library = target.mapped().agents.into_iter().next().ok_or("the agent is not in the JVM any more")?;
    let roots: BTreeSet<&str> =
        failed.iter().flat_map(|one| [Some(&*one.slow), one.quick.as_deref()]).flatten().collect();
    let mut joining: Vec<String> = roots.iter().map(|&root| root.to_owned()).collect();
    let mut tried: BTreeSet<String> = joining.iter().cloned().collect();
    let mut rounds = 0;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        if joining.is_empty() || left.is_zero() || !target.is_alive() {
            return Ok(rounds);
        }
        let profiles = round(&target, &library, look, &joining, left.min(ROUND), inputs).await?;
        rounds += 1;
        profiles.iter().for_each(|profile| add(known, profile));
        if inputs.was_interrupted() {
            return Ok(rounds);
        }
        joining = next(&roots, known, &mut tried);
        // A method that is called seldom is waited for.
        joining.extend(roots.iter().filter(|root| !known.has(root)).map(|&root| root.to_owned()));
    }
}

/// One round.
async fn round(
    target: &Target,
    library: &Path,
    look: &Look<'_>,
    patterns: &[String],
    longest: Duration,
    inputs: &mut Inputs,
) -> Result<Vec<Profile>, String> {
    let include = patterns.iter().map(|text| Pattern::parse(text)).collect::<Result<_, _>>()?;
    let orders = Orders {
        what: DrillKind::Blocks,
        scope: Scope { include, exclude: Vec::new(), jdk: true },
        longest: Some(longest),
        budget: look.budget,
        first_by: Some(Instant::now() + FOR_AN_AGENT),
    };
    attach::enter(target, Some(library.to_owned()), library, look.socket)?;
    // Methods that are too dear for the budget tell enough before they stop.
    let collected = collect(&orders, inputs, &Progress::new(true)).await;
    if target.is_alive() {
        attached::leave(target, library)?;
    }
    Ok(collected?.profiles)
}

fn add(known: &mut Known, drilled: &Profile) {
    let value = |counter: u32| drilled.values.get(counter as usize).copied().unwrap_or(0);
    for class in &drilled.classes {
        // A class whose counters do not fit its bytes tells nothing.
        let _ = known.add_class(class, value);
    }
}

/// Patterns of the methods that join the next round: methods that were not counted yet, the most frequent calls first.
fn next(roots: &BTreeSet<&str>, known: &Known, tried: &mut BTreeSet<String>) -> Vec<String> {
    let works = roots.iter().filter_map(|root| known.work(root));
    let mut sites: Vec<Site> = works.flat_map(|work| work.unseen).filter(|site| site.count >= RARE).collect();
    sites.sort_by(|one, other| other.count.total_cmp(&one.count));
    let mut joining = Vec::new();
    for site in sites {
        let everywhere = EVERYWHERE.contains(&&*site.member);
        let any = (!everywhere).then(|| format!("**.{}", site.member));
        let exact = Some(format!("{}.{}", site.class, site.member));
        // Neither an interface has code of its own nor, at times, the class that the call names.
        let pattern = match site.kind {
            CallKind::Interface => any,
            CallKind::Virtual => exact.filter(|exact| !tried.contains(exact)).or(any),
            CallKind::Static | CallKind::Special => exact,
            // Its result is called at another place.
            CallKind::Dynamic => None,
        };
        let is_array = site.class.starts_with('[');
        let Some(pattern) = pattern.filter(|_| !is_array && joining.len() < JOIN) else { continue };
        if tried.insert(pattern.clone()) {
            joining.push(pattern);
        }
    }
    joining
}

/// Findings about this claim.
fn found(failed: &Failed, known: &Known) -> Found {
    let slow = known.work(&failed.slow);
    let quick = failed.quick.as_deref().and_then(|name| Some((known.work(name)?, name)));
    let other = quick.as_ref().map(|(work, name)| (work, *name));
    let is_whole = failed.quick.is_none() || other.is_some();
    let quick_name = failed.quick.as_deref();
    let causes = if is_whole { known.causes(&failed.slow, quick_name) } else { Vec::new() };
    let unseen =
        slow.iter().filter(|_| is_whole).flat_map(|work| more_calls(work, other.map(|(work, _)| work)));
    Found {
        of: failed.clone(),
        bytecodes: slow.as_ref().map(Work::bytecodes),
        bytecodes_of_other: other.map(|(work, _)| work.bytecodes()),
        caught: slow.as_ref().map(Work::caught),
        caught_of_other: other.map(|(work, _)| work.caught()),
        causes: causes.into_iter().take(WRITTEN).map(place).collect(),
        shared: quick_name.map(|quick| known.shared(&failed.slow, quick)).unwrap_or_default(),
        unseen: unseen.take(WRITTEN).collect(),
    }
}

fn place(of: Cause) -> Place {
    let Cause { path, line, calls, bytecodes, share, hottest } = of;
    let (block, runs) = hottest.as_ref().map(|one| (one.block, one.runs)).unzip();
    Place { share, path, line, calls, bytecodes, block, lines: hottest.and_then(|one| one.lines), runs }
}

/// Calls of methods that were not counted, which this work makes more often than the other one.
fn more_calls<'a>(work: &'a Work, other: Option<&'a Work>) -> impl Iterator<Item = Unseen> + 'a {
    work.unseen.iter().filter_map(move |site| {
        let is_same = |one: &&Site| (&one.class, &one.member) == (&site.class, &site.member);
        let of_other = other.and_then(|other| other.unseen.iter().find(is_same)).map_or(0.0, |one| one.count);
        (site.count >= RARE && site.count > of_other * TELLING).then(|| Unseen {
            method: match site.kind {
                CallKind::Dynamic => format!("invokedynamic {}", site.member),
                CallKind::Virtual | CallKind::Interface | CallKind::Special | CallKind::Static => {
                    format!("{}.{}", site.class, site.member)
                }
            },
            calls: site.count,
            calls_of_other: of_other,
        })
    })
}
