//! Where code calls methods, and where it makes objects.

use crate::no_graph::NoGraph;
use spl_classfile::instruction::Insn;
use spl_classfile::opcode::{INVOKEDYNAMIC, INVOKESPECIAL, INVOKESTATIC, MULTIANEWARRAY, NEW};
use spl_classfile::pool::{Member, Pool};

/// A call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call<'a> {
    /// Offset of its instruction.
    pub at: u32,
    /// Its source line; `None` where the class file has none for it.
    pub line: Option<u16>,
    /// By which instruction.
    pub kind: CallKind,
    /// The called method, as the class file names it; the class of a dynamic call is empty.
    pub target: Member<'a>,
    /// Of a dynamic call that makes a lambda or a method reference: the method that this calls.
    pub lambda: Option<Member<'a>>,
    /// Whether a receiver can only be of the class that the instruction names, which is final.
    pub is_exact: bool,
}

/// The instruction of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallKind {
    /// `invokevirtual`.
    Virtual,
    /// `invokespecial`.
    Special,
    /// `invokestatic`.
    Static,
    /// `invokeinterface`.
    Interface,
    /// `invokedynamic`.
    Dynamic,
}

impl CallKind {
    /// The name of the instruction.
    #[must_use]
    pub fn instruction(self) -> &'static str {
        match self {
            Self::Virtual => "invokevirtual",
            Self::Special => "invokespecial",
            Self::Static => "invokestatic",
            Self::Interface => "invokeinterface",
            Self::Dynamic => "invokedynamic",
        }
    }

    /// The kind of the calls by an instruction of this name; `None` where it makes no call.
    #[must_use]
    pub fn of_instruction(name: &str) -> Option<Self> {
        let all = [Self::Virtual, Self::Special, Self::Static, Self::Interface, Self::Dynamic];
        all.into_iter().find(|kind| kind.instruction() == name)
    }
}

/// Where an object or an array is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation<'a> {
    /// Offset of its instruction.
    pub at: u32,
    /// Its opcode: of `new`, `newarray`, `anewarray` or `multianewarray`.
    pub opcode: u8,
    /// The class that the instruction names: what `new` makes; the elements of an array that `anewarray` makes, by their class or
    /// descriptor; the descriptor of the array that `multianewarray` makes; the letter of the elements' type of `newarray`.
    pub class: &'a [u8],
    /// Levels of arrays that it makes: 0 of `new`, more than 1 only of `multianewarray`.
    pub dimensions: u8,
}

/// The elements of an array, as far as its size depends on them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Numbers or truth values of 2 to this power bytes.
    Primitive(u8),
    /// References.
    References,
}

impl Elements {
    /// Of a type by the first byte of its descriptor.
    fn of(tag: Option<&u8>) -> Self {
        match tag {
            Some(b'Z' | b'B') => Self::Primitive(0),
            Some(b'C' | b'S') => Self::Primitive(1),
            Some(b'I' | b'F') => Self::Primitive(2),
            Some(b'J' | b'D') => Self::Primitive(3),
            _ => Self::References,
        }
    }
}

impl Allocation<'_> {
    /// The elements of the innermost arrays that it makes; `None` for `new`.
    #[must_use]
    pub fn elements(&self) -> Option<Elements> {
        match self.opcode {
            NEW => None,
            NEWARRAY => Some(Elements::of(self.class.first())),
            ANEWARRAY => Some(Elements::References),
            _ => Some(Elements::of(self.class.get(usize::from(self.dimensions)))),
        }
    }

    /// The name of the instruction.
    #[must_use]
    pub fn instruction(&self) -> &'static str {
        match self.opcode {
            NEW => "new",
            NEWARRAY => "newarray",
            ANEWARRAY => "anewarray",
            _ => "multianewarray",
        }
    }
}

const NEWARRAY: u8 = 0xbc;
const ANEWARRAY: u8 = 0xbd;

/// The call that an instruction makes, if it makes one. Its line and its lambda are not known here.
pub(crate) fn call<'a>(insn: &Insn<'a>, pool: &Pool<'a>) -> Result<Option<Call<'a>>, NoGraph> {
    let kind = match insn.opcode {
        0xb6 => CallKind::Virtual,
        INVOKESPECIAL => CallKind::Special,
        INVOKESTATIC => CallKind::Static,
        0xb9 => CallKind::Interface,
        INVOKEDYNAMIC => CallKind::Dynamic,
        _ => return Ok(None),
    };
    Ok(Some(Call {
        at: insn.at,
        line: None,
        kind,
        target: pool.member(insn.index())?,
        lambda: None,
        is_exact: false,
    }))
}

/// Classes of the JDK that are final in each release from 11 on, by their documentation; in the order of their names.
const FINAL: [&[u8]; 24] = [
    b"java/lang/Boolean",
    b"java/lang/Byte",
    b"java/lang/Character",
    b"java/lang/Class",
    b"java/lang/Double",
    b"java/lang/Float",
    b"java/lang/Integer",
    b"java/lang/Long",
    b"java/lang/Module",
    b"java/lang/Short",
    b"java/lang/StackTraceElement",
    b"java/lang/String",
    b"java/lang/StringBuffer",
    b"java/lang/StringBuilder",
    b"java/lang/reflect/Constructor",
    b"java/lang/reflect/Field",
    b"java/lang/reflect/Method",
    b"java/net/URI",
    b"java/net/URL",
    b"java/util/Locale",
    b"java/util/Optional",
    b"java/util/UUID",
    b"java/util/regex/Matcher",
    b"java/util/regex/Pattern",
];
const ACC_FINAL: u16 = 0x10;

/// Whether a class is final, as far as it is known: one of the JDK, or `own`, the class of the code.
pub(crate) fn is_final(class: &[u8], own: &[u8], access: u16) -> bool {
    FINAL.binary_search(&class).is_ok() || class == own && access & ACC_FINAL != 0
}

/// The allocation of an instruction, if it is one.
pub(crate) fn allocation<'a>(insn: &Insn<'a>, pool: &Pool<'a>) -> Result<Option<Allocation<'a>>, NoGraph> {
    let class = match insn.opcode {
        NEW | ANEWARRAY | MULTIANEWARRAY => pool.class(insn.index())?,
        NEWARRAY => elements(insn.bytes),
        _ => return Ok(None),
    };
    let dimensions = match insn.opcode {
        NEW => 0,
        // Behind the index of the class (JVMS 6.5, `multianewarray`).
        MULTIANEWARRAY => insn.bytes.get(3).copied().unwrap_or(1),
        _ => 1,
    };
    Ok(Some(Allocation { at: insn.at, opcode: insn.opcode, class, dimensions }))
}

/// The letter of a primitive type by its number (JVMS 6.5, `newarray`).
fn elements(bytes: &[u8]) -> &'static [u8] {
    match bytes {
        [_, 4, ..] => b"Z",
        [_, 5, ..] => b"C",
        [_, 6, ..] => b"F",
        [_, 7, ..] => b"D",
        [_, 8, ..] => b"B",
        [_, 9, ..] => b"S",
        [_, 10, ..] => b"I",
        [_, 11, ..] => b"J",
        _ => b"?",
    }
}
