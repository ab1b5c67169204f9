//! Method descriptors (JVMS 4.3.3), split into field descriptors without copying.

use crate::reader::malformed;
use spl_model::Refusal;

/// A method's parameters and result, each as a field descriptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature<'a> {
    /// The parameters, without the object on which the method is called.
    pub parameters: Vec<Field<'a>>,
    /// `None` for `void`.
    pub result: Option<Field<'a>>,
}

/// A field descriptor (JVMS 4.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field<'a>(&'a [u8]);

/// Most stack words of all arguments of a method (JVMS 4.3.3).
const MOST_WORDS: usize = 255;
/// Most dimensions of an array type (JVMS 4.3.2).
const MOST_DIMENSIONS: usize = 255;

impl<'a> Signature<'a> {
    /// Splits a method descriptor.
    ///
    /// # Errors
    /// When it is invalid, or its arguments take more than 255 stack words.
    pub fn read(descriptor: &'a [u8]) -> Result<Self, Refusal> {
        let mut parameters = Vec::new();
        let result = walk(descriptor, |field| parameters.push(field))?;
        Ok(Self { parameters, result })
    }

    /// Stack words of all parameters.
    pub fn words(&self) -> usize {
        self.parameters.iter().map(|field| field.words()).sum()
    }
}

/// Passes each parameter to `parameter` and returns the result, `None` for `void`.
///
/// # Errors
/// The errors of [`Signature::read`]; some parameters may have been passed before.
pub fn walk<'a>(
    descriptor: &'a [u8],
    mut parameter: impl FnMut(Field<'a>),
) -> Result<Option<Field<'a>>, Refusal> {
    let wrong = || malformed(format!("{:?} is not a method descriptor", String::from_utf8_lossy(descriptor)));
    let Some((b'(', mut rest)) = descriptor.split_first() else { return Err(wrong()) };
    let mut words = 0;
    while rest.first() != Some(&b')') {
        let (field, after) = Field::cut(rest).ok_or_else(wrong)?;
        words += field.words();
        parameter(field);
        rest = after;
    }
    if words > MOST_WORDS {
        return Err(wrong());
    }
    if rest == b")V" {
        return Ok(None);
    }
    match Field::cut(rest.get(1..).unwrap_or_default()) {
        Some((field, [])) => Ok(Some(field)),
        _ => Err(wrong()),
    }
}

impl<'a> Field<'a> {
    /// The field at the start of `bytes`, and the bytes after it.
    fn cut(bytes: &'a [u8]) -> Option<(Self, &'a [u8])> {
        let dimensions = bytes.iter().take_while(|byte| **byte == b'[').count();
        let length = match bytes.get(dimensions)? {
            b'B' | b'C' | b'D' | b'F' | b'I' | b'J' | b'S' | b'Z' => 1,
            b'L' => 1 + bytes[dimensions..].iter().position(|byte| *byte == b';').filter(|&end| end > 1)?,
            _ => return None,
        };
        let (field, rest) = bytes.split_at_checked(dimensions + length)?;
        (dimensions <= MOST_DIMENSIONS).then_some((Self(field), rest))
    }

    /// `B`, `C`, `D`, `F`, `I`, `J`, `S`, `Z`, `L` or `[`.
    pub fn tag(self) -> u8 {
        self.0.first().copied().unwrap_or_default()
    }

    /// Whether the type is a class or an array.
    #[must_use]
    pub fn is_reference(self) -> bool {
        matches!(self.tag(), b'L' | b'[')
    }

    /// Stack words and local slots of one value.
    pub fn words(self) -> usize {
        if matches!(self.tag(), b'J' | b'D') { 2 } else { 1 }
    }

    /// Bytes of one value of a primitive type, 0 for a reference.
    pub fn primitive_bytes(self) -> u64 {
        match self.tag() {
            b'B' | b'Z' => 1,
            b'C' | b'S' => 2,
            b'I' | b'F' => 4,
            b'J' | b'D' => 8,
            _ => 0,
        }
    }

    /// The text of a class constant for a reference type: a class name, or an array's descriptor (JVMS
    /// 4.4.1).
    pub fn class_name(self) -> Option<&'a [u8]> {
        match self.0 {
            [b'L', name @ .., b';'] => Some(name),
            [b'[', ..] => Some(self.0),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptors_are_cut_into_fields() {
        let signature = Signature::read(b"(I[[JLa/B;D[La/B;)[Z").unwrap();
        let parameters: Vec<_> = signature.parameters.iter().map(|field| field.0).collect();
        assert_eq!(parameters, [&b"I"[..], b"[[J", b"La/B;", b"D", b"[La/B;"]);
        assert_eq!((signature.words(), signature.result), (6, Some(Field(b"[Z"))));
        let names: Vec<_> = signature.parameters.iter().filter_map(|field| field.class_name()).collect();
        assert_eq!(names, [&b"[[J"[..], b"a/B", b"[La/B;"]);
        assert_eq!(Signature::read(b"()V").unwrap().result, None);
    }

    #[test]
    fn what_is_no_descriptor_is_refused() {
        for wrong in
            ["", "(", "()", "V", "()VV", "()L;", "(L;)V", "(La)V", "(V)V", "([)V", "()[V", "(I)", "(Q)V"]
        {
            assert!(Signature::read(wrong.as_bytes()).is_err(), "{wrong}");
        }
        let is_legal =
            |field: &str, count| Signature::read(format!("({})V", field.repeat(count)).as_bytes()).is_ok();
        assert!(is_legal("I", 255) && is_legal("J", 127));
        assert!(!is_legal("I", 256) && !is_legal("J", 128));
        assert!(Signature::read(format!("({}I)V", "[".repeat(256)).as_bytes()).is_err());
    }
}
