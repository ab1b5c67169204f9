//! Annotations (JVMS 4.7.16): their types. Their values are skipped.

use crate::pool::Pool;
use crate::reader::{Reader, malformed};
use spl_model::Refusal;

/// Adds the descriptors of the annotations in `info` to `found`, up to the first unreadable one.
pub(crate) fn read<'a>(info: &'a [u8], pool: &Pool<'a>, found: &mut Vec<&'a [u8]>) -> Result<(), Refusal> {
    let mut reader = Reader::new(info);
    for _ in 0..reader.u2()? {
        found.push(pool.utf8(reader.u2()?)?);
        skip_elements(&mut reader, 0)?;
    }
    Ok(())
}

/// Nesting depth of annotations above which the file counts as an attack on the stack; no compiler writes it.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// The annotations in `info`, for a class whose first constant is the text `LA;`.
    fn found(info: &[u8]) -> (Vec<String>, bool) {
        let constants = [0, 2, 1, 0, 3, b'L', b'A', b';'];
        let pool = Pool::read(&constants, 0).unwrap();
        let mut found = Vec::new();
        let is_whole = read(info, &pool, &mut found).is_ok();
        (found.into_iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect(), is_whole)
    }

    #[test]
    fn values_of_all_kinds_are_passed_over() {
        // An int, an enum constant, an array of two texts, and an annotation without values; then a second
        // annotation.
        let values = [
            &[0, 1, b'I', 0, 1][..],
            &[0, 1, b'e', 0, 1, 0, 1],
            &[0, 1, b'[', 0, 2, b's', 0, 1, b's', 0, 1],
            &[0, 1, b'@', 0, 1, 0, 0],
        ];
        let info = [&[0, 2, 0, 1, 0, 4][..], &values.concat(), &[0, 1, 0, 0]].concat();
        assert_eq!(found(&info), (vec!["LA;".to_owned(); 2], true));
    }

    #[test]
    fn what_stands_before_a_broken_one_is_kept() {
        assert_eq!(found(&[0, 2, 0, 1, 0, 0, 0, 9, 0, 0]), (vec!["LA;".to_owned()], false));
        // Nesting deeper than any compiler writes.
        let nested = [&[0, 1, 0, 1, 0, 1, 0, 1][..], &[b'[', 0, 1].repeat(1000), b"I\0\x01"].concat();
        assert_eq!(found(&nested), (vec!["LA;".to_owned()], false));
    }
}
