//! Classes of a runtime image whose constant pools share their strings (`jlink --compress=1`).
//!
//! Texts of the pool (JVMS 4.4.7) are replaced by references to the image's strings: a whole text, or a descriptor
//! (JVMS 4.3) whose packages and classes are separate strings. The format has no specification; its description is
//! OpenJDK's source, `src/java.base/share/native/libjimage/imageDecompressor.cpp`.

/// A reference to a string of the image.
const SHARED: u8 = 23;
/// A descriptor: the reference to its letters, the length of the following references, and two for each `L`: package
/// and class.
const SHARED_DESCRIPTOR: u8 = 25;
const UTF8: u8 = 1;
/// Bytes of a class file before the entries of its pool: magic, versions and count.
const HEAD: usize = 10;

/// The class file; `None` when the bytes are damaged or the result were longer than `most`. `string` gives the image's
/// string at an offset.
pub fn unshared<'a>(bytes: &[u8], most: usize, string: impl Fn(u32) -> Option<&'a [u8]>) -> Option<Vec<u8>> {
    let mut plain = bytes.get(..HEAD)?.to_vec();
    let count = u16::from_be_bytes(*bytes.get(HEAD - 2..)?.first_chunk()?);
    let mut rest = &bytes[HEAD..];
    let mut index = 1;
    while index < count {
        let (&tag, after) = rest.split_first()?;
        rest = after;
        match tag {
            SHARED => put(&mut plain, string(number(&mut rest)?)?)?,
            SHARED_DESCRIPTOR => {
                let letters = string(number(&mut rest)?)?;
                let length = number(&mut rest)? as usize;
                let (mut references, after) = rest.split_at_checked(length)?;
                rest = after;
                let text = if length == 0 {
                    letters.to_vec()
                } else {
                    descriptor(letters, &mut references, &string)?
                };
                put(&mut plain, &text)?;
            }
            _ => {
                let length = match tag {
                    UTF8 => 2 + usize::from(u16::from_be_bytes(*rest.first_chunk()?)),
                    3 | 4 | 9..=12 | 17 | 18 => 4,
                    5 | 6 => 8,
                    7 | 8 | 16 | 19 | 20 => 2,
                    15 => 3,
                    _ => return None,
                };
                let (entry, after) = rest.split_at_checked(length)?;
                rest = after;
                plain.push(tag);
                plain.extend_from_slice(entry);
            }
        }
        // Longs and doubles take two indices (JVMS 4.4.5).
        index += if matches!(tag, 5 | 6) { 2 } else { 1 };
        if plain.len() > most {
            return None;
        }
    }
    plain.extend_from_slice(rest);
    (plain.len() <= most).then_some(plain)
}

/// Writes a text as an entry of the pool.
fn put(plain: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    plain.push(UTF8);
    plain.extend(u16::try_from(text.len()).ok()?.to_be_bytes());
    plain.extend_from_slice(text);
    Some(())
}

/// A descriptor: after each `L` of the letters follow package and class.
fn descriptor<'a>(
    letters: &[u8],
    references: &mut &[u8],
    string: &impl Fn(u32) -> Option<&'a [u8]>,
) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    for &letter in letters {
        text.push(letter);
        if letter == b'L' {
            let package = string(number(references)?)?;
            if !package.is_empty() {
                text.extend_from_slice(package);
                text.push(b'/');
            }
            text.extend_from_slice(string(number(references)?)?);
        }
        // No text of a pool is longer.
        if text.len() > usize::from(u16::MAX) {
            return None;
        }
    }
    Some(text)
}

/// Takes a number: four bytes, the highest first, or, if the first bit is set, as many bytes as the next two bits
/// say, with the other five bits as the highest ones.
fn number(rest: &mut &[u8]) -> Option<u32> {
    let first = *rest.first()?;
    let (length, high) =
        if first & 0x80 == 0 { (4, first) } else { (usize::from(first >> 5 & 3), first & 0x1f) };
    let (bytes, after) = rest.split_at_checked(length.max(1))?;
    *rest = after;
    Some(bytes[1..].iter().fold(u32::from(high), |number, byte| number << 8 | u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRINGS: &[u8] = b"\0\0Code\0(LIL)V\0java/lang\0String\0";

    fn string(at: u32) -> Option<&'static [u8]> {
        let rest = STRINGS.get(at as usize..)?;
        Some(&rest[..rest.iter().position(|byte| *byte == 0)?])
    }

    fn shared() -> Vec<u8> {
        let head = [0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 52, 0, 8];
        let pool = [
            &[SHARED, 0xa0 | 2][..],
            &[5, 1, 2, 3, 4, 5, 6, 7, 8],
            // In one, two, three and four bytes.
            &[SHARED_DESCRIPTOR, 0xc0, 7, 0xa0 | 9, 0xe0, 0, 14, 0xa0 | 24, 0xa0 | 1, 0, 0, 0, 24],
            &[SHARED_DESCRIPTOR, 0xa0 | 2, 0xa0],
            &[UTF8, 0, 1, b'x'],
            &[9, 0, 1, 0, 2],
        ];
        [&head[..], &pool.concat(), b"rest"].concat()
    }

    #[test]
    fn texts_are_put_back_into_the_pool() {
        let bytes = shared();
        let plain = unshared(&bytes, 1000, string).unwrap();
        let pool = [
            &b"\x01\0\x04Code"[..],
            &[5, 1, 2, 3, 4, 5, 6, 7, 8],
            b"\x01\0\x1c(Ljava/lang/StringILString)V",
            b"\x01\0\x04Code",
            b"\x01\0\x01x",
            &[9, 0, 1, 0, 2],
        ];
        let expected = [&bytes[..10], &pool.concat(), b"rest"].concat();
        assert_eq!(String::from_utf8_lossy(&plain), String::from_utf8_lossy(&expected));
        assert_eq!(unshared(&bytes, expected.len(), string), Some(expected.clone()));
        assert_eq!(unshared(&bytes, expected.len() - 1, string), None, "too long");
    }

    #[test]
    fn damaged_bytes_do_no_harm() {
        let whole = shared();
        for at in 0..whole.len() {
            let _ = unshared(&whole[..at], 1000, string);
            for wrong in 0..=255 {
                let mut bytes = whole.clone();
                bytes[at] = wrong;
                // Any result, and none is longer than allowed.
                assert!(unshared(&bytes, 100, string).is_none_or(|plain| plain.len() <= 100));
            }
        }
    }
}
