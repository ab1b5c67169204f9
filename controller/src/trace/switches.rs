//! Switches from one thread to another, in the order of all threads.

use crate::numbers::counted;
use serde::Serialize;
use spl_trace::{Frame, Left, Ran, Stack, Tag, Visit};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

/// Counts while a trace is replayed.
#[derive(Default)]
pub struct Switches {
    /// The thread whose events came last, if their place is known.
    before: Option<u64>,
    /// For each pair of threads how often the second one followed the first.
    pairs: BTreeMap<(u64, u64), u64>,
    /// Threads that have gone on.
    threads: BTreeSet<u64>,
}

/// A pair of threads, as a line of JSON.
#[derive(Serialize)]
struct Line {
    from: u64,
    to: u64,
    switches: u64,
}

impl Switches {
    /// A thread goes on, at a place in the order of all threads if that is known.
    pub fn goes_on(&mut self, thread: u64, place: Option<u64>) {
        let after = place.map(|_| thread);
        if let (Some(before), Some(after)) = (self.before, after)
            && before != after
        {
            *self.pairs.entry((before, after)).or_default() += 1;
        }
        self.threads.insert(thread);
        self.before = after;
    }

    /// The pairs, those of most switches first.
    fn lines(&self) -> Vec<Line> {
        let line = |(&(from, to), &switches): (&(u64, u64), &u64)| Line { from, to, switches };
        let mut lines: Vec<Line> = self.pairs.iter().map(line).collect();
        lines.sort_by_key(|line| std::cmp::Reverse(line.switches));
        lines
    }
}

impl Visit for Switches {
    fn enter(&mut self, _: &Stack, _: Option<Tag>, _: u32) -> Tag {
        0
    }

    fn segment(&mut self, _: &Stack, _: Tag, _: u32, _: &Ran) {}

    fn leave(&mut self, _: &Stack, _: &Frame, _: Left) {}
}

/// Prints each pair of threads as a line of JSON.
///
/// # Errors
/// When they cannot be printed.
pub fn json(switches: &Switches, out: &mut impl Write) -> io::Result<()> {
    for line in switches.lines() {
        writeln!(out, "{}", serde_json::to_string(&line)?)?;
    }
    Ok(())
}

/// Prints the pairs with most switches.
///
/// # Errors
/// When they cannot be printed.
pub fn text(switches: &Switches, limit: usize, out: &mut impl Write) -> io::Result<()> {
    let all = switches.pairs.values().sum();
    let threads = counted(switches.threads.len() as u64, "thread", "threads");
    writeln!(out, "{} of {threads}", counted(all, "switch", "switches"))?;
    let lines = switches.lines();
    for line in lines.iter().take(limit) {
        writeln!(out, "{:>12}  from thread {} to thread {}", line.switches, line.from, line.to)?;
    }
    if lines.len() > limit {
        let more = counted((lines.len() - limit) as u64, "more pair", "more pairs");
        writeln!(out, "{more}: see --limit")?;
    }
    Ok(())
}
