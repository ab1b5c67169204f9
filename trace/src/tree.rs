//! The tree of calls: activations with the same methods above them are one node.

use crate::methods::Ran;
use crate::replay::{Left, Merge, Visit};
use crate::stack::{Frame, Stack, Tag};
use std::collections::HashMap;

/// Most nodes. Calls that would need more belong to their callers.
const MOST_NODES: usize = 1 << 20;

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Place of the method; `None` for the root, and for what is called from where nothing is known.
    pub method: Option<u32>,
    /// The node that calls it.
    pub parent: Tag,
    /// Activations.
    pub calls: u64,
    /// Of these, the ones that an exception left.
    pub thrown: u64,
    /// Instructions of the activations themselves.
    pub own: u64,
}

/// The tree of calls of all threads that were replayed.
#[derive(Debug)]
pub struct Tree {
    nodes: Vec<Node>,
    children: HashMap<(Tag, u32), Tag>,
    /// Calls that found no room.
    pub folded: u64,
}

impl Default for Tree {
    fn default() -> Self {
        // The root, and the node of unknown callers.
        Self { nodes: vec![Node::default(); 2], children: HashMap::new(), folded: 0 }
    }
}

impl Tree {
    /// The root.
    pub const ROOT: Tag = 0;
    /// The parent of calls whose callers are not known.
    pub const UNKNOWN: Tag = 1;

    /// The nodes; each one's parent comes before it.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The node of a method below another one; without room for one more that one itself, and false.
    fn child(&mut self, parent: Tag, method: u32) -> (Tag, bool) {
        if let Some(tag) = self.children.get(&(parent, method)) {
            return (*tag, true);
        }
        if self.nodes.len() >= MOST_NODES {
            return (parent, false);
        }
        let tag = self.nodes.len() as Tag;
        self.children.insert((parent, method), tag);
        self.nodes.push(Node { method: Some(method), parent, ..Node::default() });
        (tag, true)
    }

    /// For each node its instructions with those of all that it calls.
    #[must_use]
    pub fn totals(&self) -> Vec<u64> {
        let mut totals: Vec<u64> = self.nodes.iter().map(|node| node.own).collect();
        for place in (2..self.nodes.len()).rev() {
            let total = totals[place];
            totals[self.nodes[place].parent as usize] += total;
        }
        totals
    }
}

impl Visit for Tree {
    fn enter(&mut self, stack: &Stack, caller: Option<Tag>, method: u32) -> Tag {
        let parent = caller.unwrap_or(if stack.depth() == 0 { Self::ROOT } else { Self::UNKNOWN });
        let (tag, has_room) = self.child(parent, method);
        if has_room {
            self.nodes[tag as usize].calls += 1;
        } else {
            self.folded += 1;
        }
        tag
    }

    fn segment(&mut self, _: &Stack, tag: Tag, _: u32, ran: &Ran) {
        self.nodes[tag as usize].own += ran.bytecodes;
    }

    fn leave(&mut self, _: &Stack, frame: &Frame, left: Left) {
        self.nodes[frame.tag as usize].thrown += u64::from(left == Left::Thrown);
    }
}

impl Merge for Tree {
    fn merge(&mut self, other: Self) {
        self.folded += other.folded;
        // Parents come first, and the first two nodes are the same in all trees.
        let mut places: Vec<Tag> = vec![Self::ROOT, Self::UNKNOWN];
        for (place, node) in other.nodes.into_iter().enumerate() {
            let Some(method) = node.method else {
                let mine = &mut self.nodes[place];
                (mine.own, mine.thrown) = (mine.own + node.own, mine.thrown + node.thrown);
                continue;
            };
            let parent = places[node.parent as usize];
            let (tag, has_room) = self.child(parent, method);
            let mine = &mut self.nodes[tag as usize];
            mine.own += node.own;
            mine.thrown += node.thrown;
            match has_room {
                true => mine.calls += node.calls,
                false => self.folded += node.calls,
            }
            places.push(tag);
        }
    }
}
