//! The crate's own check of rewritten methods, by the typing rules of JVMS 4.10.1.
//!
//! The JVM does not verify classes of the boot loader, and bad bytecode there crashes it. So each rewritten
//! method passes this check before it leaves the crate. Primitive types, uninitialised objects, frames,
//! branch targets, handlers and the declared stack and locals are checked strictly. All classes of references
//! count as one, because distinguishing them needs other classes. Methods from before stack maps (class files
//! older than Java 6) get a reduced check: stack heights along all paths, branch targets, and the
//! initialisation of `this`.

mod infer;
mod state;
mod step;
#[cfg(test)]
mod tests;

pub(crate) use self::infer::Inference;
use self::state::{AllAlike, Fault, State, Word};
use crate::budget::Budget;
use crate::flow;
use spl_classfile::class::{ClassFile, Method, STACK_MAPS};
use spl_classfile::code::{Code, Handler};
use spl_classfile::frames::{FrameReader, STACK_MAP_TABLE, initial_locals};
use spl_classfile::instruction::{Insn, decode};
use spl_classfile::opcode;
use spl_classfile::signature::Signature;
use spl_model::Refusal;

/// Checks one method of `class`.
pub(crate) fn check(class: &ClassFile<'_>, method: &Method<'_>, budget: &mut Budget) -> Result<(), Refusal> {
    if class.major < STACK_MAPS {
        return check_reduced(class, method, budget);
    }
    let Some(info) = code_info(class, method) else { return Ok(()) };
    let code = Code::read(info, &class.pool)?;
    let insns = decode(code.bytes)?;
    Checker::new(class, method, &code, &insns, budget).and_then(Checker::run).map_err(Refusal::Unverified)
}

/// The check without frames.
pub(crate) fn check_reduced(
    class: &ClassFile<'_>,
    method: &Method<'_>,
    budget: &mut Budget,
) -> Result<(), Refusal> {
    let Some(info) = code_info(class, method) else { return Ok(()) };
    let code = Code::read(info, &class.pool)?;
    flow::analyse(&code, &decode(code.bytes)?, &class.pool, method.is_constructor(), budget).map(drop)
}

fn code_info<'a>(class: &ClassFile<'a>, method: &Method<'_>) -> Option<&'a [u8]> {
    method.code.clone().and_then(|range| class.bytes.get(range))
}

struct Checker<'a, 'b> {
    class: &'b ClassFile<'a>,
    code: &'b Code<'a>,
    insns: &'b [Insn<'a>],
    /// The frames of the method with their offsets, ascending.
    frames: Vec<(u32, State)>,
    initial: State,
    result: Option<Word>,
    budget: &'b mut Budget,
}

impl<'a, 'b> Checker<'a, 'b> {
    fn new(
        class: &'b ClassFile<'a>,
        method: &Method<'a>,
        code: &'b Code<'a>,
        insns: &'b [Insn<'a>],
        budget: &'b mut Budget,
    ) -> Result<Self, Fault> {
        let signature = Signature::read(method.descriptor).map_err(|error| error.to_string())?;
        let this_class = (!method.is_static()).then_some(class.this_class);
        let locals = initial_locals(&signature, this_class, method.is_constructor());
        let max_locals = usize::from(code.max_locals);
        let initial = State::of_frame(&locals, &[], max_locals, &mut AllAlike)?;
        let mut frames = Vec::new();
        let mut tables = code.attributes.iter().filter(|attribute| attribute.name == STACK_MAP_TABLE);
        if let Some(table) = tables.next() {
            let mut reader = FrameReader::new(table.info, locals).map_err(|error| error.to_string())?;
            while reader.advance().map_err(|error| error.to_string())? {
                let frame = State::of_frame(&reader.locals, &reader.stack, max_locals, &mut AllAlike)?;
                let words = frame.locals.len() + frame.stack.len();
                budget.keep_frame(words).map_err(|error| error.to_string())?;
                frames.push((reader.at, frame));
            }
        }
        if tables.next().is_some() {
            return Err("there are two stack map tables".to_owned());
        }
        let result = signature.result.map(|field| Word::of_field(field, &mut AllAlike)).transpose()?;
        Ok(Self { class, code, insns, frames, initial, result, budget })
    }

    fn run(mut self) -> Result<(), Fault> {
        self.handlers_are_instructions()?;
        let mut covering = Covering::new(&self.code.handlers);
        let mut now = self.initial.clone();
        let (mut is_reached, mut locals_changed) = (true, true);
        let mut frames_met = 0;
        for insn in self.insns {
            if let Some((_, frame)) = self.frames.get(frames_met).filter(|(at, _)| *at == insn.at) {
                if is_reached && !now.fits(frame) {
                    return Err(format!("the frame at {} does not fit what flows into it", insn.at));
                }
                now.copy(frame);
                frames_met += 1;
                (is_reached, locals_changed) = (true, true);
            }
            if !is_reached {
                return Err(format!("there is no frame at {}", insn.at));
            }
            let is_new = covering.advance(insn.at);
            self.spend(covering.handlers().len() / 8)?;
            if is_new || locals_changed {
                self.check_handlers(insn, &now, covering.handlers())?;
            }
            let fault = |fault| format!("at {}: {fault}", insn.at);
            step::execute(insn, &mut now, &self.class.pool, self.result, &mut AllAlike, self.budget)
                .map_err(fault)?;
            locals_changed = insn.local_access().is_some_and(|access| access.is_store)
                || matches!(insn.opcode, opcode::INVOKESPECIAL | opcode::NEW);
            if now.stack.len() > usize::from(self.code.max_stack) {
                return Err(format!("the stack overflows at {}", insn.at));
            }
            for target in insn.targets() {
                self.enter(target, &now)?;
            }
            is_reached = !opcode::ends_flow(insn.opcode);
        }
        if is_reached {
            return Err("the code falls off its end".to_owned());
        }
        if frames_met != self.frames.len() {
            return Err("a frame lies between two instructions".to_owned());
        }
        Ok(())
    }

    fn frame(&self, at: u32) -> Option<&State> {
        let index = self.frames.binary_search_by_key(&at, |(at, _)| *at).ok()?;
        self.frames.get(index).map(|(_, frame)| frame)
    }

    fn handlers_are_instructions(&self) -> Result<(), Fault> {
        let is_start = |at: u16| self.insns.binary_search_by_key(&u32::from(at), |insn| insn.at).is_ok();
        let is_end = |at: u16| usize::from(at) == self.code.bytes.len() || is_start(at);
        let is_legal = |handler: &Handler| {
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

    /// Checks that each covering handler accepts the locals before the instruction.
    fn check_handlers(&mut self, insn: &Insn<'_>, now: &State, covering: &[Handler]) -> Result<(), Fault> {
        for handler in covering {
            self.spend(now.locals.len() + 1)?;
            let frame = self.frame(u32::from(handler.target));
            let frame = frame.ok_or_else(|| format!("the handler at {} has no frame", handler.target))?;
            let takes_it = matches!(frame.stack[..], [one] if Word::OBJECT.fits(one));
            if !(takes_it && now.locals_fit(frame)) {
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
        match self.frame(target) {
            None => Err(format!("the branch target {target} has no frame")),
            Some(frame) if !now.fits(frame) => {
                Err(format!("the frame at {target} does not fit a branch to it"))
            }
            Some(_) => Ok(()),
        }
    }

    fn spend(&mut self, work: usize) -> Result<(), Fault> {
        self.budget.spend(work).map_err(|error| error.to_string())
    }
}

/// The handlers that cover an instruction, updated from one instruction to the next.
struct Covering {
    /// Handlers that start later, the next one last.
    ahead: Vec<Handler>,
    here: Vec<Handler>,
}

impl Covering {
    fn new(handlers: &[Handler]) -> Self {
        let mut ahead = handlers.to_vec();
        ahead.sort_by_key(|handler| std::cmp::Reverse(handler.start));
        Self { ahead, here: Vec::new() }
    }

    /// Moves to the instruction at `at`; returns whether a handler starts to cover code there.
    fn advance(&mut self, at: u32) -> bool {
        self.here.retain(|handler| u32::from(handler.end) > at);
        let before = self.here.len();
        while let Some(handler) = self.ahead.pop_if(|handler| u32::from(handler.start) <= at) {
            self.here.push(handler);
        }
        self.here.len() > before
    }

    fn handlers(&self) -> &[Handler] {
        &self.here
    }
}
