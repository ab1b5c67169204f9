//! Source lines of instructions.

use crate::no_graph::NoGraph;
use spl_classfile::code::Code;
use spl_classfile::reader::Reader;

/// The line numbers of a method (JVMS 4.7.12).
#[derive(Debug)]
pub struct Lines {
    /// Offsets from which a line counts, ascending.
    starts: Vec<(u16, u16)>,
}

impl Lines {
    /// Reads all tables of a method, of which there may be several.
    ///
    /// # Errors
    /// When a table ends too early.
    pub fn read(code: &Code<'_>) -> Result<Self, NoGraph> {
        let mut starts = Vec::new();
        for table in code.attributes.iter().filter(|table| table.name == b"LineNumberTable") {
            let mut reader = Reader::new(table.info);
            for _ in 0..reader.u2()? {
                starts.push((reader.u2()?, reader.u2()?));
            }
        }
        // Of two entries for one offset the last counts, as in a debugger.
        starts.sort_by_key(|(at, _)| *at);
        Ok(Self { starts })
    }

    /// The line of the instruction at an offset; `None` before the first entry.
    #[must_use]
    pub fn at(&self, at: u32) -> Option<u16> {
        let behind = self.starts.partition_point(|(start, _)| u32::from(*start) <= at);
        behind.checked_sub(1).and_then(|place| self.starts.get(place)).map(|(_, line)| *line)
    }

    /// The lines of the instructions from `first` to before `end`, ascending.
    pub(crate) fn between(&self, first: u32, end: u32) -> Vec<u16> {
        let before = |at: u32| self.starts.partition_point(|(start, _)| u32::from(*start) < at);
        // The entry that holds at `first` counts too.
        let begin = self.starts.partition_point(|(start, _)| u32::from(*start) <= first).saturating_sub(1);
        let entries = self.starts.get(begin..before(end)).unwrap_or_default();
        let mut lines: Vec<_> = entries.iter().map(|(_, line)| *line).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_counts_until_the_next_begins() {
        let lines = Lines { starts: vec![(0, 7), (4, 9), (6, 8), (9, 7)] };
        assert_eq!(lines.between(0, 4), [7]);
        assert_eq!(lines.between(3, 7), [7, 8, 9]);
        assert_eq!(lines.between(5, 6), [9]);
        assert_eq!(lines.between(9, 100), [7]);
        assert_eq!([0, 3, 4, 9, 100].map(|at| lines.at(at)), [7, 7, 9, 7, 7].map(Some));
        assert_eq!(Lines { starts: vec![(4, 9)] }.at(3), None);
        // Two entries for one offset.
        assert_eq!(Lines { starts: vec![(0, 9), (0, 8)] }.at(1), Some(8));
        assert_eq!(Lines { starts: Vec::new() }.between(0, 9), [0; 0]);
    }
}
