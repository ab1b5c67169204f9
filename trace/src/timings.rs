//! Times of activations, from the clocks at their beginnings and ends. Where a clock is missing a time is unknown, and has bounds at most.

use crate::methods::Ran;
use crate::replay::{Left, Visit};
use crate::stack::{Frame, Stack, Tag};

/// Most calls that wait for a clock: there is one in each 4,096 words, and a call has two at least.
const MOST_WAITING: usize = 4096;

/// A call that is shown as one: within which was traced, or the outermost one of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Call {
    /// The thread.
    pub thread: u64,
    /// Its place among those of the thread in the trace, from 0.
    pub place: u64,
    /// Its number among the calls of the thread, from 1; calls that were not traced count too.
    pub number: u64,
}

/// An activation that ended. Times are nanoseconds of the JVM's monotonic clock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// The thread.
    pub thread: u64,
    /// The call that it is in, or is; `None` where that is not known.
    pub call: Option<Call>,
    /// Activations below it that are known; 0 is a call's own.
    pub level: u32,
    /// Place of the method.
    pub method: u32,
    /// How it ended.
    pub left: Left,
    /// When it began.
    pub begin: Option<u64>,
    /// When it ended. A method that runs one segment only has no word of its end: this is unknown, and the time is its caller's own.
    pub end: Option<u64>,
    /// The last clock that is known to stand within it, or its beginning.
    pub last: Option<u64>,
    /// A clock that stands behind it; of calls without an end only.
    pub until: Option<u64>,
    /// A clock at its beginning or in front of it.
    pub from: Option<u64>,
    /// Nanoseconds of its own: without those of the activations that it called. Unknown where those of one of them are.
    pub own: Option<u64>,
    /// Whether the method runs one segment only.
    pub is_single: bool,
    /// Instructions with those of all that it called.
    pub bytecodes: u64,
    /// Activations within it.
    pub within: u64,
    /// Whether these two are all.
    pub is_whole: bool,
}

impl Timing {
    /// Nanoseconds from its beginning to its end.
    #[must_use]
    pub fn total(&self) -> Option<u64> {
        Some(self.end?.saturating_sub(self.begin?))
    }

    /// Nanoseconds that it took at least.
    #[must_use]
    pub fn at_least(&self) -> u64 {
        self.end.or(self.last).zip(self.begin).map_or(0, |(last, begin)| last.saturating_sub(begin))
    }

    /// Nanoseconds that it took at most, if that is known.
    #[must_use]
    pub fn at_most(&self) -> Option<u64> {
        Some(self.end.or(self.until)?.saturating_sub(self.begin.or(self.from)?))
    }
}

/// Receives the times of activations.
pub trait Told {
    /// An activation ended: after those within it, and before those of later calls.
    fn told(&mut self, timing: Timing);
}

/// An activation under way.
struct Open {
    method: u32,
    begin: Option<u64>,
    from: Option<u64>,
    last: Option<u64>,
    /// Time of the activations that it called, if that is known.
    callees: Option<u64>,
    bytecodes: u64,
    within: u64,
    is_whole: bool,
    /// Number of the gaps in front of it.
    gaps: u64,
}

/// Finds the times of all activations of threads, one thread after the other.
pub struct Timings<T> {
    /// The receiver.
    pub told: T,
    open: Vec<Open>,
    thread: u64,
    /// Calls of the thread so far, and the one that is under way.
    calls: u64,
    call: Option<Call>,
    /// The number of the call that begins next. From the first one on, all other activations belong to one.
    begins: Option<u64>,
    is_within: bool,
    gaps: u64,
    /// Calls without an end, until the next clock.
    waits: Vec<Timing>,
    /// Ends with a clock, and ends without one that should have it.
    pub ends: (u64, u64),
}

impl<T: Told> Timings<T> {
    /// Without a thread.
    pub fn new(told: T) -> Self {
        Self {
            told,
            open: Vec::new(),
            thread: 0,
            calls: 0,
            call: None,
            begins: None,
            is_within: false,
            gaps: 0,
            waits: Vec::new(),
            ends: (0, 0),
        }
    }

    /// A thread begins; the one before has ended.
    pub fn begin(&mut self, thread: u64) {
        self.settle(None);
        (self.thread, self.calls, self.call) = (thread, 0, None);
        (self.begins, self.is_within) = (None, false);
        self.open.clear();
    }

    /// All threads have ended.
    pub fn finish(&mut self) {
        self.settle(None);
    }

    /// Whether most ends that can have a clock lack it: the trace is one without times.
    #[must_use]
    pub fn is_untimed(&self) -> bool {
        self.ends.1 > self.ends.0
    }

    /// The next clock behind calls without an end, or nothing more of their thread.
    fn settle(&mut self, until: Option<u64>) {
        for timing in self.waits.drain(..) {
            self.told.told(Timing { until, ..timing });
        }
    }
}

fn known(ns: u64) -> Option<u64> {
    Some(ns).filter(|ns| *ns > 0)
}

impl<T: Told> Visit for Timings<T> {
    fn enter(&mut self, stack: &Stack, caller: Option<Tag>, method: u32) -> Tag {
        let (begin, from) = (stack.mark(), known(stack.time()));
        if self.open.is_empty() {
            let number = match self.is_within {
                true => self.begins.take(),
                false => Some(self.calls),
            };
            self.call = number.map(|number| Call {
                thread: self.thread,
                place: self.calls,
                number: number.saturating_add(1),
            });
            self.calls += u64::from(number.is_some());
        }
        if let Some(below) = self.open.last_mut() {
            below.last = begin.or(below.last);
            if caller.is_none() {
                // Something unknown in between has called it.
                below.callees = None;
            }
        }
        self.open.push(Open {
            method,
            begin,
            from,
            last: begin,
            callees: Some(0),
            bytecodes: 0,
            within: 0,
            is_whole: true,
            gaps: self.gaps,
        });
        (self.open.len() - 1) as Tag
    }

    fn segment(&mut self, _: &Stack, tag: Tag, _: u32, ran: &Ran) {
        if let Some(one) = self.open.get_mut(tag as usize) {
            one.bytecodes += ran.bytecodes;
        }
    }

    fn leave(&mut self, stack: &Stack, frame: &Frame, left: Left) {
        let Some(one) = self.open.pop() else { return };
        let has_word = left == Left::Thrown || left == Left::Returned && !frame.is_single;
        let end = stack.mark().filter(|_| has_word);
        if has_word {
            self.ends.0 += u64::from(end.is_some());
            self.ends.1 += u64::from(end.is_none());
        }
        let is_whole = one.is_whole && one.gaps == self.gaps && matches!(left, Left::Returned | Left::Thrown);
        let total = end.zip(one.begin).map(|(end, begin)| end.saturating_sub(begin));
        let callees = one.callees.filter(|_| one.gaps == self.gaps);
        let timing = Timing {
            thread: self.thread,
            call: self.call,
            level: self.open.len() as u32,
            method: one.method,
            left,
            begin: one.begin,
            end,
            last: end.or(one.last),
            until: None,
            from: one.from,
            own: total.zip(callees).map(|(total, callees)| total.saturating_sub(callees)),
            is_single: frame.is_single,
            bytecodes: one.bytecodes,
            within: one.within,
            is_whole,
        };
        if let Some(below) = self.open.last_mut() {
            // The time of a single segment is its caller's own.
            let of_this = if frame.is_single && end.is_none() { Some(0) } else { total };
            below.callees = below.callees.zip(of_this).map(|(all, this)| all.saturating_add(this));
            below.last = timing.last.or(below.last);
            below.bytecodes += one.bytecodes;
            below.within += one.within + 1;
            below.is_whole &= is_whole;
            self.told.told(timing);
        } else if end.is_none() && left != Left::Unknown {
            if self.waits.len() >= MOST_WAITING {
                self.settle(None);
            }
            self.waits.push(timing);
        } else {
            self.told.told(timing);
        }
    }

    fn nameless(&mut self, _: &Stack, _: u32) {
        if let Some(one) = self.open.last_mut() {
            (one.callees, one.is_whole) = (None, false);
        }
    }

    fn gap(&mut self, _: Option<u64>) {
        self.gaps += 1;
    }

    fn clock(&mut self, ns: u64) {
        self.settle(Some(ns));
    }

    fn call(&mut self, number: u64, _: u64) {
        (self.begins, self.is_within) = (Some(number), true);
    }
}
