//! The few instructions that are inserted, in their shortest forms.

use crate::constants::PoolBuilder;
use spl_classfile::opcode::{
    BASTORE, GETSTATIC, GOTO, IADD, ICONST_1, IFNE, IINC, INVOKESTATIC, IRETURN, LDC, LDC_W, POP, PUTSTATIC,
    WIDE,
};
use spl_classfile::signature::Field;
use spl_model::Refusal;
use std::ops::Range;

/// Types as load, store and return instructions distinguish them (JVMS 2.11.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Long,
    Float,
    Double,
    Reference,
}

impl Kind {
    pub(crate) fn of(field: Field<'_>) -> Self {
        match field.tag() {
            b'J' => Self::Long,
            b'F' => Self::Float,
            b'D' => Self::Double,
            b'L' | b'[' => Self::Reference,
            _ => Self::Int,
        }
    }

    /// Type of a return instruction's value; `None` for `void`.
    pub(crate) fn of_return(opcode: u8) -> Option<Self> {
        [Self::Int, Self::Long, Self::Float, Self::Double, Self::Reference]
            .into_iter()
            .find(|kind| IRETURN + *kind as u8 == opcode)
    }

    /// Stack words and local slots of one value.
    pub(crate) fn words(self) -> u16 {
        if matches!(self, Self::Long | Self::Double) { 2 } else { 1 }
    }

    pub(crate) fn return_opcode(self) -> u8 {
        IRETURN + self as u8
    }
}

/// The state of the program where inserted code stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Standing {
    /// Where its locals are known.
    pub(crate) locals: Known,
    /// The only value on the stack, if there is one.
    pub(crate) waits: Option<Kind>,
    /// The local variable that is not 0 once guarded code of the activation has overflowed the stack.
    pub(crate) is_full: u16,
}

/// A place of the original code with certain types of the local variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Known {
    /// In front of the instruction at this offset.
    At(u32),
    /// Behind the instruction that falls through to this offset.
    FallenTo(u32),
    /// Behind the switch at this offset.
    Switched(u32),
}

/// Inserted code without which the program can go on if it overflows the stack. Offsets are within the inserted code.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    pub(crate) guarded: Range<usize>,
    /// The handler of an overflow.
    pub(crate) landing: usize,
    /// The code in its place.
    pub(crate) instead: usize,
    /// Where both ways meet again.
    pub(crate) resumed: usize,
    pub(crate) locals: Known,
    /// Whether a value of the program waits in the slot behind our locals.
    pub(crate) waits: bool,
}

/// Bytecode under construction; its constants go to the pool.
#[derive(Debug)]
pub(crate) struct Emitter<'p, 'c> {
    pub(crate) pool: &'p mut PoolBuilder<'c>,
    pub(crate) code: &'p mut Vec<u8>,
    /// The program's state, where guards are possible.
    pub(crate) standing: Option<Standing>,
    pub(crate) guards: Vec<Guard>,
    /// Length of `code` before.
    begin: usize,
}

impl<'p, 'c> Emitter<'p, 'c> {
    /// Appends to `code`.
    pub(crate) fn new(
        pool: &'p mut PoolBuilder<'c>,
        code: &'p mut Vec<u8>,
        standing: Option<Standing>,
    ) -> Self {
        let begin = code.len();
        Self { pool, code, standing, guards: Vec::new(), begin }
    }
}

impl Emitter<'_, '_> {
    /// Code that calls, with the stack as it was behind it. Where it overflows the stack, `instead` runs in its place, which must not call; from
    /// then on at once, because each overflow takes the JVM some 100 us. A value that waits on the stack meanwhile goes to the slot `spare`.
    pub(crate) fn guarded(
        &mut self,
        spare: u16,
        calling: impl FnOnce(&mut Self) -> Result<(), Refusal>,
        instead: impl FnOnce(&mut Self) -> Result<(), Refusal>,
    ) -> Result<(), Refusal> {
        let Some(Standing { locals, waits, is_full }) = self.standing else { return calling(self) };
        if let Some(waits) = waits {
            self.store(waits, spare);
        }
        self.load(Kind::Int, is_full);
        let to_instead = self.jump(IFNE);
        let start = self.here();
        calling(self)?;
        let end = self.here();
        let to_resumed = self.jump(GOTO);
        let landing = self.here();
        self.op(POP).op(ICONST_1).store(Kind::Int, is_full);
        let other = self.here();
        self.lands(to_instead)?;
        instead(self)?;
        self.lands(to_resumed)?;
        let resumed = self.here();
        let waiting = waits.is_some();
        let guard = Guard { guarded: start..end, landing, instead: other, resumed, locals, waits: waiting };
        self.guards.push(guard);
        if let Some(waits) = waits {
            self.load(waits, spare);
        }
        Ok(())
    }

    /// Bytes of the inserted code so far.
    fn here(&self) -> usize {
        self.code.len() - self.begin
    }

    /// A jump over code to come; gives its place.
    fn jump(&mut self, opcode: u8) -> usize {
        let at = self.here();
        self.code.extend([opcode, 0, 0]);
        at
    }

    /// Lets the jump at a place lead here.
    fn lands(&mut self, jump: usize) -> Result<(), Refusal> {
        let far = || Refusal::Malformed("the code behind a call is too long".to_owned());
        let distance = i16::try_from(self.here() - jump).map_err(|_| far())?.to_be_bytes();
        let at = self.begin + jump + 1;
        self.code.get_mut(at..at + 2).ok_or_else(far)?.copy_from_slice(&distance);
        Ok(())
    }

    pub(crate) fn op(&mut self, opcode: u8) -> &mut Self {
        self.code.push(opcode);
        self
    }

    pub(crate) fn load(&mut self, kind: Kind, slot: u16) -> &mut Self {
        self.local(0x15, 0x1a, kind, slot)
    }

    pub(crate) fn store(&mut self, kind: Kind, slot: u16) -> &mut Self {
        self.local(0x36, 0x3b, kind, slot)
    }

    fn local(&mut self, long_form: u8, short_form: u8, kind: Kind, slot: u16) -> &mut Self {
        let long_form = long_form + kind as u8;
        match slot.to_be_bytes() {
            [0, slot @ 0..=3] => self.code.push(short_form + 4 * kind as u8 + slot),
            [0, slot] => self.code.extend([long_form, slot]),
            [high, low] => self.code.extend([WIDE, long_form, high, low]),
        }
        self
    }

    pub(crate) fn int(&mut self, value: i32) -> Result<&mut Self, Refusal> {
        if let Ok(small) = i8::try_from(value) {
            match small {
                -1..=5 => self.code.push((0x03 + small) as u8),
                _ => self.code.extend([0x10, small as u8]),
            }
        } else if let Ok(short) = i16::try_from(value) {
            self.code.push(0x11);
            self.code.extend(short.to_be_bytes());
        } else {
            let index = self.pool.integer(value)?;
            self.constant(index);
        }
        Ok(self)
    }

    /// Loads a constant of one word by its index.
    pub(crate) fn constant(&mut self, index: u16) -> &mut Self {
        match index.to_be_bytes() {
            [0, index] => self.code.extend([LDC, index]),
            [high, low] => self.code.extend([LDC_W, high, low]),
        }
        self
    }

    pub(crate) fn null(&mut self) -> &mut Self {
        self.op(0x01)
    }

    /// Converts the number on the stack to a long; a reference stays.
    pub(crate) fn widen(&mut self, kind: Kind) -> &mut Self {
        match kind {
            Kind::Int => self.op(0x85),
            Kind::Float => self.op(0x8c),
            Kind::Double => self.op(0x8f),
            Kind::Long | Kind::Reference => self,
        }
    }

    /// Pushes a small non-negative number as a long.
    pub(crate) fn small_long(&mut self, value: u16) -> Result<&mut Self, Refusal> {
        match value {
            0 => Ok(self.op(0x09)),
            1 => Ok(self.op(0x0a)),
            _ => Ok(self.int(i32::from(value))?.op(0x85)),
        }
    }

    /// Pushes the zero of a type.
    pub(crate) fn zero(&mut self, kind: Kind) -> &mut Self {
        self.op(match kind {
            Kind::Int => 0x03,
            Kind::Long => 0x09,
            Kind::Float => 0x0b,
            Kind::Double => 0x0e,
            Kind::Reference => 0x01,
        })
    }

    /// Adds one to a static int of the probe class, with three stack words at most.
    pub(crate) fn count(
        &mut self,
        (name, descriptor): (&'static str, &'static str),
    ) -> Result<&mut Self, Refusal> {
        let field = self.pool.field(name, descriptor)?;
        Ok(self.increment(field))
    }

    /// Counts something that a class could not be called for, with two stack words. The method has to have called that class before: then it
    /// is resolved, and no code of a loader runs.
    pub(crate) fn uncounted(&mut self, class: &'static str) -> Result<&mut Self, Refusal> {
        let field = self.pool.uncounted(class)?;
        Ok(self.increment(field))
    }

    fn increment(&mut self, field: u16) -> &mut Self {
        let field = field.to_be_bytes();
        self.op(GETSTATIC).code.extend(field);
        self.op(ICONST_1).op(IADD).op(PUTSTATIC).code.extend(field);
        self
    }

    /// Adds to a local variable, with two stack words at most; returns them.
    pub(crate) fn add_to(&mut self, slot: u16, value: i32) -> Result<usize, Refusal> {
        match (u8::try_from(slot), i8::try_from(value), i16::try_from(value)) {
            (Ok(slot), Ok(value), _) => self.code.extend([IINC, slot, value as u8]),
            (_, _, Ok(value)) => {
                self.code.extend([WIDE, IINC]);
                self.code.extend(slot.to_be_bytes());
                self.code.extend(value.to_be_bytes());
            }
            _ => {
                self.load(Kind::Int, slot).int(value)?.op(IADD).store(Kind::Int, slot);
                return Ok(2);
            }
        }
        Ok(0)
    }

    /// Sets a flag, with three stack words and without a call.
    pub(crate) fn flag(&mut self, number: i32) -> Result<&mut Self, Refusal> {
        let field = self.pool.flags()?.to_be_bytes();
        self.op(GETSTATIC).code.extend(field);
        Ok(self.int(number)?.op(ICONST_1).op(BASTORE))
    }

    /// Calls a method of the class that counts.
    pub(crate) fn call_counters(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<&mut Self, Refusal> {
        let method = self.pool.counters_method(name, descriptor)?;
        Ok(self.invoke_static(method))
    }

    /// Calls a method of the class that lets roots count apart.
    pub(crate) fn call_roots(
        &mut self,
        (name, descriptor): (&'static str, &'static str),
    ) -> Result<&mut Self, Refusal> {
        let method = self.pool.roots_method(name, descriptor)?;
        Ok(self.invoke_static(method))
    }

    /// Calls a method of the class that counts what calls enter.
    pub(crate) fn call_arcs(
        &mut self,
        (name, descriptor): (&'static str, &'static str),
    ) -> Result<&mut Self, Refusal> {
        let method = self.pool.arcs_method(name, descriptor)?;
        Ok(self.invoke_static(method))
    }

    /// Calls a method of the class that adds up durations.
    pub(crate) fn call_times(
        &mut self,
        (name, descriptor): (&'static str, &'static str),
    ) -> Result<&mut Self, Refusal> {
        let method = self.pool.times_method(name, descriptor)?;
        Ok(self.invoke_static(method))
    }

    /// Calls a method of the class that writes traces.
    pub(crate) fn call_trace(
        &mut self,
        (name, descriptor): (&'static str, &'static str),
    ) -> Result<&mut Self, Refusal> {
        let method = self.pool.trace_method(name, descriptor)?;
        Ok(self.invoke_static(method))
    }

    /// Adds to a local variable, with two stack words.
    pub(crate) fn add(&mut self, slot: u16, value: i32) -> Result<&mut Self, Refusal> {
        const IINC: u8 = 0x84;
        match (slot.to_be_bytes(), i8::try_from(value), i16::try_from(value)) {
            ([0, slot], Ok(value), _) => self.code.extend([IINC, slot, value as u8]),
            ([high, low], _, Ok(value)) => {
                let [one, other] = value.to_be_bytes();
                self.code.extend([WIDE, IINC, high, low, one, other]);
            }
            _ => {
                self.load(Kind::Int, slot).int(value)?.op(IADD).store(Kind::Int, slot);
            }
        }
        Ok(self)
    }

    /// Calls a method of the probe class.
    pub(crate) fn call(
        &mut self,
        name: &'static str,
        descriptor: &'static str,
    ) -> Result<&mut Self, Refusal> {
        let method = self.pool.method(name, descriptor)?;
        Ok(self.invoke_static(method))
    }

    fn invoke_static(&mut self, method: u16) -> &mut Self {
        self.code.push(INVOKESTATIC);
        self.code.extend(method.to_be_bytes());
        self
    }
}
