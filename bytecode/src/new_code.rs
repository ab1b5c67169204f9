//! A Code attribute (JVMS 4.7.3) to write.

use spl_classfile::code::Handler;
use spl_model::Refusal;

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

/// A table's length in the encoding of the class file.
pub(crate) fn count(length: usize, table: &str) -> Result<[u8; 2], Refusal> {
    u16::try_from(length).map(u16::to_be_bytes).map_err(|_| Refusal::TableFull(table.to_owned()))
}

/// An attribute's length in the encoding of the class file.
pub(crate) fn length(length: usize) -> Result<[u8; 4], Refusal> {
    u32::try_from(length).map(u32::to_be_bytes).map_err(|_| Refusal::TableFull("attributes".to_owned()))
}
