//! The slowest calls over time: as text, and as a page.

use super::calls::{NO_CLOCKS, ended, ms, name, timed, took};
use super::replayed::Replayed;
use super::source::Source;
use super::unanswered::Unanswered;
use crate::cli::Trace;
use crate::numbers::counted;
use crate::said::say;
use spl_model::one_line;
use spl_report::timeline::{MOST_CALLS, TimedBox, TimedCall, TimedGroup, TimelineFacts, page};
use spl_session::files::write_whole;
use spl_trace::{Call, Drawn, Left, Slowest, Timeline, Timing};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

/// Columns that a call has: those of a page are about its pixels. Narrower activations are counted together.
const COLUMNS_OF_TEXT: u64 = 200;
const COLUMNS_OF_PAGE: u64 = 1_000;
/// Most boxes and groups of a call.
const MOST_PARTS: usize = 2_500;
/// Deepest level that is indented further.
const DEEPEST: usize = 40;

/// Answers how the slowest calls went over time.
///
/// # Errors
/// When the trace cannot be read, has no times, or the answer not be printed or written.
pub fn answer(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<Replayed, Unanswered> {
    let (timings, _) = timed(Slowest::new(arguments.limit(), arguments.call), source)?;
    if timings.is_untimed() {
        return Err(NO_CLOCKS.to_owned().into());
    }
    let slowest = timings.told;
    if let (Some(only), 0) = (arguments.call, slowest.count) {
        return Err(
            format!("no call of the trace has the number {only}; `spl trace calls` shows them").into()
        );
    }
    let columns = if arguments.output.is_some() { COLUMNS_OF_PAGE } else { COLUMNS_OF_TEXT };
    let drawn = slowest.calls().take(if arguments.output.is_some() { MOST_CALLS } else { usize::MAX });
    let (timings, replayed) = timed(Timeline::of(drawn, columns, MOST_PARTS), source)?;
    let (mut drawn, names) = (timings.told.calls(), source.names());
    match &arguments.output {
        Some(path) => written(path, &slowest, &mut drawn, (source, &names, &replayed))?,
        None => text(&slowest, &mut drawn, &names, out)?,
    }
    Ok(replayed)
}

fn written(
    path: &Path,
    slowest: &Slowest,
    drawn: &mut BTreeMap<Call, Drawn>,
    (source, names, replayed): (&Source, &[String], &Replayed),
) -> Result<(), String> {
    let first = slowest.first.unwrap_or(0);
    let calls = slowest.calls().map(|timing| {
        let drawn = timing.call.and_then(|call| drawn.remove(&call)).unwrap_or_default();
        timed_call(timing, first, drawn, names)
    });
    let missing = replayed.lost.saturating_add(replayed.holes);
    let gaps = (missing > 0)
        .then(|| "events are missing in the trace: what is shown is not all that ran".to_owned());
    let facts = TimelineFacts {
        spl: env!("CARGO_PKG_VERSION").to_owned(),
        folder: one_line(&source.folder.display().to_string()),
        all: (slowest.count, slowest.unknown),
        doubts: source.doubts().chain(gaps).collect(),
        calls: calls.collect(),
    };
    write_whole(path, page(&facts).as_bytes())
        .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
    let calls = counted(facts.calls.len().min(MOST_CALLS) as u64, "call is", "calls are");
    say(&format!("{calls} drawn in {}", path.display()));
    Ok(())
}

fn timed_call(timing: &Timing, first: u64, drawn: Drawn, names: &[String]) -> TimedCall {
    let boxes = drawn.shown.iter().map(|shown| TimedBox {
        level: shown.level,
        method: name(names, shown.method).to_owned(),
        begin: shown.begin,
        took: shown.took,
        has_end: shown.has_end,
        own: shown.own,
        is_thrown: shown.left == Left::Thrown,
    });
    let group = |merged: &spl_trace::Merged| TimedGroup {
        level: merged.level,
        span: merged.span,
        count: merged.count,
    };
    TimedCall {
        number: timing.call.map_or(0, |call| call.number),
        thread: timing.call.map_or(0, |call| call.thread),
        method: name(names, timing.method).to_owned(),
        begin: timing.begin.map(|begin| begin.saturating_sub(first)),
        took: (timing.at_least(), timing.at_most()),
        within: timing.within,
        bytecodes: timing.bytecodes,
        is_whole: timing.is_whole,
        ended: ended(timing.left),
        boxes: boxes.collect(),
        groups: drawn.merged.iter().map(group).collect(),
        left_out: drawn.left_out,
        unknown: drawn.unknown,
    }
}

fn text(
    slowest: &Slowest,
    drawn: &mut BTreeMap<Call, Drawn>,
    names: &[String],
    out: &mut impl Write,
) -> io::Result<()> {
    for timing in slowest.calls() {
        let Some(call) = timing.call else { continue };
        writeln!(
            out,
            "call {} of thread {}: {} ms, {}, {} within",
            call.number,
            call.thread,
            took(timing),
            ended(timing.left),
            counted(timing.within, "call", "calls"),
        )?;
        match drawn.remove(&call) {
            Some(drawn) => tree(&drawn, names, out)?,
            None => writeln!(out, "  it is not known when it began")?,
        }
    }
    let more = slowest.count.saturating_sub(slowest.calls().len() as u64);
    if more > 0 {
        writeln!(out, "{}: see --limit", counted(more, "more call", "more calls"))?;
    }
    Ok(())
}

/// A call's activations as an indented tree, in their order.
fn tree(drawn: &Drawn, names: &[String], out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{:>16} {:>16} {:>16}  method", "begin ms", "took ms", "own ms")?;
    let shown = drawn.shown.iter().map(|shown| (shown.begin, shown.level, Some(shown), 0));
    let merged = drawn.merged.iter().map(|merged| (merged.span.0, merged.level, None, merged.count));
    let mut all: Vec<_> = shown.chain(merged).collect();
    all.sort_by_key(|(begin, level, _, _)| (*begin, *level));
    for (begin, level, shown, count) in all {
        let indent = " ".repeat((level as usize).min(DEEPEST));
        let begin = ms(begin);
        let Some(shown) = shown else {
            let calls = counted(count, "short call", "short calls");
            writeln!(out, "{begin:>16} {:>16} {:>16}  {indent}({calls})", "", "")?;
            continue;
        };
        let took = if shown.has_end { ms(shown.took) } else { format!(">= {}", ms(shown.took)) };
        let own = shown.own.map_or_else(|| "?".to_owned(), ms);
        let how = match shown.left {
            Left::Returned => "",
            Left::Thrown => " (exception)",
            Left::Unseen => " (unseen)",
            Left::Unknown => " (unknown)",
        };
        let name = one_line(name(names, shown.method));
        writeln!(out, "{begin:>16} {took:>16} {own:>16}  {indent}{name}{how}")?;
    }
    if drawn.left_out > 0 {
        writeln!(
            out,
            "  {} left out: too deep, or without room",
            counted(drawn.left_out, "call is", "calls are")
        )?;
    }
    if drawn.unknown > 0 {
        writeln!(out, "  of {} it is not known when they began", counted(drawn.unknown, "call", "calls"))?;
    }
    Ok(())
}
