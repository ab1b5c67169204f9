//! The human-readable form of a measurement: one line, values with their names, the duration first.
//!
//! `took         40 ns | start 100 | end 140 | depth 0 | thread 1 | size 32 | method p/C.f(I)V`
//!
//! Depth is `?` when not known; size is `-` when not checked, or `label:` and a JSON string. Before the
//! method stand, where there is something to say, `window 3`, `flags threw+gc` and `origin "text"`, in this
//! order.

use super::Measurement;
use crate::cursor::Cursor;
use crate::error::{Fault, Problem};
use crate::text::write_quoted;
use spl_model::{Sample, SampleFlags, Size};
use std::fmt::{self, Write};

pub(super) const TITLE: &str = "# spl measurements ";
pub(super) const VERSION: u64 = 1;
pub(super) const HEADER: &str = "# spl measurements 1\n\
    # start and end: nanoseconds of the JVM's monotonic clock; size: bytes, unless a size processor says otherwise\n";

const FLAGS: [(SampleFlags, &str); 6] = [
    (SampleFlags::DISCARDED, "discarded"),
    (SampleFlags::THREW, "threw"),
    (SampleFlags::WARM_UP, "warm-up"),
    (SampleFlags::GC, "gc"),
    (SampleFlags::RETRANSFORM, "retransform"),
    (SampleFlags::SIZE_TRUNCATED, "size-truncated"),
];

pub(super) fn write(record: &Measurement, out: &mut impl Write) -> fmt::Result {
    let Measurement { method, sample, origin } = record;
    write!(out, "took {:>10} ns | start {} | ", sample.duration_ns(), sample.start_ns())?;
    write!(out, "end {} | depth ", sample.end_ns())?;
    match sample.depth {
        Some(depth) => write!(out, "{depth}")?,
        None => out.write_char('?')?,
    }
    write!(out, " | thread {} | size ", sample.thread)?;
    match &sample.size {
        Size::Label(label) => {
            out.write_str("label:")?;
            write_quoted(out, label)?;
        }
        Size::Unchecked | Size::Value(_) => write!(out, "{}", sample.size)?,
    }
    if let Some(window) = sample.window {
        write!(out, " | window {window}")?;
    }
    if sample.flags != SampleFlags::default() {
        out.write_str(" | flags ")?;
        write_flags(sample.flags, out)?;
    }
    if !origin.is_empty() {
        out.write_str(" | origin ")?;
        write_quoted(out, origin)?;
    }
    writeln!(out, " | method {method}")
}

/// Names joined by `+`, and a number for bits without a name.
fn write_flags(flags: SampleFlags, out: &mut impl Write) -> fmt::Result {
    let mut nameless = flags.0;
    let mut separator = "";
    for (flag, name) in FLAGS.into_iter().filter(|(flag, _)| flags.contains(*flag)) {
        write!(out, "{separator}{name}")?;
        nameless &= !flag.0;
        separator = "+";
    }
    if nameless != 0 {
        write!(out, "{separator}{nameless}")?;
    }
    Ok(())
}

pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<Measurement, Fault> {
    let begin = cursor.at();
    cursor.literal("took ")?;
    while cursor.try_literal(" ") {}
    let took_ns = cursor.number()?;
    cursor.literal(" ns | start ")?;
    let start_ns = cursor.number()?;
    cursor.literal(" | end ")?;
    let end_ns = cursor.number()?;
    cursor.literal(" | depth ")?;
    let depth_at = cursor.at();
    let depth = if cursor.try_literal("?") { None } else { Some(cursor.number()?) };
    cursor.literal(" | thread ")?;
    let thread = cursor.number()?;
    cursor.literal(" | size ")?;
    let size = read_size(cursor)?;
    let window = if cursor.try_literal(" | window ") { Some(cursor.number()?) } else { None };
    let flags = if cursor.try_literal(" | flags ") { read_flags(cursor)? } else { SampleFlags::default() };
    let origin = if cursor.try_literal(" | origin ") { cursor.quoted()? } else { String::new() };
    cursor.literal(" | method ")?;
    let method = cursor.method_line()?;
    cursor.end_of_line()?;

    let mut sample = Sample::new(start_ns, end_ns).map_err(|error| Fault::new(begin, error))?;
    if sample.duration_ns() != took_ns {
        return Err(Fault::new(begin, Problem::Contradiction("the duration")));
    }
    let too_large = |_| Fault::new(depth_at, Problem::TooLarge);
    sample.depth = depth.map(u32::try_from).transpose().map_err(too_large)?;
    sample.thread = thread;
    sample.size = size;
    sample.flags = flags;
    sample.window = window;
    Ok(Measurement { method, sample, origin: cursor.origin(&origin) })
}

fn read_size(cursor: &mut Cursor<'_>) -> Result<Size, Fault> {
    if cursor.try_literal("-") {
        Ok(Size::Unchecked)
    } else if cursor.try_literal("label:") {
        cursor.quoted().map(Size::Label)
    } else {
        cursor.number().map(Size::Value)
    }
}

fn read_flags(cursor: &mut Cursor<'_>) -> Result<SampleFlags, Fault> {
    let mut flags = SampleFlags::default();
    loop {
        let at = cursor.at();
        flags = flags.with(match FLAGS.into_iter().find(|(_, name)| cursor.try_literal(name)) {
            Some((flag, _)) => flag,
            None => match cursor.number() {
                Ok(bits) => SampleFlags(u16::try_from(bits).map_err(|_| Fault::new(at, Problem::TooLarge))?),
                Err(_) => return Err(Fault::expected(at, "the name of a flag")),
            },
        });
        if !cursor.try_literal("+") {
            return Ok(flags);
        }
    }
}
