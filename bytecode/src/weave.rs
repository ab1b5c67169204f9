//! Puts the probes of one method between its instructions.
//!
//! Entry: gate, then sizes, then the clock last. Every exit: the recorder reads the clock first. Entry and exit code have
//! handlers of their own that stand first in the exception table. Where little of the stack is left the probe itself overflows
//! it: the call then goes on unmeasured, with the program's result or exception. Whatever else is thrown there came from
//! outside, such as `Thread.stop`, and goes to the program. All these handlers count, because depths of recursion are not known
//! then. The body's handler stands last, and needs nothing of the program's locals.

use crate::constants::PoolBuilder;
use crate::emit::{Emitter, Kind};
use crate::flow::FlowFacts;
use crate::layout::{Layout, PieceId};
use crate::names;
use crate::plan::{Probe, Sizes};
use crate::region;
use spl_classfile::code::{Code, Handler};
use spl_classfile::instruction::{Flow, Insn};
use spl_classfile::opcode::{self, ATHROW, GOTO, POP};
use spl_classfile::signature::{Field, Signature};
use spl_model::Refusal;

/// Our local variables; they lie behind the method's own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slots {
    token: u16,
    start: u16,
    size: Option<u16>,
    /// The result or the exception on its way out; never both.
    held: u16,
    pub(crate) max_locals: u16,
}

impl Slots {
    pub(crate) fn behind(max_locals: u16, sizes: Sizes, result: Option<Kind>) -> Result<Self, Refusal> {
        let words = if sizes == Sizes::None { 3 } else { 5 };
        let held_words = result.map_or(1, Kind::words);
        let full = || Refusal::TableFull("local variables".to_owned());
        let held = max_locals.checked_add(words).ok_or_else(full)?;
        let after = held.checked_add(held_words).ok_or_else(full)?;
        let size = (sizes != Sizes::None).then_some(max_locals + 3);
        Ok(Self { token: max_locals, start: max_locals + 1, size, held, max_locals: after })
    }

    pub(crate) fn has_size(&self) -> bool {
        self.size.is_some()
    }
}

/// What the probes of a method depend on.
pub(crate) struct Subject<'a, 'b> {
    /// Constant index of the method's class, where its code can load it.
    pub(crate) owner: Option<u16>,
    pub(crate) code: &'b Code<'a>,
    pub(crate) insns: &'b [Insn<'a>],
    pub(crate) facts: &'b FlowFacts,
    pub(crate) signature: &'b Signature<'a>,
    pub(crate) is_static: bool,
    /// Whether it is a constructor.
    pub(crate) constructs: bool,
    /// Index of the first instruction of the region.
    pub(crate) region: usize,
    pub(crate) probe: &'b Probe,
}

/// The code with probes, placed.
pub(crate) struct Woven<'a> {
    pub(crate) layout: Layout<'a>,
    pub(crate) handlers: Vec<Handler>,
    /// How many of `handlers` stand before the program's own.
    pub(crate) handlers_before: usize,
    pub(crate) slots: Slots,
    pub(crate) max_stack: u16,
    pub(crate) thrown: PieceId,
    pub(crate) handled: Handled,
}

/// Where the handlers of our own code begin, in the order in which they lie there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handled {
    /// An overflow in the exit by an exception: that goes on.
    pub(crate) drop_thrown: PieceId,
    /// An overflow in the exit by a return, if the method has one: it goes on.
    pub(crate) drop_result: Option<PieceId>,
    /// An overflow in the entry code: the body runs unmeasured. `None` where the body begins with a stack that is not empty,
    /// which a handler cannot keep.
    pub(crate) unmeasured: Option<PieceId>,
    /// Anything else.
    pub(crate) escaped: PieceId,
}

/// Pieces of the exit code before one return instruction: `[store] record… load… return next`.
struct Exit {
    store: PieceId,
    record: PieceId,
    load: PieceId,
    next: PieceId,
}

/// The entry code and what follows it.
struct Entry {
    entry: PieceId,
    body: PieceId,
}

struct Weaver<'a, 'b> {
    subject: &'b Subject<'a, 'b>,
    pool: &'b mut PoolBuilder<'a>,
    slots: Slots,
    layout: Layout<'a>,
    exits: Vec<Exit>,
    max_stack: usize,
}

/// Weaves the probe in and places the result. `result` is the kind that the method returns.
pub(crate) fn weave<'a>(subject: &Subject<'a, '_>, pool: &mut PoolBuilder<'a>) -> Result<Woven<'a>, Refusal> {
    let result = subject.signature.result.map(Kind::of);
    let slots = Slots::behind(subject.code.max_locals, subject.probe.sizes, result)?;
    let layout = Layout::new(subject.code.bytes.len());
    let max_stack = usize::from(subject.code.max_stack);
    let mut weaver = Weaver { subject, pool, slots, layout, exits: Vec::new(), max_stack };
    weaver.before_region()?;
    let entry = weaver.layout.next();
    weaver.entry()?;
    let body = weaver.layout.next();
    weaver.body(result)?;
    weaver.finish(Entry { entry, body }, result)
}

impl<'a> Weaver<'a, '_> {
    fn insert(
        &mut self,
        build: impl FnOnce(&mut Emitter<'_, '_>) -> Result<(), Refusal>,
    ) -> Result<PieceId, Refusal> {
        let pool = &mut *self.pool;
        self.layout.insert(|code| build(&mut Emitter { pool, code }))
    }

    /// Notes that `words` are pushed where the original stack has the height `height`; when that is not known (no path
    /// leads there) it is at most what the original code asked for, less the `popped` words.
    fn needs_stack(&mut self, height: Option<usize>, popped: u16, words: usize) {
        let height = height.unwrap_or(usize::from(self.subject.code.max_stack));
        self.max_stack = self.max_stack.max(height.saturating_sub(usize::from(popped)) + words);
    }

    /// The part of a constructor before the region. Our locals are set at once, so that every frame can carry them.
    fn before_region(&mut self) -> Result<(), Refusal> {
        if self.subject.region == 0 {
            return Ok(());
        }
        let slots = self.slots;
        self.insert(|code| {
            code.int(0)?.store(Kind::Int, slots.token).small_long(0)?.store(Kind::Long, slots.start);
            if let Some(size) = slots.size {
                code.small_long(0)?.store(Kind::Long, size);
            }
            Ok(())
        })?;
        self.needs_stack(Some(0), 0, 2);
        for insn in &self.subject.insns[..self.subject.region] {
            self.layout.enter_here(insn.at);
            self.layout.push(*insn);
        }
        Ok(())
    }

    fn entry(&mut self) -> Result<(), Refusal> {
        let (slots, subject, probe) = (self.slots, self.subject, self.subject.probe);
        self.insert(|code| {
            code.int(probe.id as i32)?.call(names::ENTER.0, names::ENTER.1)?.store(Kind::Int, slots.token);
            if let Some(size) = slots.size {
                sizes(code, subject, slots, size)?;
                code.store(Kind::Long, size);
            }
            code.load(Kind::Int, slots.token).call(names::BEGIN.0, names::BEGIN.1)?;
            code.store(Kind::Long, slots.start);
            Ok(())
        })?;
        self.needs_stack(self.height_at_region(), 0, if slots.has_size() { 5 } else { 2 });
        Ok(())
    }

    fn height_at_region(&self) -> Option<usize> {
        self.subject.facts.heights.get(self.subject.region).copied().flatten()
    }

    fn body(&mut self, result: Option<Kind>) -> Result<(), Refusal> {
        for (index, insn) in self.subject.insns.iter().enumerate().skip(self.subject.region) {
            self.layout.enter_here(insn.at);
            if opcode::is_return(insn.opcode) {
                self.exit(index, insn, result)?;
            } else {
                self.layout.push(*insn);
            }
        }
        self.layout.enter_here(self.subject.code.bytes.len() as u32);
        Ok(())
    }

    fn exit(&mut self, index: usize, insn: &Insn<'a>, result: Option<Kind>) -> Result<(), Refusal> {
        if Kind::of_return(insn.opcode) != result {
            let message = format!("the return instruction at {} does not fit the descriptor", insn.at);
            return Err(Refusal::Malformed(message));
        }
        let held = self.slots.held;
        let store = self.insert(|code| {
            result.map(|kind| code.store(kind, held));
            Ok(())
        })?;
        let record = self.record(names::LEAVE)?;
        let load = self.insert(|code| {
            result.map(|kind| code.load(kind, held));
            Ok(())
        })?;
        self.layout.push(*insn);
        self.exits.push(Exit { store, record, load, next: self.layout.next() });
        let height = self.subject.facts.heights.get(index).copied().flatten();
        self.needs_stack(height, result.map_or(0, Kind::words), self.record_stack());
        Ok(())
    }

    fn record(&mut self, method: &'static str) -> Result<PieceId, Refusal> {
        let slots = self.slots;
        self.insert(|code| {
            code.load(Kind::Long, slots.start).load(Kind::Int, slots.token);
            match slots.size {
                None => code.call(method, names::EXIT)?,
                Some(size) => code.load(Kind::Long, size).call(method, names::EXIT_SIZED)?,
            };
            Ok(())
        })
    }

    fn record_stack(&self) -> usize {
        if self.slots.has_size() { 5 } else { 3 }
    }

    fn finish(mut self, entry: Entry, result: Option<Kind>) -> Result<Woven<'a>, Refusal> {
        let held = self.slots.held;
        let thrown = self.insert(|code| {
            code.store(Kind::Reference, held);
            Ok(())
        })?;
        let record = self.record(names::THROWN)?;
        let rethrow = self.insert(|code| {
            code.load(Kind::Reference, held).op(ATHROW);
            Ok(())
        })?;
        self.needs_stack(Some(0), 0, self.record_stack());
        let handled = self.handled(result)?;
        let overflow = self.pool.class(names::OVERFLOW)?;
        self.layout.place()?;
        let mut handlers = Handlers { layout: &self.layout, overflow, list: Vec::new() };
        for exit in &self.exits {
            handlers.add_ours(exit.record, exit.load, handled.drop_result, handled.escaped);
        }
        handlers.add_ours(record, rethrow, Some(handled.drop_thrown), handled.escaped);
        handlers.add_ours(entry.entry, entry.body, handled.unmeasured, handled.escaped);
        let handlers_before = handlers.list.len();
        handlers.keep(self.subject, entry.entry)?;
        let mut covered_from = entry.body;
        for exit in &self.exits {
            handlers.add(covered_from, exit.store, thrown, 0);
            covered_from = exit.next;
        }
        handlers.add(covered_from, thrown, thrown, 0);
        let handlers = handlers.list;
        let max_stack = u16::try_from(self.max_stack).map_err(|_| Refusal::TableFull("stack".to_owned()))?;
        let (layout, slots) = (self.layout, self.slots);
        Ok(Woven { layout, handlers, handlers_before, slots, max_stack, thrown, handled })
    }

    /// The code of our own handlers.
    fn handled(&mut self, result: Option<Kind>) -> Result<Handled, Refusal> {
        let held = self.slots.held;
        let drop_thrown = self.insert(|code| {
            code.op(POP).count(names::LOST)?.load(Kind::Reference, held).op(ATHROW);
            Ok(())
        })?;
        let mut drop_result = None;
        if !self.exits.is_empty() {
            drop_result = Some(self.insert(|code| {
                code.op(POP).count(names::LOST)?;
                match result {
                    Some(kind) => code.load(kind, held).op(kind.return_opcode()),
                    None => code.op(opcode::RETURN),
                };
                Ok(())
            })?);
        }
        let unmeasured = self.unmeasured()?;
        let escaped = self.insert(|code| {
            code.count(names::LOST)?.op(ATHROW);
            Ok(())
        })?;
        self.needs_stack(Some(0), 0, 3);
        Ok(Handled { drop_thrown, drop_result, unmeasured, escaped })
    }

    /// Lets the body run as if the gate were closed.
    fn unmeasured(&mut self) -> Result<Option<PieceId>, Refusal> {
        let Some(first) = self.subject.insns.get(self.subject.region) else { return Ok(None) };
        if self.height_at_region() != Some(0) {
            return Ok(None);
        }
        let slots = self.slots;
        let handler = self.insert(|code| {
            code.op(POP).count(names::LOST)?;
            code.int(0)?.store(Kind::Int, slots.token).small_long(0)?.store(Kind::Long, slots.start);
            if let Some(size) = slots.size {
                code.small_long(0)?.store(Kind::Long, size);
            }
            Ok(())
        })?;
        self.layout.push(Insn { at: first.at, opcode: GOTO, bytes: &[], flow: Flow::Jump(first.at) });
        Ok(Some(handler))
    }
}

/// Leaves the workload size on the stack, which needs five words at most.
fn sizes(
    code: &mut Emitter<'_, '_>,
    subject: &Subject<'_, '_>,
    slots: Slots,
    size: u16,
) -> Result<(), Refusal> {
    let (signature, probe) = (subject.signature, subject.probe);
    let first = u16::from(!subject.is_static);
    let parameters = || region::parameter_slots(signature, first);
    match probe.sizes {
        Sizes::None | Sizes::Shallow | Sizes::Deep => {
            let (name, descriptor) = if probe.sizes == Sizes::Deep { names::DEEP } else { names::SIZEOF };
            let widths: u64 = signature.parameters.iter().copied().map(Field::primitive_bytes).sum();
            // At most 255 parameters of 8 bytes.
            code.small_long(widths as u16)?;
            for (slot, _) in parameters().filter(|(_, field)| field.is_reference()) {
                code.store(Kind::Long, size);
                code.load(Kind::Int, slots.token).load(Kind::Long, size).load(Kind::Reference, slot);
                code.call(name, descriptor)?;
            }
        }
        Sizes::Length => {
            code.small_long(0)?;
            for (slot, field) in parameters() {
                code.store(Kind::Long, size);
                code.load(Kind::Int, slots.token).load(Kind::Long, size).load(Kind::of(field), slot);
                let (name, descriptor) =
                    if field.is_reference() { names::LENGTH } else { names::LENGTH_OF_NUMBER };
                code.widen(Kind::of(field)).call(name, descriptor)?;
            }
        }
        Sizes::Processor => {
            // Nothing is held yet.
            let arguments = slots.held;
            code.load(Kind::Int, slots.token).int(signature.parameters.len() as i32)?;
            code.call(names::ARGUMENTS.0, names::ARGUMENTS.1)?.store(Kind::Reference, arguments);
            for (index, (slot, field)) in (0..).zip(parameters()) {
                code.load(Kind::Reference, arguments).int(index)?.load(Kind::of(field), slot);
                code.call(names::ARGUMENT, names::argument_descriptor(field.tag()))?;
            }
            code.load(Kind::Int, slots.token);
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

struct Handlers<'l, 'a> {
    layout: &'l Layout<'a>,
    /// Constant index of the class of stack overflows.
    overflow: u16,
    list: Vec<Handler>,
}

impl Handlers<'_, '_> {
    /// A handler of the class with this constant index, 0 for everything, unless it would cover nothing.
    fn add(&mut self, start: PieceId, end: PieceId, target: PieceId, catches: u16) {
        let [start, end, target] = [start, end, target].map(|piece| self.layout.offset(piece));
        if start < end {
            self.list.push(Handler { start, end, target, catches });
        }
    }

    /// The handlers of a part of our own code: of an overflow, if there is one, and of anything else.
    fn add_ours(&mut self, start: PieceId, end: PieceId, overflow: Option<PieceId>, escaped: PieceId) {
        if let Some(target) = overflow {
            self.add(start, end, target, self.overflow);
        }
        self.add(start, end, escaped, 0);
    }

    /// The program's own handlers; one that ends where the region starts does not cover the entry code.
    fn keep(&mut self, subject: &Subject<'_, '_>, entry: PieceId) -> Result<(), Refusal> {
        let region_at = subject.insns.get(subject.region).map(|insn| insn.at);
        for handler in &subject.code.handlers {
            if handler.start >= handler.end {
                return Err(Refusal::Malformed("an exception handler covers nothing".to_owned()));
            }
            let end = u32::from(handler.end);
            self.list.push(Handler {
                start: self.layout.moved(u32::from(handler.start))?,
                end: if Some(end) == region_at {
                    self.layout.offset(entry)
                } else {
                    self.layout.moved(end)?
                },
                target: self.layout.moved(u32::from(handler.target))?,
                catches: handler.catches,
            });
        }
        Ok(())
    }
}
