//! The activation of each method that ran most instructions, by itself and with all that it called.

use crate::methods::Ran;
use crate::replay::{Left, Merge, Visit};
use crate::stack::{Frame, Slot, Stack, Tag};

/// Most segments of an activation's path that are kept.
const MOST_PATH: usize = 1000;

/// The most instructions of one activation of a method.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Most {
    /// Activations whose instructions are all known.
    pub calls: u64,
    /// Activations of which some are not: they are not compared.
    pub partly: u64,
    /// Most instructions of one activation itself.
    pub own: u64,
    /// Most with those of all that it called.
    pub total: u64,
    /// The calls within the activation with most of these.
    pub within: u64,
    /// The blocks that the activation with most of its own ran, and whether these are all.
    pub path: (Vec<u32>, bool),
}

#[derive(Clone, Debug, Default)]
struct Activation {
    own: u64,
    callees: u64,
    /// Calls within it.
    within: u64,
    is_whole: bool,
    path: Vec<u32>,
    has_path: bool,
    /// Number of the gaps in front of it.
    gaps: u64,
}

/// The worst activations of all methods.
#[derive(Debug, Default)]
pub struct Worst {
    methods: Vec<Most>,
    open: Vec<Activation>,
    free: Vec<Tag>,
    gaps: u64,
}

impl Worst {
    /// The worst activations, by the places of the methods.
    #[must_use]
    pub fn methods(&self) -> &[Most] {
        &self.methods
    }
}

impl Visit for Worst {
    fn enter(&mut self, _: &Stack, _: Option<Tag>, method: u32) -> Tag {
        let place = method as usize;
        if self.methods.len() <= place {
            self.methods.resize(place + 1, Most::default());
        }
        let tag = self.free.pop().unwrap_or_else(|| {
            self.open.push(Activation::default());
            (self.open.len() - 1) as Tag
        });
        let one = &mut self.open[tag as usize];
        (one.own, one.callees, one.is_whole, one.has_path) = (0, 0, true, true);
        (one.gaps, one.within) = (self.gaps, 0);
        one.path.clear();
        tag
    }

    fn segment(&mut self, _: &Stack, tag: Tag, _: u32, ran: &Ran) {
        let one = &mut self.open[tag as usize];
        one.own += ran.bytecodes;
        if one.path.len() < MOST_PATH {
            one.path.extend(&ran.blocks);
        } else {
            one.has_path = false;
        }
    }

    fn leave(&mut self, stack: &Stack, frame: &Frame, left: Left) {
        let one = &mut self.open[frame.tag as usize];
        // An activation that goes on behind a gap is not whole.
        let is_whole = one.is_whole && one.gaps == self.gaps && matches!(left, Left::Returned | Left::Thrown);
        let (own, total, within) = (one.own, one.own + one.callees, one.within);
        if let Some(most) = self.methods.get_mut(frame.method as usize) {
            if is_whole {
                if own > most.own || most.calls == 0 {
                    most.path = (one.path.clone(), one.has_path);
                }
                if total > most.total || most.calls == 0 {
                    most.within = within;
                }
                most.calls += 1;
                (most.own, most.total) = (most.own.max(own), most.total.max(total));
            } else {
                most.partly += 1;
            }
        }
        self.free.push(frame.tag);
        if let Some(Slot::Known(caller)) = stack.slots().last() {
            let caller = &mut self.open[caller.tag as usize];
            caller.callees += total;
            caller.within += within + 1;
            caller.is_whole &= is_whole;
        }
    }

    fn nameless(&mut self, stack: &Stack, _: u32) {
        // Its instructions belong to its caller's.
        if let Some(Slot::Known(caller)) = stack.slots().last() {
            self.open[caller.tag as usize].is_whole = false;
        }
    }

    fn gap(&mut self, _: Option<u64>) {
        self.gaps += 1;
    }
}

impl Merge for Worst {
    fn merge(&mut self, other: Self) {
        self.methods.resize(self.methods.len().max(other.methods.len()), Most::default());
        for (mine, theirs) in self.methods.iter_mut().zip(other.methods) {
            if theirs.calls > 0 && (theirs.own > mine.own || mine.calls == 0) {
                mine.path = theirs.path;
            }
            if theirs.calls > 0 && (theirs.total > mine.total || mine.calls == 0) {
                mine.within = theirs.within;
            }
            (mine.own, mine.total) = (mine.own.max(theirs.own), mine.total.max(theirs.total));
            mine.calls += theirs.calls;
            mine.partly += theirs.partly;
        }
    }
}
