//! `spl run --drill failed`: why a claim fails. While the program goes on, the blocks of the claim's methods count for some
//! seconds, and in further rounds the blocks of the methods that these call.

use super::FOR_AN_AGENT;
use super::collected::Profile;
use super::serving::{Orders, collect};
use super::shown::plural;
use crate::attach;
use crate::attached;
use crate::cli::Process;
use crate::ending;
use crate::progress::Progress;
use crate::report;
use spl_attach::system::Target;
use spl_graph::CallKind;
use spl_lang::Atom;
use spl_model::{DrillKind, Pattern, Scope, Sign, one_line};
use spl_profile::{CallGraph, Cause, Known, Site, Work};
use spl_records::{Conclusion, CostlyEvents, UnseenCalls, Why, WhyCause, WhyFile};
use spl_session::files::write_whole;
use spl_session::measure::Inputs;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_session::status::ClaimStatus;
use spl_verdict::Standing;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Time that the methods of a round count.
const ROUND: Duration = Duration::from_secs(2);
/// Methods and patterns that join in one round.
const JOIN: usize = 40;
/// Begin of a pattern of the methods of all classes.
const ANYWHERE: &str = "**.";
/// Share of instructions that are averages, from which on they are doubted.
const AVERAGES: f64 = 0.2;
/// Quotient of the ratios of times and of instructions from which on the instructions explain a part only.
const PARTLY: f64 = 3.0;
/// Shared methods that are named.
const NAMED: usize = 3;
/// Calls a call, below which a method does not join.
const RARE: f64 = 0.01;
/// Claims whose reasons are said.
const SAID: usize = 10;
/// Differences that are written.
const WRITTEN: usize = 20;
/// Methods that most classes have: each of them would be changed.
const EVERYWHERE: [&str; 4] =
    ["hashCode()I", "equals(Ljava/lang/Object;)Z", "toString()Ljava/lang/String;", "run()V"];

/// The claims that fail, with methods to compare; of a formula each of its comparisons. `looks` has the claims' last figures.
pub fn failed(setup: &Setup, results: &Results, looks: &[ClaimStatus]) -> Vec<Why> {
    let methods = setup.methods();
    let name = |index: usize| methods.get(index).map(ToString::to_string);
    let rows = ending::rows(setup, results, looks);
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
        // The row of a formula has the figure of one of its comparisons.
        let figure = if atoms.len() == 1 { row.figure.clone() } else { String::new() };
        for (left, sign, right) in atoms {
            let ratio = figure.parse::<f64>().ok().filter(|_| right.is_some());
            let is_left = match sign {
                Sign::Less | Sign::LessOrEqual => true,
                Sign::Greater | Sign::GreaterOrEqual => false,
                Sign::Equal => ratio.is_none_or(|ratio| ratio > 1.0),
            };
            let (slow, quick) = if is_left { (Some(left), right) } else { (right, Some(left)) };
            let Some(slow) = slow.and_then(name) else { continue };
            let quick = quick.and_then(name);
            let times = ratio.map(|ratio| if is_left { ratio } else { 1.0 / ratio });
            let (claim, figure) = (row.claim.clone(), figure.clone());
            found.push(Why { claim, slow, quick, figure, times, ..Why::default() });
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
pub async fn explain(failed: &[Why], look: &Look<'_>, inputs: &mut Inputs, progress: &Progress) {
    let began = Instant::now();
    let claims: BTreeSet<&str> = failed.iter().map(|one| &*one.claim).collect();
    progress.note(&format!(
        "looking for the reasons of {} for at most {} s",
        plural(claims.len() as u64, "failed claim"),
        look.longest.as_secs()
    ));
    let mut known = Known::default();
    let Search { rounds, cut } = match counted(failed, look, &mut known, inputs).await {
        Ok(search) => search,
        Err(why) => return progress.problem(&format!("no reasons: {why}")),
    };
    let graph = known.call_graph();
    let claims: Vec<Why> = failed.iter().map(|one| found(one, &graph, cut.as_deref())).collect();
    for one in claims.iter().take(SAID) {
        let against = one.quick.iter().filter(|_| one.figure.is_empty());
        let against: String =
            against.map(|quick| format!(", {} against {}", one_line(&one.slow), one_line(quick))).collect();
        progress.note(&format!("why {} fails{against}:", one_line(&one.claim)));
        // The tables of drills have commas in numbers.
        let line = |line: String| progress.note(&format!("  {}", line.replace('\u{202f}', ",")));
        spl_report::why(one).into_iter().for_each(line);
    }
    if claims.len() > SAID {
        progress.note(&format!("reasons of {} more claims are in the file", claims.len() - SAID));
    }
    let file = WhyFile { seconds: began.elapsed().as_secs_f64(), rounds, claims };
    let path = look.folder.join(WhyFile::NAME);
    match write_whole(&path, file.to_json().as_bytes()) {
        Ok(()) => progress.note(&format!("what was found is in {}, and in the report", path.display())),
        Err(error) => progress.problem(&format!("cannot write {}: {error}", path.display())),
    }
    if let Err(why) = report::make(look.folder, None) {
        progress.problem(&format!("the report has no reasons: {why}"));
    }
}

/// Extent of a search.
#[derive(Debug, Default)]
struct Search {
    rounds: u64,
    /// Why it ended before all methods were counted.
    cut: Option<String>,
}

/// Counts, in rounds; each round has the methods that those of the rounds before call.
async fn counted(
    failed: &[Why],
    look: &Look<'_>,
    known: &mut Known,
    inputs: &mut Inputs,
) -> Result<Search, String> {
    let until = Instant::now() + look.longest;
    let target = attached::target(&Process { pid: Some(look.pid), text: None })?;
    target.approach().map_err(|why| why.to_string())?;
    let library = target.mapped().agents.into_iter().next().ok_or("the agent is not in the JVM any more")?;
    let roots: BTreeSet<&str> =
        failed.iter().flat_map(|one| [Some(&*one.slow), one.quick.as_deref()]).flatten().collect();
    let mut joining: Vec<String> = roots.iter().map(|&root| root.to_owned()).collect();
    let mut tried: BTreeSet<String> = joining.iter().cloned().collect();
    let mut search = Search::default();
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let cut = if inputs.is_interrupted() {
            "it was interrupted"
        } else if !target.is_alive() {
            "the program ended"
        } else if left.is_zero() {
            "its time was over (--drill-for)"
        } else {
            ""
        };
        if joining.is_empty() || !cut.is_empty() {
            search.cut = (!joining.is_empty()).then(|| cut.to_owned());
            return Ok(search);
        }
        let (profiles, cut) = round(&target, &library, look, &joining, left.min(ROUND), inputs).await;
        search.rounds += 1;
        profiles.iter().for_each(|profile| add(known, profile));
        let everywhere = joining.iter().filter_map(|pattern| pattern.strip_prefix(ANYWHERE));
        everywhere.for_each(|member| known.counted_everywhere(member.to_owned()));
        if let Some(cut) = cut {
            return Ok(Search { cut: Some(cut), ..search });
        }
        joining = next(&roots, known, &mut tried);
        // A method that is called seldom is waited for.
        joining.extend(roots.iter().filter(|root| !known.has(root)).map(|&root| root.to_owned()));
    }
}

/// One round: what was counted, and why it was the last one.
async fn round(
    target: &Target,
    library: &Path,
    look: &Look<'_>,
    patterns: &[String],
    longest: Duration,
    inputs: &mut Inputs,
) -> (Vec<Profile>, Option<String>) {
    let orders = Orders {
        what: DrillKind::Blocks,
        scope: Scope {
            // Names of class files that are not patterns are left out.
            include: patterns.iter().filter_map(|text| Pattern::parse(text).ok()).collect(),
            exclude: Vec::new(),
            jdk: true,
        },
        longest: Some(longest),
        budget: look.budget,
        first_by: Some(Instant::now() + FOR_AN_AGENT),
    };
    if let Err(why) = attach::enter(target, Some(library.to_owned()), library, look.socket) {
        return (Vec::new(), Some(why));
    }
    // Methods that are too dear for the budget tell enough before they stop.
    let collected = collect(&orders, inputs, &Progress::new(true)).await;
    let left = if target.is_alive() { attached::leave(target, library) } else { Ok(()) };
    match collected {
        Ok(counted) => (counted.profiles, left.err()),
        Err(why) => (Vec::new(), Some(why)),
    }
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
    let graph = known.call_graph();
    let works = roots.iter().filter_map(|root| graph.work(root));
    let mut sites: Vec<Site> = works.flat_map(|work| work.unseen).filter(|site| site.count >= RARE).collect();
    sites.sort_by(|one, other| other.count.total_cmp(&one.count));
    let mut joining = Vec::new();
    for site in sites {
        let everywhere = EVERYWHERE.contains(&&*site.member);
        let any = (!everywhere).then(|| format!("{ANYWHERE}{}", site.member));
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
fn found(failed: &Why, graph: &CallGraph<'_>, cut: Option<&str>) -> Why {
    let slow = graph.work(&failed.slow);
    let quick = failed.quick.as_deref().and_then(|name| graph.work(name));
    let mut found = failed.clone();
    found.bytecodes = slow.as_ref().map(Work::bytecodes);
    found.bytecodes_of_other = quick.as_ref().map(Work::bytecodes);
    let events = [&slow, &quick].map(|work| work.as_ref().map(Work::events).unwrap_or_default());
    found.events = CostlyEvents {
        caught: events.map(|one| one.caught),
        made: events.map(|one| one.made),
        locked: events.map(|one| one.locked),
    };
    let (Some(slow), true) = (slow, failed.quick.is_none() || quick.is_some()) else { return found };
    found.unseen = more_calls(&slow, quick.as_ref()).take(WRITTEN).collect();
    found.doubts = doubts(&slow, quick.as_ref(), cut);
    let averages = averages(&slow, quick.as_ref());
    let is_sure = found.doubts.is_empty() && averages.is_none();
    let ratio = quick.as_ref().map(|quick| slow.bytecodes() / quick.bytecodes().max(1.0));
    found.conclusion = match (ratio, failed.times) {
        (Some(ratio), _) if ratio < WhyFile::TELLING && is_sure => Conclusion::Nothing,
        (Some(ratio), _) if ratio < WhyFile::TELLING => Conclusion::Unknown,
        (Some(ratio), Some(times)) if times > ratio * PARTLY => Conclusion::Partly,
        _ => Conclusion::Found,
    };
    // Averages that give the ratio of the times are good enough.
    let is_as_long = found.conclusion == Conclusion::Found && failed.times.is_some();
    found.doubts.extend(averages.filter(|_| !is_as_long));
    if matches!(found.conclusion, Conclusion::Found | Conclusion::Partly) {
        let causes = graph.causes(&failed.slow, failed.quick.as_deref());
        found.causes = causes.into_iter().take(WRITTEN).map(cause).collect();
    }
    found
}

/// The doubt about figures that are averages over all callers, if they matter.
fn averages(slow: &Work, quick: Option<&Work>) -> Option<String> {
    let share = slow.average_share(quick).max(quick.map_or(0.0, |quick| quick.average_share(Some(slow))));
    let shared = quick.map(|quick| slow.shared(quick)).unwrap_or_default();
    let named = shared.iter().take(NAMED).map(|name| one_line(name)).collect::<Vec<_>>().join(", ");
    let named = if named.is_empty() { named } else { format!(", such as {named}") };
    (share >= AVERAGES).then(|| {
        format!(
            "{:.0}% of the instructions are known only on average over all callers: they are in methods that both may call{named}, \
             or behind calls that may reach several methods",
            share * 100.0
        )
    })
}

/// Why the findings may be wrong, or others be missing.
fn doubts(slow: &Work, quick: Option<&Work>, cut: Option<&str>) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(cut) = cut {
        doubts.push(format!("the search ended before all methods were counted: {cut}"));
    }
    let makes =
        |work: &Work| work.unseen.iter().any(|site| site.kind == CallKind::Dynamic && site.count >= RARE);
    if makes(slow) || quick.is_some_and(makes) {
        doubts.push("lambdas and joined strings (invokedynamic) are not followed".to_owned());
    }
    doubts
}

fn cause(of: Cause) -> WhyCause {
    let Cause { path, line, calls, bytecodes, share, hottest } = of;
    let (block, runs) = hottest.as_ref().map(|one| (one.block, one.runs)).unzip();
    WhyCause { share, path, line, calls, bytecodes, block, lines: hottest.and_then(|one| one.lines), runs }
}

/// Calls of methods that were not counted, which this work makes more often than the other one.
fn more_calls<'a>(work: &'a Work, other: Option<&'a Work>) -> impl Iterator<Item = UnseenCalls> + 'a {
    work.unseen.iter().filter_map(move |site| {
        let is_same = |one: &&Site| (&one.class, &one.member) == (&site.class, &site.member);
        let of_other = other.and_then(|other| other.unseen.iter().find(is_same)).map_or(0.0, |one| one.count);
        (site.count >= RARE && site.count > of_other * WhyFile::TELLING).then(|| UnseenCalls {
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
