//! Traces of everything that runs, by the numbers of segments.
//!
//! A local variable holds the number of the segment so far. Edges add to it. In front of calls, on edges that lead back, and in front of
//! returns the code writes the number as a word, and sets the variable to the number with which the next segments begin. Handlers and the
//! exit by exception write the number that the exception stopped. The start gives the two values that all of these take: the thread's ring
//! and the activation's depth. With times one more call stands in front of that of the start, and of those of both ends.
//!
//! Where the events of all threads are in one order, another call in front of each of these takes a place in it. Both are guarded together: a
//! word without a place of its own would seem to stand where the one before stands.

use super::slots::Slots;
use super::subject::{Site, Subject, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use crate::plan::Shape;
use spl_classfile::opcode;
use spl_graph::{Next, SegmentStep, Segments};
use spl_model::{InstrumentId, Refusal};

/// The number at the start of a handler's block that no exception led to.
const FLOWED: i32 = -1;

/// The kind that tells everything.
pub(crate) struct Trace {
    /// Permanent number of (class, method).
    pub(crate) id: InstrumentId,
    /// Course of its activations.
    pub(crate) shape: Shape,
    /// For a trace of calls of this method, among others: one of this number is traced.
    pub(crate) within: Option<u32>,
    /// Whether the events of all threads are in one order.
    pub(crate) total: bool,
    /// Whether words have the classes of receivers.
    pub(crate) receivers: bool,
    /// Whether the clock stands in front of the words of beginnings and ends.
    pub(crate) timed: bool,
}

impl Trace {
    pub(super) fn wanted(&self) -> Wanted {
        Wanted { blocks: true, counters: true, exits: false, throws: self.shape != Shape::Single }
    }

    /// Ring and depth, and the number so far.
    pub(super) fn locals(&self) -> Vec<Kind> {
        match self.shape {
            Shape::Single => Vec::new(),
            Shape::Guarded => vec![Kind::Long],
            Shape::Several => vec![Kind::Long, Kind::Int],
        }
    }

    pub(super) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let Some(segments) = subject.segments() else { return Ok(0) };
        match (site, slots.own) {
            (Site::Start, own) => {
                let has_receiver = self.receivers && !subject.is_static && !subject.constructs;
                self.start((segments, has_receiver), own, code)
            }
            (Site::Throw, &[token]) => {
                self.mark(code)?;
                self.place(token, code)?;
                code.load(Kind::Long, token).int(0)?.call_trace(names::TRACE_THROWN)?;
                Ok(3)
            }
            (Site::Throw, &[token, number]) => {
                self.mark(code)?;
                self.place(token, code)?;
                code.load(Kind::Long, token).load(Kind::Int, number).call_trace(self.thrown())?;
                Ok(3)
            }
            (Site::BlockHead(block), &[token, number]) if subject.catches(block) => {
                let Some(begin) = segments.begin(block) else { return Ok(0) };
                let arguments = |code: &mut Emitter<'_, '_>| {
                    self.place(token, code)?;
                    code.load(Kind::Long, token).int(block as i32)?.load(Kind::Int, number);
                    Ok(())
                };
                told(names::TRACE_CAUGHT, arguments, begin as i32, slots, code)?;
                Ok(4)
            }
            (_, &[token, number]) => match step(site, segments) {
                Some(step) => self.pass(step, token, number, slots, code),
                None => Ok(0),
            },
            _ => Ok(0),
        }
    }

    /// Whether there is code.
    pub(super) fn is_on(site: Site, subject: &Subject<'_, '_>) -> bool {
        let step = subject.segments().and_then(|segments| step(site, segments));
        step.is_some_and(|step| step.add > 0 || step.next.is_some())
    }

    fn start(
        &self,
        (segments, has_receiver): (&Segments, bool),
        own: &[u16],
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        self.mark(code)?;
        if self.total {
            code.call_trace(names::TRACE_PLACE)?;
        }
        if has_receiver {
            // Of a constructor the object must not be passed on before another constructor has run.
            code.load(Kind::Reference, 0).int(self.id.0 as i32)?.call_trace(names::TRACE_RECEIVER)?;
        }
        code.int(self.id.0 as i32)?;
        match *own {
            [token, number] => {
                match self.within {
                    Some(of) => code.int(of as i32)?.call_trace(names::TRACE_WITHIN)?,
                    None => code.call_trace(names::TRACE_ENTER)?,
                };
                code.store(Kind::Long, token);
                code.int(segments.begin(0).unwrap_or(0) as i32)?.store(Kind::Int, number);
            }
            [token] => {
                code.call_trace(names::TRACE_GUARDED)?.store(Kind::Long, token);
            }
            _ => {
                code.call_trace(names::TRACE_SINGLE)?;
            }
        }
        Ok(2)
    }

    /// Tells the clock, if it is wanted.
    fn mark(&self, code: &mut Emitter<'_, '_>) -> Result<(), Refusal> {
        if self.timed {
            code.call_trace(names::TRACE_MARK)?;
        }
        Ok(())
    }

    /// Takes a place in the order of all threads, with two stack words.
    fn place(&self, token: u16, code: &mut Emitter<'_, '_>) -> Result<(), Refusal> {
        if self.total {
            code.load(Kind::Long, token).call_trace(names::TRACE_PLACE_WITHIN)?;
        }
        Ok(())
    }

    fn thrown(&self) -> (&'static str, &'static str) {
        if self.within.is_some() { names::TRACE_WITHIN_THROWN } else { names::TRACE_THROWN }
    }

    fn pass(
        &self,
        step: SegmentStep,
        token: u16,
        number: u16,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let Some(next) = step.next else {
            if step.add > 0 {
                code.add(number, step.add as i32)?;
            }
            return Ok(2);
        };
        let arguments = |code: &mut Emitter<'_, '_>| {
            self.place(token, code)?;
            code.load(Kind::Long, token).load(Kind::Int, number);
            if step.add > 0 {
                code.int(step.add as i32)?.op(opcode::IADD);
            }
            Ok(())
        };
        let begin = match next {
            Next::Returns => {
                let returned =
                    if self.within.is_some() { names::TRACE_WITHIN_RETURN } else { names::TRACE_RETURN };
                let calling = |code: &mut Emitter<'_, '_>| {
                    self.mark(code)?;
                    arguments(code)?;
                    code.call_trace(returned).map(|_| ())
                };
                code.guarded(slots.spare, calling, |code| code.uncounted(names::TRACE_CLASS).map(|_| ()))?;
                return Ok(4);
            }
            Next::Number(begin) => begin as i32,
            Next::Handler => FLOWED,
        };
        told(names::TRACE_SEGMENT, arguments, begin, slots, code)?;
        Ok(4)
    }
}

fn step(site: Site, segments: &Segments) -> Option<SegmentStep> {
    match site {
        Site::Edge(edge) => segments.on_edge(edge),
        Site::Call(at) => segments.at_call(at),
        Site::Returning(block) => segments.at_return(block),
        Site::Start
        | Site::Made(_)
        | Site::Throwing(_)
        | Site::Entry
        | Site::BlockHead(_)
        | Site::Return
        | Site::Throw => None,
    }
}

/// Writes a word, and begins the next segment. Where the call overflows the stack, the number says that the word before is missing.
fn told(
    call: (&'static str, &'static str),
    arguments: impl FnOnce(&mut Emitter<'_, '_>) -> Result<(), Refusal>,
    begin: i32,
    slots: Slots<'_>,
    code: &mut Emitter<'_, '_>,
) -> Result<(), Refusal> {
    let &[_, number] = slots.own else { return Ok(()) };
    let calling = |code: &mut Emitter<'_, '_>| {
        arguments(code)?;
        code.call_trace(call)?.int(begin)?.store(Kind::Int, number);
        Ok(())
    };
    code.guarded(slots.spare, calling, |code| {
        code.int(begin)?.int(names::TRACE_UNTOLD)?.op(opcode::IOR).store(Kind::Int, number);
        Ok(())
    })
}
