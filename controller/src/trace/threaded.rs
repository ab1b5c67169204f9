//! A thread's file while it is replayed, or a part of it.

use super::place::cannot;
use super::replayed::{Replayed, Watched};
use crate::drilled::regular;
use spl_model::one_line;
use spl_trace::file::{Part, Reader};
use spl_trace::words::{clock, from_clock};
use spl_trace::{Methods, Replay, Visit};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// A part of the trace, by clocks, nanoseconds: what ran from the first one on, up to the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub(super) from: u64,
    pub(super) to: u64,
}

/// The end of a step of a replay.
#[derive(Clone, Copy)]
pub(super) enum Up {
    /// That of the frame.
    End,
    /// The next clock.
    Clock,
    /// The next place in the order of all threads.
    Place,
}

/// A thread while it is replayed.
pub(super) struct Threaded {
    path: PathBuf,
    pub(super) reader: Reader<BufReader<File>>,
    pub(super) replay: Replay,
    /// Words so far.
    pub(super) all: u64,
    /// Whether nothing is known of what was before. Also at the beginning: a ring that was used before is deeper than the outermost call.
    is_new: bool,
    /// Words of the frame, and the number of replayed ones.
    pub(super) words: Vec<u32>,
    pub(super) at: usize,
    /// The part that is wanted; its beginning is 0 once it was found.
    window: Option<Window>,
}

impl Threaded {
    /// Opens the file of a thread; `None` with a fault where it is not one. The other threads can be read.
    pub(super) fn open(
        path: PathBuf,
        window: Option<Window>,
        replayed: &mut Replayed,
    ) -> Result<Option<Self>, String> {
        if let Err(why) = regular(&path) {
            replayed.faults.push(why);
            return Ok(None);
        }
        let file = File::open(&path).map_err(|error| cannot(&path, &error))?;
        replayed.bytes += file.metadata().map_or(0, |file| file.len());
        match Reader::new(BufReader::with_capacity(1 << 16, file)) {
            Ok(mut reader) => {
                if let Some(window) = window {
                    reader.seek(window.from).map_err(|error| cannot(&path, &error))?;
                }
                let (replay, words) = (Replay::default(), Vec::new());
                Ok(Some(Self { path, reader, replay, all: 0, is_new: true, words, at: 0, window }))
            }
            Err(why) => {
                replayed.faults.push(cannot(&path, &why));
                Ok(None)
            }
        }
    }

    /// Reads the next frame; false at the end of the file.
    pub(super) fn load<V: Visit>(&mut self, visit: &mut V, replayed: &mut Replayed) -> Result<bool, String> {
        let mut watched = Watched::new(visit);
        self.words.clear();
        self.at = 0;
        match self.reader.part() {
            Err(error) => return Err(self.cannot(&error)),
            Ok(None) => return Ok(false),
            Ok(Some(Part::Words { mut depth, time, mut words })) => {
                if let Some(window) = &mut self.window {
                    if time >= window.to {
                        return Ok(false);
                    }
                    if window.from > 0 {
                        let found = from_clock(words, depth, window.from);
                        let (at, there) = found.unwrap_or((words.len(), depth));
                        (words, depth) = (&words[at..], there);
                        window.from = if found.is_some() { 0 } else { window.from };
                    }
                    let end = from_clock(words, depth, window.to);
                    words = &words[..end.map_or(words.len(), |(at, _)| at)];
                }
                self.words.extend(words);
                self.all += words.len() as u64;
                if !words.is_empty() && std::mem::take(&mut self.is_new) {
                    self.replay.resume(depth, &mut watched);
                    self.replay.set_time(time);
                    self.replay.place = None;
                }
            }
            Ok(Some(Part::Damaged { from, to })) => {
                watched.gap(None);
                self.is_new = true;
                let text = format!("bytes {from} to {to} are damaged or cut off and left out");
                replayed.faults.push(self.cannot(&text));
            }
        }
        watched.counts(replayed);
        Ok(true)
    }

    /// Replays the rest of a frame, or a part of it; false at the end of the file.
    pub(super) fn step<V: Visit>(
        &mut self,
        methods: &mut Methods,
        visit: &mut V,
        up: Up,
        replayed: &mut Replayed,
    ) -> Result<bool, String> {
        if self.at == self.words.len() {
            if !self.load(visit, replayed)? {
                return Ok(false);
            }
            if matches!(up, Up::Place) {
                // The new frame may begin with a later place.
                return Ok(true);
            }
        }
        let mut watched = Watched::new(visit);
        let words = &self.words[self.at..];
        let done = match up {
            Up::Clock => self.replay.to_clock(words, methods, &mut watched),
            Up::Place => self.replay.to_place(words, methods, &mut watched),
            Up::End => self.replay.words(words, methods, &mut watched).map(|()| words.len()),
        };
        watched.counts(replayed);
        match done {
            Ok(count) => self.at += count,
            Err(fault) => {
                (self.at, self.is_new) = (self.words.len(), true);
                replayed.faults.push(one_line(&self.cannot(&fault)));
            }
        }
        Ok(true)
    }

    /// The place of what comes next in the order of all threads; 0, in front of all others, where none is known.
    pub(super) fn next_place(&self) -> u64 {
        spl_trace::words::place(&self.words[self.at..]).or(self.replay.place).unwrap_or(0)
    }

    /// The first place in the first frame. A file is read from its beginning for more.
    pub(super) fn first_place(&mut self) -> Result<Option<u64>, String> {
        loop {
            match self.reader.part() {
                Err(error) => return Err(cannot(&self.path, &error)),
                Ok(None) => return Ok(None),
                Ok(Some(Part::Words { words, .. })) => return Ok(spl_trace::words::first_place(words)),
                Ok(Some(Part::Damaged { .. })) => {}
            }
        }
    }

    /// The clock of what comes next, as far as it is known.
    pub(super) fn next_clock(&self) -> u64 {
        clock(&self.words[self.at..]).unwrap_or(self.replay.stack().time())
    }

    pub(super) fn cannot(&self, why: &dyn std::fmt::Display) -> String {
        cannot(&self.path, why)
    }
}

/// The thread of a file.
pub(super) fn number(path: &Path) -> Option<u64> {
    let name = path.file_stem()?.to_str()?;
    // Not by another way to write the number.
    name.parse::<u64>().ok().filter(|number| number.to_string() == name)
}
