//! The slowest calls, as text, lines of JSON or a table.

use super::replayed::Replayed;
use super::source::Source;
use super::unanswered::Unanswered;
use crate::cli::{Trace, TraceForm};
use crate::drilled::quoted;
use crate::numbers::{counted, number};
use crate::said::say;
use serde::Serialize;
use spl_model::one_line;
use spl_trace::{Left, Slowest, Timing, Timings, Told};
use std::io::{self, Write};

/// The message about a trace without times.
const UNTIMED: &str = "the trace has its clock at the beginning of each 4,096 words only, so durations have bounds at most: take it with --timed";

/// The refusal to draw such a trace.
pub const NO_CLOCKS: &str =
    "the trace does not have the clock at each call: take it with `spl drill --what trace --timed`";

/// A call for other programs, in nanoseconds. Unknown values are left out.
#[derive(Serialize)]
struct Line<'n> {
    call: u64,
    thread: u64,
    method: &'n str,
    #[serde(skip_serializing_if = "Option::is_none")]
    begin_ns: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ns: Option<u64>,
    at_least_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_most_ns: Option<u64>,
    calls: u64,
    bytecodes: u64,
    is_whole: bool,
    ended: &'static str,
}

/// Answers which calls took longest.
///
/// # Errors
/// When the trace cannot be read, or the answer not be printed.
pub fn answer(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<Replayed, Unanswered> {
    let (timings, replayed) = timed(Slowest::new(arguments.limit(), arguments.call), source)?;
    if timings.is_untimed() {
        say(UNTIMED);
    }
    let (slowest, names) = (timings.told, source.names());
    match arguments.form {
        Some(TraceForm::Json) => {
            for line in lines(&slowest, &names) {
                writeln!(out, "{}", serde_json::to_string(&line).map_err(io::Error::from)?)?;
            }
        }
        Some(TraceForm::Csv) => csv(&slowest, &names, out)?,
        _ => text(&slowest, &names, out)?,
    }
    Ok(replayed)
}

/// Replays all threads for times.
///
/// # Errors
/// When the trace cannot be read; one line of text.
pub fn timed<T: Told>(told: T, source: &mut Source) -> Result<(Timings<T>, Replayed), String> {
    let mut timings = Timings::new(told);
    let replayed = source.replay(&mut timings, Timings::begin)?;
    timings.finish();
    Ok((timings, replayed))
}

/// How an activation ended, in a word.
pub fn ended(left: Left) -> &'static str {
    match left {
        Left::Returned => "returned",
        Left::Thrown => "exception",
        Left::Unseen => "unseen",
        Left::Unknown => "unknown",
    }
}

/// A name by the place of a method.
pub fn name(names: &[String], method: u32) -> &str {
    names.get(method as usize).map_or("?", String::as_str)
}

/// Milliseconds with all digits of nanoseconds.
pub fn ms(ns: u64) -> String {
    format!("{}.{:06}", number(ns / 1_000_000), ns % 1_000_000)
}

/// Milliseconds that a call took, or their bounds.
pub fn took(timing: &Timing) -> String {
    match (timing.total(), timing.at_least(), timing.at_most()) {
        (Some(total), _, _) => ms(total),
        (None, 0, None) => "?".to_owned(),
        (None, 0, Some(most)) => format!("<= {}", ms(most)),
        (None, least, None) => format!(">= {}", ms(least)),
        (None, least, Some(most)) => format!("{} to {}", ms(least), ms(most)),
    }
}

fn lines<'n>(slowest: &'n Slowest, names: &'n [String]) -> impl Iterator<Item = Line<'n>> {
    slowest.calls().map(|timing| Line {
        call: timing.call.map_or(0, |call| call.number),
        thread: timing.call.map_or(0, |call| call.thread),
        method: name(names, timing.method),
        begin_ns: timing.begin,
        duration_ns: timing.total(),
        at_least_ns: timing.at_least(),
        at_most_ns: timing.at_most(),
        calls: timing.within,
        bytecodes: timing.bytecodes,
        is_whole: timing.is_whole,
        ended: ended(timing.left),
    })
}

fn csv(slowest: &Slowest, names: &[String], out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "call,thread,method,begin_ns,duration_ns,at_least_ns,at_most_ns,calls,bytecodes,is_whole,ended"
    )?;
    let field = |ns: Option<u64>| ns.map_or_else(String::new, |ns| ns.to_string());
    for line in lines(slowest, names) {
        writeln!(
            out,
            "{},{},{},{},{},{},{},{},{},{},{}",
            line.call,
            line.thread,
            quoted(line.method),
            field(line.begin_ns),
            field(line.duration_ns),
            line.at_least_ns,
            field(line.at_most_ns),
            line.calls,
            line.bytecodes,
            u8::from(line.is_whole),
            line.ended
        )?;
    }
    Ok(())
}

fn text(slowest: &Slowest, names: &[String], out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "{:>10} {:>8} {:>18} {:>24} {:>12} {:>16}  {:<9}  method",
        "call", "thread", "begin ms", "took ms", "calls within", "bytecodes", "ended"
    )?;
    let first = slowest.first.unwrap_or(0);
    for timing in slowest.calls() {
        let (number, thread) = timing.call.map_or((0, 0), |call| (call.number, call.thread));
        let begin = timing.begin.map_or_else(|| "?".to_owned(), |begin| ms(begin.saturating_sub(first)));
        writeln!(
            out,
            "{number:>10} {thread:>8} {begin:>18} {:>24} {:>12} {:>16}  {:<9}  {}",
            took(timing),
            timing.within,
            timing.bytecodes,
            ended(timing.left),
            one_line(name(names, timing.method))
        )?;
    }
    let more = slowest.count.saturating_sub(slowest.calls().len() as u64);
    if more > 0 {
        writeln!(out, "{}: see --limit", counted(more, "more call", "more calls"))?;
    }
    if slowest.unknown > 0 {
        let calls = counted(slowest.unknown, "call", "calls");
        writeln!(out, "of {calls} the duration is not known; they stand where it is largest")?;
    }
    Ok(())
}
