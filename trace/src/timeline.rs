//! Some calls with what they called, over time: each activation that is wide enough, and how many are not.

use crate::replay::Left;
use crate::timings::{Call, Timing, Told};
use std::collections::BTreeMap;

/// Most levels of a call. Activations that are deeper are counted.
const MOST_LEVELS: usize = 64;
/// Most parts of a call while it is gathered. Only clocks that contradict each other reach it.
const MOST_KEPT: usize = 1 << 18;

/// An activation that is shown. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Activations below it; 0 is the call itself.
    pub level: u32,
    /// Place of its method.
    pub method: u32,
    /// When it began, after the call's beginning.
    pub begin: u64,
    /// Its time up to its end, or up to the last clock within it.
    pub took: u64,
    /// Whether its end is known.
    pub has_end: bool,
    /// Its own time, if that is known.
    pub own: Option<u64>,
    /// How it ended.
    pub left: Left,
}

/// Activations next to each other that are too narrow to be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Merged {
    /// Activations below them.
    pub level: u32,
    /// When the first of them began, and the last one ended, after the call's beginning.
    pub span: (u64, u64),
    /// Their number.
    pub count: u64,
}

/// A call over time.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// Wide activations, callers before callees.
    pub shown: Vec<Shown>,
    /// Narrow ones.
    pub merged: Vec<Merged>,
    /// Activations that are too deep, or for which there was no room.
    pub left_out: u64,
    /// Activations of which it is not known when they began.
    pub unknown: u64,
}

/// The first clock of a call and nanoseconds of a column; the last group of narrow activations of each level.
struct Drawing {
    begin: u64,
    column: u64,
    drawn: Drawn,
    last: Vec<Option<usize>>,
}

/// Gathers calls. Memory is bounded for each: by columns and levels while it is gathered, and in the end by a number of parts.
pub struct Timeline {
    calls: BTreeMap<Call, Drawing>,
    most: usize,
}

impl Timeline {
    /// Gathers calls of which the beginning is known. An activation is shown if it fills one of `columns`; a call has at most `most` parts.
    #[must_use]
    pub fn of<'c>(calls: impl IntoIterator<Item = &'c Timing>, columns: u64, most: usize) -> Self {
        let drawing = |timing: &Timing| {
            let column = timing.at_least() / columns.max(1);
            let last = vec![None; MOST_LEVELS];
            Some((timing.call?, Drawing { begin: timing.begin?, column, drawn: Drawn::default(), last }))
        };
        Self { calls: calls.into_iter().filter_map(drawing).collect(), most }
    }

    /// The calls.
    #[must_use]
    pub fn calls(self) -> BTreeMap<Call, Drawn> {
        let most = self.most;
        self.calls.into_iter().map(|(call, drawing)| (call, drawing.bounded(most))).collect()
    }
}

impl Told for Timeline {
    fn told(&mut self, timing: Timing) {
        let drawing = timing.call.and_then(|call| self.calls.get_mut(&call));
        if let Some(drawing) = drawing {
            drawing.add(&timing);
        }
    }
}

impl Drawing {
    fn add(&mut self, timing: &Timing) {
        let Some(begin) = timing.begin.map(|begin| begin.saturating_sub(self.begin)) else {
            self.drawn.unknown += 1;
            return;
        };
        let level = timing.level;
        let is_full = self.drawn.shown.len() + self.drawn.merged.len() >= MOST_KEPT;
        let Some(last) = self.last.get_mut(level as usize).filter(|_| !is_full || level == 0) else {
            self.drawn.left_out += 1;
            return;
        };
        let took = timing.at_least();
        if level == 0 || took > 0 && took >= self.column {
            *last = None;
            let (own, left) = (timing.own, timing.left);
            let has_end = timing.end.is_some();
            self.drawn.shown.push(Shown { level, method: timing.method, begin, took, has_end, own, left });
            return;
        }
        let end = begin.saturating_add(took);
        let merged = last.and_then(|place| self.drawn.merged.get_mut(place));
        match merged.filter(|merged| begin.saturating_sub(merged.span.1) <= self.column) {
            Some(merged) => {
                merged.span.1 = merged.span.1.max(end);
                merged.count += 1;
            }
            None => {
                *last = Some(self.drawn.merged.len());
                self.drawn.merged.push(Merged { level, span: (begin, end), count: 1 });
            }
        }
    }

    /// Keeps the outermost parts, and sorts them.
    fn bounded(self, most: usize) -> Drawn {
        let mut drawn = self.drawn;
        drawn.shown.sort_by_key(|shown| (shown.level, shown.begin));
        drawn.merged.sort_by_key(|merged| (merged.level, merged.span.0));
        if drawn.shown.len() + drawn.merged.len() > most {
            let levels = drawn.shown.iter().map(|shown| shown.level);
            let mut levels: Vec<u32> = levels.chain(drawn.merged.iter().map(|merged| merged.level)).collect();
            levels.sort_unstable();
            // Whole levels, so that nothing hangs in the air.
            let limit = levels[most].max(1);
            let out = drawn.shown.extract_if(.., |shown| shown.level >= limit).count() as u64;
            let groups = drawn.merged.extract_if(.., |merged| merged.level >= limit);
            drawn.left_out += out + groups.map(|merged| merged.count).sum::<u64>();
        }
        drawn
    }
}
