//! The class file's variant of UTF-8 (JVMS 4.4.7): NUL takes two bytes, characters beyond U+FFFF are
//! surrogate pairs of three bytes each.

/// Encodes the text as in a class file.
pub fn encode(text: &str) -> Vec<u8> {
    if is_plain(text.as_bytes()) {
        return text.as_bytes().to_vec();
    }
    let mut bytes = Vec::with_capacity(text.len());
    for c in text.chars() {
        let mut units = [0; 2];
        match c {
            '\0' => bytes.extend([0xc0, 0x80]),
            '\u{1}'..='\u{ffff}' => bytes.extend(c.encode_utf8(&mut [0; 4]).as_bytes()),
            _ => bytes.extend(c.encode_utf16(&mut units).iter().flat_map(|unit| three_bytes(*unit))),
        }
    }
    bytes
}

/// Whether the bytes are ASCII without NUL, for which both encodings are equal.
fn is_plain(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, 0x01..=0x7f))
}

fn three_bytes(unit: u16) -> [u8; 3] {
    let [high, low] = unit.to_be_bytes();
    [0xe0 | high >> 4, 0x80 | (high & 0x0f) << 2 | low >> 6, 0x80 | low & 0x3f]
}

/// The text of `bytes`; invalid parts become U+FFFD.
pub fn decode(bytes: &[u8]) -> String {
    if is_plain(bytes) {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [first, tail @ ..] = rest {
        let part = |byte: &u8| u16::from(byte & 0x3f);
        let (unit, used) = match (first, tail) {
            (0x01..=0x7f, _) => (u16::from(*first), 1),
            (0xc0..=0xdf, [a @ 0x80..=0xbf, ..]) => (u16::from(first & 0x1f) << 6 | part(a), 2),
            (0xe0..=0xef, [a @ 0x80..=0xbf, b @ 0x80..=0xbf, ..]) => {
                (u16::from(first & 0x0f) << 12 | part(a) << 6 | part(b), 3)
            }
            _ => (0xfffd, 1),
        };
        units.push(unit);
        rest = rest.get(used..).unwrap_or_default();
    }
    String::from_utf16_lossy(&units)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn odd_characters_take_the_bytes_that_the_specification_says() {
        assert_eq!(encode("a\0"), [0x61, 0xc0, 0x80]);
        assert_eq!(encode("ě"), "ě".as_bytes());
        assert_eq!(encode("\u{1d11e}"), [0xed, 0xa0, 0xb4, 0xed, 0xb4, 0x9e]);
        assert_eq!(decode(&[0x61, 0xff, 0xe1, 0x80]), "a\u{fffd}\u{fffd}\u{fffd}");
    }

    proptest! {
        #[test]
        fn text_comes_back(text: String) {
            prop_assert_eq!(decode(&encode(&text)), text);
        }
    }
}
