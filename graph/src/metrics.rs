//! Counts of a block: the 19 metrics of JBInsTrace, and more.
//!
//! The source of the first 19, their order and what they are called is Caserta and Zendra, *JBInsTrace: A tracer of Java and JRE
//! classes at basic-block granularity by dynamically instrumenting bytecode*, Science of Computer Programming 2012, section 3.2.1. The
//! paper says in a few words what each counts; the exact meaning is ours, and fits all vectors that it prints. Two words come back:
//! *own* is a field or method whose class, as the constant pool names it, is the class of the code; a *reference* is a field whose
//! descriptor begins with `L` or `[`.

use crate::no_graph::NoGraph;
use crate::sites::{self, CallKind};
use spl_classfile::instruction::Insn;
use spl_classfile::opcode::{self, GOTO, GOTO_W, JSR, JSR_W, NEW, RET};
use spl_classfile::pool::Pool;

/// Column heads of the 19 counts, in their order.
pub const NAMES: [&str; 19] = [
    "bytecodes",
    "array_reads",
    "array_writes",
    "float_operations",
    "reference_loads",
    "control",
    "always_jumps",
    "own_reference_reads",
    "own_reference_writes",
    "own_primitive_reads",
    "own_primitive_writes",
    "other_reference_reads",
    "other_reference_writes",
    "other_primitive_reads",
    "other_primitive_writes",
    "other_calls",
    "objects_made",
    "virtual_calls",
    "static_calls",
];

/// Column heads of the counts that the paper does not have, in the order of [`Metrics::extra`].
pub const EXTRA_NAMES: [&str; 7] =
    ["special_calls", "interface_calls", "dynamic_calls", "arrays_made", "monitors", "throws", "type_checks"];

/// Numbers of instructions of a block, each of which may count in several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Metrics {
    /// 1, "bytecodes": all; one under `wide` is one.
    pub bytecodes: u32,
    /// 2, "array read operations": `iaload` to `saload`.
    pub array_reads: u32,
    /// 3, "array write operations": `iastore` to `sastore`.
    pub array_writes: u32,
    /// 4, "floating point operations": `add`, `sub`, `mul`, `div`, `rem`, `neg` of floats and doubles, their comparisons, and
    /// conversions with a float or double on either side.
    pub float_operations: u32,
    /// 5, "reference loads": `aload` and its short forms.
    pub reference_loads: u32,
    /// 6, "control bytecode instructions": conditions, `goto`, switches, `jsr` and `ret`.
    pub control: u32,
    /// 7, "changing control bytecode instructions": those of 6 that always jump, which are `goto`, `jsr` and `ret`. A reading: the paper
    /// prints 0 for a block that ends in a condition.
    pub always_jumps: u32,
    /// 8, reads of "object fields defined in the class": own references, static ones too.
    pub own_reference_reads: u32,
    /// 9, writes of the same.
    pub own_reference_writes: u32,
    /// 10, reads of own fields that are not references.
    pub own_primitive_reads: u32,
    /// 11, writes of the same.
    pub own_primitive_writes: u32,
    /// 12, reads of references in another class.
    pub other_reference_reads: u32,
    /// 13, writes of the same.
    pub other_reference_writes: u32,
    /// 14, reads of fields of another class that are not references.
    pub other_primitive_reads: u32,
    /// 15, writes of the same.
    pub other_primitive_writes: u32,
    /// 16, "invocations of another class": calls by any instruction but `invokedynamic` of what is not own.
    pub other_calls: u32,
    /// 17, "new bytecode operations": `new`.
    pub objects_made: u32,
    /// 18, "virtual calls": `invokevirtual` and `invokeinterface`.
    pub virtual_calls: u32,
    /// 19, "static calls": `invokestatic`.
    pub static_calls: u32,
    /// `invokespecial`.
    pub special_calls: u32,
    /// `invokeinterface`, which 18 counts too.
    pub interface_calls: u32,
    /// `invokedynamic`.
    pub dynamic_calls: u32,
    /// `newarray`, `anewarray` and `multianewarray`.
    pub arrays_made: u32,
    /// `monitorenter` and `monitorexit`.
    pub monitors: u32,
    /// `athrow`.
    pub throws: u32,
    /// `checkcast` and `instanceof`.
    pub type_checks: u32,
}

impl Metrics {
    /// The 19, in the order of [`NAMES`].
    #[must_use]
    pub fn vector(&self) -> [u32; 19] {
        [
            self.bytecodes,
            self.array_reads,
            self.array_writes,
            self.float_operations,
            self.reference_loads,
            self.control,
            self.always_jumps,
            self.own_reference_reads,
            self.own_reference_writes,
            self.own_primitive_reads,
            self.own_primitive_writes,
            self.other_reference_reads,
            self.other_reference_writes,
            self.other_primitive_reads,
            self.other_primitive_writes,
            self.other_calls,
            self.objects_made,
            self.virtual_calls,
            self.static_calls,
        ]
    }

    /// The others, in the order of [`EXTRA_NAMES`].
    #[must_use]
    pub fn extra(&self) -> [u32; 7] {
        [
            self.special_calls,
            self.interface_calls,
            self.dynamic_calls,
            self.arrays_made,
            self.monitors,
            self.throws,
            self.type_checks,
        ]
    }

    /// Counts an instruction of code of the class `own`.
    pub(crate) fn count<'a>(&mut self, insn: &Insn<'a>, own: &[u8], pool: &Pool<'a>) -> Result<(), NoGraph> {
        self.bytecodes += 1;
        match insn.opcode {
            0x2e..=0x35 => self.array_reads += 1,
            0x4f..=0x56 => self.array_writes += 1,
            0x19 | 0x2a..=0x2d => self.reference_loads += 1,
            0x62 | 0x63 | 0x66 | 0x67 | 0x6a | 0x6b | 0x6e | 0x6f | 0x72 | 0x73 | 0x76 | 0x77 => {
                self.float_operations += 1;
            }
            // Conversions between int and long, and those to smaller types, have none on either side.
            0x86 | 0x87 | 0x89..=0x90 | 0x95..=0x98 => self.float_operations += 1,
            0x99..=opcode::LOOKUPSWITCH | 0xc6..=JSR_W => {
                self.control += 1;
                self.always_jumps += u32::from(matches!(insn.opcode, GOTO | GOTO_W | JSR | JSR_W | RET));
            }
            0xb2..=0xb5 => self.count_field(insn, own, pool)?,
            NEW => self.objects_made += 1,
            0xbc | 0xbd | opcode::MULTIANEWARRAY => self.arrays_made += 1,
            opcode::ATHROW => self.throws += 1,
            0xc0 | 0xc1 => self.type_checks += 1,
            0xc2 | 0xc3 => self.monitors += 1,
            _ => self.count_call(insn, own, pool)?,
        }
        Ok(())
    }

    fn count_field<'a>(&mut self, insn: &Insn<'a>, own: &[u8], pool: &Pool<'a>) -> Result<(), NoGraph> {
        let field = pool.member(insn.index())?;
        let is_write = insn.opcode & 1 == 1;
        let is_reference = matches!(field.descriptor.first(), Some(b'L' | b'['));
        let counter = match (field.class == own, is_reference, is_write) {
            (true, true, false) => &mut self.own_reference_reads,
            (true, true, true) => &mut self.own_reference_writes,
            (true, false, false) => &mut self.own_primitive_reads,
            (true, false, true) => &mut self.own_primitive_writes,
            (false, true, false) => &mut self.other_reference_reads,
            (false, true, true) => &mut self.other_reference_writes,
            (false, false, false) => &mut self.other_primitive_reads,
            (false, false, true) => &mut self.other_primitive_writes,
        };
        *counter += 1;
        Ok(())
    }

    fn count_call<'a>(&mut self, insn: &Insn<'a>, own: &[u8], pool: &Pool<'a>) -> Result<(), NoGraph> {
        let Some(call) = sites::call(insn, pool)? else { return Ok(()) };
        self.other_calls += u32::from(call.kind != CallKind::Dynamic && call.target.class != own);
        match call.kind {
            CallKind::Virtual => self.virtual_calls += 1,
            CallKind::Interface => {
                self.virtual_calls += 1;
                self.interface_calls += 1;
            }
            CallKind::Special => self.special_calls += 1,
            CallKind::Static => self.static_calls += 1,
            CallKind::Dynamic => self.dynamic_calls += 1,
        }
        Ok(())
    }
}
