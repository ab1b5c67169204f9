//! The Code attribute (JVMS 4.7.3).

use crate::class::Attribute;
use crate::pool::Pool;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// Longest code of a method, bytes (JVMS 4.7.3: `code_length` is less than 65536).
pub const MAX_CODE: usize = 65535;

/// A method's code with its tables.
#[derive(Debug)]
pub struct Code<'a> {
    /// Most words of its operand stack.
    pub max_stack: u16,
    /// Slots of its local variables.
    pub max_locals: u16,
    /// Its instructions.
    pub bytes: &'a [u8],
    /// The exception table, in its order.
    pub handlers: Vec<Handler>,
    /// Its attributes, in their order.
    pub attributes: Vec<Attribute<'a>>,
}

/// An entry of the exception table. Offsets count bytes of code; `end` is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handler {
    /// First covered offset.
    pub start: u16,
    /// First offset after the covered code.
    pub end: u16,
    /// Offset of the handler's code.
    pub target: u16,
    /// Constant index of the caught class; 0 catches everything.
    pub catches: u16,
}

impl<'a> Code<'a> {
    /// Reads the `info` bytes of a Code attribute.
    ///
    /// # Errors
    /// When they break the format.
    pub fn read(info: &'a [u8], pool: &Pool<'a>) -> Result<Self, Refusal> {
        let mut reader = Reader::new(info);
        let (max_stack, max_locals) = (reader.u2()?, reader.u2()?);
        let length = reader.u4()? as usize;
        if length == 0 || length > MAX_CODE {
            return Err(malformed(format!("a method has {length} bytes of code")));
        }
        let bytes = reader.take(length)?;
        let count = reader.u2()?;
        let handlers = (0..count).map(|_| Handler::read(&mut reader)).collect::<Result<_, _>>()?;
        let count = reader.u2()?;
        let attributes = (0..count).map(|_| Attribute::read(&mut reader, pool)).collect::<Result<_, _>>()?;
        if !reader.is_at_end() {
            return Err(malformed("bytes follow the end of a Code attribute"));
        }
        Ok(Self { max_stack, max_locals, bytes, handlers, attributes })
    }
}

impl Handler {
    fn read(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        Ok(Self { start: reader.u2()?, end: reader.u2()?, target: reader.u2()?, catches: reader.u2()? })
    }
}
