//! Traces of everything that runs, by the numbers of segments.
//!
//! A local variable holds the number of the segment so far. Edges add to it. In front of calls, on edges that lead back, and in front of
//! returns the code writes the number as a word, and sets the variable to the number with which the next segments begin. Handlers and the
//! exit by exception write the number that the exception stopped. The start gives the two values that all of these take: the thread's ring
//! and the activation's depth.

use super::slots::Slots;
use super::subject::{Site, Subject, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use crate::plan::Shape;
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
            (Site::Start, own) => self.start(segments, own, code),
            (Site::Throw, &[token]) => {
                code.load(Kind::Long, token).int(0)?.call_trace(names::TRACE_THROWN)?;
                Ok(3)
            }
            (Site::Throw, &[token, number]) => {
                code.load(Kind::Long, token).load(Kind::Int, number).call_trace(names::TRACE_THROWN)?;
                Ok(3)
            }
            (Site::BlockHead(block), &[token, number]) if subject.catches(block) => {
                let Some(begin) = segments.begin(block) else { return Ok(0) };
                code.load(Kind::Long, token).int(block as i32)?.load(Kind::Int, number);
                code.call_trace(names::TRACE_CAUGHT)?.int(begin as i32)?.store(Kind::Int, number);
                Ok(4)
            }
            (_, &[token, number]) => match step(site, segments) {
                Some(step) => pass(step, token, number, code),
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

    fn start(&self, segments: &Segments, own: &[u16], code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
        code.int(self.id.0 as i32)?;
        match *own {
            [token, number] => {
                code.call_trace(names::TRACE_ENTER)?.store(Kind::Long, token);
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
}

fn step(site: Site, segments: &Segments) -> Option<SegmentStep> {
    match site {
        Site::Edge(edge) => segments.on_edge(edge),
        Site::Call(at) => segments.at_call(at),
        Site::Returning(block) => segments.at_return(block),
        Site::Start | Site::Throwing(_) | Site::Entry | Site::BlockHead(_) | Site::Return | Site::Throw => {
            None
        }
    }
}

fn pass(step: SegmentStep, token: u16, number: u16, code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
    let Some(next) = step.next else {
        if step.add > 0 {
            code.add(number, step.add as i32)?;
        }
        return Ok(2);
    };
    code.load(Kind::Long, token).load(Kind::Int, number);
    if step.add > 0 {
        code.int(step.add as i32)?.op(spl_classfile::opcode::IADD);
    }
    let begin = match next {
        Next::Returns => {
            code.call_trace(names::TRACE_RETURN)?;
            return Ok(4);
        }
        Next::Number(begin) => begin as i32,
        Next::Handler => FLOWED,
    };
    code.call_trace(names::TRACE_SEGMENT)?.int(begin)?.store(Kind::Int, number);
    Ok(4)
}
