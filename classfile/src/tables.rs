//! The tables of a Code attribute that hold code offsets (JVMS 4.7.12 to 4.7.14, 4.7.20): the places of the
//! offsets in them.

use crate::annotations::skip_elements;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// A part of a table that depends on code offsets. Places are counted from the start of the table's `info`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// An offset in the code.
    Offset {
        /// Place of its two bytes.
        at: usize,
        /// The offset.
        offset: u16,
    },
    /// A range of code.
    Range {
        /// Place of the two bytes of its start; the two bytes of its length follow.
        at: usize,
        /// Offset of its first byte.
        start: u16,
        /// Its length, bytes of code.
        length: u16,
    },
    /// An index into the exception table.
    Handler {
        /// Place of its two bytes.
        at: usize,
        /// The index.
        index: u16,
    },
}

/// Passes each entry of the attribute `name` of a Code attribute to `visit`, in the order of the table. An
/// unknown attribute has none.
///
/// # Errors
/// When the table breaks the format, and errors of `visit`.
pub fn visit(
    name: &[u8],
    info: &[u8],
    visit: impl FnMut(Entry) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let mut table = Table { reader: Reader::new(info), visit };
    match name {
        b"LineNumberTable" => table.lines(),
        b"LocalVariableTable" | b"LocalVariableTypeTable" => {
            let count = table.reader.u2()?;
            (0..count).try_for_each(|_| table.range(6))
        }
        _ if is_type_annotations(name) => table.annotations(),
        _ => Ok(()),
    }
}

/// Whether an attribute holds type annotations, which the JVM does not read.
#[must_use]
pub fn is_type_annotations(name: &[u8]) -> bool {
    matches!(name, b"RuntimeVisibleTypeAnnotations" | b"RuntimeInvisibleTypeAnnotations")
}

struct Table<'t, V> {
    reader: Reader<'t>,
    visit: V,
}

impl<V: FnMut(Entry) -> Result<(), Refusal>> Table<'_, V> {
    fn lines(&mut self) -> Result<(), Refusal> {
        for _ in 0..self.reader.u2()? {
            self.offset()?;
            self.reader.take(2)?;
        }
        Ok(())
    }

    /// `start_pc` and `length`, followed by `rest` bytes without offsets.
    fn range(&mut self, rest: usize) -> Result<(), Refusal> {
        let at = self.reader.at();
        let (start, length) = (self.reader.u2()?, self.reader.u2()?);
        self.reader.take(rest)?;
        (self.visit)(Entry::Range { at, start, length })
    }

    fn offset(&mut self) -> Result<(), Refusal> {
        let at = self.reader.at();
        let offset = self.reader.u2()?;
        (self.visit)(Entry::Offset { at, offset })
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
                return (0..count).try_for_each(|_| self.range(2));
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
        let index = self.reader.u2()?;
        (self.visit)(Entry::Handler { at, index })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(name: &str, info: &[u8]) -> Result<Vec<Entry>, Refusal> {
        let mut entries = Vec::new();
        visit(name.as_bytes(), info, |entry| {
            entries.push(entry);
            Ok(())
        })?;
        Ok(entries)
    }

    #[test]
    fn entries_say_where_they_stand() {
        let lines = [0, 2, 0, 0, 0, 7, 0, 5, 0, 8];
        let offset = |at, offset| Entry::Offset { at, offset };
        assert_eq!(entries("LineNumberTable", &lines), Ok(vec![offset(2, 0), offset(6, 5)]));
        let variable = [0, 1, 0, 3, 0, 4, 0, 9, 0, 9, 0, 0];
        let range = Entry::Range { at: 2, start: 3, length: 4 };
        assert_eq!(entries("LocalVariableTable", &variable), Ok(vec![range]));
        // An annotation of the second handler's parameter; then one of the instruction at 6, a cast, for its
        // first bound.
        let annotations = [0, 2, 0x42, 0, 1, 0, 0, 9, 0, 0, 0x47, 0, 6, 0, 0, 0, 9, 0, 0];
        let found = entries("RuntimeVisibleTypeAnnotations", &annotations);
        assert_eq!(found, Ok(vec![Entry::Handler { at: 3, index: 1 }, offset(11, 6)]));
    }

    #[test]
    fn an_unknown_table_has_no_entries_and_a_short_one_is_refused() {
        assert_eq!(entries("Unknown", &[0, 9]), Ok(vec![]));
        assert!(entries("LineNumberTable", &[0, 1, 0, 0]).is_err());
        assert!(entries("RuntimeInvisibleTypeAnnotations", &[0, 1, 0x99]).is_err());
    }
}
