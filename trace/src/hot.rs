//! The sequences of segments in a row that ran most instructions.

use crate::methods::Ran;
use crate::replay::{Left, Merge, Visit};
use crate::stack::{Frame, Stack, Tag};
use std::collections::{HashMap, VecDeque};

/// Most different sequences that are counted. Others are counted together.
const MOST_SEQUENCES: usize = 1 << 18;

/// Segments in a row, of any activations of one thread: each with the place of its method, its blocks, and its instructions.
pub type Sequence = Vec<(u32, Vec<u32>)>;

/// Counts of sequences of a certain length.
#[derive(Debug)]
pub struct Hot {
    length: usize,
    recent: VecDeque<((u32, Vec<u32>), u64)>,
    counts: HashMap<Sequence, (u64, u64)>,
    /// Sequences that found no room.
    pub other: u64,
}

impl Hot {
    /// Counts sequences of `length` segments, at least one.
    #[must_use]
    pub fn new(length: usize) -> Self {
        Self { length: length.max(1), recent: VecDeque::new(), counts: HashMap::new(), other: 0 }
    }

    /// Begins with another thread.
    pub fn cut(&mut self) {
        self.recent.clear();
    }

    /// The sequences with most instructions in all, each with its count and the instructions of one.
    #[must_use]
    pub fn most(&self, limit: usize) -> Vec<(&Sequence, u64, u64)> {
        let mut all: Vec<_> =
            self.counts.iter().map(|(one, (count, bytecodes))| (one, *count, *bytecodes)).collect();
        let work = |one: &(&Sequence, u64, u64)| one.1.saturating_mul(one.2);
        all.sort_by(|one, other| work(other).cmp(&work(one)).then_with(|| one.0.cmp(other.0)));
        all.truncate(limit);
        all
    }
}

impl Visit for Hot {
    fn enter(&mut self, _: &Stack, _: Option<Tag>, _: u32) -> Tag {
        0
    }

    fn segment(&mut self, _: &Stack, _: Tag, method: u32, ran: &Ran) {
        if self.recent.len() == self.length {
            self.recent.pop_front();
        }
        self.recent.push_back(((method, ran.blocks.clone()), ran.bytecodes));
        if self.recent.len() < self.length {
            return;
        }
        let sequence: Sequence = self.recent.iter().map(|(one, _)| one.clone()).collect();
        let bytecodes = self.recent.iter().map(|(_, bytecodes)| bytecodes).sum();
        let is_full = self.counts.len() >= MOST_SEQUENCES;
        match self.counts.get_mut(&sequence) {
            Some((count, _)) => *count += 1,
            None if is_full => self.other += 1,
            None => {
                self.counts.insert(sequence, (1, bytecodes));
            }
        }
    }

    fn leave(&mut self, _: &Stack, _: &Frame, _: Left) {}

    fn nameless(&mut self, _: &Stack, _: u32) {
        self.cut();
    }

    fn gap(&mut self, _: Option<u64>) {
        self.cut();
    }

    fn call(&mut self, _: u64, _: u64) {
        self.cut();
    }
}

impl Merge for Hot {
    fn merge(&mut self, other: Self) {
        self.other += other.other;
        let mut theirs: Vec<_> = other.counts.into_iter().collect();
        if self.counts.len() + theirs.len() > MOST_SEQUENCES {
            // Which ones find no room must not depend on the order of a hash table.
            theirs.sort_unstable();
        }
        for (sequence, (count, bytecodes)) in theirs {
            let is_full = self.counts.len() >= MOST_SEQUENCES;
            match self.counts.get_mut(&sequence) {
                Some((mine, _)) => *mine += count,
                None if is_full => self.other += count,
                None => drop(self.counts.insert(sequence, (count, bytecodes))),
            }
        }
    }
}
