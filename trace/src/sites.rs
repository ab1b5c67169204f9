//! The calls that entered no traced method, place by place.
//!
//! A call is known by the segment in front of it. Where the caller goes on before a method of the callee's name and descriptor has begun,
//! the callee is not in the trace. Other methods that begin meanwhile, such as initialisers of classes, are not taken for it.

use crate::callees::Callees;
use crate::methods::Ran;
use crate::replay::{Left, Merge, Visit};
use crate::stack::{Frame, Slot, Stack, Tag};
use spl_graph::SegmentEnd;
use std::collections::HashMap;

/// The calls at a place in the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Site {
    /// Calls that entered a traced method.
    pub entered: u64,
    /// Calls that came back without that.
    pub unseen: u64,
    /// Calls without that after which an exception came: it left the callee, no callee was entered, or the code behind the call threw it.
    pub thrown: u64,
}

/// The calls of all places.
#[derive(Debug)]
pub struct Sites<'c> {
    callees: &'c Callees,
    sites: HashMap<(u32, u32), Site>,
    open: Vec<Open>,
    free: Vec<Tag>,
    gaps: u64,
}

/// An activation, with the call that it makes.
#[derive(Debug, Default)]
struct Open {
    method: u32,
    /// Its offset, and whether it has entered a method.
    call: Option<(u32, bool)>,
    /// Number of the gaps in front of it.
    gaps: u64,
}

impl<'c> Sites<'c> {
    /// Looks at the calls of these methods.
    #[must_use]
    pub fn new(callees: &'c Callees) -> Self {
        Self { callees, sites: HashMap::new(), open: Vec::new(), free: Vec::new(), gaps: 0 }
    }

    /// The calls of each place: that of the method, and the offset.
    pub fn all(&self) -> impl Iterator<Item = ((u32, u32), Site)> {
        self.sites.iter().map(|(at, site)| (*at, *site))
    }

    /// The call of an activation is over.
    fn settle(&mut self, tag: Tag, has_thrown: bool) {
        let one = &mut self.open[tag as usize];
        let Some((at, has_entered)) = one.call.take() else { return };
        if one.gaps != self.gaps {
            return;
        }
        let site = self.sites.entry((one.method, at)).or_default();
        match (has_entered, has_thrown) {
            (true, _) => site.entered += 1,
            (false, false) => site.unseen += 1,
            (false, true) => site.thrown += 1,
        }
    }
}

impl Visit for Sites<'_> {
    fn enter(&mut self, _: &Stack, caller: Option<Tag>, method: u32) -> Tag {
        if let Some(caller) = caller.and_then(|caller| self.open.get_mut(caller as usize))
            && let Some((at, has_entered)) = &mut caller.call
        {
            let callee = self.callees.at(caller.method, *at);
            *has_entered |= callee.is_some_and(|callee| self.callees.may_enter(callee, method));
        }
        let tag = self.free.pop().unwrap_or_else(|| {
            self.open.push(Open::default());
            (self.open.len() - 1) as Tag
        });
        self.open[tag as usize] = Open { method, call: None, gaps: self.gaps };
        tag
    }

    fn segment(&mut self, _: &Stack, tag: Tag, _: u32, ran: &Ran) {
        self.settle(tag, ran.end == SegmentEnd::Stopped && ran.blocks.is_empty());
        if let SegmentEnd::Call(at) = ran.end {
            let one = &mut self.open[tag as usize];
            (one.call, one.gaps) = (Some((at, false)), self.gaps);
        }
    }

    fn leave(&mut self, _: &Stack, frame: &Frame, left: Left) {
        match left {
            Left::Returned | Left::Thrown | Left::Unseen => self.settle(frame.tag, left != Left::Returned),
            Left::Unknown => {}
        }
        self.free.push(frame.tag);
    }

    fn nameless(&mut self, stack: &Stack, _: u32) {
        // This method may be the callee.
        if let Some(Slot::Known(caller)) = stack.slots().last() {
            self.open[caller.tag as usize].call = None;
        }
    }

    fn gap(&mut self, _: Option<u64>) {
        self.gaps += 1;
    }
}

impl Merge for Sites<'_> {
    fn merge(&mut self, other: Self) {
        for (at, site) in other.sites {
            let mine = self.sites.entry(at).or_default();
            mine.entered += site.entered;
            mine.unseen += site.unseen;
            mine.thrown += site.thrown;
        }
    }
}
