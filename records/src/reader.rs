//! Reads a file's records from its bytes, one after the other.

use crate::cursor::Cursor;
use crate::error::{CutOff, Fault, Problem, ReadError};
use std::marker::PhantomData;

/// Form of the records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Values separated by commas (RFC 4180), a line for each record, no header.
    Comma,
    /// Values with their names, after a header line.
    Human,
}

/// A kind of record. Sealed: the types in it cannot be named outside.
pub trait Record: Sized {
    /// The beginning of the human-readable form's first line; the version follows.
    const TITLE: &'static str;
    /// The version of the human-readable form that this release reads and writes.
    const VERSION: u64;

    /// The record at the cursor, which is then at the next one.
    #[doc(hidden)]
    fn read(form: Form, cursor: &mut Cursor<'_>) -> Result<Self, Fault>;
}

/// An iterator over the records of a file in either form.
///
/// Empty lines, and in the human-readable form lines that begin with `#`, are skipped. After an error the
/// next record is tried, so that every malformed record is reported. A last record that a crash left
/// half-written is not an error: see [`cut_off`](Self::cut_off).
pub struct Reader<'a, R> {
    bytes: &'a [u8],
    cursor: Cursor<'a>,
    form: Form,
    cut_off: Option<CutOff>,
    /// Number of line ends before the offset that is the second value.
    counted: (usize, usize),
    records: PhantomData<R>,
}

impl<'a, R: Record> Reader<'a, R> {
    /// The records of a file. The form is known by the first character: only a human-readable file begins
    /// with `#`.
    ///
    /// # Errors
    /// When the first line belongs to another kind of file, or to a version that this release doesn't know.
    pub fn new(bytes: &'a [u8]) -> Result<Self, ReadError> {
        let byte_order_mark = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        let cursor = Cursor::new(bytes, byte_order_mark);
        let form = if cursor.peek() == Some(b'#') { Form::Human } else { Form::Comma };
        let mut reader = Self { bytes, cursor, form, cut_off: None, counted: (0, 0), records: PhantomData };
        if form == Form::Human
            && let Err(fault) = reader.header()
        {
            reader.judge(byte_order_mark, fault)?;
        }
        Ok(reader)
    }

    /// The records of a later part of a file of this form. The part has to begin with a record: at the
    /// [`offset`](CutOff::offset) at which the part before it was [cut off](Self::cut_off), or at its end.
    /// Lines are counted from the part's first.
    #[must_use]
    pub fn of_part(bytes: &'a [u8], form: Form) -> Self {
        let cursor = Cursor::new(bytes, 0);
        Self { bytes, cursor, form, cut_off: None, counted: (0, 0), records: PhantomData }
    }

    /// The form of the file; an empty one counts as comma form.
    #[must_use]
    pub fn form(&self) -> Form {
        self.form
    }

    /// The half-written last record, if there is one. It is known when the iterator has ended.
    #[must_use]
    pub fn cut_off(&self) -> Option<CutOff> {
        self.cut_off
    }

    fn header(&mut self) -> Result<(), Fault> {
        self.cursor.literal(R::TITLE)?;
        let at = self.cursor.at();
        let found = self.cursor.number()?;
        if !self.cursor.rest().contains(&b'\n') {
            return Err(Fault::expected(self.bytes.len(), "the end of the line"));
        }
        if found != R::VERSION {
            return Err(Fault::new(at, Problem::UnknownVersion { found, known: R::VERSION }));
        }
        self.cursor.skip_line();
        Ok(())
    }

    /// Skips lines without a record; gives whether there is a record.
    fn find_record(&mut self) -> bool {
        loop {
            match self.cursor.peek() {
                None => return false,
                Some(b'\n') => self.cursor.skip_line(),
                Some(b'\r') if self.cursor.at_end_of_line() => self.cursor.skip_line(),
                Some(b'#') if self.form == Form::Human => self.cursor.skip_line(),
                Some(_) => return true,
            }
        }
    }

    /// Distinguishes a half-written last record, which is noted, from a malformed one, which is an error. A
    /// stopped writer leaves the beginning of a record, so that reading fails at the file's end. Other bytes
    /// in its last line (a file system may fill it with zeros) have no line end.
    fn judge(&mut self, begin: usize, fault: Fault) -> Result<(), ReadError> {
        let after = self.bytes.get(fault.at..).unwrap_or_default();
        if !after.contains(&b'\n') {
            let bytes = self.bytes.len() - begin;
            self.cut_off = Some(CutOff { line: self.line_at(begin), offset: begin, bytes });
            self.cursor.move_to(self.bytes.len());
            return Ok(());
        }
        let line = self.line_at(fault.at);
        let before = &self.bytes[..fault.at];
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
        // A byte of the form 10xxxxxx continues a character of UTF-8.
        let column = before[line_start..].iter().filter(|byte| **byte & 0xc0 != 0x80).count() + 1;
        self.cursor.move_to(fault.at);
        self.cursor.skip_line();
        // The other lines of a human-readable result are indented.
        while self.form == Form::Human && self.cursor.peek() == Some(b' ') {
            self.cursor.skip_line();
        }
        Err(ReadError { line, column, problem: fault.problem })
    }

    /// The line of an offset, counted from 1. Counts on from the last call, so that a file full of errors is
    /// read in linear time.
    fn line_at(&mut self, offset: usize) -> usize {
        let (lines, counted) = self.counted;
        let (lines, counted) = if offset < counted { (0, 0) } else { (lines, counted) };
        let lines = lines + self.bytes[counted..offset].iter().filter(|byte| **byte == b'\n').count();
        self.counted = (lines, offset);
        lines + 1
    }
}

impl<R: Record> Iterator for Reader<'_, R> {
    type Item = Result<R, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if !self.find_record() {
            return None;
        }
        let begin = self.cursor.at();
        match R::read(self.form, &mut self.cursor) {
            Ok(record) => Some(Ok(record)),
            Err(fault) => self.judge(begin, fault).err().map(Err),
        }
    }
}
