//! The files of the events: rates of each second, written as they come, and places and classes at the end.

use crate::drilled::quoted;
use crate::heard::{Gathered, interval};
use spl_analysis::Lifetimes;
use spl_model::one_line;
use spl_session::files::write_whole;
use spl_wire::EventCounts;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Name of the folder in that of the results.
const NAME: &str = "sampled";
/// Rates of each second.
const RATES: &str = "rates.csv";
/// Places and classes.
const EVENTS: &str = "events.csv";
/// Lifetimes of objects.
const LIFETIMES: &str = "lifetimes.csv";
/// Column heads of rates.
const RATES_HEAD: &str = "from_ms,to_ms,waits,waited_ms,threads_started,threads_live,collections,stopped_ms,samples,allocated_bytes,\
                          allocated_least,allocated_most\n";
/// Column heads of lifetimes.
const LIFETIMES_HEAD: &str = "collections,share,share_least,share_most\n";
/// Column heads of places and classes.
const EVENTS_HEAD: &str = "event,class,method,descriptor,lock,count,waited_ms,bytes,bytes_least,bytes_most\n";

/// The folder.
#[derive(Debug)]
pub struct Folder {
    folder: PathBuf,
    rates: File,
    /// Reports that are written.
    written: usize,
    interval_bytes: f64,
}

impl Folder {
    /// The folder `sampled` in that of the results; the next free number unless earlier ones may be replaced.
    ///
    /// # Errors
    /// When it cannot be made; one line of text.
    pub fn make(results: &Path, replace: bool, interval_bytes: u32) -> Result<Self, String> {
        let numbered = |number: u32| match number {
            1 => results.join(NAME),
            _ => results.join(format!("{NAME}-{number}")),
        };
        for folder in (1..=u32::MAX).map(numbered) {
            let cannot = |error: io::Error| {
                format!("cannot write to {}: {error}; choose another folder with --out", folder.display())
            };
            fs::create_dir_all(&folder).map_err(cannot)?;
            let mut options = File::options();
            options.write(true).truncate(replace).create_new(!replace).create(replace);
            match options.open(folder.join(RATES)) {
                Ok(mut rates) => {
                    // Tables of an earlier time, which is replaced.
                    for name in [EVENTS, LIFETIMES] {
                        let _ = fs::remove_file(folder.join(name));
                    }
                    rates.write_all(RATES_HEAD.as_bytes()).map_err(cannot)?;
                    return Ok(Self { folder, rates, written: 0, interval_bytes: interval_bytes.into() });
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(cannot(error)),
            }
        }
        Err("there are too many folders of this name".to_owned())
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Adds the rates of the reports that have come since.
    ///
    /// # Errors
    /// When they cannot be written; one line of text.
    pub fn rates(&mut self, gathered: &Gathered) -> Result<(), String> {
        let Some(begun_ns) = gathered.begun_ns else { return Ok(()) };
        let first = EventCounts { at_ns: begun_ns, ..EventCounts::default() };
        let mut before = self.written.checked_sub(1).map_or(first, |at| gathered.reports[at]);
        let mut lines = String::new();
        for counts in gathered.reports.iter().skip(self.written) {
            // A `String` takes everything.
            let _ = lines.write_str(&line(begun_ns, &before, counts, self.interval_bytes));
            before = *counts;
        }
        self.written = gathered.reports.len();
        let path = self.folder.join(RATES);
        self.rates
            .write_all(lines.as_bytes())
            .map_err(|error| format!("cannot write {}: {error}", path.display()))
    }

    /// Writes places and classes, and lifetimes of objects if some were followed.
    ///
    /// # Errors
    /// When they cannot be written; one line of text.
    pub fn events(&self, gathered: &Gathered) -> Result<(), String> {
        let write = |name: &str, text: String| {
            let path = self.folder.join(name);
            write_whole(&path, text.as_bytes())
                .map_err(|error| format!("cannot write {}: {error}", path.display()))
        };
        write(EVENTS, events(gathered, self.interval_bytes))?;
        gathered.lifetimes.as_ref().map_or(Ok(()), |of| write(LIFETIMES, lifetimes(of)))
    }
}

/// Milliseconds, with three digits behind the point.
fn ms(ns: u64) -> String {
    format!("{:.3}", ns as f64 / 1e6)
}

/// The counts between two reports.
fn line(begun_ns: u64, before: &EventCounts, counts: &EventCounts, interval_bytes: f64) -> String {
    let since = |of: fn(&EventCounts) -> u64| of(counts).saturating_sub(of(before));
    let at = |counts: &EventCounts| counts.at_ns.saturating_sub(begun_ns) / 1_000_000;
    let bytes = since(|one| one.bytes);
    let variance = counts.variance.saturating_sub(before.variance);
    let bounds = bounds(interval(counts, bytes, variance, interval_bytes));
    format!(
        "{},{},{},{},{},{},{},{},{},{bytes},{bounds}\n",
        at(before),
        at(counts),
        since(|one| one.waits),
        ms(since(|one| one.waited_ns)),
        since(|one| one.started),
        counts.live,
        since(|one| one.collections),
        ms(since(|one| one.stopped_ns)),
        since(|one| one.samples),
    )
}

/// Two fields, which are empty where no interval is known.
fn bounds(interval: Option<[f64; 2]>) -> String {
    interval.map_or_else(|| ",".to_owned(), |[least, most]| format!("{least:.0},{most:.0}"))
}

/// A line for each number of collections.
fn lifetimes(of: &Lifetimes) -> String {
    let mut out = LIFETIMES_HEAD.to_owned();
    for one in of.shares().0 {
        let [least, most] = one.interval;
        // A `String` takes everything.
        let _ = writeln!(out, "{},{:.6},{least:.6},{most:.6}", one.bin.text(), one.share);
    }
    out
}

/// A line for each place and class.
fn events(gathered: &Gathered, interval_bytes: f64) -> String {
    let mut out = EVENTS_HEAD.to_owned();
    let text = |text: &str| quoted(&one_line(text));
    for (place, of) in gathered.places.values() {
        // A `String` takes everything.
        let _ = writeln!(
            out,
            "wait,{},{},{},{},{},{},,,",
            text(&place.class.replace('/', ".")),
            text(&place.method),
            text(&place.descriptor),
            place.lock,
            of.waits,
            ms(of.waited_ns)
        );
    }
    for (name, of) in gathered.classes.values() {
        let bounds = bounds(interval(&gathered.last(), of.bytes, of.variance, interval_bytes));
        let _ = writeln!(out, "allocation,{},,,,{},,{},{bounds}", text(name), of.samples, of.bytes);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_differences_of_reports() {
        let before = EventCounts { at_ns: 1_000_000_000, waits: 5, waited_ns: 7, ..EventCounts::default() };
        let counts = EventCounts {
            at_ns: 2_000_000_000,
            waits: 8,
            waited_ns: 1_500_007,
            live: 3,
            ..EventCounts::default()
        };
        assert_eq!(line(0, &before, &counts, 1000.0), "1000,2000,3,1.500,0,3,0,0.000,0,0,0,3689\n");
        // Half of the samples may be first ones of threads.
        let counts = EventCounts { started: 50, samples: 100, ..counts };
        assert_eq!(line(0, &before, &counts, 1000.0), "1000,2000,3,1.500,50,3,0,0.000,100,0,,\n");
    }
}
