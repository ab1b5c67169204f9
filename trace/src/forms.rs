//! Normal forms of paths: blocks in a row, where the turns of a loop are parts of their own. Equal parts are kept once.

use spl_model::fnv1a_128;
use std::collections::HashMap;

/// Detail with which a normal form tells of loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// The turns in their order.
    Exact,
    /// The number of turns on each way through the loop, in no order.
    #[default]
    Counts,
    /// Which ways were taken.
    Once,
}

/// Most different parts of a method.
const MOST_PARTS: usize = 1 << 17;
/// Most items of all parts of a method.
const MOST_ITEMS: usize = 1 << 22;
/// Most bytes of a form as text.
const MOST_TEXT: usize = 1 << 16;

/// A part of a path: a block, or a visit of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Block(u32),
    /// Its place among the parts.
    Loop(u32),
    /// The exception that left the activation.
    Thrown,
    /// Nothing: a place that is filled later.
    Room,
}

/// Something that is kept once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// Blocks and visits of loops: a turn, or a whole path.
    Row(Box<[Item]>),
    /// Turns of a loop, by their places among the parts, with their numbers.
    Turns(Box<[(u32, u64)]>),
}

/// The parts of a method's paths.
#[derive(Debug)]
pub(crate) struct Forms {
    /// Detail with which they tell of loops.
    pub detail: Detail,
    places: HashMap<Part, u32>,
    /// The parts, with hashes of what they are, which do not depend on the order in which they came.
    parts: Vec<(Part, u128)>,
    items: usize,
}

impl Forms {
    /// No parts yet.
    pub(crate) fn new(detail: Detail) -> Self {
        Self { detail, places: HashMap::new(), parts: Vec::new(), items: 0 }
    }

    /// The place of a row; `None` without room for one more.
    pub(crate) fn row(&mut self, items: &[Item]) -> Option<u32> {
        self.place(Part::Row(items.into()))
    }

    /// The place of the turns of a loop; `None` without room for one more.
    pub(crate) fn turns(&mut self, turns: &[(u32, u64)]) -> Option<u32> {
        self.place(Part::Turns(turns.into()))
    }

    /// Takes in the parts of others of the same detail; for each of them its place here, if it found one.
    pub(crate) fn adopt(&mut self, others: &Self) -> Vec<Option<u32>> {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(others.parts.len());
        for (part, _) in &others.parts {
            // The parts of a part stand in front of it.
            let mine = |place: u32| places.get(place as usize).copied().flatten();
            let place = match part {
                Part::Row(items) => {
                    let item = |item: &Item| match item {
                        Item::Loop(place) => mine(*place).map(Item::Loop),
                        Item::Block(_) | Item::Thrown | Item::Room => Some(*item),
                    };
                    let items: Option<Vec<Item>> = items.iter().map(item).collect();
                    items.and_then(|items| self.row(&items))
                }
                Part::Turns(turns) => {
                    let turn = |(turn, count): &(u32, u64)| Some((mine(*turn)?, *count));
                    let turns: Option<Vec<(u32, u64)>> = turns.iter().map(turn).collect();
                    turns.and_then(|mut turns| {
                        if self.detail != Detail::Exact {
                            turns.sort_unstable();
                        }
                        self.turns(&turns)
                    })
                }
            };
            places.push(place);
        }
        places
    }

    fn place(&mut self, part: Part) -> Option<u32> {
        if let Some(place) = self.places.get(&part) {
            return Some(*place);
        }
        let items = match &part {
            Part::Row(items) => items.len(),
            Part::Turns(turns) => turns.len(),
        };
        if self.parts.len() >= MOST_PARTS || self.items + items > MOST_ITEMS {
            return None;
        }
        self.items += items;
        let place = self.parts.len() as u32;
        self.parts.push((part.clone(), self.hash(&part)));
        self.places.insert(part, place);
        Some(place)
    }

    /// The hash of a part, the same in each trace.
    pub(crate) fn key(&self, place: u32) -> u128 {
        self.parts.get(place as usize).map_or(0, |(_, key)| *key)
    }

    fn hash(&self, part: &Part) -> u128 {
        let mut bytes = Vec::new();
        match part {
            Part::Row(items) => {
                bytes.push(0);
                for item in items {
                    match item {
                        Item::Block(block) => {
                            bytes.push(1);
                            bytes.extend(block.to_le_bytes());
                        }
                        Item::Loop(place) => {
                            bytes.push(2);
                            bytes.extend(self.key(*place).to_le_bytes());
                        }
                        Item::Thrown => bytes.push(3),
                        Item::Room => bytes.push(4),
                    }
                }
            }
            Part::Turns(turns) => {
                bytes.push(5);
                let mut keys: Vec<(u128, u64)> =
                    turns.iter().map(|(turn, count)| (self.key(*turn), *count)).collect();
                if self.detail != Detail::Exact {
                    // Places depend on what came first in this trace.
                    keys.sort_unstable();
                }
                for (key, count) in keys {
                    bytes.extend(key.to_le_bytes());
                    bytes.extend(count.to_le_bytes());
                }
            }
        }
        fnv1a_128(&bytes)
    }

    /// A row as text, such as `0 (1 2 3 4)^50 (1 2 4)^50 1 5`, and `!` for an exception that left. A long text ends with `…`.
    pub(crate) fn text(&self, place: u32) -> String {
        enum Step<'f> {
            Item(Item),
            Part(&'f Part),
            Close(u64),
        }
        let mut text = String::new();
        let part = |place: u32| self.parts.get(place as usize).map(|(part, _)| Step::Part(part));
        let mut open: Vec<Step<'_>> = part(place).into_iter().collect();
        while let Some(step) = open.pop() {
            if text.len() > MOST_TEXT {
                text.push_str(" …");
                break;
            }
            let gap = if text.is_empty() || text.ends_with('(') { "" } else { " " };
            match step {
                Step::Item(Item::Block(block)) => text.push_str(&format!("{gap}{block}")),
                Step::Item(Item::Thrown) => text.push_str(&format!("{gap}!")),
                Step::Item(Item::Loop(place)) => open.extend(part(place)),
                Step::Item(Item::Room) => {}
                Step::Part(Part::Row(items)) => open.extend(items.iter().rev().map(|item| Step::Item(*item))),
                Step::Part(Part::Turns(turns)) => {
                    for (turn, count) in turns.iter().rev() {
                        open.push(Step::Close(*count));
                        open.extend(part(*turn));
                        open.push(Step::Close(0));
                    }
                }
                // In front of a turn.
                Step::Close(0) => text.push_str(&format!("{gap}(")),
                Step::Close(_) if self.detail == Detail::Once => text.push_str(")+"),
                Step::Close(1) => text.push(')'),
                Step::Close(count) => text.push_str(&format!(")^{count}")),
            }
        }
        text
    }

    /// The blocks of a row, with all turns.
    #[cfg(test)]
    pub(crate) fn blocks(&self, place: u32) -> Vec<u32> {
        let mut blocks = Vec::new();
        match &self.parts[place as usize].0 {
            Part::Row(items) => items.iter().for_each(|item| match item {
                Item::Block(block) => blocks.push(*block),
                Item::Loop(place) => blocks.extend(self.blocks(*place)),
                Item::Thrown | Item::Room => {}
            }),
            Part::Turns(turns) => turns.iter().for_each(|(turn, count)| {
                (0..*count).for_each(|_| blocks.extend(self.blocks(*turn)));
            }),
        }
        blocks
    }
}
