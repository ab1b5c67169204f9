//! Times of calls, with their workload sizes.
//!
//! Entry: gate, then sizes, then the clock last. Every exit: the recorder reads the clock first.

use super::lengths::{self, Of};
use super::slots::Slots;
use super::subject::{Site, Subject, Wanted};
use crate::emit::{Emitter, Kind};
use crate::names;
use crate::region;
use spl_classfile::signature::Field;
use spl_model::{InstrumentId, Refusal, Sizing};

/// The kind that measures the time of each call.
pub(crate) struct Times<'a> {
    /// Permanent number of (class, method).
    pub(crate) id: InstrumentId,
    pub(crate) sizing: &'a Sizing,
}

/// The slots of the kind's local variables.
struct Locals {
    token: u16,
    start: u16,
    size: Option<u16>,
}

impl Times<'_> {
    pub(super) const WANTED: Wanted = Wanted { blocks: false, counters: false, exits: true, throws: true };

    pub(super) fn check(&self, subject: &Subject<'_, '_>) -> Result<(), Refusal> {
        let replaces = || {
            let (insns, first) = (subject.insns, subject.first_slot());
            region::replaces_argument(insns, subject.region, subject.signature, first, self.sizing)
        };
        if *self.sizing != Sizing::None && replaces() { Err(Refusal::ArgumentReplaced) } else { Ok(()) }
    }

    pub(super) fn locals(&self) -> Vec<Kind> {
        let mut locals = vec![Kind::Int, Kind::Long];
        locals.extend((*self.sizing != Sizing::None).then_some(Kind::Long));
        locals
    }

    pub(super) fn at(
        &self,
        site: Site,
        subject: &Subject<'_, '_>,
        slots: Slots<'_>,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        let [token, start, ref size @ ..] = *slots.own else { return Ok(0) };
        let locals = Locals { token, start, size: size.first().copied() };
        match site {
            Site::Entry => self.enter(subject, &locals, slots.spare, code),
            Site::Start
            | Site::Edge(_)
            | Site::Call(_)
            | Site::Returning(_)
            | Site::Throwing(_)
            | Site::Made(_)
            | Site::BlockHead(_) => Ok(0),
            Site::Return => locals.record(names::LEAVE, code),
            Site::Throw => locals.record(names::THROWN, code),
        }
    }

    fn enter(
        &self,
        subject: &Subject<'_, '_>,
        locals: &Locals,
        spare: u16,
        code: &mut Emitter<'_, '_>,
    ) -> Result<usize, Refusal> {
        code.int(self.id.0 as i32)?.call(names::ENTER.0, names::ENTER.1)?.store(Kind::Int, locals.token);
        if let Some(size) = locals.size {
            self.add_up(subject, locals.token, size, spare, code)?;
            code.store(Kind::Long, size);
        }
        code.load(Kind::Int, locals.token).call(names::BEGIN.0, names::BEGIN.1)?;
        code.store(Kind::Long, locals.start);
        Ok(if locals.size.is_some() { 5 } else { 2 })
    }

    pub(super) fn lost(code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
        code.count(names::LOST)?;
        Ok(2)
    }

    /// Leaves the workload size on the stack; needs at most five words.
    fn add_up(
        &self,
        subject: &Subject<'_, '_>,
        token: u16,
        size: u16,
        spare: u16,
        code: &mut Emitter<'_, '_>,
    ) -> Result<(), Refusal> {
        let signature = subject.signature;
        let parameters = || region::parameter_slots(signature, subject.first_slot());
        match self.sizing {
            Sizing::None | Sizing::Shallow | Sizing::Deep => {
                let (name, descriptor) =
                    if *self.sizing == Sizing::Deep { names::DEEP } else { names::SIZEOF };
                let widths: u64 = signature.parameters.iter().copied().map(Field::primitive_bytes).sum();
                // At most 255 parameters of 8 bytes.
                code.small_long(widths as u16)?;
                for (slot, _) in parameters().filter(|(_, field)| field.is_reference()) {
                    code.store(Kind::Long, size);
                    code.load(Kind::Int, token).load(Kind::Long, size).load(Kind::Reference, slot);
                    code.call(name, descriptor)?;
                }
            }
            Sizing::Length => {
                lengths::add_up(subject, (Kind::Int, token), size, code, |of, code| {
                    let (name, descriptor) = match of {
                        Of::Object => names::LENGTH,
                        Of::Number => names::LENGTH_OF_NUMBER,
                    };
                    code.call(name, descriptor).map(drop)
                })?;
            }
            Sizing::Processor(_) => {
                let arguments = spare;
                code.load(Kind::Int, token).int(signature.parameters.len() as i32)?;
                code.call(names::ARGUMENTS.0, names::ARGUMENTS.1)?.store(Kind::Reference, arguments);
                for (index, (slot, field)) in (0..).zip(parameters()) {
                    code.load(Kind::Reference, arguments).int(index)?.load(Kind::of(field), slot);
                    code.call(names::ARGUMENT, names::argument_descriptor(field.tag()))?;
                }
                code.load(Kind::Int, token);
                match subject.owner {
                    Some(class) => code.constant(class),
                    None => code.null(),
                };
                if subject.is_static {
                    code.null()
                } else {
                    code.load(Kind::Reference, 0)
                };
                code.load(Kind::Reference, arguments).call(names::COMPUTED.0, names::COMPUTED.1)?;
            }
        }
        Ok(())
    }
}

impl Locals {
    fn record(&self, method: &'static str, code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
        code.load(Kind::Long, self.start).load(Kind::Int, self.token);
        match self.size {
            None => code.call(method, names::EXIT)?,
            Some(size) => code.load(Kind::Long, size).call(method, names::EXIT_SIZED)?,
        };
        Ok(if self.size.is_some() { 5 } else { 3 })
    }
}
