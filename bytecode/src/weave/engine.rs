//! Puts the code of all kinds of probes between the instructions of one method.
//!
//! Entry and exit code have handlers of their own, which come first in the exception table. If little of the
//! stack is left, the probe itself overflows it. The call then continues unmeasured, with the program's
//! result or exception. Any other exception there came from outside, such as `Thread.stop`, and goes to the
//! program. All these handlers count, because the depths of recursion are unknown afterwards. They count for
//! every kind, because the kinds after the failed one did not run. The body's handler comes last and uses
//! none of the program's locals.
//!
//! Where a handler of the program may have led to, our calls are guarded: a handler of its own stands next to each, which lets the program go
//! on without it. So a handler or a `finally` of the program runs whole, however little of the stack is left. Not guarded are calls in front
//! of calls of the program, which could have overflowed the stack, too, and those where values wait on the stack.

use super::handlers::Handlers;
use super::kinds::Weave;
use super::lock;
use super::slots::AllSlots;
use super::subject::{Site, Subject};
use super::woven::{ExitLandings, Guarded, Landings, Woven};
use crate::constants::PoolBuilder;
use crate::emit::{Emitter, Guard, Kind, Known, Standing};
use crate::layout::{Layout, PieceId};
use crate::names;
use spl_classfile::code::Handler;
use spl_classfile::heads::block_heads;
use spl_classfile::instruction::{Flow, Insn};
use spl_classfile::opcode::{self, ATHROW, GOTO, POP};
use spl_graph::{EdgeKind, Graph};
use spl_model::Refusal;
use std::ops::Range;

/// Pieces of the exit code before one return instruction: `[store] record… load… return next`.
struct Exit {
    store: PieceId,
    record: PieceId,
    load: PieceId,
    next: PieceId,
}

struct Weaver<'a, 'b> {
    subject: &'b Subject<'a, 'b>,
    /// Kinds that enter first come first.
    weaves: &'b [Weave<'b>],
    pool: &'b mut PoolBuilder<'a>,
    /// Kind of the method's return type.
    result: Option<Kind>,
    slots: AllSlots,
    layout: Layout<'a>,
    /// The first instructions of the blocks, if a kind wants blocks.
    heads: Vec<usize>,
    /// Number of these already passed.
    heads_passed: usize,
    /// Whether a handler of the program may have led to a block.
    behind_handlers: Vec<bool>,
    /// The block whose code in front stands further behind, and the offset before which it does.
    late: Option<(usize, u32)>,
    /// Returns.
    wants_exits: bool,
    /// Exceptions that leave the method.
    wants_throws: bool,
    exits: Vec<Exit>,
    /// Calls of our code without which the program goes on, each with the piece that has it.
    guards: Vec<(PieceId, Guard)>,
    max_stack: usize,
}

/// Weaves all kinds into one method, in one pass, and places the result. The first of `weaves` enters first
/// and leaves last. With `guards` calls of ours behind handlers of the program are guarded.
pub(crate) fn weave<'a>(
    subject: &Subject<'a, '_>,
    weaves: &[Weave<'_>],
    pool: &mut PoolBuilder<'a>,
    guards: bool,
) -> Result<Woven<'a>, Refusal> {
    let result = subject.signature.result.map(Kind::of);
    let wants_blocks = weaves.iter().any(|weave| weave.wanted().blocks);
    let heads = if wants_blocks { block_heads(subject.insns, &subject.code.handlers)? } else { Vec::new() };
    let behind_handlers = match &subject.counted {
        Some(counted) if guards => behind_handlers(&counted.graph),
        _ => Vec::new(),
    };
    let mut weaver = Weaver {
        subject,
        weaves,
        pool,
        result,
        slots: AllSlots::behind(
            subject.code.max_locals,
            behind_handlers.contains(&true),
            weaves.iter().map(|weave| (weave.locals(subject), weave.starts())),
            result.map_or(1, Kind::words).max(subject.most_arguments()),
        )?,
        layout: Layout::new(subject.code.bytes.len()),
        heads,
        heads_passed: 0,
        behind_handlers,
        late: None,
        wants_exits: weaves.iter().any(|weave| weave.wanted().exits),
        wants_throws: weaves.iter().any(|weave| weave.wanted().throws),
        exits: Vec::new(),
        guards: Vec::new(),
        max_stack: usize::from(subject.code.max_stack),
    };
    let counters = weaves.iter().position(|weave| matches!(weave, Weave::Blocks(_)));
    weaver.slots.counters = counters.and_then(|index| weaver.slots.of(index).own.first().copied());
    let later_starts = weaver.start()?;
    weaver.before_region()?;
    let (entry, words) = weaver.at(Site::Entry)?;
    weaver.needs_stack(subject.height(subject.region), 0, words);
    let body = weaver.layout.next();
    weaver.program(subject.region..subject.insns.len())?;
    weaver.layout.enter_here(subject.code.bytes.len() as u32);
    weaver.finish(entry..body, later_starts)
}

impl<'a> Weaver<'a, '_> {
    /// The code at the very start. Gives the part of it behind the first call of ours, which had room on the stack.
    fn start(&mut self) -> Result<Option<Range<PieceId>>, Refusal> {
        let (subject, weaves) = (self.subject, self.weaves);
        self.insert(|code, slots| {
            slots.is_full.map(|slot| code.zero(Kind::Int).store(Kind::Int, slot));
            Ok(())
        })?;
        let mut second = None;
        for (index, weave) in weaves.iter().enumerate().filter(|(_, weave)| weave.starts()) {
            let at = |code: &mut Emitter<'_, '_>, slots: &AllSlots| {
                weave.at(Site::Start, subject, slots.of(index), code)
            };
            let (piece, words) = self.insert(at)?;
            second = second.or((index > 0).then_some(piece));
            self.needs_stack(Some(0), 0, words.max(1));
        }
        // No handler of ours can stand where an object is not there yet.
        Ok(second.filter(|_| !subject.constructs).map(|second| second..self.layout.next()))
    }

    fn insert<T>(
        &mut self,
        build: impl FnOnce(&mut Emitter<'_, '_>, &AllSlots) -> Result<T, Refusal>,
    ) -> Result<(PieceId, T), Refusal> {
        self.insert_at(None, build)
    }

    /// Inserts code where the program has this state.
    fn insert_at<T>(
        &mut self,
        standing: Option<Standing>,
        build: impl FnOnce(&mut Emitter<'_, '_>, &AllSlots) -> Result<T, Refusal>,
    ) -> Result<(PieceId, T), Refusal> {
        let (pool, slots) = (&mut *self.pool, &self.slots);
        let (piece, (built, guards)) = self.layout.insert(|code| {
            let mut emitter = Emitter::new(pool, code, standing);
            let built = build(&mut emitter, slots)?;
            Ok((built, emitter.guards))
        })?;
        self.guards.extend(guards.into_iter().map(|guard| (piece, guard)));
        Ok((piece, built))
    }

    /// Whether calls of ours in front of an instruction are guarded: where a handler of the program may have led to it. Before the region a
    /// handler of ours would have to keep an object that is not there yet.
    fn is_guarded(&self, index: usize) -> bool {
        let block = self.heads.partition_point(|head| *head <= index).saturating_sub(1);
        index >= self.subject.region && self.behind_handlers.get(block) == Some(&true)
    }

    /// The state in front of an instruction, if its stack is empty but for an exception or a result.
    fn standing(&self, index: usize) -> Option<Standing> {
        let insn = self.subject.insns.get(index).filter(|_| self.is_guarded(index))?;
        let handlers = || self.subject.code.handlers.iter().map(|handler| u32::from(handler.target));
        let waits = match self.subject.height(index)? {
            0 => None,
            words if opcode::is_return(insn.opcode) => {
                Some(self.result.filter(|result| usize::from(result.words()) == words)?)
            }
            1 if insn.opcode == ATHROW || handlers().any(|target| target == insn.at) => Some(Kind::Reference),
            _ => return None,
        };
        Some(Standing { locals: Known::At(insn.at), waits, is_full: self.slots.is_full? })
    }

    /// The state on an edge from the instruction `from`, if the stack is empty at its end.
    fn standing_on(&self, from: usize, edge: usize) -> Option<Standing> {
        let graph = &self.subject.counted.as_ref()?.graph;
        let edge = graph.edges.get(edge)?;
        let first = graph.blocks.get(edge.to)?.first;
        let index = self.subject.insns.binary_search_by_key(&first, |insn| insn.at).ok()?;
        let insn = self.subject.insns.get(from).filter(|_| self.is_guarded(from))?;
        // The types are those of the code that the edge leaves: the code on the edge is covered by the same handlers.
        let locals = match edge.kind {
            EdgeKind::FallThrough => Known::FallenTo(insn.end()),
            EdgeKind::Switch { .. } => Known::Switched(insn.at),
            EdgeKind::Taken | EdgeKind::Exception { .. } => Known::At(insn.at),
        };
        let is_empty = self.subject.height(index) == Some(0);
        Some(Standing { locals, waits: None, is_full: self.slots.is_full? }).filter(|_| is_empty)
    }

    /// The code of all kinds for a site, and its stack words.
    fn at(&mut self, site: Site) -> Result<(PieceId, usize), Refusal> {
        self.at_state(site, None)
    }

    /// [`at`](Self::at), where the program has this state.
    fn at_state(&mut self, site: Site, standing: Option<Standing>) -> Result<(PieceId, usize), Refusal> {
        let (subject, weaves) = (self.subject, self.weaves);
        self.insert_at(standing, |code, slots| {
            let mut words = 0;
            for turn in 0..weaves.len() {
                let index = if site.is_exit() { weaves.len() - 1 - turn } else { turn };
                words = words.max(weaves[index].at(site, subject, slots.of(index), code)?);
            }
            for (index, weave) in weaves.iter().enumerate().filter(|_| site == Site::Entry) {
                words = words.max(weave.entered(subject, slots.of(index), code)?);
            }
            Ok(words)
        })
    }

    /// Records that `words` are pushed where the original stack has the height `height`. If that is unknown
    /// (no path leads there), it is at most the original maximum, minus the `popped` words.
    fn needs_stack(&mut self, height: Option<usize>, popped: u16, words: usize) {
        let height = height.unwrap_or(usize::from(self.subject.code.max_stack));
        self.max_stack = self.max_stack.max(height.saturating_sub(usize::from(popped)) + words);
    }

    /// The part of a constructor before the region. Our locals are set at its start, so that every frame can
    /// carry them.
    fn before_region(&mut self) -> Result<(), Refusal> {
        if self.subject.region == 0 {
            return Ok(());
        }
        let (_, words) = self.insert(|code, slots| Ok(slots.blank(code)))?;
        self.needs_stack(Some(0), 0, words);
        self.program(0..self.subject.region)
    }

    /// A range of the program's instructions, with the code inserted before them.
    fn program(&mut self, range: Range<usize>) -> Result<(), Refusal> {
        let insns = self.subject.insns.get(range.clone()).unwrap_or_default();
        for (index, insn) in range.zip(insns) {
            self.layout.enter_here(insn.at);
            if let Some((block, _)) = self.late.take_if(|(_, from)| *from <= insn.at) {
                let (_, words) = self.at_state(Site::BlockHead(block), self.standing(index))?;
                self.needs_stack(self.subject.height(index), 0, words);
            }
            if self.heads.get(self.heads_passed) == Some(&index) {
                self.head(index, insn)?;
                self.heads_passed += 1;
            }
            if self.subject.calls_at(insn.at) {
                let (_, words) = self.at(Site::Call(insn.at))?;
                self.needs_stack(self.subject.height(index), 0, words);
            }
            let next_head = self.heads.get(self.heads_passed).copied().unwrap_or(self.subject.insns.len());
            if self.subject.counted.is_some() && next_head == index + 1 {
                self.end_of_block(index, insn)?;
            } else {
                self.original(index, insn)?;
            }
        }
        Ok(())
    }

    /// The code in front of a block.
    fn head(&mut self, index: usize, insn: &Insn<'a>) -> Result<(), Refusal> {
        let next = self.heads.get(self.heads_passed + 1).copied().unwrap_or(self.subject.insns.len());
        let block = self.subject.insns.get(index..next).unwrap_or_default();
        if let Some(from) = lock::behind_release(block, &self.subject.code.handlers) {
            self.late = Some((self.heads_passed, from));
            return Ok(());
        }
        let (_, words) = self.at_state(Site::BlockHead(self.heads_passed), self.standing(index))?;
        self.needs_stack(self.subject.height(index), 0, words);
        self.layout.head_ends(insn.at);
        Ok(())
    }

    fn original(&mut self, index: usize, insn: &Insn<'a>) -> Result<(), Refusal> {
        // A constructor cannot return before its region.
        if opcode::is_return(insn.opcode) && index >= self.subject.region {
            return self.exit(index, insn);
        }
        self.layout.push(*insn);
        if self.subject.makes_at(insn.at) {
            let (_, words) = self.at(Site::Made(insn.at))?;
            self.needs_stack(self.subject.height(index + 1), 0, words);
        }
        Ok(())
    }

    /// The last instruction of a block, with the code on its edges.
    fn end_of_block(&mut self, index: usize, insn: &Insn<'a>) -> Result<(), Refusal> {
        let block = self.heads_passed.saturating_sub(1);
        let Some(counted) = &self.subject.counted else { return Ok(()) };
        let edges = counted.graph.blocks.get(block).map(|block| block.edges.clone()).unwrap_or_default();
        let edges = || edges.clone().filter_map(|place| Some((place, counted.graph.edges.get(place)?)));
        if opcode::is_return(insn.opcode) {
            let (_, words) = self.at_state(Site::Returning(block), self.standing(index))?;
            self.needs_stack(self.subject.height(index), 0, words);
            return self.original(index, insn);
        }
        let throwing = Site::Throwing(block);
        if insn.opcode == ATHROW && self.weaves.iter().any(|weave| weave.is_on(throwing, self.subject)) {
            let (_, words) = self.at_state(throwing, self.standing(index))?;
            self.needs_stack(self.subject.height(index), 0, words);
        }
        let taken = edges().find(|(_, edge)| edge.kind == EdgeKind::Taken);
        let falls = edges().find(|(_, edge)| edge.kind == EdgeKind::FallThrough);
        match (&insn.flow, taken) {
            (Flow::Jump(_), Some((taken, _))) if falls.is_some() => {
                let (subject, weaves, standing) = (self.subject, self.weaves, self.standing_on(index, taken));
                let (piece, pool, slots) = (self.layout.next(), &mut *self.pool, &self.slots);
                let (words, guards) = self.layout.push_through(*insn, |code| {
                    let mut emitter = Emitter::new(pool, code, standing);
                    let words = on_edge(taken, subject, weaves, slots, &mut emitter)?;
                    Ok((words, emitter.guards))
                })?;
                self.guards.extend(guards.into_iter().map(|guard| (piece, guard)));
                // The operands of the condition are not on the stack any more.
                self.needs_stack(self.subject.height(index), 0, words);
            }
            (Flow::Jump(_), Some((taken, _))) => {
                let (_, words) = self.at_state(Site::Edge(taken), self.standing_on(index, taken))?;
                self.needs_stack(self.subject.height(index), 0, words);
                self.layout.push(*insn);
            }
            _ => {
                let switch = self.layout.next();
                self.original(index, insn)?;
                for (place, edge) in edges().filter(|(_, edge)| matches!(edge.kind, EdgeKind::Switch { .. }))
                {
                    self.case(switch, index, place, counted.graph.blocks[edge.to].first)?;
                }
            }
        }
        if let Some((falls, _)) = falls {
            let (piece, words) = self.at_state(Site::Edge(falls), self.standing_on(index, falls))?;
            self.needs_stack(self.subject.height(index + 1), 0, words);
            if insn.opcode == opcode::MONITORENTER {
                self.layout.locked_from(insn.end(), piece);
            }
        }
        Ok(())
    }

    /// The code on an edge of a switch, from where it goes on to the original target.
    fn case(&mut self, switch: PieceId, index: usize, edge: usize, target: u32) -> Result<(), Refusal> {
        if !self.weaves.iter().any(|weave| weave.is_on(Site::Edge(edge), self.subject)) {
            return Ok(());
        }
        let (piece, words) = self.at_state(Site::Edge(edge), self.standing_on(index, edge))?;
        self.needs_stack(self.subject.height(index), 0, words);
        let at = self.subject.insns.get(index).map_or(0, |insn| insn.at);
        self.layout.push(Insn { at, opcode: GOTO, bytes: &[], flow: Flow::Jump(target) });
        self.layout.redirect(switch, target, piece);
        Ok(())
    }

    fn exit(&mut self, index: usize, insn: &Insn<'a>) -> Result<(), Refusal> {
        let result = self.result;
        if Kind::of_return(insn.opcode) != result {
            let message = format!("the return instruction at {} does not fit the descriptor", insn.at);
            return Err(Refusal::Malformed(message));
        }
        if !self.wants_exits {
            self.layout.push(*insn);
            return Ok(());
        }
        let (store, ()) = self.insert(|code, slots| {
            result.map(|kind| code.store(kind, slots.held));
            Ok(())
        })?;
        let (record, words) = self.at(Site::Return)?;
        let (load, ()) = self.insert(|code, slots| {
            result.map(|kind| code.load(kind, slots.held));
            Ok(())
        })?;
        self.layout.push(*insn);
        self.exits.push(Exit { store, record, load, next: self.layout.next() });
        self.needs_stack(self.subject.height(index), result.map_or(0, Kind::words), words);
        Ok(())
    }

    fn finish(
        mut self,
        entry: Range<PieceId>,
        later_starts: Option<Range<PieceId>>,
    ) -> Result<Woven<'a>, Refusal> {
        let exits = if self.wants_throws { Some(self.exit_landings()?) } else { None };
        let has_entry = self.weaves.iter().any(|weave| !weave.starts());
        let has_handlers = has_entry || exits.is_some() || later_starts.is_some();
        let is_guarded = has_handlers || !self.guards.is_empty();
        let unmeasured = if has_entry { self.unmeasured()? } else { None };
        let escaped = if has_handlers { Some(self.escaped()?) } else { None };
        let landings = Landings { exits, unmeasured, escaped };
        let overflow = if is_guarded { self.pool.class(names::OVERFLOW)? } else { 0 };
        self.layout.place()?;
        let (handlers, handler_index) = self.handlers((entry, later_starts), &landings, overflow)?;
        let max_stack = u16::try_from(self.max_stack).map_err(|_| Refusal::TableFull("stack".to_owned()))?;
        let (layout, slots) = (self.layout, self.slots);
        let guarded = self.guards.iter().map(|(piece, guard)| Guarded {
            landing: layout.inside(*piece, guard.landing),
            others: [guard.instead, guard.resumed].map(|inside| layout.inside(*piece, inside)),
            locals: guard.locals,
            waits: guard.waits,
        });
        let guarded = guarded.collect();
        Ok(Woven { layout, handlers, handler_index, slots, max_stack, landings, guarded })
    }

    /// The exception table, and the number of entries before the program's own.
    fn handlers(
        &self,
        (entry, later_starts): (Range<PieceId>, Option<Range<PieceId>>),
        landings: &Landings,
        overflow: u16,
    ) -> Result<(Vec<Handler>, Vec<usize>), Refusal> {
        let mut handlers = Handlers { layout: &self.layout, overflow, list: Vec::new() };
        if let (Some(exits), Some(escaped)) = (&landings.exits, landings.escaped) {
            for exit in &self.exits {
                handlers.add_ours(exit.record, exit.load, exits.drop_result, escaped);
            }
            handlers.add_ours(exits.record, exits.rethrown, Some(exits.drop_thrown), escaped);
        }
        if let Some(escaped) = landings.escaped {
            handlers.add_ours(entry.start, entry.end, landings.unmeasured, escaped);
        }
        if let (Some(starts), Some(escaped)) = (later_starts, landings.escaped) {
            handlers.add(starts.start, starts.end, escaped, 0);
        }
        for (piece, guard) in &self.guards {
            let [start, end, target] = [guard.guarded.start, guard.guarded.end, guard.landing]
                .map(|inside| self.layout.inside(*piece, inside));
            handlers.list.push(Handler { start, end, target, catches: overflow });
        }
        let index = handlers.keep(self.subject, entry.start)?;
        if let Some(exits) = &landings.exits {
            let mut covered_from = entry.end;
            for exit in &self.exits {
                handlers.add(covered_from, exit.store, exits.thrown, 0);
                covered_from = exit.next;
            }
            handlers.add(covered_from, exits.thrown, exits.thrown, 0);
        }
        Ok((handlers.list, index))
    }

    /// The exit by exception, and the handlers of exits.
    fn exit_landings(&mut self) -> Result<ExitLandings, Refusal> {
        let result = self.result;
        let (thrown, ()) = self.insert(|code, slots| {
            code.store(Kind::Reference, slots.held);
            Ok(())
        })?;
        let (record, words) = self.at(Site::Throw)?;
        self.needs_stack(Some(0), 0, words.max(1));
        let rethrow = |code: &mut Emitter<'_, '_>, slots: &AllSlots| {
            code.load(Kind::Reference, slots.held).op(ATHROW);
            1
        };
        let (rethrown, _) = self.insert(|code, slots| Ok(rethrow(code, slots)))?;
        let drop_thrown = self.dropping(rethrow)?;
        let mut drop_result = None;
        if !self.exits.is_empty() {
            drop_result = Some(self.dropping(|code, slots| {
                match result {
                    Some(kind) => code.load(kind, slots.held).op(kind.return_opcode()),
                    None => code.op(opcode::RETURN),
                };
                result.map_or(0, |kind| usize::from(kind.words()))
            })?);
        }
        Ok(ExitLandings { thrown, record, rethrown, drop_thrown, drop_result })
    }

    /// The handler that lets the body run as with a closed gate.
    fn unmeasured(&mut self) -> Result<Option<PieceId>, Refusal> {
        let Some(first) = self.subject.insns.get(self.subject.region) else { return Ok(None) };
        if self.subject.height(self.subject.region) != Some(0) {
            return Ok(None);
        }
        let handler = self.dropping(|code, slots| slots.blank(code))?;
        self.layout.push(Insn { at: first.at, opcode: GOTO, bytes: &[], flow: Flow::Jump(first.at) });
        Ok(Some(handler))
    }

    /// A handler that drops the exception, counts, and continues with the code of `then`, which returns its
    /// stack words.
    fn dropping(
        &mut self,
        then: impl FnOnce(&mut Emitter<'_, '_>, &AllSlots) -> usize,
    ) -> Result<PieceId, Refusal> {
        let weaves = self.weaves;
        let (handler, words) = self.insert(|code, slots| {
            code.op(POP);
            Ok(lost(weaves, code)?.max(then(code, slots)))
        })?;
        self.needs_stack(Some(0), 0, words.max(1));
        Ok(handler)
    }

    /// A handler that counts, and rethrows the exception.
    fn escaped(&mut self) -> Result<PieceId, Refusal> {
        let weaves = self.weaves;
        let (handler, words) = self.insert(|code, _| {
            let words = lost(weaves, code)?;
            code.op(ATHROW);
            Ok(words)
        })?;
        self.needs_stack(Some(0), 0, 1 + words);
        Ok(handler)
    }
}

/// For each block whether a handler begins it, or it is reached from one.
fn behind_handlers(graph: &Graph<'_>) -> Vec<bool> {
    let mut behind = vec![false; graph.blocks.len()];
    let mut open: Vec<usize> = graph.handlers.iter().map(|handler| handler.target).collect();
    while let Some(block) = open.pop() {
        let Some(is_behind) = behind.get_mut(block).filter(|is_behind| !**is_behind) else { continue };
        *is_behind = true;
        let edges = graph.blocks.get(block).map(|block| block.edges.clone()).unwrap_or_default();
        open.extend(edges.filter_map(|edge| graph.edges.get(edge)).map(|edge| edge.to));
    }
    behind
}

/// The code of all kinds on an edge; returns the stack words it needs.
fn on_edge(
    edge: usize,
    subject: &Subject<'_, '_>,
    weaves: &[Weave<'_>],
    slots: &AllSlots,
    code: &mut Emitter<'_, '_>,
) -> Result<usize, Refusal> {
    let on_one = |most: usize, (index, weave): (usize, &Weave<'_>)| {
        Ok(most.max(weave.at(Site::Edge(edge), subject, slots.of(index), code)?))
    };
    weaves.iter().enumerate().try_fold(0, on_one)
}

/// Counts a call for all kinds as not recorded; returns the stack words it needs.
fn lost(weaves: &[Weave<'_>], code: &mut Emitter<'_, '_>) -> Result<usize, Refusal> {
    weaves.iter().try_fold(0, |most, weave| Ok(most.max(weave.lost(code)?)))
}
