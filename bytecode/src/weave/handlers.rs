//! The exception table of a method with probes.

use super::subject::Subject;
use crate::layout::{Layout, PieceId};
use spl_classfile::code::Handler;
use spl_model::Refusal;

pub(super) struct Handlers<'l, 'a> {
    pub(super) layout: &'l Layout<'a>,
    /// Constant index of the class of stack overflows.
    pub(super) overflow: u16,
    pub(super) list: Vec<Handler>,
}

impl Handlers<'_, '_> {
    /// Adds a handler of the class with this constant index, 0 for everything. A handler that would cover
    /// nothing is left out.
    pub(super) fn add(&mut self, start: PieceId, end: PieceId, target: PieceId, catches: u16) {
        let [start, end, target] = [start, end, target].map(|piece| self.layout.offset(piece));
        if start < end {
            self.list.push(Handler { start, end, target, catches });
        }
    }

    /// Adds the handlers of a part of our own code: for an overflow, if there is one, and for all other
    /// exceptions.
    pub(super) fn add_ours(
        &mut self,
        start: PieceId,
        end: PieceId,
        overflow: Option<PieceId>,
        escaped: PieceId,
    ) {
        if let Some(target) = overflow {
            self.add(start, end, target, self.overflow);
        }
        self.add(start, end, escaped, 0);
    }

    /// Adds the program's own handlers. A handler that ends where the region starts does not cover the entry
    /// code. Gives the index of each.
    ///
    /// A handler may cover its own first instruction, as that of `synchronized` does in code of javac. It must
    /// not cover our code in front of that: if a call there overflowed the stack, the handler would catch that again
    /// and again.
    pub(super) fn keep(&mut self, subject: &Subject<'_, '_>, entry: PieceId) -> Result<Vec<usize>, Refusal> {
        let region_at = subject.insns.get(subject.region).map(|insn| insn.at);
        let mut index = Vec::with_capacity(subject.code.handlers.len());
        for handler in &subject.code.handlers {
            if handler.start >= handler.end {
                return Err(Refusal::Malformed("an exception handler covers nothing".to_owned()));
            }
            index.push(self.list.len());
            let end = u32::from(handler.end);
            let whole = Handler {
                start: self.layout.moved_start(u32::from(handler.start))?,
                end: if Some(end) == region_at {
                    self.layout.offset(entry)
                } else {
                    self.layout.moved(end)?
                },
                target: self.layout.moved(u32::from(handler.target))?,
                catches: handler.catches,
            };
            let behind = self.layout.behind_head(u32::from(handler.target));
            match behind.filter(|_| (handler.start..handler.end).contains(&handler.target)) {
                Some(behind) => {
                    let parts = [Handler { end: whole.target, ..whole }, Handler { start: behind, ..whole }];
                    self.list.extend(parts.into_iter().filter(|part| part.start < part.end));
                }
                None => self.list.push(whole),
            }
        }
        Ok(index)
    }
}
