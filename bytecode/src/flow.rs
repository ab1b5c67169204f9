//! Height of the stack at each instruction, and the place where a constructor calls `this(…)` or `super(…)`.
//!
//! For each stack word and local slot, the simulation tracks only whether it holds the object under
//! construction before that call. Where paths meet, only facts that hold on both are kept, as in the JVM's
//! verifier.

use crate::budget::Budget;
use spl_classfile::code::Code;
use spl_classfile::heads::{entered_offsets, index_at};
use spl_classfile::instruction::{Insn, LocalAccess};
use spl_classfile::opcode::{self, INVOKEDYNAMIC, INVOKESPECIAL, INVOKESTATIC, MULTIANEWARRAY};
use spl_classfile::pool::Pool;
use spl_classfile::reader::malformed;
use spl_classfile::signature::{self, Field};
use spl_model::Refusal;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Result of the simulation for each instruction, in code order.
#[derive(Debug)]
pub(crate) struct FlowFacts {
    /// Stack words before the instruction; `None` if no path leads there.
    pub(crate) heights: Vec<Option<usize>>,
    /// For constructors: whether the object is still under construction before the instruction.
    pub(crate) before_init: Vec<bool>,
    /// The instructions that initialise the object under construction.
    pub(crate) init_calls: Vec<usize>,
}

#[derive(Debug, Default, PartialEq, Eq)]
struct State {
    /// For each stack word, whether it is the object under construction.
    stack: Vec<bool>,
    /// The local slots that hold that object, ascending.
    locals: Vec<u16>,
    before_init: bool,
}

struct Simulation<'a, 'b> {
    insns: &'b [Insn<'a>],
    code: &'b Code<'a>,
    pool: &'b Pool<'a>,
    /// Whether paths can meet at the instruction: at branch targets and handlers.
    meets: Vec<bool>,
    /// The states at these instructions; for all others only the facts are kept.
    states: BTreeMap<usize, State>,
    /// Whether an exception handler begins to cover code at an instruction.
    covers_from: Vec<bool>,
    pending: Vec<usize>,
    facts: FlowFacts,
    budget: &'b mut Budget,
}

/// Simulates `code`. `constructs` says that local 0 holds an object under construction at the start.
pub(crate) fn analyse<'a>(
    code: &Code<'a>,
    insns: &[Insn<'a>],
    pool: &Pool<'a>,
    constructs: bool,
    budget: &mut Budget,
) -> Result<FlowFacts, Refusal> {
    let mut simulation = Simulation {
        insns,
        code,
        pool,
        meets: vec![false; insns.len()],
        states: BTreeMap::new(),
        covers_from: vec![false; insns.len()],
        pending: Vec::new(),
        facts: FlowFacts {
            heights: vec![None; insns.len()],
            before_init: vec![false; insns.len()],
            init_calls: Vec::new(),
        },
        budget,
    };
    simulation.find_meetings();
    let locals = if constructs { vec![0] } else { Vec::new() };
    simulation.reach(0, &State { stack: Vec::new(), locals, before_init: constructs })?;
    let mut state = State::default();
    while let Some(index) = simulation.pending.pop() {
        simulation.run_from(index, &mut state)?;
    }
    let mut facts = simulation.facts;
    facts.init_calls.sort_unstable();
    facts.init_calls.dedup();
    Ok(facts)
}

impl Simulation<'_, '_> {
    fn find_meetings(&mut self) {
        for at in entered_offsets(self.insns, &self.code.handlers) {
            if let Some(index) = index_at(self.insns, at) {
                self.meets[index] = true;
            }
        }
        for handler in &self.code.handlers {
            // A range that starts inside an instruction covers from the next one on.
            let index = self.insns.partition_point(|insn| insn.at < u32::from(handler.start));
            if let Some(covers) = self.covers_from.get_mut(index) {
                *covers = true;
            }
        }
    }

    /// Records that `state` reaches the instruction at offset `at`, where paths can meet.
    fn reach(&mut self, at: u32, state: &State) -> Result<(), Refusal> {
        let index = index_at(self.insns, at)
            .ok_or_else(|| malformed(format!("offset {at} is reached but no instruction starts there")))?;
        self.budget.spend(state.stack.len() + state.locals.len() + 1)?;
        match self.states.entry(index) {
            Entry::Vacant(new) => {
                new.insert(State::default()).copy(state);
            }
            Entry::Occupied(mut known) => {
                if !known.get_mut().meet(state)? {
                    return Ok(());
                }
            }
        }
        self.pending.push(index);
        Ok(())
    }

    /// Executes from the instruction `index`, in its recorded state, up to a place where paths can meet or
    /// the path ends. `state` is overwritten.
    fn run_from(&mut self, index: usize, state: &mut State) -> Result<(), Refusal> {
        if let Some(noted) = self.states.get(&index) {
            state.copy(noted);
        }
        let insns = self.insns;
        let mut looks_at_handlers = true;
        for (index, insn) in insns.iter().enumerate().skip(index) {
            self.budget.spend(1)?;
            self.facts.heights[index] = Some(state.stack.len());
            self.facts.before_init[index] = state.before_init;
            if looks_at_handlers || self.covers_from[index] {
                self.reach_handlers(insn.at, state)?;
            }
            // The state seen by a handler changes only by calls of constructors on their object.
            looks_at_handlers = state.before_init;
            self.execute(index, state)?;
            if state.stack.len() > usize::from(self.code.max_stack) {
                return Err(malformed(format!("the stack overflows at {}", insn.at)));
            }
            for target in insn.targets() {
                self.reach(target, state)?;
            }
            if opcode::ends_flow(insn.opcode) {
                return Ok(());
            }
            if self.meets.get(index + 1).copied().unwrap_or(true) {
                return self.reach(insn.end(), state);
            }
        }
        Ok(())
    }

    fn reach_handlers(&mut self, at: u32, state: &State) -> Result<(), Refusal> {
        let code = self.code;
        // A look at a handler costs about a tenth of copying a word.
        self.budget.spend(code.handlers.len() / 10)?;
        for handler in &code.handlers {
            if (u32::from(handler.start)..u32::from(handler.end)).contains(&at) {
                let (locals, before_init) = (state.locals.clone(), state.before_init);
                self.reach(u32::from(handler.target), &State { stack: vec![false], locals, before_init })?;
            }
        }
        Ok(())
    }
}

impl State {
    /// Becomes a copy of `other`, reusing its own memory.
    fn copy(&mut self, other: &Self) {
        self.stack.clone_from(&other.stack);
        self.locals.clone_from(&other.locals);
        self.before_init = other.before_init;
    }

    /// Keeps the facts that hold in both states; returns whether this one changed.
    fn meet(&mut self, other: &Self) -> Result<bool, Refusal> {
        if self.stack.len() != other.stack.len() {
            return Err(malformed("paths meet with stacks of different heights"));
        }
        if self.before_init != other.before_init {
            return Err(Refusal::Constructor("paths meet of which only one has passed it".to_owned()));
        }
        let before = (self.stack.iter().filter(|word| **word).count(), self.locals.len());
        self.stack.iter_mut().zip(&other.stack).for_each(|(mine, theirs)| *mine &= theirs);
        self.locals.retain(|slot| other.locals.binary_search(slot).is_ok());
        Ok(before != (self.stack.iter().filter(|word| **word).count(), self.locals.len()))
    }

    fn pop(&mut self, words: usize) -> Result<(), Refusal> {
        let left = self.stack.len().checked_sub(words).ok_or_else(|| malformed("the stack underflows"))?;
        self.stack.truncate(left);
        Ok(())
    }

    fn push(&mut self, words: usize) {
        self.stack.resize(self.stack.len() + words, false);
    }

    /// Rearranges the top `depth` words. `order` lists the old positions of the new words, deepest first.
    fn shuffle(&mut self, depth: usize, order: &[usize]) -> Result<(), Refusal> {
        let base = self.stack.len().checked_sub(depth).ok_or_else(|| malformed("the stack underflows"))?;
        let old = self.stack.split_off(base);
        self.stack.extend(order.iter().map(|&from| old[from]));
        Ok(())
    }

    fn access(&mut self, access: LocalAccess) -> Result<(), Refusal> {
        let words = if matches!(access.kind, b'J' | b'D') { 2 } else { 1 };
        let position = self.locals.binary_search(&access.slot);
        if !access.is_store {
            self.push(words);
            if let (b'A', Ok(_), Some(top)) = (access.kind, position, self.stack.last_mut()) {
                *top = true;
            }
            return Ok(());
        }
        let stored = access.kind == b'A' && self.stack.last() == Some(&true);
        self.pop(words)?;
        match position {
            Ok(at) if !stored => drop(self.locals.remove(at)),
            Err(at) if stored => self.locals.insert(at, access.slot),
            _ => {}
        }
        if words == 2 {
            self.locals.retain(|slot| Some(*slot) != access.slot.checked_add(1));
        }
        Ok(())
    }
}

impl Simulation<'_, '_> {
    fn execute(&mut self, index: usize, state: &mut State) -> Result<(), Refusal> {
        let insn = &self.insns[index];
        if let Some((popped, pushed)) = opcode::signature(insn.opcode) {
            state.pop(opcode::words(popped))?;
            state.push(opcode::words(pushed));
            return Ok(());
        }
        if let Some(access) = insn.local_access() {
            return state.access(access);
        }
        match insn.opcode {
            0x01 | opcode::LDC | opcode::LDC_W | opcode::NEW => state.push(1),
            opcode::LDC2_W => state.push(2),
            0x32 => {
                state.pop(2)?;
                state.push(1);
            }
            0xbc | 0xbd => {
                state.pop(1)?;
                state.push(1);
            }
            0xc0 => state.shuffle(1, &[0])?,
            0x57 => state.pop(1)?,
            0x58 => state.pop(2)?,
            0x59 => state.shuffle(1, &[0, 0])?,
            0x5a => state.shuffle(2, &[1, 0, 1])?,
            0x5b => state.shuffle(3, &[2, 0, 1, 2])?,
            0x5c => state.shuffle(2, &[0, 1, 0, 1])?,
            0x5d => state.shuffle(3, &[1, 2, 0, 1, 2])?,
            0x5e => state.shuffle(4, &[2, 3, 0, 1, 2, 3])?,
            0x5f => state.shuffle(2, &[1, 0])?,
            0xb2..=0xb5 => self.field(insn, state)?,
            0xb6..=INVOKEDYNAMIC => self.invoke(index, state)?,
            MULTIANEWARRAY => {
                state.pop(usize::from(insn.bytes.get(3).copied().unwrap_or_default()))?;
                state.push(1);
            }
            other => return Err(malformed(format!("no instruction {other:#x} (at {})", insn.at))),
        }
        Ok(())
    }

    fn field(&self, insn: &Insn<'_>, state: &mut State) -> Result<(), Refusal> {
        let descriptor = self.pool.member(insn.index())?.descriptor;
        let words = if matches!(descriptor, b"J" | b"D") { 2 } else { 1 };
        let (is_put, has_object) = (insn.opcode & 1 == 1, insn.opcode >= 0xb4);
        state.pop(usize::from(has_object) + if is_put { words } else { 0 })?;
        state.push(if is_put { 0 } else { words });
        Ok(())
    }

    fn invoke(&mut self, index: usize, state: &mut State) -> Result<(), Refusal> {
        let insn = &self.insns[index];
        let member = self.pool.member(insn.index())?;
        self.budget.spend_text(member.descriptor.len())?;
        let mut words = 0;
        let result = signature::walk(member.descriptor, |field| words += field.words())?;
        state.pop(words)?;
        if !matches!(insn.opcode, INVOKESTATIC | INVOKEDYNAMIC) {
            let on_this = state.stack.last() == Some(&true);
            state.pop(1)?;
            if on_this && insn.opcode == INVOKESPECIAL && member.name == b"<init>" {
                self.facts.init_calls.push(index);
                state.before_init = false;
                state.locals.clear();
                state.stack.iter_mut().for_each(|word| *word = false);
            }
        }
        state.push(result.map_or(0, Field::words));
        Ok(())
    }
}
