//! An own check of rewritten methods, by the typing rules of JVMS 4.10.1.
//!
//! The JVM does not verify classes of the boot loader, and bad bytecode there crashes it. So each rewritten method passes
//! this check before it leaves the crate. Primitive types, uninitialised objects, frames, branch targets, handlers and the
//! declared stack and locals are checked strictly; one class of reference is taken for any other, because telling them
//! apart needs other classes. Methods from before stack maps (class files older than Java 6) get a reduced check: stack
//! heights along all paths, branch targets, and the initialisation of `this`.

mod state;
mod step;
#[cfg(test)]
mod tests;

use self::state::{Fault, State, Word};
use crate::class::{ClassFile, Method, STACK_MAPS};
use crate::code::Code;
use crate::flow;
use crate::frames::{FrameReader, initial_locals};
use crate::insn::{Insn, decode};
use crate::method::STACK_MAP_TABLE;
use crate::opcode;
use spl_model::Refusal;
use std::collections::BTreeMap;

/// Checks one method of `class`.
pub(crate) fn check(class: &ClassFile<'_>, method: &Method<'_>) -> Result<(), Refusal> {
    if class.major < STACK_MAPS {
        return check_reduced(class, method);
    }
    let Some(info) = code_info(class, method) else { return Ok(()) };
    let code = Code::read(info, &class.pool)?;
    let insns = decode(code.bytes)?;
    Checker::new(class, method, &code, &insns).and_then(Checker::run).map_err(Refusal::Unverified)
}

/// The check without frames.
pub(crate) fn check_reduced(class: &ClassFile<'_>, method: &Method<'_>) -> Result<(), Refusal> {
    let Some(info) = code_info(class, method) else { return Ok(()) };
    let code = Code::read(info, &class.pool)?;
    flow::analyse(&code, &decode(code.bytes)?, &class.pool, method.is_constructor()).map(drop)
}

fn code_info<'a>(class: &ClassFile<'a>, method: &Method<'_>) -> Option<&'a [u8]> {
    method.code.clone().and_then(|range| class.bytes.get(range))
}

/// Comparisons of words that one check may need; the most in JDK 17 and 25 is 270,998. Hostile code cannot occupy the agent
/// for long.
const WORK_LIMIT: usize = 100_000_000;
/// Words that the frames of one method may have together; the most in JDK 17 and 25 is 11,353.
const FRAME_LIMIT: usize = 10_000_000;

struct Checker<'a, 'b> {
    class: &'b ClassFile<'a>,
    code: &'b Code<'a>,
    insns: &'b [Insn<'a>],
    frames: BTreeMap<u32, State>,
    initial: State,
    result: Option<Word>,
    work: usize,
}

impl<'a, 'b> Checker<'a, 'b> {
    fn new(
        class: &'b ClassFile<'a>,
        method: &Method<'a>,
        code: &'b Code<'a>,
        insns: &'b [Insn<'a>],
    ) -> Result<Self, Fault> {
        let descriptor = flow::descriptor(method.descriptor).map_err(|error| error.to_string())?;
        let this_class = (!method.is_static()).then_some(class.this_class);
        let locals = initial_locals(&descriptor, this_class, method.is_constructor());
        let max_locals = usize::from(code.max_locals);
        let initial = State::of_frame(&locals, &[], max_locals)?;
        let mut frames = BTreeMap::new();
        let mut tables = code.attributes.iter().filter(|attribute| attribute.name == STACK_MAP_TABLE);
        if let Some(table) = tables.next() {
            let mut reader = FrameReader::new(table.info, locals).map_err(|error| error.to_string())?;
            let mut words = 0;
            while reader.advance().map_err(|error| error.to_string())? {
                let frame = State::of_frame(&reader.locals, &reader.stack, max_locals)?;
                words += frame.locals.len() + frame.stack.len();
                if words > FRAME_LIMIT {
                    return Err("its frames are too large".to_owned());
                }
                frames.insert(reader.at, frame);
            }
        }
        if tables.next().is_some() {
            return Err("there are two stack map tables".to_owned());
        }
        let result = descriptor.result().map(Word::of_field);
        Ok(Self { class, code, insns, frames, initial, result, work: 0 })
    }

    fn run(mut self) -> Result<(), Fault> {
        self.handlers_are_instructions()?;
        let mut state = Some(self.initial.clone());
        let mut locals_changed = true;
        let mut frames_met = 0;
        for insn in self.insns {
            if let Some(frame) = self.frames.get(&insn.at) {
                if let Some(from) = &state
                    && !from.fits(frame)
                {
                    return Err(format!("the frame at {} does not fit what flows into it", insn.at));
                }
                state = Some(frame.clone());
                frames_met += 1;
                locals_changed = true;
            }
            let mut now = state.take().ok_or_else(|| format!("there is no frame at {}", insn.at))?;
            self.check_handlers(insn, &now, locals_changed)?;
            let fault = |fault| format!("at {}: {fault}", insn.at);
            step::execute(insn, &mut now, &self.class.pool, self.result).map_err(fault)?;
            locals_changed = insn.local_access().is_some_and(|access| access.is_store)
                || matches!(insn.opcode, opcode::INVOKESPECIAL | opcode::NEW);
            if now.stack.len() > usize::from(self.code.max_stack) {
                return Err(format!("the stack overflows at {}", insn.at));
            }
            for target in insn.targets() {
                self.enter(target, &now)?;
            }
            state = (!opcode::ends_flow(insn.opcode)).then_some(now);
        }
        if state.is_some() {
            return Err("the code falls off its end".to_owned());
        }
        if frames_met != self.frames.len() {
            return Err("a frame lies between two instructions".to_owned());
        }
        Ok(())
    }

    fn handlers_are_instructions(&self) -> Result<(), Fault> {
        let is_start = |at: u16| self.insns.binary_search_by_key(&u32::from(at), |insn| insn.at).is_ok();
        let is_end = |at: u16| usize::from(at) == self.code.bytes.len() || is_start(at);
        let is_legal = |handler: &crate::code::Handler| {
            handler.start < handler.end
                && is_start(handler.start)
                && is_end(handler.end)
                && is_start(handler.target)
        };
        if self.code.handlers.iter().all(is_legal) {
            Ok(())
        } else {
            Err("an exception handler lies between two instructions".to_owned())
        }
    }

    /// Handlers see the locals before each instruction that they cover.
    fn check_handlers(&mut self, insn: &Insn<'_>, now: &State, locals_changed: bool) -> Result<(), Fault> {
        let code = self.code;
        self.spend(code.handlers.len() / 8)?;
        for handler in &code.handlers {
            let (start, end) = (u32::from(handler.start), u32::from(handler.end));
            if !(start..end).contains(&insn.at) || !(locals_changed || insn.at == start) {
                continue;
            }
            self.spend(now.locals.len())?;
            let frame = self.frames.get(&u32::from(handler.target));
            let frame = frame.ok_or_else(|| format!("the handler at {} has no frame", handler.target))?;
            if frame.stack != [Word::Reference] || !now.locals_fit(frame) {
                return Err(format!(
                    "the handler at {} does not fit the code at {}",
                    handler.target, insn.at
                ));
            }
        }
        Ok(())
    }

    fn enter(&mut self, target: u32, now: &State) -> Result<(), Fault> {
        self.spend(now.locals.len())?;
        match self.frames.get(&target) {
            None => Err(format!("the branch target {target} has no frame")),
            Some(frame) if !now.fits(frame) => {
                Err(format!("the frame at {target} does not fit a branch to it"))
            }
            Some(_) => Ok(()),
        }
    }

    fn spend(&mut self, work: usize) -> Result<(), Fault> {
        self.work += work;
        if self.work > WORK_LIMIT { Err("its code is too involved".to_owned()) } else { Ok(()) }
    }
}
