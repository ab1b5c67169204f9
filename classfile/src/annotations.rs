//! Annotations (JVMS 4.7.16): which there are. Their values are passed over.

use crate::pool::Pool;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// Adds the descriptors of the annotations in `info` to `found`, up to the first that cannot be read.
pub(crate) fn read<'a>(info: &'a [u8], pool: &Pool<'a>, found: &mut Vec<&'a [u8]>) -> Result<(), Refusal> {
    let mut reader = Reader::new(info);
    for _ in 0..reader.u2()? {
        found.push(pool.utf8(reader.u2()?)?);
        skip_elements(&mut reader, 0)?;
    }
    Ok(())
}

/// Annotations nest; deeper than any compiler writes is taken for an attack on the stack.
const DEEPEST_ANNOTATION: usize = 64;

/// Skips the element-value pairs of an annotation (JVMS 4.7.16).
pub(crate) fn skip_elements(reader: &mut Reader<'_>, depth: usize) -> Result<(), Refusal> {
    for _ in 0..reader.u2()? {
        reader.take(2)?;
        skip_value(reader, depth)?;
    }
    Ok(())
}

fn skip_value(reader: &mut Reader<'_>, depth: usize) -> Result<(), Refusal> {
    if depth > DEEPEST_ANNOTATION {
        return Err(malformed("annotations are nested too deep"));
    }
    match reader.u1()? {
        b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' | b's' | b'c' => reader.take(2).map(drop),
        b'e' => reader.take(4).map(drop),
        b'@' => {
            reader.take(2)?;
            skip_elements(reader, depth + 1)
        }
        b'[' => {
            let count = reader.u2()?;
            (0..count).try_for_each(|_| skip_value(reader, depth + 1))
        }
        tag => Err(malformed(format!("an annotation element has the unknown tag {tag}"))),
    }
}
