//! The path of each activation, in a normal form in which loops are parts of their own, and how often each path was taken.
//!
//! A *turn* of a loop begins at its head and ends where the head comes again. The blocks after the last turn stand in the path itself.

use crate::forest::Forest;
use crate::forms::{Detail, Forms, Item};
use crate::methods::{Methods, Ran};
use crate::replay::{Left, Merge, Visit};
use crate::stack::{Frame, Stack, Tag};
use std::collections::HashMap;
use std::sync::Arc;

/// Most different paths of a method that are told apart.
const MOST_PATHS: usize = 10_000;
/// Most items of an activation, and turns of a loop in a row, that are kept.
const MOST_LENGTH: usize = 1 << 20;

/// A path and its activations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PathCount {
    place: u32,
    /// Activations that took it.
    pub count: u64,
    /// Fewest and most instructions of such an activation itself. They differ where turns are not counted.
    pub bytecodes: (u64, u64),
}

/// The paths of a method.
#[derive(Debug)]
pub struct MethodPaths {
    forms: Forms,
    paths: HashMap<u32, PathCount>,
    /// Activations.
    pub entries: u64,
    /// Of these, the ones whose path found no room.
    pub other: u64,
    /// Of these, the ones of which the trace has not all.
    pub partly: u64,
}

impl MethodPaths {
    fn new(detail: Detail) -> Self {
        Self { forms: Forms::new(detail), paths: HashMap::new(), entries: 0, other: 0, partly: 0 }
    }

    /// The paths, the most frequent ones first.
    #[must_use]
    pub fn most(&self) -> Vec<PathCount> {
        let mut all: Vec<PathCount> = self.paths.values().copied().collect();
        all.sort_by_key(|one| (std::cmp::Reverse(one.count), one.place));
        all
    }

    /// A path as text.
    #[must_use]
    pub fn text(&self, path: PathCount) -> String {
        self.forms.text(path.place)
    }

    /// The hash of a path's normal form, the same in each trace.
    #[must_use]
    pub fn key(&self, path: PathCount) -> u128 {
        self.forms.key(path.place)
    }

    /// Adds calls of a path whose form has this place, if it found one.
    fn add(&mut self, place: Option<u32>, count: u64, (least, most): (u64, u64)) {
        let is_full = self.paths.len() >= MOST_PATHS;
        let Some(place) = place else {
            self.other += count;
            return;
        };
        match self.paths.get_mut(&place) {
            Some(path) => {
                path.count += count;
                path.bytecodes = (path.bytecodes.0.min(least), path.bytecodes.1.max(most));
            }
            None if is_full => self.other += count,
            None => {
                self.paths.insert(place, PathCount { place, count, bytecodes: (least, most) });
            }
        }
    }

    fn merge(&mut self, other: Self) {
        let places = self.forms.adopt(&other.forms);
        for path in other.most() {
            let place = places.get(path.place as usize).copied().flatten();
            self.add(place, path.count, path.bytecodes);
        }
        self.entries += other.entries;
        self.other += other.other;
        self.partly += other.partly;
    }
}

/// The paths of all methods of a trace.
#[derive(Debug)]
pub struct Paths<F> {
    detail: Detail,
    forests: Vec<Arc<Forest>>,
    is_wanted: F,
    methods: Vec<MethodPaths>,
    open: Vec<Activation>,
    free: Vec<Tag>,
    gaps: u64,
}

/// An activation so far.
#[derive(Debug, Default)]
struct Activation {
    row: Row,
    bytecodes: u64,
    is_wanted: bool,
    /// Number of the gaps in front of it.
    gaps: u64,
}

/// A path so far.
#[derive(Debug, Default)]
struct Row {
    items: Vec<Item>,
    /// The loops that its end lies in, from the outermost on.
    visits: Vec<Visited>,
    /// Whether there was no room for it.
    is_lost: bool,
}

/// A visit of a loop that goes on.
#[derive(Debug)]
struct Visited {
    place: u32,
    /// The room for its turns among the items; the turn under way follows.
    room: usize,
    /// Whether a turn is under way: code may enter a loop elsewhere than at its head.
    has_begun: bool,
    turns: Vec<(u32, u64)>,
    /// For each turn its place among these, where that is not the last.
    known: HashMap<u32, usize>,
}

impl Row {
    fn clear(&mut self) {
        self.items.clear();
        self.visits.clear();
        self.is_lost = false;
    }

    /// The next block.
    fn push(&mut self, block: u32, forest: &Forest, forms: &mut Forms) {
        if self.is_lost {
            return;
        }
        let inner = forest.innermost(block);
        while let Some(visit) = self.visits.last()
            && inner.is_none_or(|inner| !forest.is_in(inner, visit.place))
        {
            self.leave(forms);
        }
        if let Some(inner) = inner {
            let known = self.visits.last().map(|visit| visit.place);
            if known == Some(inner) {
                if forest.head(inner) == Some(block) {
                    self.turn(forms);
                }
            } else {
                self.enter(inner, known, block, forest);
            }
        }
        self.items.push(Item::Block(block));
        self.is_lost |= self.items.len() > MOST_LENGTH;
    }

    /// Enters a loop and those around it, up to one that is known.
    fn enter(&mut self, inner: u32, known: Option<u32>, block: u32, forest: &Forest) {
        let around = std::iter::successors(Some(inner), |place| forest.around(*place));
        let entered: Vec<u32> = around.take_while(|place| Some(*place) != known).collect();
        for place in entered.into_iter().rev() {
            let has_begun = forest.head(place) == Some(block);
            self.visits.push(Visited {
                place,
                room: self.items.len(),
                has_begun,
                turns: Vec::new(),
                known: HashMap::new(),
            });
            self.items.push(Item::Room);
        }
    }

    /// The head of the innermost loop comes again.
    fn turn(&mut self, forms: &mut Forms) {
        let Some(visit) = self.visits.last_mut() else { return };
        if !std::mem::replace(&mut visit.has_begun, true) {
            // Turns are counted from here on.
            self.items.remove(visit.room);
            visit.room = self.items.len();
            self.items.push(Item::Room);
            return;
        }
        let Some(turn) = forms.row(&self.items[visit.room + 1..]) else {
            self.is_lost = true;
            return;
        };
        self.items.truncate(visit.room + 1);
        visit.add(turn, forms.detail);
        self.is_lost = visit.turns.len() > MOST_LENGTH;
    }

    /// Leaves the innermost loop. The turn under way becomes a part of the path.
    fn leave(&mut self, forms: &mut Forms) {
        let Some(mut visit) = self.visits.pop() else { return };
        if visit.turns.is_empty() {
            self.items.remove(visit.room);
            return;
        }
        if forms.detail != Detail::Exact {
            visit.turns.sort_unstable();
        }
        match forms.turns(&visit.turns) {
            Some(place) => self.items[visit.room] = Item::Loop(place),
            None => self.is_lost = true,
        }
    }

    /// Leaves all loops.
    fn end(&mut self, forms: &mut Forms) {
        while !self.is_lost && !self.visits.is_empty() {
            self.leave(forms);
        }
    }
}

impl Visited {
    fn add(&mut self, turn: u32, detail: Detail) {
        let place = match (detail, self.turns.last()) {
            (_, Some((last, _))) if *last == turn => Some(self.turns.len() - 1),
            (Detail::Exact, _) => None,
            (Detail::Counts | Detail::Once, _) => self.known.get(&turn).copied(),
        };
        match place {
            Some(_) if detail == Detail::Once => {}
            Some(place) => self.turns[place].1 += 1,
            None => {
                if detail != Detail::Exact {
                    self.known.insert(turn, self.turns.len());
                }
                self.turns.push((turn, 1));
            }
        }
    }
}

impl<F: Fn(u32) -> bool> Paths<F> {
    /// Paths of the methods at the places that are wanted, with this detail of loops.
    pub fn new(methods: &Methods, detail: Detail, is_wanted: F) -> Self {
        let forests = methods.all().iter().map(|method| Arc::clone(&method.forest)).collect();
        Self { detail, forests, is_wanted, methods: Vec::new(), open: Vec::new(), free: Vec::new(), gaps: 0 }
    }

    /// The paths, by the places of the methods.
    #[must_use]
    pub fn methods(&self) -> &[MethodPaths] {
        &self.methods
    }
}

impl<F: Fn(u32) -> bool> Visit for Paths<F> {
    fn enter(&mut self, _: &Stack, _: Option<Tag>, method: u32) -> Tag {
        let tag = self.free.pop().unwrap_or_else(|| {
            self.open.push(Activation::default());
            (self.open.len() - 1) as Tag
        });
        let one = &mut self.open[tag as usize];
        (one.bytecodes, one.gaps, one.is_wanted) = (0, self.gaps, (self.is_wanted)(method));
        one.row.clear();
        if one.is_wanted {
            let place = method as usize;
            if self.methods.len() <= place {
                self.methods.resize_with(place + 1, || MethodPaths::new(self.detail));
            }
            self.methods[place].entries += 1;
        }
        tag
    }

    fn segment(&mut self, _: &Stack, tag: Tag, method: u32, ran: &Ran) {
        let one = &mut self.open[tag as usize];
        if !one.is_wanted {
            return;
        }
        one.bytecodes += ran.bytecodes;
        let (forest, forms) = (&self.forests[method as usize], &mut self.methods[method as usize].forms);
        for &block in &ran.blocks {
            one.row.push(block, forest, forms);
        }
    }

    fn leave(&mut self, _: &Stack, frame: &Frame, left: Left) {
        let one = &mut self.open[frame.tag as usize];
        self.free.push(frame.tag);
        if !one.is_wanted {
            return;
        }
        let method = &mut self.methods[frame.method as usize];
        if one.gaps != self.gaps || !matches!(left, Left::Returned | Left::Thrown) {
            method.partly += 1;
            return;
        }
        one.row.end(&mut method.forms);
        if one.row.is_lost {
            method.other += 1;
            return;
        }
        if left == Left::Thrown {
            one.row.items.push(Item::Thrown);
        }
        let place = method.forms.row(&one.row.items);
        method.add(place, 1, (one.bytecodes, one.bytecodes));
    }

    fn gap(&mut self, _: Option<u64>) {
        self.gaps += 1;
    }
}

impl<F> Merge for Paths<F> {
    fn merge(&mut self, other: Self) {
        let methods = self.methods.len().max(other.methods.len());
        self.methods.resize_with(methods, || MethodPaths::new(self.detail));
        self.methods.iter_mut().zip(other.methods).for_each(|(mine, theirs)| mine.merge(theirs));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Of six blocks 1 to 4 are a loop, and 2 and 3 one in it.
    fn nested() -> Forest {
        let (outer, inner) = (Some(0), Some(1));
        Forest::new(vec![(1, None), (2, outer)], vec![None, outer, inner, inner, outer, None])
    }

    fn form(blocks: &[u32], detail: Detail) -> (Forms, u32) {
        let (mut row, mut forms, forest) = (Row::default(), Forms::new(detail), nested());
        blocks.iter().for_each(|block| row.push(*block, &forest, &mut forms));
        row.end(&mut forms);
        let place = forms.row(&row.items).unwrap();
        (forms, place)
    }

    fn text(blocks: &[u32], detail: Detail) -> String {
        let (forms, place) = form(blocks, detail);
        forms.text(place)
    }

    #[test]
    fn turns_of_loops_are_parts_of_a_path() {
        let turns = |turns: &[&[u32]]| turns.concat();
        let path = turns(&[&[0], &[1, 2, 3, 2, 3, 2, 4], &[1, 4], &[1, 2, 3, 2, 3, 2, 4], &[1, 5]]);
        assert_eq!(text(&path, Detail::Exact), "0 (1 (2 3)^2 2 4) (1 4) (1 (2 3)^2 2 4) 1 5");
        assert_eq!(text(&path, Detail::Counts), "0 (1 (2 3)^2 2 4)^2 (1 4) 1 5");
        assert_eq!(text(&path, Detail::Once), "0 (1 (2 3)+ 2 4)+ (1 4)+ 1 5");
        let key = |path: &[u32], detail| {
            let (forms, place) = form(path, detail);
            forms.key(place)
        };
        let swapped = turns(&[&[0], &[1, 4], &[1, 2, 3, 2, 3, 2, 4], &[1, 2, 3, 2, 3, 2, 4], &[1, 5]]);
        assert_ne!(key(&path, Detail::Exact), key(&swapped, Detail::Exact));
        assert_eq!(key(&path, Detail::Counts), key(&swapped, Detail::Counts));
    }

    #[test]
    fn a_loop_may_be_entered_elsewhere_and_left_anywhere() {
        assert_eq!(text(&[0, 3, 2, 3, 2, 3], Detail::Exact), "0 3 (2 3) 2 3");
        assert_eq!(text(&[0, 2, 3, 1, 2], Detail::Exact), "0 2 3 1 2");
        assert_eq!(text(&[0, 1, 2, 5], Detail::Exact), "0 1 2 5");
        assert_eq!(text(&[1, 1, 1, 1], Detail::Counts), "(1)^3 1");
        assert_eq!(text(&[], Detail::Counts), "");
    }

    #[test]
    fn paths_of_threads_are_put_together() {
        let add = |of: &mut MethodPaths, blocks: &[u32]| {
            let (mut row, forest) = (Row::default(), nested());
            blocks.iter().for_each(|block| row.push(*block, &forest, &mut of.forms));
            row.end(&mut of.forms);
            let place = of.forms.row(&row.items);
            of.add(place, 1, (blocks.len() as u64, blocks.len() as u64));
            of.entries += 1;
        };
        let (mut one, mut other) = (MethodPaths::new(Detail::Counts), MethodPaths::new(Detail::Counts));
        let (short, long, last) = ([0, 1, 5], [0, 1, 4, 1, 2, 3, 2, 4, 1, 5], [0, 1, 2, 3, 2, 4, 1, 4, 1, 5]);
        [&short[..], &long, &long].iter().for_each(|blocks| add(&mut one, blocks));
        // The same turns in another order, which come first here.
        [&last[..], &short].iter().for_each(|blocks| add(&mut other, blocks));
        one.merge(other);
        let told: Vec<_> = one.most().into_iter().map(|path| (one.text(path), path.count)).collect();
        assert_eq!(told, [("0 (1 4) (1 (2 3) 2 4) 1 5".to_owned(), 3), ("0 1 5".to_owned(), 2)]);
        assert_eq!(one.entries, 5);
    }

    proptest! {
        /// Blocks in any order: damaged traces have such rows.
        #[test]
        fn a_form_in_full_has_all_blocks_in_their_order(blocks in proptest::collection::vec(0_u32..6, 0..200)) {
            let (forms, place) = form(&blocks, Detail::Exact);
            prop_assert_eq!(forms.blocks(place), blocks);
        }

        #[test]
        fn counts_have_no_order(blocks in proptest::collection::vec(0_u32..6, 0..200)) {
            let (forms, place) = form(&blocks, Detail::Counts);
            let mut all = forms.blocks(place);
            let mut sorted = blocks;
            all.sort_unstable();
            sorted.sort_unstable();
            prop_assert_eq!(all, sorted);
        }
    }
}
