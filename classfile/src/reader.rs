//! Checked big-endian reads: a read past the end is an error, never a panic.

use spl_model::Refusal;

/// A position in a byte slice. Offsets are counted from the start of that slice.
#[derive(Clone, Copy, Debug)]
pub struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    /// A reader of `bytes` from their start.
    #[must_use]
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// A reader of the whole slice that starts at `at`.
    pub fn starting_at(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at }
    }

    /// Offset of the next byte.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Whether all bytes were read.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The next `length` bytes.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn take(&mut self, length: usize) -> Result<&'a [u8], Refusal> {
        let end = self.at.checked_add(length).ok_or_else(|| self.truncated())?;
        let taken = self.bytes.get(self.at..end).ok_or_else(|| self.truncated())?;
        self.at = end;
        Ok(taken)
    }

    /// The next byte.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn u1(&mut self) -> Result<u8, Refusal> {
        self.array::<1>().map(|[byte]| byte)
    }

    /// The next two bytes as a number.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn u2(&mut self) -> Result<u16, Refusal> {
        self.array().map(u16::from_be_bytes)
    }

    /// The next four bytes as a number.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn u4(&mut self) -> Result<u32, Refusal> {
        self.array().map(u32::from_be_bytes)
    }

    /// The next two bytes as a signed number.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn i2(&mut self) -> Result<i16, Refusal> {
        self.array().map(i16::from_be_bytes)
    }

    /// The next four bytes as a signed number.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn i4(&mut self) -> Result<i32, Refusal> {
        self.array().map(i32::from_be_bytes)
    }

    #[inline]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        let taken = self.take(N)?;
        taken.try_into().map_err(|_| self.truncated())
    }

    #[cold]
    fn truncated(&self) -> Refusal {
        malformed(format!("it ends in the middle of an item, at byte {} of {}", self.at, self.bytes.len()))
    }
}

/// The refusal for bytes that break the class-file format.
pub fn malformed(what: impl Into<String>) -> Refusal {
    Refusal::Malformed(what.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_past_the_end_is_refused_and_moves_nothing() {
        let mut reader = Reader::new(&[0xff, 0xfe, 7]);
        assert_eq!(reader.i2(), Ok(-2));
        assert!(reader.u2().is_err() && reader.take(usize::MAX).is_err());
        assert_eq!((reader.at(), reader.u1()), (2, Ok(7)));
        assert!(reader.is_at_end() && Reader::starting_at(&[], 9).u1().is_err());
    }
}
