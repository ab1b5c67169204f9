//! Why a claim fails, or would by its times (`--drill failed`): what its methods run, counted while the program goes on, and how the slow one differs.

pub use super::failed::Measured;

use super::failed::{Share, kinds};
use super::graphs;
use super::growth;
use super::measures;
use super::reasons::{Counted, Graphs, RARE};
use super::search::{Look, search};
use super::steps::Steps;
use crate::progress::Progress;
use crate::report;
use spl_graph::CallKind;
use spl_model::one_line;
use spl_profile::{Cause, Compared, Extra, ExtraKind, Site, Work};
use spl_records::{Conclusion, UnseenCalls, Why, WhyCause, WhyEvent, WhyExtra, WhyFile, WhyGraphs};
use spl_session::config::Config;
use spl_session::files::write_whole;
use spl_session::measure::Inputs;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

/// The doubt where calls did not count apart.
const AVERAGES: &str = "the calls did not count apart, as those in virtual threads: figures are averages over all callers, and \
                        recursion counts once";
/// Share of the bytecodes that the causes have at least.
const TRACED: f64 = 0.5;
/// Share of what is more that causes and events have at least; with less the reason is unknown.
const LEAST: f64 = 0.1;
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
/// Claims that the line of a program names.
const NAMED: usize = 3;

/// Looks for the reasons of failed claims in the programs that still run, says and writes what was found. An interrupt ends
/// it early. `inputs` are those of the measurement; they are not taken.
pub async fn explain(measured: &Measured, config: &Config, inputs: &mut Inputs, progress: &Progress) {
    if !config.drills() || measured.failed.is_empty() {
        return;
    }
    if measured.interrupted || inputs.is_interrupted() {
        return progress.note("interrupted: no reasons of failed claims are looked for");
    }
    let shares = measured.shares();
    if shares.is_empty() {
        let elsewhere = if measured.programs.is_empty() {
            ""
        } else {
            ". If the program goes on in a container of its own, spl has to be in the same one"
        };
        return progress.note(&format!(
            "the measurement ended with the program, so no reasons were looked for; --for ends it earlier{elsewhere}"
        ));
    }
    let began = Instant::now();
    progress.note(&format!(
        "looking for the reasons of {} for at most {}",
        kinds(&measured.failed),
        seconds(config.drill.longest)
    ));
    let mut steps = Steps::new(&measured.folder, measured.began);
    let (mut rounds, mut claims, mut was_any) = (0, Vec::new(), false);
    let mut drawn = WhyGraphs::default();
    for (place, share) in shares.iter().enumerate() {
        say_program(share, progress);
        // Time that one program leaves is for the others.
        let spent = if place == 0 { Duration::ZERO } else { began.elapsed() };
        let left = config.drill.longest.saturating_sub(spent);
        let longest = left / u32::try_from(shares.len() - place).unwrap_or(1);
        let look = Look { share, folder: &measured.folder, budget: config.drill_budget(), longest };
        match search(&look, &mut steps, inputs).await {
            Ok(found_out) => {
                was_any = true;
                rounds += found_out.rounds;
                let graphs = found_out.known.graphs();
                let cut = found_out.cut.as_deref();
                let of_share: Vec<Why> =
                    share.claims.iter().map(|one| found(one, &found_out.known, &graphs, cut)).collect();
                graphs::add(&mut drawn, &of_share, &found_out.known, &graphs);
                claims.extend(of_share);
            }
            Err(why) => {
                let place = if shares.len() > 1 { format!(" in {}", share.name) } else { String::new() };
                progress.problem(&one_line(&format!("no reasons{place}: {why}")));
            }
        }
    }
    if let Some(why) = steps.problem() {
        progress.problem(&why);
    }
    if was_any {
        let file = WhyFile { seconds: began.elapsed().as_secs_f64(), rounds, claims };
        tell(&file, &drawn, &measured.folder, progress);
    }
}

/// A time in words, exact to the millisecond.
fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{} s", time.as_secs()),
        _ => format!("{} ms", time.as_millis()),
    }
}

/// Names the program of several in which these claims are looked at.
fn say_program(share: &Share, progress: &Progress) {
    if share.claims.iter().all(|one| one.instance.is_none()) {
        return;
    }
    let claims: BTreeSet<&str> = share.claims.iter().map(|one| &*one.claim).collect();
    let named: Vec<String> = claims.iter().take(NAMED).map(|one| one_line(one)).collect();
    let more = claims.len().saturating_sub(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    progress.note(&format!("in {}: {}{more}", one_line(&share.name), named.join("; ")));
}

/// Says what was found, and writes it.
fn tell(file: &WhyFile, drawn: &WhyGraphs, folder: &Path, progress: &Progress) {
    for one in file.claims.iter().take(SAID) {
        let against = one.quick.iter().filter(|_| one.figure.is_empty());
        let against: String =
            against.map(|quick| format!(", {} against {}", one_line(&one.slow), one_line(quick))).collect();
        let fails = if one.is_undecided { "would fail, by its times so far" } else { "fails" };
        progress.note(&format!("why {} {fails}{against}:", one_line(&one.claim)));
        // The tables of drills have commas in numbers.
        let line = |line: String| progress.note(&format!("  {}", line.replace('\u{202f}', ",")));
        spl_report::why(one).into_iter().chain(spl_report::measures(one)).for_each(line);
    }
    if file.claims.len() > SAID {
        progress.note(&format!("reasons of {} more claims are in the file", file.claims.len() - SAID));
    }
    let path = folder.join(WhyGraphs::NAME);
    if let Err(error) = write_whole(&path, drawn.to_json().as_bytes()) {
        progress.problem(&format!("cannot write {}: {error}", path.display()));
    }
    let path = folder.join(WhyFile::NAME);
    match write_whole(&path, file.to_json().as_bytes()) {
        Ok(()) => progress.note(&format!("what was found is in {}, and in the report", path.display())),
        Err(error) => progress.problem(&format!("cannot write {}: {error}", path.display())),
    }
    if let Err(why) = report::make(folder, None) {
        progress.problem(&format!("the report has no reasons: {why}"));
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
    if let Some((compared, quick)) = compared.zip(quick.as_ref()) {
        let sides = [(graph, &*failed.slow, &slow), (compared.graph, compared.method, quick)];
        found.measures = measures::of(sides);
    }
    let works: Vec<&Work> = [Some(&slow), quick.as_ref()].into_iter().flatten().collect();
    let cut = cut.filter(|_| works.iter().any(|work| known.could_go_on(work)));
    found.doubts = doubts(&works, cut);
    let averages = [Some(graph), compared.map(|quick| quick.graph)].into_iter().flatten();
    if averages.into_iter().any(|graph| !graph.is_apart()) {
        found.doubts.push(AVERAGES.to_owned());
    }
    let (causes, extras) = (graph.causes(&failed.slow, compared), graph.extras(&failed.slow, compared));
    let traced = causes.iter().map(more).fold(0.0, |sum, more| sum + more);
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
        _ if is_empty || traced + events < LEAST * (all.max(traced) + events) => Conclusion::Unknown,
        (Some(ratio), Some(times)) if times > ratio * partly => Conclusion::Partly,
        _ if is_idle => Conclusion::Partly,
        _ => Conclusion::Found,
    };
    if matches!(found.conclusion, Conclusion::Found | Conclusion::Partly) {
        (found.causes, found.extras) = ranked(causes, extras, all);
    }
    growth::add(&mut found, known);
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

/// Causes and costly events with their shares of all that is more: of the bytecodes that the slow method runs more, as far as the causes
/// are not more than these, and of what the events cost.
fn ranked(causes: Vec<Cause>, extras: Vec<Extra>, bytecodes: f64) -> (Vec<WhyCause>, Vec<WhyExtra>) {
    let of_causes: f64 = causes.iter().map(more).sum();
    let all = of_causes.max(bytecodes) + extras.iter().map(|one| one.cost).sum::<f64>();
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
    let lines = hottest.and_then(|one| one.lines);
    WhyCause { share, path, line, calls, bytecodes, block, lines, runs, growth: None, outgrows: None }
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
