//! Groups of instructions that metrics count.

use spl_classfile::instruction::Insn;
use spl_classfile::opcode::{INVOKEDYNAMIC, LDC, LDC_W, LDC2_W, MONITORENTER, MULTIANEWARRAY, NEW};
use spl_classfile::pool::{DOUBLE, FLOAT, Pool};

/// A group. An instruction may belong to several.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Loads and stores of arrays, their length, and what makes them.
    Array,
    /// Loads and stores of arrays.
    ArrayAccess,
    /// Loads and stores of arrays of characters.
    CharArray,
    /// Loads and stores of arrays of other numbers. Arrays of booleans have the instructions of arrays of bytes.
    NumberArray,
    /// Loads and stores of arrays of references.
    ReferenceArray,
    /// Arithmetic of floating point, with what loads, stores and returns its numbers.
    Float,
    /// Floating point with conversions from whole numbers and with constants of the pool.
    FloatAll,
    /// Reads and writes of fields.
    Field,
    /// Reads and writes of fields of references.
    ReferenceField,
    /// Instructions that change the control flow: conditions, switches, calls that a receiver chooses.
    Control,
    /// `invokevirtual` and `invokeinterface`.
    Chosen,
    /// `invokedynamic`.
    Dynamic,
    /// Instructions that make objects and arrays.
    Allocation,
    /// `monitorenter`.
    Monitor,
}

/// Number of groups.
pub const GROUPS: usize = 14;

/// All groups, in the order of their numbers.
pub const ALL: [Group; GROUPS] = [
    Group::Array,
    Group::ArrayAccess,
    Group::CharArray,
    Group::NumberArray,
    Group::ReferenceArray,
    Group::Float,
    Group::FloatAll,
    Group::Field,
    Group::ReferenceField,
    Group::Control,
    Group::Chosen,
    Group::Dynamic,
    Group::Allocation,
    Group::Monitor,
];

impl Group {
    /// Its number.
    #[must_use]
    pub fn number(self) -> usize {
        self as usize
    }

    /// Whether an instruction belongs to it.
    #[must_use]
    pub fn has(self, insn: &Insn<'_>, pool: &Pool<'_>) -> bool {
        let code = insn.opcode;
        match self {
            Self::Array => Self::ArrayAccess.has(insn, pool) || matches!(code, 0xbc..=0xbe | MULTIANEWARRAY),
            Self::ArrayAccess => matches!(code, 0x2e..=0x35 | 0x4f..=0x56),
            Self::CharArray => matches!(code, 0x34 | 0x55),
            Self::NumberArray => matches!(code, 0x2e..=0x31 | 0x33 | 0x35 | 0x4f..=0x52 | 0x54 | 0x56),
            Self::ReferenceArray => matches!(code, 0x32 | 0x53),
            Self::Float => {
                is_float(code) || field(insn, pool).is_some_and(|kind| matches!(kind, b'F' | b'D'))
            }
            Self::FloatAll => {
                let is_constant = || match code {
                    LDC | LDC_W => pool.tag(insn.index()) == Some(FLOAT),
                    LDC2_W => pool.tag(insn.index()) == Some(DOUBLE),
                    _ => false,
                };
                Self::Float.has(insn, pool) || matches!(code, 0x86 | 0x87 | 0x89 | 0x8a) || is_constant()
            }
            Self::Field => matches!(code, 0xb2..=0xb5),
            Self::ReferenceField => field(insn, pool).is_some_and(|kind| matches!(kind, b'L' | b'[')),
            Self::Control => {
                matches!(code, 0x99..=0xa6 | 0xaa | 0xab | 0xc6 | 0xc7) || Self::Chosen.has(insn, pool)
            }
            Self::Chosen => matches!(code, 0xb6 | 0xb9),
            Self::Dynamic => code == INVOKEDYNAMIC,
            Self::Allocation => matches!(code, NEW | 0xbc | 0xbd | MULTIANEWARRAY),
            Self::Monitor => code == MONITORENTER,
        }
    }
}

/// Arithmetic, comparisons, conversions from floating point, constants, locals, returns and arrays of floats and doubles.
fn is_float(code: u8) -> bool {
    matches!(code, 0x0b..=0x0f | 0x17 | 0x18 | 0x22..=0x29 | 0x30 | 0x31 | 0x38 | 0x39 | 0x43..=0x4a | 0x51 | 0x52)
        || matches!(code, 0x62 | 0x63 | 0x66 | 0x67 | 0x6a | 0x6b | 0x6e | 0x6f | 0x72 | 0x73 | 0x76 | 0x77)
        || matches!(code, 0x8b..=0x90 | 0x95..=0x98 | 0xae | 0xaf)
}

/// The first letter of the descriptor of the field that an instruction accesses.
fn field(insn: &Insn<'_>, pool: &Pool<'_>) -> Option<u8> {
    if !Group::Field.has(insn, pool) {
        return None;
    }
    pool.member(insn.index()).ok()?.descriptor.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use spl_classfile::instruction::decode;

    /// Names of the groups of one instruction without constants.
    fn groups(code: &[u8]) -> Vec<Group> {
        let pool = Pool::read(&[0, 1], 0).unwrap();
        let insns = decode(code).unwrap();
        ALL.into_iter().filter(|group| group.has(&insns[0], &pool)).collect()
    }

    #[test]
    fn numbers_are_places() {
        assert!(ALL.iter().enumerate().all(|(place, group)| group.number() == place));
    }

    #[test]
    fn instructions_belong_to_the_groups_of_their_definition() {
        use Group::{
            Allocation, Array, ArrayAccess, CharArray, Control, Float, FloatAll, Monitor, NumberArray,
        };
        for (code, expected) in [
            (&[0x2e][..], &[Array, ArrayAccess, NumberArray][..]),
            (&[0x34], &[Array, ArrayAccess, CharArray]),
            (&[0x32], &[Array, ArrayAccess, Group::ReferenceArray]),
            (&[0x31], &[Array, ArrayAccess, NumberArray, Float, FloatAll]),
            (&[0xbe], &[Array]),
            (&[0xbc, 10], &[Array, Allocation]),
            (&[0x87], &[FloatAll]),
            (&[0x8e], &[Float, FloatAll]),
            (&[0x63], &[Float, FloatAll]),
            (&[0x61], &[]),
            (&[0x99, 0, 3], &[Control]),
            (&[0xa7, 0, 3], &[]),
            (&[0xc2], &[Monitor]),
            (&[0xc3], &[]),
            (&[0xc4, 0x18, 1, 0], &[Float, FloatAll]),
        ] {
            assert_eq!(groups(code), expected, "{code:02x?}");
        }
    }
}
