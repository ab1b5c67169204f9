//! The tables of a Code attribute that hold code offsets: they keep their size, the offsets in them move.

use crate::class::skip_elements;
use crate::layout::Layout;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// How offsets and exception-table indices of one method move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moves<'l, 'a> {
    pub(crate) layout: &'l Layout<'a>,
    /// Entries that we put before the program's own in the exception table.
    pub(crate) handlers_before: usize,
}

/// The new `info` bytes of a Code attribute's attribute; one that is not known is copied.
pub(crate) fn moved(name: &[u8], info: &[u8], moves: Moves<'_, '_>) -> Result<Vec<u8>, Refusal> {
    let mut table = Table { reader: Reader::new(info), out: info.to_vec(), moves };
    match name {
        b"LineNumberTable" => table.lines()?,
        b"LocalVariableTable" | b"LocalVariableTypeTable" => {
            let count = table.reader.u2()?;
            (0..count).try_for_each(|_| table.variable(6))?;
        }
        // The JVM does not look at them, so wrong ones need not keep a method from being measured.
        b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations"
            if table.annotations().is_err() =>
        {
            return Ok(info.to_vec());
        }
        _ => {}
    }
    Ok(table.out)
}

struct Table<'t, 'l, 'a> {
    reader: Reader<'t>,
    out: Vec<u8>,
    moves: Moves<'l, 'a>,
}

impl Table<'_, '_, '_> {
    fn lines(&mut self) -> Result<(), Refusal> {
        for _ in 0..self.reader.u2()? {
            self.offset()?;
            self.reader.take(2)?;
        }
        Ok(())
    }

    /// `start_pc` and `length`, followed by `rest` bytes without offsets.
    fn variable(&mut self, rest: usize) -> Result<(), Refusal> {
        let at = self.reader.at();
        let (start, length) = (u32::from(self.reader.u2()?), u32::from(self.reader.u2()?));
        self.reader.take(rest)?;
        let (from, to) =
            (self.moves.layout.moved_loosely(start)?, self.moves.layout.moved_loosely(start + length)?);
        self.put(at, from);
        self.put(at + 2, to.saturating_sub(from));
        Ok(())
    }

    fn offset(&mut self) -> Result<(), Refusal> {
        let at = self.reader.at();
        let offset = self.moves.layout.moved_loosely(u32::from(self.reader.u2()?))?;
        self.put(at, offset);
        Ok(())
    }

    fn put(&mut self, at: usize, value: u16) {
        if let Some(place) = self.out.get_mut(at..at + 2) {
            place.copy_from_slice(&value.to_be_bytes());
        }
    }

    /// JVMS 4.7.20.
    fn annotations(&mut self) -> Result<(), Refusal> {
        for _ in 0..self.reader.u2()? {
            self.annotation_target()?;
            let path = usize::from(self.reader.u1()?);
            self.reader.take(2 * path + 2)?;
            skip_elements(&mut self.reader, 0)?;
        }
        Ok(())
    }

    fn annotation_target(&mut self) -> Result<(), Refusal> {
        let skipped = match self.reader.u1()? {
            0x00 | 0x01 | 0x16 => 1,
            0x10 | 0x11 | 0x12 | 0x17 => 2,
            0x13..=0x15 => 0,
            0x40 | 0x41 => {
                let count = self.reader.u2()?;
                return (0..count).try_for_each(|_| self.variable(2));
            }
            0x42 => return self.handler_index(),
            0x43..=0x46 => return self.offset(),
            0x47..=0x4b => {
                self.offset()?;
                1
            }
            tag => return Err(malformed(format!("a type annotation has the unknown target {tag:#x}"))),
        };
        self.reader.take(skipped).map(drop)
    }

    fn handler_index(&mut self) -> Result<(), Refusal> {
        let at = self.reader.at();
        let index = usize::from(self.reader.u2()?) + self.moves.handlers_before;
        let index = u16::try_from(index).map_err(|_| Refusal::TableFull("exception table".to_owned()))?;
        self.put(at, index);
        Ok(())
    }
}
