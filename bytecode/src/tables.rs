//! The tables of a Code attribute that hold code offsets. They keep their size, and the offsets in them move.

use crate::layout::Layout;
use spl_classfile::reader::malformed;
use spl_classfile::tables::{Entry, is_type_annotations, visit};
use spl_model::Refusal;

/// The moves of offsets and exception-table indices in one method.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves<'l, 'a> {
    pub(crate) layout: &'l Layout<'a>,
    /// New index of each of the program's own entries in the exception table.
    pub(crate) handler_index: &'l [usize],
}

/// The new `info` bytes of an attribute of a Code attribute. An unknown attribute is copied.
pub(crate) fn moved(name: &[u8], info: &[u8], moves: Moves<'_, '_>) -> Result<Vec<u8>, Refusal> {
    let mut out = info.to_vec();
    let result = visit(name, info, |entry| moves.apply(entry, &mut out));
    // The JVM does not read type annotations, so wrong ones do not prevent measuring the method.
    if result.is_err() && is_type_annotations(name) {
        return Ok(info.to_vec());
    }
    result.map(|()| out)
}

impl Moves<'_, '_> {
    fn apply(&self, entry: Entry, out: &mut [u8]) -> Result<(), Refusal> {
        match entry {
            Entry::Offset { at, offset } => put(out, at, self.layout.moved_loosely(u32::from(offset))?),
            Entry::Range { at, start, length } => {
                let (start, length) = (u32::from(start), u32::from(length));
                let from = self.layout.moved_loosely(start)?;
                let to = self.layout.moved_loosely(start + length)?;
                put(out, at, from);
                put(out, at + 2, to.saturating_sub(from));
            }
            Entry::Handler { at, index } => {
                let full = || Refusal::TableFull("exception table".to_owned());
                let index = self.handler_index.get(usize::from(index)).copied();
                let index = index.ok_or_else(|| malformed("an annotation names no exception handler"))?;
                put(out, at, u16::try_from(index).map_err(|_| full())?);
            }
        }
        Ok(())
    }
}

fn put(out: &mut [u8], at: usize, value: u16) {
    if let Some(place) = out.get_mut(at..at + 2) {
        place.copy_from_slice(&value.to_be_bytes());
    }
}
