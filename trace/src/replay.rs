//! A replay: words of a thread to activations again, with the whole stack at each of them.
//!
//! Each word has the lowest bits of its activation's depth. So the next word of a lower activation shows the ones that ended without a word.
//! A gap has its lowest depth, which shows the activations that went on. The stack has unknown activations where a guess would be needed.

use crate::methods::{Methods, Ran};
use crate::stack::{Frame, Slot, Stack, Tag};
use crate::words::{Event, NoEvent, event, nearest};

/// How an activation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Left {
    /// By a return.
    Returned,
    /// By an exception.
    Thrown,
    /// Without a word: an exception left it where no handler of the tracer could stand.
    Unseen,
    /// In a gap, or its thread ended.
    Unknown,
}

/// Something that a replay tells of each activation.
pub trait Visit {
    /// An activation of the method at a place begins. `caller` is the tag of the innermost one, if that is known. Gives its tag.
    fn enter(&mut self, stack: &Stack, caller: Option<Tag>, method: u32) -> Tag;

    /// An activation has run a segment.
    fn segment(&mut self, stack: &Stack, tag: Tag, method: u32, ran: &Ran);

    /// An activation ended; it is not on the stack any more.
    fn leave(&mut self, stack: &Stack, frame: &Frame, left: Left);

    /// Events are missing: `lost` of them, or an unknown number.
    fn gap(&mut self, lost: Option<u64>) {
        let _ = lost;
    }
}

/// Why words cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The words are not those of a trace.
    #[error(transparent)]
    Words(#[from] NoEvent),
    /// A word names a method that the drill does not have.
    #[error("there is no method with the number {0}")]
    Method(u32),
    /// Calls stand within each other deeper than threads of a JVM go.
    #[error("more than {MOST_DEEP} calls are under way at once")]
    Deep,
    /// A word names a segment that a method does not have, or that cannot follow.
    #[error(
        "segment {number} of {method} cannot follow here: these are not the class files that the trace was written for"
    )]
    Segment {
        /// The method.
        method: String,
        /// The number.
        number: u32,
    },
}

/// Most activations of a thread that are told apart at once.
const MOST_DEEP: usize = 1 << 22;

/// A thread's state so far.
#[derive(Debug, Default)]
pub struct Replay {
    stack: Stack,
    /// The last clock, nanoseconds.
    pub time: u64,
    /// Activations that ended without a word.
    pub unseen: u64,
}

impl Replay {
    /// The stack now.
    #[must_use]
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// Goes on where nothing is known but the depth: at the beginning of a frame whose predecessors were not read.
    pub fn resume(&mut self, depth: u32, visit: &mut impl Visit) {
        self.leave_above(0, Left::Unknown, visit);
        self.stack.push_unknown(depth);
    }

    /// Replays words: whole events.
    ///
    /// # Errors
    /// When they do not belong to these methods. The stack is unknown then.
    pub fn words(
        &mut self,
        mut words: &[u32],
        methods: &mut Methods,
        visit: &mut impl Visit,
    ) -> Result<(), Fault> {
        while !words.is_empty() {
            let (one, length) = event(words)?;
            words = &words[length..];
            self.event(one, methods, visit)?;
        }
        Ok(())
    }

    /// Ends the replay: activations that are still under way are left.
    pub fn end(&mut self, visit: &mut impl Visit) {
        self.leave_above(0, Left::Unknown, visit);
    }

    #[inline]
    fn event(&mut self, event: Event, methods: &mut Methods, visit: &mut impl Visit) -> Result<(), Fault> {
        self.end_single(event, visit);
        match event {
            Event::Segment { depth, number } => {
                let depth = nearest(depth, self.stack.depth());
                self.to(depth, visit);
                let returned = self.ran(number, methods, visit)?;
                if returned {
                    self.leave_above(depth.saturating_sub(1), Left::Returned, visit);
                }
            }
            Event::Enter { depth, method } => {
                let depth = nearest(depth, self.stack.depth().saturating_add(1));
                self.enter(depth, method, methods, visit)?;
            }
            Event::Caught { .. }
            | Event::Thrown { .. }
            | Event::Time { .. }
            | Event::Pad
            | Event::Gap { .. }
            | Event::Thread { .. } => self.rare(event, methods, visit)?,
        }
        Ok(())
    }

    fn rare(&mut self, event: Event, methods: &mut Methods, visit: &mut impl Visit) -> Result<(), Fault> {
        match event {
            Event::Segment { .. } | Event::Enter { .. } | Event::Pad => {}
            Event::Time { ns } => self.time = ns,
            Event::Caught { block, depth, number } => {
                self.to(depth, visit);
                if let Some(number) = number {
                    self.ran(number, methods, visit)?;
                }
                if let Some(top) = self.stack.top() {
                    top.next = methods.get(top.method).and_then(|method| method.begin(block));
                    top.calls = false;
                }
            }
            Event::Thrown { depth, number } => {
                self.to(depth, visit);
                if self.stack.top().is_none_or(|top| !top.is_single) {
                    self.ran(number, methods, visit)?;
                }
                self.leave_above(depth.saturating_sub(1), Left::Thrown, visit);
                if let Some(top) = self.stack.top() {
                    top.calls = false;
                }
            }
            // A depth alone: words have too few bits for so large a difference.
            Event::Gap { lost: 0, depth, .. } => self.to(depth, visit),
            Event::Gap { lost, depth, lowest } => {
                visit.gap(Some(lost.into()));
                self.leave_above(lowest.min(depth), Left::Unknown, visit);
                self.stack.push_unknown(depth.saturating_sub(self.stack.depth()));
                // Activations that went on may be anywhere in their code.
                self.stack.forget();
            }
            Event::Thread { depth, .. } => self.resume(depth, visit),
        }
        Ok(())
    }

    fn enter(
        &mut self,
        depth: u32,
        method: u32,
        methods: &Methods,
        visit: &mut impl Visit,
    ) -> Result<(), Fault> {
        self.to(depth.saturating_sub(1), visit);
        if self.stack.slots().len() >= MOST_DEEP {
            return Err(Fault::Deep);
        }
        let place = methods.place(method).ok_or(Fault::Method(method))?;
        let caller = self.stack.top().map(|top| {
            let may_end = || methods.get(top.method).is_some_and(|caller| caller.constructs);
            top.perhaps |= !top.calls && may_end();
            top.tag
        });
        let traced = methods.get(place).ok_or(Fault::Method(method))?;
        let tag = visit.enter(&self.stack, caller, place);
        let is_single = traced.single.is_some();
        let next = traced.begin(0);
        self.stack.push(Frame::new(place, tag, next, is_single));
        if let Some(ran) = &traced.single {
            visit.segment(&self.stack, tag, place, ran);
        }
        Ok(())
    }

    /// The innermost activation has run a segment; whether it returned. The visitor learns nothing of an unknown one.
    #[inline]
    fn ran(&mut self, number: u32, methods: &mut Methods, visit: &mut impl Visit) -> Result<bool, Fault> {
        let Some(top) = self.stack.top() else { return Ok(false) };
        let (place, tag) = (top.method, top.tag);
        let Some(method) = methods.get_mut(place) else { return Ok(false) };
        let ran = method.ran(number).filter(|ran| top.next.is_none_or(|next| next == ran.begin));
        let Some(ran) = ran else {
            return Err(Fault::Segment { method: method.name.clone(), number });
        };
        top.next = ran.next;
        top.perhaps = false;
        top.calls = matches!(ran.end, spl_graph::SegmentEnd::Call(_));
        let returned = ran.end == spl_graph::SegmentEnd::Returned;
        visit.segment(&self.stack, tag, place, &ran);
        Ok(returned)
    }

    /// A single segment has no word at its end: it ends with the next event, unless that is its exception.
    #[inline]
    fn end_single(&mut self, event: Event, visit: &mut impl Visit) {
        let depth = self.stack.depth();
        if self.stack.top().is_some_and(|top| top.is_single)
            && !matches!(event, Event::Thrown { depth: thrown, .. } if thrown == depth)
            && !matches!(event, Event::Time { .. } | Event::Pad)
        {
            // In a gap its exception may be missing.
            let left =
                if matches!(event, Event::Gap { lost: 1.., .. }) { Left::Unknown } else { Left::Returned };
            self.leave_above(depth - 1, left, visit);
        }
    }

    /// The stack has this depth: what is above has ended without a word, what is missing is unknown.
    #[inline]
    fn to(&mut self, depth: u32, visit: &mut impl Visit) {
        if self.stack.depth() != depth {
            self.leave_above(depth, Left::Unseen, visit);
            self.stack.push_unknown(depth - self.stack.depth());
        }
    }

    #[inline]
    fn leave_above(&mut self, depth: u32, left: Left, visit: &mut impl Visit) {
        while let Some(slot) = self.stack.pop_above(depth) {
            if let Slot::Known(frame) = slot {
                self.unseen += u64::from(left == Left::Unseen);
                visit.leave(&self.stack, &frame, left);
            }
        }
    }
}
