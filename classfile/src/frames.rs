//! StackMapTable (JVMS 4.7.4): compressed frames to absolute ones.

use crate::reader::{Reader, malformed};
use crate::signature::{Field, Signature};
use spl_model::Refusal;

/// Name of the attribute.
pub const STACK_MAP_TABLE: &[u8] = b"StackMapTable";

/// A verification type as in the table. A long or double stands for two slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    /// An unusable value.
    Top,
    /// An int, or a smaller integer type.
    Int,
    /// A float.
    Float,
    /// A double.
    Double,
    /// A long.
    Long,
    /// The null reference.
    Null,
    /// The object that a constructor has not initialised yet.
    UninitializedThis,
    /// Constant index of a class.
    Object(u16),
    /// Offset of the `new` instruction.
    Uninitialized(u16),
    /// The class of a parameter, counted from 0. The pool may have no constant for it yet.
    Parameter(u8),
}

impl Type {
    /// Local slots of one value.
    pub fn words(self) -> usize {
        if matches!(self, Self::Long | Self::Double) { 2 } else { 1 }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        Ok(match reader.u1()? {
            0 => Self::Top,
            1 => Self::Int,
            2 => Self::Float,
            3 => Self::Double,
            4 => Self::Long,
            5 => Self::Null,
            6 => Self::UninitializedThis,
            7 => Self::Object(reader.u2()?),
            8 => Self::Uninitialized(reader.u2()?),
            tag => return Err(malformed(format!("a stack map frame has the unknown type {tag}"))),
        })
    }
}

/// Locals at the start of a method (JVMS 4.10.1.6). `constructs` says that local 0 is under construction.
pub fn initial_locals(signature: &Signature<'_>, this_class: Option<u16>, constructs: bool) -> Vec<Type> {
    let this = this_class.map(|class| if constructs { Type::UninitializedThis } else { Type::Object(class) });
    let parameter = |(index, field): (u8, &Field<'_>)| match field.tag() {
        b'J' => Type::Long,
        b'D' => Type::Double,
        b'F' => Type::Float,
        b'L' | b'[' => Type::Parameter(index),
        _ => Type::Int,
    };
    this.into_iter().chain((0..=u8::MAX).zip(&signature.parameters).map(parameter)).collect()
}

/// Most types that decoding one table may produce; in JDK 17 and 25 the largest number is 7,620.
const ENTRY_LIMIT: usize = 2_000_000;

/// Reads a table frame by frame.
#[derive(Debug)]
pub struct FrameReader<'a> {
    reader: Reader<'a>,
    left: u16,
    /// Offset of the frame read last.
    pub at: u32,
    is_first: bool,
    /// The local variables in the frame read last.
    pub locals: Vec<Type>,
    /// The operand stack in the frame read last.
    pub stack: Vec<Type>,
    produced: usize,
}

impl<'a> FrameReader<'a> {
    /// A reader of the attribute's `info` bytes; `locals` is the state at the start of the method.
    ///
    /// # Errors
    /// When the count of frames is missing.
    pub fn new(info: &'a [u8], locals: Vec<Type>) -> Result<Self, Refusal> {
        let mut reader = Reader::new(info);
        let left = reader.u2()?;
        Ok(Self { reader, left, at: 0, is_first: true, locals, stack: Vec::new(), produced: 0 })
    }

    /// Reads the next frame into `at`, `locals` and `stack`; `false` at the end.
    ///
    /// # Errors
    /// When the table breaks the format, or its frames have more than 2,000,000 types together.
    pub fn advance(&mut self) -> Result<bool, Refusal> {
        if self.left == 0 {
            return if self.reader.is_at_end() {
                Ok(false)
            } else {
                Err(malformed("bytes follow a StackMapTable"))
            };
        }
        self.left -= 1;
        self.stack.clear();
        let tag = self.reader.u1()?;
        let delta = match tag {
            0..=127 => u16::from(tag % 64),
            128..=246 => return Err(malformed(format!("a stack map frame has the reserved type {tag}"))),
            _ => self.reader.u2()?,
        };
        match tag {
            64..=127 | 247 => self.stack.push(Type::read(&mut self.reader)?),
            248..=250 => {
                let kept = self.locals.len().checked_sub(usize::from(251 - tag));
                self.locals
                    .truncate(kept.ok_or_else(|| malformed("a stack map frame chops more than there is"))?);
            }
            252..=254 => {
                for _ in 251..tag {
                    self.locals.push(Type::read(&mut self.reader)?);
                }
            }
            255 => {
                self.locals = self.types()?;
                self.stack = self.types()?;
            }
            _ => {}
        }
        self.produced += self.locals.len() + self.stack.len();
        if self.produced > ENTRY_LIMIT {
            return Err(Refusal::TableFull("stack maps".to_owned()));
        }
        self.at = if self.is_first { u32::from(delta) } else { self.at + u32::from(delta) + 1 };
        self.is_first = false;
        Ok(true)
    }

    fn types(&mut self) -> Result<Vec<Type>, Refusal> {
        let count = self.reader.u2()?;
        (0..count).map(|_| Type::read(&mut self.reader)).collect()
    }
}
