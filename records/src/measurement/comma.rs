//! The comma form of a measurement.
//!
//! Six fields as in the thesis (3.3.2): start, stop, recursion depth (empty when not known), thread, method,
//! workload size. Three more are ours: sampling window (empty when there is none), flags as a number, origin.
//! Six fields alone are read too: no window, no flags, no origin, and a size of any text counts as a label.
//!
//! Nearly all lines of a file have the method and the origin of the line before, a number as size and no
//! quotes: they are read by a path of their own, which allocates nothing.

use super::Measurement;
use crate::cursor::Cursor;
use crate::error::{Fault, Problem};
use crate::text::write_field;
use spl_model::{Sample, SampleFlags, Size};
use std::fmt::{self, Write};

pub(super) fn write(record: &Measurement, out: &mut impl Write) -> fmt::Result {
    let Measurement { method, sample, origin } = record;
    write!(out, "{},{},", sample.start_ns(), sample.end_ns())?;
    write_optional(out, sample.depth.map(u64::from))?;
    write!(out, ",{},", sample.thread)?;
    write_field(out, &method.to_string())?;
    match &sample.size {
        Size::Value(value) => write!(out, ",{value}")?,
        Size::Unchecked | Size::Label(_) => {
            out.write_char(',')?;
            write_field(out, &sample.size.to_string())?;
        }
    }
    out.write_char(',')?;
    write_optional(out, sample.window)?;
    write!(out, ",{},", sample.flags.0)?;
    write_field(out, origin)?;
    out.write_char('\n')
}

fn write_optional(out: &mut impl Write, number: Option<u64>) -> fmt::Result {
    number.map_or(Ok(()), |number| write!(out, "{number}"))
}

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Measurement, Fault> {
    match read_plain(cursor) {
        Some(record) => Ok(record),
        None => read_any(cursor),
    }
}

/// A line in the usual form; otherwise nothing is read.
fn read_plain(cursor: &mut Cursor<'_>) -> Option<Measurement> {
    let mut line = cursor.rest();
    let start_ns = take_number(&mut line)?;
    let end_ns = take_number(&mut line)?;
    let depth = take_optional_number(&mut line)?;
    let thread = take_number(&mut line)?;
    let (method, origin) = cursor.known()?;
    line = line.strip_prefix(method)?.strip_prefix(b",")?;
    let size = take_number(&mut line)?;
    let window = take_optional_number(&mut line)?;
    let flags = take_number(&mut line)?;
    line = line.strip_prefix(origin)?.strip_prefix(b"\n")?;

    let mut sample = Sample::new(start_ns, end_ns).ok()?;
    sample.depth = depth.map(u32::try_from).transpose().ok()?;
    sample.thread = thread;
    sample.size = Size::Value(size);
    sample.flags = SampleFlags(u16::try_from(flags).ok()?);
    sample.window = window;
    let (method, origin) = cursor.accept_known(line.len())?;
    Some(Measurement { method, sample, origin })
}

/// Most digits of a number: any number with this many digits is less than 2^64.
const MAX_DIGITS: usize = 19;

/// A number of at most [`MAX_DIGITS`], which cannot overflow, and the comma after it.
#[inline]
fn take_number(line: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    let mut length = 0;
    while let Some(digit) = line.get(length).map(|byte| byte.wrapping_sub(b'0'))
        && digit <= 9
    {
        value = value.wrapping_mul(10).wrapping_add(digit.into());
        length += 1;
    }
    *line = line.get(length..)?.strip_prefix(b",")?;
    (1..=MAX_DIGITS).contains(&length).then_some(value)
}

#[inline]
fn take_optional_number(line: &mut &[u8]) -> Option<Option<u64>> {
    if let Some(rest) = line.strip_prefix(b",") {
        *line = rest;
        return Some(None);
    }
    take_number(line).map(Some)
}

fn read_any(cursor: &mut Cursor<'_>) -> Result<Measurement, Fault> {
    let begin = cursor.at();
    let start_ns = cursor.number_field()?;
    cursor.comma()?;
    let end_ns = cursor.number_field()?;
    cursor.comma()?;
    let depth_at = cursor.at();
    let depth = cursor.optional_number_field()?;
    cursor.comma()?;
    let thread = cursor.number_field()?;
    cursor.comma()?;
    let method = cursor.method_field()?;
    cursor.comma()?;
    let size_at = cursor.at();
    let size = read_size(cursor)?;
    let mut window = None;
    let mut flags = 0;
    let mut flags_at = begin;
    let mut origin = None;
    let thesis = cursor.at_end_of_line();
    if !thesis {
        cursor.comma()?;
        window = cursor.optional_number_field()?;
        cursor.comma()?;
        flags_at = cursor.at();
        flags = cursor.number_field()?;
        cursor.comma()?;
        origin = Some(cursor.field()?);
    }
    cursor.end_of_line()?;

    // Values are checked when the whole record is there: half a record is not a contradiction.
    let mut sample = Sample::new(start_ns, end_ns).map_err(|error| Fault::new(begin, error))?;
    let too_large = |at: usize| move |_| Fault::new(at, Problem::TooLarge);
    sample.depth = depth.map(u32::try_from).transpose().map_err(too_large(depth_at))?;
    sample.thread = thread;
    sample.size = match size {
        Ok(size) => size,
        Err(text) if thesis => Size::Label(text),
        Err(_) => return Err(Fault::expected(size_at, "a workload size: a number, - or label:text")),
    };
    sample.flags = SampleFlags(u16::try_from(flags).map_err(too_large(flags_at))?);
    sample.window = window;
    let origin = cursor.origin(origin.as_deref().unwrap_or_default());
    Ok(Measurement { method, sample, origin })
}

/// The size, or the text that is not a size.
fn read_size(cursor: &mut Cursor<'_>) -> Result<Result<Size, String>, Fault> {
    let text = cursor.field()?;
    Ok(text.parse().map_err(|_| text.into_owned()))
}
