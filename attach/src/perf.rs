//! The file in which a JVM shows its counters (HotSpot, perfMemory.hpp, version 2): texts and numbers in it.

/// First bytes of the file, in every byte order.
const MAGIC: [u8; 4] = [0xca, 0xfe, 0xc0, 0xc0];
/// Length of the head.
const HEAD: usize = 32;
/// Longest text that a JVM stores, without its final zero. A text of this length may have been cut.
const LONGEST_TEXT: usize = 1023;
/// Most entries that are looked at.
const MOST_ENTRIES: usize = 10_000;

/// A text of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The text.
    pub text: String,
    /// Whether it may have been cut by the JVM.
    pub cut: bool,
}

/// The texts of these names; `None` where the file is damaged, of another version, or not written yet.
#[must_use]
pub fn texts(bytes: &[u8], names: &[&str]) -> Option<Vec<Text>> {
    found(bytes, names, |entry| {
        let value = until_zero(entry.data.get(..entry.values).filter(|_| entry.kind == b'B')?);
        let text = String::from_utf8_lossy(value).into_owned();
        Some(Text { cut: value.len() >= LONGEST_TEXT, text })
    })
}

/// The numbers of these names; `None` where the file is damaged, of another version, or not written yet.
#[must_use]
pub fn numbers(bytes: &[u8], names: &[&str]) -> Option<Vec<i64>> {
    let is_little = *bytes.get(4)? == 1;
    found(bytes, names, |entry| {
        let eight: [u8; 8] = entry.data.get(..8).filter(|_| entry.kind == b'J')?.try_into().ok()?;
        Some(if is_little { i64::from_le_bytes(eight) } else { i64::from_be_bytes(eight) })
    })
}

/// An entry of the file.
struct Entry<'b> {
    /// The letter of its type in the JVM.
    kind: u8,
    /// Number of values of an array; 0 for a single value.
    values: usize,
    /// From its first value to its end.
    data: &'b [u8],
}

/// The values of these names, as `read` gives them; `None` where one is missing.
fn found<T: Clone>(bytes: &[u8], names: &[&str], read: impl Fn(Entry<'_>) -> Option<T>) -> Option<Vec<T>> {
    let is_little = *bytes.get(4)? == 1;
    let number = |at: usize| -> Option<usize> {
        let four: [u8; 4] = bytes.get(at..at.checked_add(4)?)?.try_into().ok()?;
        let number = if is_little { i32::from_le_bytes(four) } else { i32::from_be_bytes(four) };
        usize::try_from(number).ok()
    };
    let (major, accessible) = (*bytes.get(5)?, *bytes.get(7)?);
    if bytes.get(..4)? != MAGIC || major != 2 || accessible != 1 {
        return None;
    }
    let (mut at, entries) = (number(24)?, number(28)?);
    if at < HEAD || entries > MOST_ENTRIES {
        return None;
    }
    let mut found = vec![None; names.len()];
    for _ in 0..entries {
        let (length, name, values) = (number(at)?, number(at + 4)?, number(at + 8)?);
        let kind = *bytes.get(at + 12)?;
        let data = number(at + 16)?;
        if length < 20 {
            return None;
        }
        let end = at.checked_add(length)?;
        let entry = bytes.get(at..end)?;
        let name = until_zero(entry.get(name..)?);
        if let Some(place) = names.iter().position(|known| known.as_bytes() == name) {
            found[place] = read(Entry { kind, values, data: entry.get(data..)? });
        }
        at = end;
    }
    found.into_iter().collect()
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with texts, as a JVM writes it.
    fn file(texts: &[(&str, &str)]) -> Vec<u8> {
        let mut bytes = [&MAGIC[..], &[1, 2, 0, 1], &[0; 16]].concat();
        bytes.extend(32_i32.to_le_bytes());
        bytes.extend((texts.len() as i32).to_le_bytes());
        for (name, text) in texts {
            let data = 20 + name.len() + 1;
            let length = data + text.len() + 1;
            for number in [length, 20, text.len() + 1] {
                bytes.extend((number as i32).to_le_bytes());
            }
            bytes.extend([b'B', 0, 0, 0]);
            bytes.extend((data as i32).to_le_bytes());
            bytes.extend([name.as_bytes(), &[0], text.as_bytes(), &[0]].concat());
        }
        bytes
    }

    #[test]
    fn texts_are_found_by_name() {
        let long = "x".repeat(1023);
        let bytes = file(&[("a.b", "one"), ("java.rt.vmArgs", &long), ("c", "")]);
        let found = texts(&bytes, &["java.rt.vmArgs", "a.b", "c"]).unwrap();
        assert_eq!(found[0], Text { text: long, cut: true });
        assert_eq!(found[1], Text { text: "one".to_owned(), cut: false });
        assert_eq!(found[2].text, "");
        assert_eq!(texts(&bytes, &["d"]), None);
    }

    #[test]
    fn numbers_are_found_by_name_and_no_text_is_one() {
        let mut bytes = file(&[("a", "a text of twelve")]);
        bytes[28] = 2;
        for number in [32, 20, 0] {
            bytes.extend(i32::to_le_bytes(number));
        }
        bytes.extend([b'J', 0, 0, 0]);
        bytes.extend(24_i32.to_le_bytes());
        bytes.extend(*b"b\0\0\0");
        bytes.extend((-7_i64).to_le_bytes());
        assert_eq!(numbers(&bytes, &["b"]), Some(vec![-7]));
        assert_eq!((numbers(&bytes, &["a"]), texts(&bytes, &["b"])), (None, None));
        assert_eq!(numbers(&bytes[..bytes.len() - 1], &["b"]), None);
    }

    #[test]
    fn damaged_files_are_no_answer_and_no_panic() {
        let whole = file(&[("a", "one"), ("b", "two")]);
        for length in 0..whole.len() {
            assert_eq!(texts(&whole[..length], &["b"]), None, "{length} bytes");
        }
        for at in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] = value;
                // Any result will do, but no panic.
                let _ = (texts(&damaged, &["a", "b"]), numbers(&damaged, &["a", "b"]));
            }
        }
        let mut unready = whole;
        unready[7] = 0;
        assert_eq!(texts(&unready, &["a"]), None);
    }
}
