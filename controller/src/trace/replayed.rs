//! Figures of a replay, and facts that the drill knows about its trace.

use super::place::cannot;
use crate::drilled::regular;
use crate::numbers::counted;
use crate::said::say;
use serde::{Deserialize, Serialize};
use spl_export::DOCUMENT;
use spl_model::one_line;
use spl_trace::{Replay, Visit};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// Most parts that could not be read and are named.
const MOST_FAULTS: usize = 1000;

/// Facts about the traces in drill.json; none of them, if the drill was cut short.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Recorded {
    #[serde(default)]
    pub(super) doubts: Vec<String>,
    /// Counts, and words, for which stack overflows left no room.
    #[serde(default)]
    pub(super) uncounted: u32,
    /// Words of each thread.
    pub(super) traces: Option<BTreeMap<u64, u64>>,
    #[serde(default)]
    pub(super) tables: BTreeMap<String, String>,
}

impl Recorded {
    /// Of a stream without its end.
    pub fn cut(name: &str) -> Self {
        let doubt = format!("{name} has no end: spl was killed, or its reader or writer went away");
        Self { doubts: vec![doubt], ..Self::default() }
    }

    /// The traced threads.
    pub fn threads(&self) -> impl Iterator<Item = u64> {
        self.traces.iter().flat_map(BTreeMap::keys).copied()
    }

    /// Why the trace is not all that ran, as the drill says.
    pub fn doubts(&self) -> impl Iterator<Item = String> {
        self.doubts.iter().map(|doubt| one_line(doubt))
    }

    /// The contradiction between this number of words of a thread and the drill's.
    pub fn lacks(&self, thread: u64, words: u64) -> Option<String> {
        let written = self.traces.as_ref().map_or(words, |of| of.get(&thread).map_or(0, |&all| all));
        (written != words).then(|| format!("it has {words} words, and the drill wrote {written}"))
    }
}

/// Figures of a replay.
#[derive(Debug, Default)]
pub struct Replayed {
    /// Threads.
    pub threads: usize,
    /// Words.
    pub words: u64,
    /// Bytes of the files.
    pub bytes: u64,
    /// Events that are missing.
    pub lost: u64,
    /// Gaps with an unknown number of events.
    pub holes: u64,
    /// Activations that ended without a word.
    pub unseen: u64,
    /// Places where an activation went on without a word.
    pub untold: u64,
    /// Activations of methods whose class files are not there.
    pub nameless: u64,
    /// Events without a place in the order of all threads.
    pub unplaced: u64,
    /// Parts that could not be read; one line each.
    pub faults: Vec<String>,
}

impl Replayed {
    /// Whether nothing is known to be missing.
    pub fn is_whole(&self) -> bool {
        self.lost == 0 && self.holes == 0 && self.untold == 0 && self.nameless == 0 && self.faults.is_empty()
    }

    /// A part could not be read; most parts of a hostile file are not named.
    pub fn fault(&mut self, fault: String) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(fault);
        }
    }

    /// Adds those of a thread that has been replayed.
    pub fn add_thread(&mut self, replay: &Replay, words: u64) {
        self.words += words;
        self.unseen += replay.unseen;
        self.untold += replay.untold;
        self.nameless += replay.nameless;
        self.unplaced += replay.unplaced;
        self.threads += 1;
    }

    /// Adds the figures of other threads.
    pub(super) fn add(&mut self, other: Self) {
        self.threads += other.threads;
        self.words += other.words;
        self.bytes += other.bytes;
        self.lost = self.lost.saturating_add(other.lost);
        self.holes += other.holes;
        self.unseen += other.unseen;
        self.untold += other.untold;
        self.nameless += other.nameless;
        self.unplaced += other.unplaced;
        self.faults.extend(other.faults);
    }
}

/// Passes visits on and counts what is missing.
pub struct Watched<'v, V> {
    visit: &'v mut V,
    lost: u64,
    holes: u64,
}

impl<'v, V> Watched<'v, V> {
    /// Passes them on to this one.
    pub fn new(visit: &'v mut V) -> Self {
        Self { visit, lost: 0, holes: 0 }
    }

    /// Adds what is missing to the figures.
    pub fn counts(self, replayed: &mut Replayed) {
        replayed.lost = replayed.lost.saturating_add(self.lost);
        replayed.holes += self.holes;
    }
}

impl<V: Visit> Visit for Watched<'_, V> {
    fn enter(
        &mut self,
        stack: &spl_trace::Stack,
        caller: Option<spl_trace::Tag>,
        method: u32,
    ) -> spl_trace::Tag {
        self.visit.enter(stack, caller, method)
    }

    fn segment(&mut self, stack: &spl_trace::Stack, tag: spl_trace::Tag, method: u32, ran: &spl_trace::Ran) {
        self.visit.segment(stack, tag, method, ran);
    }

    fn leave(&mut self, stack: &spl_trace::Stack, frame: &spl_trace::Frame, left: spl_trace::Left) {
        self.visit.leave(stack, frame, left);
    }

    fn receiver(&mut self, class: u32) {
        self.visit.receiver(class);
    }

    fn nameless(&mut self, stack: &spl_trace::Stack, number: u32) {
        self.visit.nameless(stack, number);
    }

    fn gap(&mut self, lost: Option<u64>) {
        match lost {
            Some(lost) => self.lost = self.lost.saturating_add(lost),
            None => self.holes += 1,
        }
        self.visit.gap(lost);
    }

    fn call(&mut self, number: u64, ns: u64) {
        self.visit.call(number, ns);
    }

    fn clock(&mut self, ns: u64) {
        self.visit.clock(ns);
    }
}

/// The facts about a trace whose drill was not finished. A document next to it is empty, or that of an earlier drill.
pub fn unfinished(drill: &Path) -> Recorded {
    let doubt = format!(
        "the drill in {} was not finished: spl was killed, or goes on; about the last second of each thread is missing, and {DOCUMENT}",
        drill.display()
    );
    Recorded { doubts: vec![doubt], ..Recorded::default() }
}

/// Reads what a drill says of its traces.
pub fn recorded(folder: &Path) -> Result<Recorded, String> {
    let path = folder.join(DOCUMENT);
    regular(&path)?;
    match fs::read(&path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(cannot(&path, &error)),
        Ok(bytes) if !bytes.is_empty() => serde_json::from_slice(&bytes)
            .map_err(|error| format!("cannot read {}: {error}; take the trace again", path.display())),
        _ => {
            let doubts = vec![format!("{} is empty: the drill was cut short", path.display())];
            Ok(Recorded { doubts, ..Recorded::default() })
        }
    }
}

/// Says why the trace is not all that ran, as the drill knows.
pub fn say_doubts(doubts: impl Iterator<Item = String>) {
    doubts.for_each(|doubt| say(&format!("the trace is not all that ran: {doubt}")));
}

/// Says why the answer may not be whole.
pub fn warn(replayed: &Replayed) {
    replayed.faults.iter().for_each(|fault| say(fault));
    if replayed.lost > 0 {
        let lost = counted(replayed.lost, "event is", "events are");
        say(&format!("{lost} missing in the trace: what is shown is not all that ran"));
    }
    if replayed.holes > 0 {
        let holes = counted(replayed.holes, "place", "places");
        say(&format!("at {holes} an unknown number of events is missing: what is shown is not all that ran"));
    }
    if replayed.nameless > 0 {
        let calls = counted(replayed.nameless, "call is", "calls are");
        say(&format!("{calls} of methods without a class file: what they ran is not shown"));
    }
    if replayed.unplaced > 0 {
        let events = counted(replayed.unplaced, "event has", "events have");
        say(&format!(
            "{events} no known place in the order of all threads: they stand where their thread went on"
        ));
    }
    if replayed.unseen > 0 {
        let unseen = counted(replayed.unseen, "activation", "activations");
        say(&format!(
            "{unseen} ended without a word: by a stack overflow, or by an exception in a constructor before or in its call of another"
        ));
    }
    if replayed.untold > 0 {
        let places = counted(replayed.untold, "place", "places");
        say(&format!(
            "at {places} words are missing, where a stack overflow or an exception from outside left no room for them: some of what ran is not shown"
        ));
    }
}
