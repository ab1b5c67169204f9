//! Small damage to an input.

use crate::rng::Rng;
use std::ops::Range;

/// Limits of integer types and lengths.
const EDGES: [u64; 18] = [
    0,
    1,
    2,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0xf_ffff,
    0x10_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x7fff_ffff_ffff_ffff,
    0xffff_ffff_ffff_ffff,
];
/// Longest piece that is moved, repeated or removed, in bytes.
const MAX_PIECE: usize = 64;

/// Damages `bytes` once. `words` have a meaning for the target; `other` is another input.
pub fn mutate(bytes: &mut Vec<u8>, rng: &mut Rng, words: &[&[u8]], other: &[u8]) {
    match rng.below(11) {
        0 => flip(bytes, rng),
        1 => {
            let at = rng.below(bytes.len());
            let value = rng.bits() as u8;
            bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = value);
        }
        2 => nudge(bytes, rng),
        3 => edge(bytes, rng),
        4 => number(bytes, rng),
        5 => drop(bytes.drain(piece(bytes.len(), rng))),
        6 => {
            let copy = bytes[piece(bytes.len(), rng)].to_vec();
            insert(bytes, rng, &copy);
        }
        7 => {
            let copy = &other[piece(other.len(), rng)];
            insert(bytes, rng, copy);
        }
        8 => {
            let range = piece(bytes.len(), rng);
            bytes.splice(range, other[piece(other.len(), rng)].iter().copied());
        }
        9 => {
            let word = rng.pick(words).copied().unwrap_or(b"\0");
            insert(bytes, rng, word);
        }
        _ => {
            let word = rng.pick(words).copied().unwrap_or(b"\xff");
            let start = rng.below(bytes.len());
            let end = (start + word.len()).min(bytes.len());
            bytes.splice(start..end, word.iter().copied());
        }
    }
}

/// A range within an input of `length` bytes; short ranges are as likely as long ones.
fn piece(length: usize, rng: &mut Rng) -> Range<usize> {
    let start = rng.below(length);
    let longest = 1 + rng.below(MAX_PIECE);
    start..(start + 1 + rng.below(longest)).min(length)
}

fn insert(bytes: &mut Vec<u8>, rng: &mut Rng, what: &[u8]) {
    let at = rng.below(bytes.len() + 1);
    bytes.splice(at..at, what.iter().copied());
}

fn flip(bytes: &mut [u8], rng: &mut Rng) {
    let at = rng.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1 << rng.below(8);
    }
}

/// Replaces a byte by a near number: lengths, indices and offsets become wrong by one.
fn nudge(bytes: &mut [u8], rng: &mut Rng) {
    let at = rng.below(bytes.len());
    let by = rng.pick(&[1, 2, 0xfe, 0xff]).copied().unwrap_or(1);
    if let Some(byte) = bytes.get_mut(at) {
        *byte = byte.wrapping_add(by);
    }
}

/// Writes the limit of an integer type, in either byte order.
fn edge(bytes: &mut [u8], rng: &mut Rng) {
    let width = rng.pick(&[1, 2, 4, 8]).copied().unwrap_or(1);
    let value = rng.pick(&EDGES).copied().unwrap_or(0);
    let mut word = value.to_le_bytes()[..width].to_vec();
    if rng.below(2) == 0 {
        word.reverse();
    }
    let at = rng.below(bytes.len());
    bytes.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
}

/// Replaces a written number by another one.
fn number(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let from = rng.below(bytes.len());
    let Some(start) = bytes.iter().skip(from).position(u8::is_ascii_digit).map(|at| at + from) else {
        return;
    };
    let digits = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let value = rng.pick(&EDGES).copied().unwrap_or(0);
    bytes.splice(start..start + digits, value.to_string().into_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_input_can_be_damaged_and_the_seed_says_how() {
        let damage = |seed: u64, length: usize| {
            let mut rng = Rng::new(seed);
            let mut bytes = vec![b'7'; length];
            (0..100).for_each(|_| mutate(&mut bytes, &mut rng, &[b"word"], b"other"));
            bytes
        };
        for length in 0..20 {
            assert_eq!(damage(1, length), damage(1, length));
            assert_ne!(damage(1, length), damage(2, length));
        }
        let mut nothing = Vec::new();
        (0..1000).for_each(|seed| mutate(&mut nothing, &mut Rng::new(seed), &[], b""));
    }
}
