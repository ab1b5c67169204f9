//! The calls whose receiver chooses the method, as text and as lines of JSON.

use crate::drill::traced::RECEIVERS;
use crate::drilled::{regular, unquoted};
use crate::numbers::counted;
use serde::Serialize;
use spl_model::one_line;
use spl_trace::{Callees, Dispatch, Methods};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

/// Most bytes of them.
const MOST_NAMES: u64 = 1 << 30;

/// A place that calls, as a line of JSON.
#[derive(Serialize)]
struct Line<'t> {
    method: &'t str,
    offset: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u16>,
    callee: &'t str,
    instruction: &'static str,
    executions: u64,
    /// Calls that entered a traced method.
    entered: u64,
    /// Such calls whose receiver is not known.
    unknown: u64,
    changes: u64,
    receivers: Vec<Receiver>,
    targets: Vec<Target<'t>>,
}

#[derive(Serialize)]
struct Receiver {
    /// Several classes, where they have the same number; none of a class that was unloaded.
    classes: Vec<String>,
    calls: u64,
}

#[derive(Serialize)]
struct Target<'t> {
    method: &'t str,
    calls: u64,
}

/// The classes of a number, and whether the names are there.
pub type Names = BTreeMap<u32, Vec<String>>;

/// The names of classes, from their table; `None` if that is missing or damaged.
pub fn names(folder: &Path) -> Option<Names> {
    let (path, mut text) = (folder.join(RECEIVERS), String::new());
    regular(&path).ok()?;
    File::open(path).ok()?.take(MOST_NAMES).read_to_string(&mut text).ok()?;
    let mut names = Names::new();
    for line in text.lines().skip(1) {
        let (number, name) = line.split_once(',')?;
        names.entry(number.parse().ok()?).or_default().push(unquoted(name));
    }
    Some(names)
}

fn lines<'t>(
    dispatch: &Dispatch<'_>,
    (callees, methods, names): (&'t Callees, &'t Methods, &Names),
) -> Vec<Line<'t>> {
    let mut all = Vec::new();
    for ((place, offset), chosen) in dispatch.all() {
        let (Some(callee), Some(method)) = (callees.at(place, offset), methods.get(place)) else { continue };
        let receiver = |(class, calls): (&u32, &u64)| {
            let classes = names.get(class).cloned().unwrap_or_default();
            Receiver { classes, calls: *calls }
        };
        let target = |(method, calls): (&u32, &u64)| {
            Some(Target { method: &methods.get(*method)?.name, calls: *calls })
        };
        let mut line = Line {
            method: &method.name,
            offset,
            line: callee.line,
            callee: callees.name(callee),
            instruction: callee.kind.instruction(),
            executions: chosen.executions,
            entered: chosen.targets.values().sum(),
            unknown: chosen.unknown,
            changes: chosen.changes,
            receivers: chosen.receivers.iter().map(receiver).collect(),
            targets: chosen.targets.iter().filter_map(target).collect(),
        };
        line.receivers
            .sort_by(|one, other| other.calls.cmp(&one.calls).then_with(|| one.classes.cmp(&other.classes)));
        line.targets
            .sort_by(|one, other| other.calls.cmp(&one.calls).then_with(|| one.method.cmp(other.method)));
        all.push(line);
    }
    all.sort_by(|one, other| {
        let place = |line: &Line<'t>| (line.method, line.offset);
        other.executions.cmp(&one.executions).then_with(|| place(one).cmp(&place(other)))
    });
    all
}

/// Prints each place as a line of JSON.
///
/// # Errors
/// When they cannot be printed.
pub fn json(
    dispatch: &Dispatch<'_>,
    of: (&Callees, &Methods, &Names),
    out: &mut impl Write,
) -> io::Result<()> {
    for line in lines(dispatch, of) {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

/// Prints the places with most calls.
///
/// # Errors
/// When they cannot be printed.
pub fn text(
    dispatch: &Dispatch<'_>,
    of: (&Callees, &Methods, &Names),
    limit: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    let lines = lines(dispatch, of);
    writeln!(
        out,
        "{:>12} {:>9} {:>8} {:>12} {:>12}  callee, and the place that calls it",
        "calls", "receivers", "targets", "changes", "unknown"
    )?;
    for line in lines.iter().take(limit) {
        let source = line.line.map_or_else(String::new, |line| format!(" (line {line})"));
        writeln!(
            out,
            "{:>12} {:>9} {:>8} {:>12} {:>12}  {} at {} @{}{source}",
            line.executions,
            line.receivers.len(),
            line.targets.len(),
            line.changes,
            line.unknown,
            one_line(line.callee),
            one_line(line.method),
            line.offset
        )?;
    }
    if lines.len() > limit {
        let more = counted((lines.len() - limit) as u64, "more place", "more places");
        writeln!(out, "{more}: see --limit")?;
    }
    Ok(())
}
