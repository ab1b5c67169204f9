//! A replay: words of a thread to activations again, with the whole stack at each of them.
//!
//! Each word has the lowest bits of its activation's depth. So the next word of a lower activation shows the ones that ended without a word.
//! A gap has its lowest depth, which shows the activations that went on. The stack has unknown activations where a guess would be needed.

use crate::methods::{Methods, Ran};
use crate::stack::{Frame, Slot, Stack, Tag};
use crate::words::{Event, NoEvent, event, nearest};
use std::collections::HashMap;

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

    /// The activation that begins next has a receiver of the class with this number.
    fn receiver(&mut self, class: u32) {
        let _ = class;
    }

    /// An activation has run a segment.
    fn segment(&mut self, stack: &Stack, tag: Tag, method: u32, ran: &Ran);

    /// An activation ended; it is not on the stack any more.
    fn leave(&mut self, stack: &Stack, frame: &Frame, left: Left);

    /// An activation of a method begins that has this number in words, and of which nothing else is known. It is unknown on the stack.
    fn nameless(&mut self, stack: &Stack, number: u32) {
        let _ = (stack, number);
    }

    /// A call begins that is traced, of some. `number` is its number, `ns` the last clock.
    fn call(&mut self, number: u64, ns: u64) {
        let _ = (number, ns);
    }

    /// The clock, in front of the word that it belongs to.
    fn clock(&mut self, ns: u64) {
        let _ = ns;
    }

    /// Events are missing: `lost` of them, or an unknown number.
    fn gap(&mut self, lost: Option<u64>) {
        let _ = lost;
    }
}

/// An answer about a trace that is found for each thread apart, and put together.
pub trait Merge {
    /// Adds the answer about other threads.
    fn merge(&mut self, other: Self);
}

/// Why words cannot be replayed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The words are not those of a trace.
    #[error(transparent)]
    Words(#[from] NoEvent),
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
    /// Activations that ended without a word.
    pub unseen: u64,
    /// Places where an activation went on without a word.
    pub untold: u64,
    /// Activations of methods of which nothing is known.
    pub nameless: u64,
    /// The class of the last receiver of each method, by its number, as far as they are known.
    receivers: HashMap<u32, u32>,
    /// The place of what comes next in the order of all threads, if that is known.
    pub place: Option<u64>,
    /// Replayed events without a place, by [`to_place`](Self::to_place).
    pub unplaced: u64,
}

impl Replay {
    /// The stack now.
    #[must_use]
    pub fn stack(&self) -> &Stack {
        &self.stack
    }

    /// The last clock was this one, nanoseconds, some words ago.
    pub fn set_time(&mut self, ns: u64) {
        (self.stack.time, self.stack.is_marked) = (ns, false);
    }

    /// Goes on where nothing is known but the depth: at the beginning of a frame whose predecessors were not read.
    pub fn resume(&mut self, depth: u32, visit: &mut impl Visit) {
        self.leave_above(0, Left::Unknown, visit);
        self.stack.push_unknown(depth);
        self.receivers.clear();
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

    /// Replays words up to the next clock, at least one event; gives their number.
    ///
    /// # Errors
    /// As [`words`](Self::words).
    pub fn to_clock(
        &mut self,
        words: &[u32],
        methods: &mut Methods,
        visit: &mut impl Visit,
    ) -> Result<usize, Fault> {
        let mut at = 0;
        while at < words.len() {
            let (one, length) = event(&words[at..])?;
            if at > 0 && matches!(one, Event::Time { .. }) {
                break;
            }
            at += length;
            self.event(one, methods, visit)?;
        }
        Ok(at)
    }

    /// Replays words up to the next place in the order of all threads, at least one event; gives their number.
    ///
    /// # Errors
    /// As [`words`](Self::words).
    pub fn to_place(
        &mut self,
        words: &[u32],
        methods: &mut Methods,
        visit: &mut impl Visit,
    ) -> Result<usize, Fault> {
        let mut at = 0;
        while at < words.len() {
            let (one, length) = event(&words[at..])?;
            if at > 0 && matches!(one, Event::Place { number } if self.place != Some(number)) {
                if let Some(next) = next_of_program(&words[at..]) {
                    self.end_single(next, visit);
                }
                break;
            }
            at += length;
            self.unplaced += u64::from(one.is_of_program() && self.place.is_none());
            self.event(one, methods, visit)?;
        }
        Ok(at)
    }

    /// Ends the replay: activations that are still under way are left.
    pub fn end(&mut self, visit: &mut impl Visit) {
        self.leave_above(0, Left::Unknown, visit);
    }

    #[inline]
    fn event(&mut self, event: Event, methods: &mut Methods, visit: &mut impl Visit) -> Result<(), Fault> {
        if self.end_single(event, visit) {
            return Ok(());
        }
        match event {
            Event::Segment { depth, number, untold } => {
                let depth = nearest(depth, self.stack.depth());
                self.to(depth, visit);
                if untold {
                    self.goes_on();
                }
                let returned = self.ran(number, methods, visit)?;
                if returned {
                    self.leave_above(depth.saturating_sub(1), Left::Returned, visit);
                }
                self.stack.is_marked = false;
            }
            Event::Enter { depth, method } => {
                let depth = nearest(depth, self.stack.depth().saturating_add(1));
                self.enter(depth, method, methods, visit)?;
                self.stack.is_marked = false;
            }
            Event::Caught { .. }
            | Event::Thrown { .. }
            | Event::Time { .. }
            | Event::Pad
            | Event::Gap { .. }
            | Event::Thread { .. }
            | Event::Place { .. }
            | Event::Receiver { .. }
            | Event::Call { .. } => self.rare(event, methods, visit)?,
        }
        Ok(())
    }

    fn rare(&mut self, event: Event, methods: &mut Methods, visit: &mut impl Visit) -> Result<(), Fault> {
        match event {
            Event::Segment { .. } | Event::Enter { .. } | Event::Pad => {}
            Event::Place { number } => self.place = Some(number),
            Event::Receiver { method, class } => {
                self.receivers.insert(method, class);
            }
            Event::Time { ns } => {
                (self.stack.time, self.stack.is_marked) = (ns, true);
                visit.clock(ns);
            }
            Event::Caught { block, depth, number, untold } => {
                self.to(depth, visit);
                if let Some(number) = number {
                    self.stopped(number, untold, methods, visit)?;
                }
                if let Some(top) = self.stack.top() {
                    top.next = methods.get(top.method).and_then(|method| method.begin(block));
                    top.calls = false;
                }
                self.stack.is_marked = false;
            }
            Event::Thrown { depth, number, untold } => {
                self.to(depth, visit);
                if self.stack.top().is_none_or(|top| !top.is_single) {
                    self.stopped(number, untold, methods, visit)?;
                }
                self.leave_above(depth.saturating_sub(1), Left::Thrown, visit);
                if let Some(top) = self.stack.top() {
                    top.calls = false;
                }
                self.stack.is_marked = false;
            }
            // A depth alone: words have too few bits for so large a difference.
            Event::Gap { lost: 0, depth, .. } => self.to(depth, visit),
            Event::Gap { lost, depth, lowest } => {
                // The clock in front may be of something in the gap.
                self.stack.is_marked = false;
                visit.gap(Some(lost.into()));
                self.place = None;
                self.receivers.clear();
                self.leave_above(lowest.min(depth), Left::Unknown, visit);
                self.stack.push_unknown(depth.saturating_sub(self.stack.depth()));
                // Activations that went on may be anywhere in their code.
                self.stack.forget();
            }
            Event::Thread { depth, .. } => {
                self.place = None;
                self.resume(depth, visit);
            }
            Event::Call { number, depth } => {
                self.resume(depth.saturating_sub(1), visit);
                visit.call(number, self.stack.time);
            }
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
        let caller = self.stack.top().map(|top| {
            let may_end = || methods.get(top.method).is_some_and(|caller| caller.constructs);
            top.perhaps |= !top.calls && may_end();
            top.tag
        });
        let Some((place, traced)) =
            methods.place(method).and_then(|place| Some((place, methods.get(place)?)))
        else {
            visit.nameless(&self.stack, method);
            self.nameless += 1;
            self.stack.push_unknown(1);
            return Ok(());
        };
        if !self.receivers.is_empty()
            && let Some(&class) = self.receivers.get(&method)
        {
            visit.receiver(class);
        }
        let tag = visit.enter(&self.stack, caller, place);
        let is_single = traced.single.is_some();
        let next = traced.begin(0);
        self.stack.push(Frame::new(place, tag, next, is_single));
        if let Some(ran) = &traced.single {
            visit.segment(&self.stack, tag, place, ran);
        }
        Ok(())
    }

    /// The innermost activation went on somewhere in its code.
    fn goes_on(&mut self) {
        if let Some(top) = self.stack.top() {
            (top.next, top.calls) = (None, false);
            self.untold += 1;
        }
    }

    /// An exception stopped the innermost activation in a segment. An exception from outside, as of `Thread.stop`, may stop the code of
    /// the tracer between a word and what follows it.
    fn stopped(
        &mut self,
        number: u32,
        untold: bool,
        methods: &mut Methods,
        visit: &mut impl Visit,
    ) -> Result<(), Fault> {
        let top = self.stack.top().map(|top| (top.method, top.next));
        let begin = top.and_then(|(method, _)| Some(methods.get_mut(method)?.ran(number)?.begin));
        if untold || top.zip(begin).is_some_and(|((_, next), begin)| next.is_some_and(|next| next != begin)) {
            self.goes_on();
        }
        self.ran(number, methods, visit).map(|_| ())
    }

    /// The innermost activation has run a segment; whether it returned. The visitor learns nothing of an unknown one.
    #[inline]
    fn ran(&mut self, number: u32, methods: &mut Methods, visit: &mut impl Visit) -> Result<bool, Fault> {
        let Some(top) = self.stack.top() else { return Ok(false) };
        let (place, tag) = (top.method, top.tag);
        let Some(method) = methods.get_mut(place) else { return Ok(false) };
        let ran = method.ran(number).filter(|ran| top.next.is_none_or(|next| next == ran.begin));
        let Some(ran) = ran else {
            let method = methods.get(place).map_or_else(String::new, |method| method.name.clone());
            return Err(Fault::Segment { method, number });
        };
        top.next = ran.next;
        top.perhaps = false;
        top.calls = matches!(ran.end, spl_graph::SegmentEnd::Call(_));
        let returned = ran.end == spl_graph::SegmentEnd::Returned;
        visit.segment(&self.stack, tag, place, ran);
        Ok(returned)
    }

    /// A single segment has no word at its end: it ends with the next event, unless that is its exception. One within which was traced has a word;
    /// whether the event is this one.
    #[inline]
    fn end_single(&mut self, event: Event, visit: &mut impl Visit) -> bool {
        let depth = self.stack.depth();
        if self.stack.top().is_some_and(|top| top.is_single)
            && !matches!(event, Event::Thrown { depth: thrown, .. } if thrown == depth)
            && !matches!(
                event,
                Event::Time { .. } | Event::Pad | Event::Place { .. } | Event::Receiver { .. }
            )
        {
            // In a gap its exception may be missing.
            let left =
                if matches!(event, Event::Gap { lost: 1.., .. }) { Left::Unknown } else { Left::Returned };
            let is_its_own =
                matches!(event, Event::Segment { depth: told, .. } if nearest(told, depth) == depth);
            if let Some(top) = self.stack.top().filter(|_| is_its_own) {
                top.is_single = false;
            }
            self.leave_above(depth - 1, left, visit);
            self.stack.is_marked &= !is_its_own;
            return is_its_own;
        }
        false
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

/// The next event of the program, or a gap in front of it.
fn next_of_program(mut words: &[u32]) -> Option<Event> {
    loop {
        let (one, length) = event(words).ok()?;
        if one.is_of_program() || matches!(one, Event::Gap { .. }) {
            return Some(one);
        }
        words = &words[length..];
    }
}
