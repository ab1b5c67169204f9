//! The table of `spl top`, as lines and as a document.

use crate::names::without_packages;
use serde::Serialize;
use spl_lang::ast::MethodPattern;
use spl_model::MethodRef;
use spl_report::figure;
use spl_scheduler::Scheduler;
use std::cmp::Ordering;

/// Prefix of each line on standard error, in characters.
const PREFIX: usize = 5;
/// Least number of characters for a name.
const LEAST: usize = 20;
const NS_PER_S: f64 = 1e9;

/// Figures of one method that was called.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Seen {
    /// As the class file names it.
    method: String,
    /// As a task file may name it.
    java: Option<String>,
    /// Calls in a second of the time in which it was looked at.
    calls_per_s: f64,
    /// Of the taken calls that count, with all that they call; `None` without any.
    mean_ns: Option<f64>,
    median_ns: Option<f64>,
    /// Time in its calls for each second, of all threads together: 1 is one thread all the time.
    time_share: Option<f64>,
    /// Calls that were taken and count.
    samples: u64,
    /// Calls that were taken before the JVM had compiled the method again.
    discarded: u64,
    /// Time in which its calls could be taken.
    looked_at_s: f64,
}

/// All methods that were looked at.
#[derive(Debug)]
pub struct Rows {
    /// The methods that were called, the one with the greatest share of time first.
    seen: Vec<Seen>,
    /// Number of methods without a call, and number of methods whose gate was never open.
    silent: usize,
    unseen: usize,
    /// Samples that never arrived.
    lost: u64,
}

/// The document of `--json` (`docs/schema/top-1.json`).
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    schema: &'static str,
    called: usize,
    silent: usize,
    unseen: usize,
    lost: u64,
    methods: &'a [Seen],
}

impl Rows {
    /// The rows for the methods of a measurement.
    pub fn of(scheduler: &Scheduler, lost: u64) -> Self {
        let mut rows = Self { seen: Vec::new(), silent: 0, unseen: 0, lost };
        for one in scheduler.progress() {
            let times = scheduler.all_times(one.method);
            if one.calls == 0 {
                let was_open = one.looked_ns > 0;
                rows.silent += usize::from(was_open);
                rows.unseen += usize::from(!was_open);
                continue;
            }
            let name = scheduler.name(one.method);
            rows.seen.push(Seen::new(name, times, one.discarded, (one.calls, one.looked_ns)));
        }
        rows.seen.sort_by(Seen::order);
        rows
    }

    /// The document with the first methods.
    pub fn document(&self, limit: usize) -> Document<'_> {
        Document {
            schema: "spl.top/1",
            called: self.seen.len(),
            silent: self.silent,
            unseen: self.unseen,
            lost: self.lost,
            methods: &self.seen[..limit.min(self.seen.len())],
        }
    }

    /// A head, a line for each of the first methods, and what the figures mean; names are cut to `width`.
    pub fn lines(&self, limit: usize, width: Option<usize>) -> Vec<String> {
        let all = self.seen.len() + self.silent + self.unseen;
        if self.seen.is_empty() {
            return vec![format!(
                "none of {all} methods was called while it was looked at; look for longer with --for, or at others with --methods"
            )];
        }
        let shown = &self.seen[..limit.min(self.seen.len())];
        let head = ["calls/s", "mean", "median", "time", "samples", "looked at"].map(str::to_owned);
        let body: Vec<[String; 6]> = shown.iter().map(Seen::cells).collect();
        let widest = |column: usize| {
            body.iter().chain([&head]).map(|cells| cells[column].chars().count()).max().unwrap_or(0)
        };
        let widths = [0, 1, 2, 3, 4, 5].map(widest);
        let used: usize = widths.iter().map(|width| width + 2).sum::<usize>() + PREFIX;
        let room = width.map_or(usize::MAX, |width| width.saturating_sub(used).max(LEAST));
        let line = |cells: &[String; 6], name: &str| {
            let cells = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}  "));
            cells.collect::<String>() + name
        };
        let mut lines = vec![line(&head, "method")];
        lines.extend(body.iter().zip(shown).map(|(cells, seen)| line(cells, &seen.fitted(room))));
        lines.extend(self.notes(shown.len()));
        lines
    }

    fn notes(&self, shown: usize) -> Vec<String> {
        let called = self.seen.len();
        let mut notes = vec![format!(
            "{shown} of {called} methods that were called; {} were not called or their classes are not loaded, \
             {} were not looked at",
            self.silent, self.unseen
        )];
        notes.push(
            "time: of one thread, in calls of the method with all that they call (a recursive call counts again); \
             times and rates are of the taken calls while it was looked at; - where all of them were warm-up"
                .to_owned(),
        );
        if self.lost > 0 {
            notes.push(format!(
                "{} samples were lost: busy methods have more calls than are shown",
                self.lost
            ));
        }
        let first = self.seen.first().and_then(|seen| Some((seen.java.as_ref()?, seen.mean_ns?)));
        notes.extend(first.map(|(java, mean_ns)| {
            format!("a line for a task file: {java} <= {}", figure::plain(&bound(mean_ns)))
        }));
        notes
    }
}

impl Seen {
    /// The greatest share of time first, then most calls.
    fn order(one: &Self, other: &Self) -> Ordering {
        let share = |seen: &Self| seen.time_share.unwrap_or(-1.0);
        let by_time = share(other).total_cmp(&share(one));
        let by_calls = other.calls_per_s.total_cmp(&one.calls_per_s);
        by_time.then(by_calls).then_with(|| one.method.cmp(&other.method))
    }

    /// `calls` in a time in nanoseconds, of which those with `times` count.
    fn new(method: String, mut times: Vec<u64>, discarded: u64, (calls, looked_ns): (u64, u64)) -> Self {
        times.sort_unstable();
        let samples = times.len();
        let sum: f64 = times.iter().map(|&ns| ns as f64).sum();
        let mean_ns = (samples > 0).then(|| sum / samples as f64);
        let looked_at_s = looked_ns as f64 / NS_PER_S;
        let calls_per_s = if looked_ns > 0 { calls as f64 / looked_at_s } else { 0.0 };
        let java = method.parse::<MethodRef>().ok().and_then(|method| MethodPattern::of(&method));
        Self {
            java: java.map(|java| MethodPattern { result: None, ..java }.to_string()),
            method,
            calls_per_s,
            mean_ns,
            median_ns: times.get(samples / 2).map(|&ns| ns as f64),
            time_share: mean_ns.map(|mean_ns| calls_per_s * mean_ns / NS_PER_S),
            samples: samples as u64,
            discarded,
            looked_at_s,
        }
    }

    fn cells(&self) -> [String; 6] {
        let none = || "-".to_owned();
        [
            figure::digits(self.calls_per_s),
            self.mean_ns.map_or_else(none, figure::time),
            self.median_ns.map_or_else(none, figure::time),
            self.time_share.map_or_else(none, figure::percent),
            self.samples.to_string(),
            figure::time(self.looked_at_s * NS_PER_S),
        ]
        .map(|cell| figure::plain(&cell))
    }

    /// The name as a task file may have it; without packages, and cut, where there is little room.
    fn fitted(&self, room: usize) -> String {
        let name = self.java.as_ref().unwrap_or(&self.method);
        if name.chars().count() <= room {
            return name.clone();
        }
        let short = without_packages(name);
        if short.chars().count() <= room {
            return short;
        }
        short.chars().take(room.saturating_sub(1)).chain(['…']).collect()
    }
}

/// A bound of a quarter above this time, with two digits, as a task file has it.
fn bound(mean_ns: f64) -> String {
    let ns = (mean_ns * 1.25).max(1.0);
    let (unit, scale) = match ns {
        ns if ns < 1e3 => ("ns", 1.0),
        ns if ns < 1e6 => ("us", 1e3),
        ns if ns < 1e9 => ("ms", 1e6),
        _ => ("s", 1e9),
    };
    let value = ns / scale;
    let digits = if value < 10.0 { 1 } else { 0 };
    format!("{value:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows() -> Rows {
        let seen = |method: &str, times: &[u64], calls, looked_s: u64| {
            Seen::new(method.to_owned(), times.to_vec(), 0, (calls, looked_s * 1_000_000_000))
        };
        let mut seen = vec![
            seen("p/q/Shop.add(I)V", &[1000, 1000, 4000], 10_000, 2),
            seen("p/q/Shop.find(Ljava/lang/String;)I", &[3_000_000; 10], 400, 4),
        ];
        seen.sort_by(Seen::order);
        Rows { seen, silent: 7, unseen: 3, lost: 0 }
    }

    #[test]
    fn the_method_with_most_time_comes_first() {
        let lines = rows().lines(20, None);
        assert_eq!(
            lines[..3],
            [
                "calls/s     mean   median  time  samples  looked at  method",
                "    100  3.00 ms  3.00 ms   30%       10     4.00 s  p.q.Shop#find(java.lang.String)",
                "  5 000  2.00 µs  1.00 µs    1%        3     2.00 s  p.q.Shop#add(int)",
            ]
        );
        assert!(lines[3].starts_with("2 of 2 methods that were called; 7 were not called or their classes"));
        assert_eq!(lines[5], "a line for a task file: p.q.Shop#find(java.lang.String) <= 3.8 ms");
    }

    #[test]
    fn names_fit_and_rows_are_limited() {
        let lines = rows().lines(1, Some(80));
        assert!(lines[1].ends_with("Shop#find(String)"), "{}", lines[1]);
        assert!(lines[2].starts_with("1 of 2 methods"), "{}", lines[2]);
        assert_eq!(rows().document(1).methods.len(), 1);
    }

    #[test]
    fn nothing_called_is_said() {
        let none = Rows { seen: Vec::new(), silent: 7, unseen: 3, lost: 0 };
        let lines = none.lines(20, None);
        assert!(lines.len() == 1 && lines[0].contains("none of 10 methods was called"), "{lines:?}");
    }

    #[test]
    fn bounds_have_units_of_the_language() {
        let check = |ns: f64, expected: &str| assert_eq!(bound(ns), expected);
        check(0.1, "1.0 ns");
        check(100.0, "125 ns");
        check(2000.0, "2.5 us");
        check(40e6, "50 ms");
        check(2e9, "2.5 s");
    }
}
