//! The calls that entered no traced method, as text and as lines of JSON.

use super::named::Declared;
use crate::numbers::counted;
use serde::Serialize;
use spl_graph::CallKind;
use spl_model::one_line;
use spl_trace::{Callees, Methods, Site, Sites};
use std::collections::BTreeMap;
use std::io::{self, Write};

/// A place that calls, as a line of JSON.
#[derive(Serialize)]
struct Line<'t> {
    method: &'t str,
    offset: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u16>,
    callee: &'t str,
    instruction: &'static str,
    answer: &'static str,
    entered: u64,
    unseen: u64,
    exceptions: u64,
}

/// The places with such calls, those of most calls first.
fn lines<'t>(
    sites: &Sites<'_>,
    callees: &'t Callees,
    methods: &'t Methods,
    declared: &Declared,
) -> Vec<Line<'t>> {
    let line = |((place, offset), site): ((u32, u32), Site)| {
        let Site { entered, unseen, thrown: exceptions } = site;
        let (callee, method) = (callees.at(place, offset)?, methods.get(place)?);
        let name = callees.name(callee);
        let answer = if callee.kind == CallKind::Dynamic { "dynamic" } else { declared.answer(name) };
        Some(Line {
            method: &method.name,
            offset,
            line: callee.line,
            callee: name,
            instruction: callee.kind.instruction(),
            answer,
            entered,
            unseen,
            exceptions,
        })
    };
    let mut all: Vec<_> =
        sites.all().filter(|(_, site)| site.unseen + site.thrown > 0).filter_map(line).collect();
    all.sort_by(|one, other| {
        let calls = |line: &Line<'_>| line.unseen + line.exceptions;
        calls(other)
            .cmp(&calls(one))
            .then_with(|| (one.method, one.offset).cmp(&(other.method, other.offset)))
    });
    all
}

/// Prints each place as a line of JSON.
///
/// # Errors
/// When they cannot be printed.
pub fn json(
    sites: &Sites<'_>,
    (callees, methods, declared): (&Callees, &Methods, &Declared),
    out: &mut impl Write,
) -> io::Result<()> {
    for line in lines(sites, callees, methods, declared) {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

/// Prints the callees with most such calls, and where they are called.
///
/// # Errors
/// When they cannot be printed.
pub fn text(
    sites: &Sites<'_>,
    (callees, methods, declared): (&Callees, &Methods, &Declared),
    limit: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let lines = lines(sites, callees, methods, declared);
    // Lines stand in the order of their calls, so the first of a callee is the place with most.
    let mut of_callee: BTreeMap<(&str, &str), (u64, u64, Vec<&Line<'_>>)> = BTreeMap::new();
    for line in &lines {
        let (unseen, exceptions, places) = of_callee.entry((line.callee, line.answer)).or_default();
        *unseen += line.unseen;
        *exceptions += line.exceptions;
        places.push(line);
    }
    let mut all: Vec<_> = of_callee.into_iter().collect();
    all.sort_by_key(|(_, (unseen, exceptions, _))| std::cmp::Reverse(unseen + exceptions));
    writeln!(
        out,
        "{:>12} {:>12}  {:<13}  callee, and the place that calls it most",
        "calls", "exceptions", "answer"
    )?;
    for ((callee, answer), (unseen, exceptions, places)) in all.iter().take(limit) {
        let first = places.first().map_or_else(String::new, |line| {
            let source = line.line.map_or_else(String::new, |line| format!(" (line {line})"));
            format!("{} @{}{source}", one_line(line.method), line.offset)
        });
        let more = match places.len() {
            0 | 1 => String::new(),
            several => format!(" and {}", counted(several as u64 - 1, "more place", "more places")),
        };
        writeln!(out, "{unseen:>12} {exceptions:>12}  {answer:<13}  {} at {first}{more}", one_line(callee))?;
    }
    if all.len() > limit {
        let more = counted((all.len() - limit) as u64, "more callee", "more callees");
        writeln!(out, "{more}: see --limit")?;
    }
    Ok(())
}
