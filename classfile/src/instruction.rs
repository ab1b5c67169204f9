//! Bytecode to instructions with absolute branch targets.

use crate::opcode::{self, GOTO_W, IINC, JSR, JSR_W, LOOKUPSWITCH, RET, TABLESWITCH, WIDE};
use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// One instruction of the original code.
#[derive(Clone, Copy, Debug)]
pub struct Insn<'a> {
    /// Its offset in the original code.
    pub at: u32,
    /// Its opcode; after `wide` the opcode of the widened instruction.
    pub opcode: u8,
    /// All its bytes.
    pub bytes: &'a [u8],
    /// Its possible successors.
    pub flow: Flow,
}

/// The successors of an instruction besides the next one, as offsets in the original code.
#[derive(Clone, Copy, Debug)]
pub enum Flow {
    /// No other successor: the next instruction, or the end of the method.
    Next,
    /// One offset.
    Jump(u32),
    /// The targets in its operands.
    Switch,
}

/// An access to a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalAccess {
    /// `I`, `J`, `F`, `D` or `A`.
    pub kind: u8,
    /// The first slot read or written.
    pub slot: u16,
    /// Whether the access writes the slot.
    pub is_store: bool,
}

const KINDS: [u8; 5] = *b"IJFDA";

impl<'a> Insn<'a> {
    /// Targets of all branches, the default of a switch first.
    pub fn targets(&self) -> impl Iterator<Item = u32> + 'a {
        let at = self.at;
        let jump = if let Flow::Jump(target) = self.flow { Some(target) } else { None };
        let (default, table, entry) = match self.flow {
            Flow::Switch => switch_operands(at, self.opcode, self.bytes),
            Flow::Next | Flow::Jump(_) => (&[][..], &[][..], 4),
        };
        // Decoding has checked that every target is within the code.
        let moved = move |delta: &[u8; 4]| at.wrapping_add_signed(i32::from_be_bytes(*delta));
        let deltas = default.last_chunk().into_iter();
        jump.into_iter()
            .chain(deltas.chain(table.chunks_exact(entry).filter_map(<[u8]>::last_chunk)).map(moved))
    }

    /// Offset of the next instruction.
    pub fn end(&self) -> u32 {
        self.at + self.bytes.len() as u32
    }

    /// The first two operand bytes as an index; 0 if there are fewer.
    pub fn index(&self) -> u16 {
        match self.bytes {
            [_, high, low, ..] => u16::from_be_bytes([*high, *low]),
            [opcode::LDC, index] => u16::from(*index),
            _ => 0,
        }
    }

    /// The local variable of a load or store instruction.
    pub fn local_access(&self) -> Option<LocalAccess> {
        let (kind, short_slot, is_store) = match self.opcode {
            op @ 0x15..=0x19 => (op - 0x15, None, false),
            op @ 0x1a..=0x2d => ((op - 0x1a) / 4, Some((op - 0x1a) % 4), false),
            op @ 0x36..=0x3a => (op - 0x36, None, true),
            op @ 0x3b..=0x4e => ((op - 0x3b) / 4, Some((op - 0x3b) % 4), true),
            _ => return None,
        };
        let slot = short_slot.map_or_else(|| self.slot(), u16::from);
        Some(LocalAccess { kind: KINDS[usize::from(kind)], slot, is_store })
    }

    /// The slot operand of `iinc` and of the long forms of loads and stores.
    pub fn slot(&self) -> u16 {
        match self.bytes {
            [WIDE, _, high, low, ..] => u16::from_be_bytes([*high, *low]),
            [_, slot, ..] => u16::from(*slot),
            _ => 0,
        }
    }
}

/// All instructions of `code`, in order. Branch targets may still lie inside instructions.
///
/// # Errors
/// When the code breaks the format, or contains subroutines (`jsr`, `ret`).
pub fn decode(code: &[u8]) -> Result<Vec<Insn<'_>>, Refusal> {
    let mut reader = Reader::new(code);
    let mut insns = Vec::with_capacity(code.len() / 2);
    while !reader.is_at_end() {
        insns.push(one(code, &mut reader)?);
    }
    Ok(insns)
}

fn one<'a>(code: &'a [u8], reader: &mut Reader<'a>) -> Result<Insn<'a>, Refusal> {
    let start = reader.at();
    let at = u32::try_from(start).map_err(|_| malformed("the code is over 4 GiB"))?;
    let mut opcode = reader.u1()?;
    let mut flow = Flow::Next;
    match opcode {
        JSR | JSR_W | RET => return Err(Refusal::Subroutines),
        0x99..=opcode::GOTO | 0xc6 | 0xc7 => flow = Flow::Jump(target(at, i32::from(reader.i2()?))?),
        GOTO_W => flow = Flow::Jump(target(at, reader.i4()?)?),
        TABLESWITCH | LOOKUPSWITCH => {
            switch(at, opcode, reader)?;
            flow = Flow::Switch;
        }
        WIDE => {
            opcode = reader.u1()?;
            let operands = match opcode {
                0x15..=0x19 | 0x36..=0x3a => 2,
                IINC => 4,
                RET => return Err(Refusal::Subroutines),
                _ => return Err(malformed(format!("the instruction at {at} cannot be wide"))),
            };
            reader.take(operands)?;
        }
        _ => {
            let length = opcode::length(opcode);
            let length = length.ok_or_else(|| malformed(format!("no instruction {opcode:#x} (at {at})")))?;
            reader.take(length - 1)?;
        }
    }
    let bytes = code.get(start..reader.at()).unwrap_or_default();
    Ok(Insn { at, opcode, bytes, flow })
}

fn target(at: u32, delta: i32) -> Result<u32, Refusal> {
    at.checked_add_signed(delta).ok_or_else(|| malformed(format!("the branch at {at} leaves the code")))
}

/// Reads the operands of a switch, and checks them.
fn switch(at: u32, opcode: u8, reader: &mut Reader<'_>) -> Result<(), Refusal> {
    reader.take(padding(at as usize))?;
    target(at, reader.i4()?)?;
    let entries = if opcode == TABLESWITCH {
        let (low, high) = (reader.i4()?, reader.i4()?);
        if low > high {
            return Err(malformed(format!("the switch at {at} has its bounds reversed")));
        }
        i64::from(high) - i64::from(low) + 1
    } else {
        i64::from(reader.i4()?)
    };
    for _ in 0..entries {
        if opcode != TABLESWITCH {
            reader.i4()?;
        }
        target(at, reader.i4()?)?;
    }
    Ok(())
}

/// The default of a switch, its table, and the number of bytes of a table entry; each entry ends with its
/// target.
fn switch_operands(at: u32, opcode: u8, bytes: &[u8]) -> (&[u8], &[u8], usize) {
    let operands = bytes.get(1 + padding(at as usize)..).unwrap_or_default();
    let (before_table, entry) = if opcode == TABLESWITCH { (12, 4) } else { (8, 8) };
    (operands.get(..4).unwrap_or_default(), operands.get(before_table..).unwrap_or_default(), entry)
}

/// Bytes between a switch opcode at `at` and its first operand, which is aligned to four (JVMS 6.5).
pub fn padding(at: usize) -> usize {
    3 - at % 4
}
