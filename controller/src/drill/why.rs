//! `spl run --drill failed`: why a claim fails. While the program goes on, the blocks of the claim's methods count for some
//! seconds, and in further rounds the blocks of the methods that these call.

use super::FOR_AN_AGENT;
use super::collected::Profile;
use super::graphs;
use super::reasons::{ANYWHERE, Counted, Graphs, RARE};
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
use spl_model::{DrillKind, MOST_ROOTS, Pattern, Scope, Sign, one_line};
use spl_profile::{Cause, Compared, Extra, ExtraKind, Site, Work};
use spl_records::{Conclusion, UnseenCalls, Why, WhyCause, WhyEvent, WhyExtra, WhyFile, WhyGraphs};
use spl_session::files::write_whole;
use spl_session::measure::Inputs;
use spl_session::results::Results;
use spl_session::setup::Setup;
use spl_session::status::ClaimStatus;
use spl_verdict::Standing;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest time that the methods of a round count.
const ROUND: Duration = Duration::from_secs(2);
/// Calls of each method of the claims that end a round sooner.
const ENOUGH: u64 = 300;
/// The doubt where calls did not count apart.
const AVERAGES: &str = "the calls did not count apart, as those in virtual threads: figures are averages over all callers, and \
                        recursion counts once";
/// Share of the bytecodes that the causes have at least.
const TRACED: f64 = 0.5;
/// Nanoseconds of an instruction from which on a method waits rather than runs.
const IDLE: f64 = 50.0;
/// Quotient of the ratios of times and of instructions from which on the instructions explain a part only.
const PARTLY: f64 = 3.0;
/// The same where most of it is estimated.
const PARTLY_OF_EVENTS: f64 = 30.0;
/// Claims whose reasons are said.
const SAID: usize = 10;
/// Differences that are written.
const WRITTEN: usize = 20;
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
    let mut known = Counted::of(failed);
    let Search { rounds, cut } = match counted(look, &mut known, inputs).await {
        Ok(search) => search,
        Err(why) => return progress.problem(&format!("no reasons: {why}")),
    };
    let graphs = known.graphs();
    let claims: Vec<Why> = failed.iter().map(|one| found(one, &known, &graphs, cut.as_deref())).collect();
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
    let drawn = graphs::graphs(&claims, &known, &graphs);
    let path = look.folder.join(WhyGraphs::NAME);
    if let Err(error) = write_whole(&path, drawn.to_json().as_bytes()) {
        progress.problem(&format!("cannot write {}: {error}", path.display()));
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
async fn counted(look: &Look<'_>, known: &mut Counted, inputs: &mut Inputs) -> Result<Search, String> {
    let until = Instant::now() + look.longest;
    let target = attached::target(&Process { pid: Some(look.pid), text: None })?;
    target.approach().map_err(|why| why.to_string())?;
    let library = target.mapped().agents.into_iter().next().ok_or("the agent is not in the JVM any more")?;
    let mut joining = known.first();
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
        let roots: Vec<String> = known.apart.keys().take(MOST_ROOTS).cloned().collect();
        if joining.is_empty() && cut.is_empty() {
            search.rounds += arcs(&target, &library, look, (known, &roots), left.min(ROUND), inputs).await;
        }
        if joining.is_empty() || !cut.is_empty() {
            search.cut = (!joining.is_empty()).then(|| cut.to_owned());
            known.forget(&joining);
            return Ok(search);
        }
        let what = DrillKind::Blocks;
        let (profiles, cut) =
            round(&target, &library, look, what, [&joining, &roots], left.min(ROUND), inputs).await;
        search.rounds += 1;
        let called: Vec<bool> = profiles.iter().map(|profile| known.add(profile, &roots)).collect();
        let was_called = called.into_iter().all(|was| was);
        if let Some(cut) = cut {
            known.forget(&joining);
            return Ok(Search { cut: Some(cut), ..search });
        }
        let everywhere = joining.iter().filter_map(|pattern| pattern.strip_prefix(ANYWHERE));
        everywhere.for_each(|member| known.counted_everywhere(member));
        let again = if was_called { Vec::new() } else { joining };
        joining = known.next();
        // A method that is called seldom is waited for, and so is what it calls.
        joining.extend(known.apart.keys().filter(|root| !known.whole.has(root)).cloned());
        joining.extend(again);
    }
}

/// The last round, if counts alone cannot tell some calls apart: it counts arcs of the call graph. Gives the number of rounds.
async fn arcs(
    target: &Target,
    library: &Path,
    look: &Look<'_>,
    (known, roots): (&mut Counted, &[String]),
    longest: Duration,
    inputs: &mut Inputs,
) -> u64 {
    let methods = known.shared_out();
    if methods.is_empty() {
        return 0;
    }
    let what = DrillKind::Calls;
    // Without arcs calls are shared out.
    let (profiles, _) = round(target, library, look, what, [&methods, roots], longest, inputs).await;
    profiles.iter().for_each(|profile| known.add_arcs(profile, roots));
    1
}

/// One round: what was counted, and why it was the last one.
async fn round(
    target: &Target,
    library: &Path,
    look: &Look<'_>,
    what: DrillKind,
    [joining, roots]: [&[String]; 2],
    longest: Duration,
    inputs: &mut Inputs,
) -> (Vec<Profile>, Option<String>) {
    let orders = Orders {
        what,
        scope: Scope {
            // Names of class files that are not patterns are left out.
            include: roots.iter().chain(joining).filter_map(|text| Pattern::parse(text).ok()).collect(),
            exclude: Vec::new(),
            jdk: true,
            roots: roots.to_vec(),
        },
        longest: Some(longest),
        enough: Some(ENOUGH),
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

/// Findings about this claim.
fn found(failed: &Why, known: &Counted, graphs: &Graphs<'_>, cut: Option<&str>) -> Why {
    let graph = graphs.of(&failed.slow);
    let compared = failed.quick.as_deref().map(|method| Compared { graph: graphs.of(method), method });
    let slow = graph.work(&failed.slow);
    let quick = compared.and_then(|quick| quick.graph.work(quick.method));
    let mut found = failed.clone();
    found.bytecodes = slow.as_ref().map(Work::bytecodes);
    found.bytecodes_of_other = quick.as_ref().map(Work::bytecodes);
    let (Some(slow), true) = (slow, failed.quick.is_none() || quick.is_some()) else { return found };
    found.unseen = more_calls(&slow, quick.as_ref()).take(WRITTEN).collect();
    let works: Vec<&Work> = [Some(&slow), quick.as_ref()].into_iter().flatten().collect();
    let cut = cut.filter(|_| works.iter().any(|work| known.could_go_on(work)));
    found.doubts = doubts(&works, cut);
    let averages = [Some(graph), compared.map(|quick| quick.graph)].into_iter().flatten();
    if averages.into_iter().any(|graph| !graph.is_apart()) {
        found.doubts.push(AVERAGES.to_owned());
    }
    let (causes, extras) = (graph.causes(&failed.slow, compared), graph.extras(&failed.slow, compared));
    let traced: f64 = causes.iter().map(more).sum();
    let all = slow.bytecodes() - quick.as_ref().map_or(0.0, Work::bytecodes);
    if traced < all * TRACED {
        let share = 100.0 * traced / all;
        found
            .doubts
            .push(format!("only {share:.0}% of these bytecodes could be traced to calls of {}", failed.slow));
    }
    let cost = graph.cost(&failed.slow);
    let ratio = compared.map(|quick| cost / quick.graph.cost(quick.method).max(1.0));
    // The cost of events is a rough estimate.
    let events: f64 = extras.iter().map(|one| one.cost).sum();
    let partly = if events > traced { PARTLY_OF_EVENTS } else { PARTLY };
    let is_idle = failed.quick.is_none() && time(&failed.figure).is_some_and(|ns| ns > cost * IDLE);
    let is_empty = causes.is_empty() && extras.is_empty();
    found.conclusion = match (ratio, failed.times) {
        (Some(ratio), _) if ratio < WhyFile::TELLING && found.doubts.is_empty() => Conclusion::Nothing,
        (Some(ratio), _) if ratio < WhyFile::TELLING => Conclusion::Unknown,
        _ if is_empty => Conclusion::Unknown,
        (Some(ratio), Some(times)) if times > ratio * partly => Conclusion::Partly,
        _ if is_idle => Conclusion::Partly,
        _ => Conclusion::Found,
    };
    if matches!(found.conclusion, Conclusion::Found | Conclusion::Partly) {
        (found.causes, found.extras) = ranked(causes, extras);
    }
    found
}

/// Nanoseconds of a time in the words of the table of claims, such as `1.09 ms`; `None` of another figure.
fn time(figure: &str) -> Option<f64> {
    let (number, unit) = figure.rsplit_once([' ', '\u{202f}'])?;
    let unit = match unit {
        "ns" => 1.0,
        "us" | "µs" => 1e3,
        "ms" => 1e6,
        "s" => 1e9,
        _ => return None,
    };
    let number: String = number.chars().filter(|letter| letter.is_ascii_digit() || *letter == '.').collect();
    number.parse::<f64>().ok().map(|number| number * unit)
}

/// Instructions that the slower method runs more.
fn more(cause: &Cause) -> f64 {
    cause.bytecodes[0] - cause.bytecodes[1]
}

/// Causes and costly events with their shares of all that is more.
fn ranked(causes: Vec<Cause>, extras: Vec<Extra>) -> (Vec<WhyCause>, Vec<WhyExtra>) {
    let of_causes: f64 = causes.iter().map(more).sum();
    let all = of_causes + extras.iter().map(|one| one.cost).sum::<f64>();
    let cause = |of: Cause| WhyCause { share: more(&of) / all, ..cause(of) };
    let extra = |of: Extra| {
        let Extra { kind, method, block, lines, counts, cost } = of;
        let kind = match kind {
            ExtraKind::Caught => WhyEvent::Caught,
            ExtraKind::Made => WhyEvent::Made,
            ExtraKind::Locked => WhyEvent::Locked,
            ExtraKind::Joined => WhyEvent::Joined,
            ExtraKind::Many => WhyEvent::Many,
        };
        WhyExtra { share: cost / all, kind, method, block, lines, counts }
    };
    (causes.into_iter().take(WRITTEN).map(cause).collect(), extras.into_iter().map(extra).collect())
}

/// Why the findings may be wrong, or others be missing.
fn doubts(works: &[&Work], cut: Option<&str>) -> Vec<String> {
    let mut doubts = Vec::new();
    if let Some(cut) = cut {
        doubts.push(format!("the search ended before all methods were counted: {cut}"));
    }
    let is_followed = |site: &Site| site.lambda.is_some() || site.joins_strings();
    let makes = |work: &Work| {
        let mut sites = work.unseen.iter().filter(|site| site.kind == CallKind::Dynamic);
        sites.any(|site| site.count >= RARE && !is_followed(site))
    };
    if works.iter().any(|work| makes(work)) {
        doubts.push("some calls by invokedynamic are not followed".to_owned());
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
