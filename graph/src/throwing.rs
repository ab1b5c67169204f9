//! Which instructions can throw.

use spl_classfile::class::Method;
use spl_classfile::instruction::Insn;
use spl_classfile::opcode::{LDC, LDC_W, LDC2_W, MULTIANEWARRAY};
use spl_classfile::pool::{CLASS, DYNAMIC, METHOD_HANDLE, METHOD_TYPE, Pool};

const GETFIELD: u8 = 0xb4;
const PUTFIELD: u8 = 0xb5;

/// Says which instructions of a method can throw.
#[derive(Debug)]
pub(crate) struct Throwing<'a, 'b> {
    pool: &'b Pool<'a>,
    own: &'a [u8],
    /// Whether local 0 is `this` everywhere.
    has_this: bool,
}

impl<'a, 'b> Throwing<'a, 'b> {
    pub(crate) fn new(method: &Method<'_>, own: &'a [u8], insns: &[Insn<'_>], pool: &'b Pool<'a>) -> Self {
        let replaces = |insn: &Insn<'_>| insn.local_access().is_some_and(|one| one.is_store && one.slot == 0);
        Self { pool, own, has_this: !method.is_static() && !insns.iter().any(replaces) }
    }

    /// Offset of the first instruction of a block that can throw.
    pub(crate) fn first(&self, block: &[Insn<'_>]) -> Option<u32> {
        self.all(block).next()
    }

    /// Offsets of the instructions of a block that can throw.
    pub(crate) fn all<'i>(&'i self, block: &'i [Insn<'_>]) -> impl Iterator<Item = u32> + 'i {
        let before = [None].into_iter().chain(block.iter().map(|insn| Some(insn.opcode)));
        let throwing = block.iter().zip(before);
        let throwing =
            throwing.filter(|(insn, before)| can_throw(insn, self.pool) && !self.reads_this(insn, *before));
        throwing.map(|(insn, _)| insn.at)
    }

    /// Whether it reads a field of this object, which is there, and of this class, which is linked.
    fn reads_this(&self, insn: &Insn<'_>, before: Option<u8>) -> bool {
        const ALOAD_0: u8 = 0x2a;
        let is_own = || self.pool.member(insn.index()).is_ok_and(|field| field.class == self.own);
        insn.opcode == GETFIELD && before == Some(ALOAD_0) && self.has_this && is_own()
    }
}

fn can_throw(insn: &Insn<'_>, pool: &Pool<'_>) -> bool {
    match insn.opcode {
        // Array accesses; division and remainder of ints and longs.
        0x2e..=0x35 | 0x4f..=0x56 | 0x6c | 0x6d | 0x70 | 0x71 => true,
        // Fields, calls, allocations, arraylength, athrow, checks of types, monitors.
        0xb2..=0xc3 | MULTIANEWARRAY => true,
        LDC | LDC_W | LDC2_W => {
            matches!(pool.tag(insn.index()), Some(CLASS | METHOD_HANDLE | METHOD_TYPE | DYNAMIC))
        }
        _ => false,
    }
}

impl Throwing<'_, '_> {
    /// Whether an instruction may load or initialise a class.
    pub(crate) fn may_load(&self, insn: &Insn<'_>) -> bool {
        let is_own = || self.pool.member(insn.index()).is_ok_and(|field| field.class == self.own);
        match insn.opcode {
            // The class of a field is loaded when it is resolved.
            GETFIELD | PUTFIELD => !is_own(),
            // Static fields; calls and `new`; `anewarray`; checks of types.
            0xb2 | 0xb3 | 0xb6..=0xbb | 0xbd | 0xc0 | 0xc1 | MULTIANEWARRAY => true,
            LDC | LDC_W | LDC2_W => {
                matches!(self.pool.tag(insn.index()), Some(CLASS | METHOD_HANDLE | METHOD_TYPE | DYNAMIC))
            }
            _ => false,
        }
    }
}
