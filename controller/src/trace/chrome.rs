//! Calls over time in the Trace Event Format, written while they are read.
//!
//! The format is that of chrome://tracing. Complete events (`X`) have times in microseconds; viewers put them in their order.

use super::calls::{NO_CLOCKS, ended, name, timed};
use super::replayed::Replayed;
use super::source::Source;
use super::unanswered::Unanswered;
use crate::cli::Trace;
use crate::numbers::counted;
use crate::said::say;
use serde::Serialize;
use spl_report::icicle::short;
use spl_trace::{Slowest, Timing, Told};
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufWriter, Write};

/// An event.
#[derive(Serialize)]
struct Event<'n> {
    name: &'n str,
    ph: &'static str,
    pid: u32,
    tid: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ts: Option<Micros>,
    #[serde(skip_serializing_if = "Option::is_none")]
    dur: Option<Micros>,
    args: Arguments<'n>,
}

/// Values that viewers show next to an event.
#[derive(Default, Serialize)]
struct Arguments<'n> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    method: Option<&'n str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    own_us: Option<Micros>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<&'static str>,
}

/// Nanoseconds that are written as microseconds, with all digits.
struct Micros(u64);

impl Serialize for Micros {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // Below 2^53 nanoseconds, 104 days of a machine, each number is exact to the nanosecond.
        serializer.serialize_f64(self.0 as f64 / 1e3)
    }
}

/// Writes events. After an error nothing more is written.
struct Chrome<'n, W> {
    out: W,
    names: &'n [String],
    only: Option<u64>,
    threads: BTreeSet<u64>,
    events: u64,
    unknown: u64,
    error: Option<io::Error>,
}

/// Writes the calls of the trace, or those with one number.
///
/// # Errors
/// When the trace cannot be read, has no times, or the events not be written.
pub fn answer(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<Replayed, Unanswered> {
    // First: nothing is written in place of an answer.
    if timed(Slowest::new(0, None), source)?.0.is_untimed() {
        return Err(NO_CLOCKS.to_owned().into());
    }
    match &arguments.output {
        None => events(arguments, source, out),
        Some(path) => {
            let cannot = |error: io::Error| format!("cannot write {}: {error}", path.display());
            let mut file = BufWriter::new(File::create(path).map_err(cannot)?);
            let replayed = events(arguments, source, &mut file)?;
            file.flush().map_err(cannot)?;
            Ok(replayed)
        }
    }
}

fn events(arguments: &Trace, source: &mut Source, out: &mut impl Write) -> Result<Replayed, Unanswered> {
    let names = source.names();
    write!(out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    let (threads, only) = (BTreeSet::new(), arguments.call);
    let chrome = Chrome { out: &mut *out, names: &names, only, threads, events: 0, unknown: 0, error: None };
    let (timings, replayed) = timed(chrome, source)?;
    let Chrome { events, unknown, error, .. } = timings.told;
    if let Some(error) = error {
        return Err(error.into());
    }
    writeln!(out, "\n]}}")?;
    say(&counted(events, "call is written", "calls are written"));
    if unknown > 0 {
        let calls = counted(unknown, "call", "calls");
        say(&format!("of {calls} it is not known when they began: they are left out"));
    }
    Ok(replayed)
}

impl<W: Write> Chrome<'_, W> {
    fn event(&mut self, event: &Event<'_>) {
        if self.error.is_some() {
            return;
        }
        let comma = if self.threads.len() + self.events as usize > 1 { "," } else { "" };
        let text = serde_json::to_string(event).map_err(io::Error::from);
        self.error = text.and_then(|text| write!(self.out, "{comma}\n{text}")).err();
    }

    /// Names a thread, once.
    fn thread(&mut self, id: u64) {
        if self.threads.insert(id) {
            let args = Arguments { name: Some(format!("thread {id}")), ..Arguments::default() };
            self.event(&Event { name: "thread_name", ph: "M", pid: 1, tid: id, ts: None, dur: None, args });
        }
    }
}

impl<W: Write> Told for Chrome<'_, W> {
    fn told(&mut self, timing: Timing) {
        if self.only.is_some_and(|only| timing.call.is_none_or(|call| call.number != only)) {
            return;
        }
        let Some(begin) = timing.begin else {
            self.unknown += 1;
            return;
        };
        let tid = timing.thread;
        self.thread(tid);
        let method = name(self.names, timing.method);
        let args = Arguments {
            name: None,
            method: Some(method),
            call: timing.call.map(|call| call.number),
            own_us: timing.own.map(Micros),
            ended: Some(match timing.end {
                Some(_) => ended(timing.left),
                None if timing.is_single => "it has no end of its own",
                None => "the end is not known",
            }),
        };
        self.events += 1;
        let (ts, dur) = (Some(Micros(begin)), Some(Micros(timing.at_least())));
        self.event(&Event { name: short(method), ph: "X", pid: 1, tid, ts, dur, args });
    }
}
