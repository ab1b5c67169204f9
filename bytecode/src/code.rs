//! The Code attribute (JVMS 4.7.3), read and written.

use crate::class::Attribute;
use crate::pool::Pool;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// Longest code of a method, bytes (JVMS 4.7.3: `code_length` is less than 65536).
pub(crate) const MAX_CODE: usize = 65535;

#[derive(Debug)]
pub(crate) struct Code<'a> {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) bytes: &'a [u8],
    pub(crate) handlers: Vec<Handler>,
    pub(crate) attributes: Vec<Attribute<'a>>,
}

/// An entry of the exception table. Offsets count bytes of code; `end` is exclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handler {
    pub(crate) start: u16,
    pub(crate) end: u16,
    pub(crate) target: u16,
    /// Constant index of the class that is caught; 0 catches everything.
    pub(crate) catches: u16,
}

impl<'a> Code<'a> {
    /// Reads the `info` bytes of a Code attribute.
    pub(crate) fn read(info: &'a [u8], pool: &Pool<'a>) -> Result<Self, Refusal> {
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

/// A Code attribute to write.
#[derive(Debug)]
pub(crate) struct NewCode {
    pub(crate) max_stack: u16,
    pub(crate) max_locals: u16,
    pub(crate) bytes: Vec<u8>,
    pub(crate) handlers: Vec<Handler>,
    /// Name index and `info` bytes.
    pub(crate) attributes: Vec<(u16, Vec<u8>)>,
}

impl NewCode {
    /// The `info` bytes of the attribute.
    pub(crate) fn write(&self) -> Result<Vec<u8>, Refusal> {
        let mut out = Vec::with_capacity(self.bytes.len() + 256);
        out.extend(self.max_stack.to_be_bytes());
        out.extend(self.max_locals.to_be_bytes());
        out.extend(length(self.bytes.len())?);
        out.extend(&self.bytes);
        out.extend(count(self.handlers.len(), "exception table")?);
        for handler in &self.handlers {
            let fields = [handler.start, handler.end, handler.target, handler.catches];
            out.extend(fields.into_iter().flat_map(u16::to_be_bytes));
        }
        out.extend(count(self.attributes.len(), "attributes")?);
        for (name, info) in &self.attributes {
            out.extend(name.to_be_bytes());
            out.extend(length(info.len())?);
            out.extend(info);
        }
        Ok(out)
    }
}

/// A table's length as the class file holds it.
pub(crate) fn count(length: usize, table: &str) -> Result<[u8; 2], Refusal> {
    u16::try_from(length).map(u16::to_be_bytes).map_err(|_| Refusal::TableFull(table.to_owned()))
}

/// An attribute's length as the class file holds it.
pub(crate) fn length(length: usize) -> Result<[u8; 4], Refusal> {
    u32::try_from(length).map(u32::to_be_bytes).map_err(|_| Refusal::TableFull("attributes".to_owned()))
}
