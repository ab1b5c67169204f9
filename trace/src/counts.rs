//! Counts of blocks, as counters of the same run have them.

use crate::methods::{Methods, Ran};
use crate::replay::{Left, Merge, Visit};
use crate::stack::{Frame, Stack, Tag};
use std::collections::BTreeSet;

/// Counts of the beginnings of each block of each method.
#[derive(Debug, Default)]
pub struct Counts {
    methods: Vec<Vec<u64>>,
    calls: Vec<u64>,
    open: BTreeSet<u32>,
    /// Events that are missing.
    pub lost: u64,
    /// Gaps without a number of events.
    pub holes: u64,
    /// Segments that were run.
    pub segments: u64,
    /// Blocks that began.
    pub blocks: u64,
}

impl Counts {
    /// The counts of the blocks of the method at a place; none if it was not called.
    #[must_use]
    pub fn blocks(&self, place: u32) -> &[u64] {
        self.methods.get(place as usize).map_or(&[], Vec::as_slice)
    }

    /// Its calls.
    #[must_use]
    pub fn calls(&self, place: u32) -> u64 {
        self.calls.get(place as usize).copied().unwrap_or(0)
    }

    /// Whether an activation of it ended unseen, so that its last blocks may not be among the counts.
    #[must_use]
    pub fn is_open(&self, place: u32) -> bool {
        self.open.contains(&place)
    }

    /// Instructions that all methods ran, as far as blocks tell.
    #[must_use]
    pub fn bytecodes(&self, methods: &Methods) -> u64 {
        let of = |(method, counts): (&crate::Traced, &Vec<u64>)| {
            method.lengths.iter().zip(counts).map(|(length, count)| u64::from(*length) * count).sum::<u64>()
        };
        methods.all().iter().zip(&self.methods).map(of).sum()
    }
}

impl Visit for Counts {
    fn enter(&mut self, _: &Stack, _: Option<Tag>, method: u32) -> Tag {
        let place = method as usize;
        if self.methods.len() <= place {
            self.methods.resize(place + 1, Vec::new());
            self.calls.resize(place + 1, 0);
        }
        self.calls[place] += 1;
        0
    }

    fn segment(&mut self, _: &Stack, _: Tag, method: u32, ran: &Ran) {
        self.segments += 1;
        self.blocks += ran.blocks.len() as u64;
        let Some(counts) = self.methods.get_mut(method as usize) else { return };
        for &block in &ran.blocks {
            let block = block as usize;
            if counts.len() <= block {
                counts.resize(block + 1, 0);
            }
            counts[block] += 1;
        }
    }

    fn leave(&mut self, _: &Stack, frame: &Frame, left: Left) {
        if matches!(left, Left::Unseen | Left::Unknown) {
            self.open.insert(frame.method);
        }
    }

    fn gap(&mut self, lost: Option<u64>) {
        match lost {
            Some(lost) => self.lost = self.lost.saturating_add(lost),
            None => self.holes += 1,
        }
    }
}

impl Merge for Counts {
    fn merge(&mut self, other: Self) {
        let methods = self.methods.len().max(other.methods.len());
        self.methods.resize(methods, Vec::new());
        self.calls.resize(methods, 0);
        for (mine, theirs) in self.methods.iter_mut().zip(other.methods) {
            mine.resize(mine.len().max(theirs.len()), 0);
            mine.iter_mut().zip(theirs).for_each(|(mine, theirs)| *mine += theirs);
        }
        self.calls.iter_mut().zip(other.calls).for_each(|(mine, theirs)| *mine += theirs);
        self.open.extend(other.open);
        self.lost = self.lost.saturating_add(other.lost);
        self.holes += other.holes;
        self.segments += other.segments;
        self.blocks += other.blocks;
    }
}
