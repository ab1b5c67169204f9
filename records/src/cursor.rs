//! A position in a file's bytes and the values that can be read there.

use crate::error::{Fault, Problem};
use spl_model::MethodRef;
use std::borrow::Cow;
use std::sync::Arc;

/// A reading position. A failed read consumes nothing, except where noted.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The last method read: a file holds one method, which is thus checked and allocated once.
    method: Option<(&'a [u8], Arc<MethodRef>)>,
    /// The last origin read, kept for the same reason.
    origin: Arc<str>,
    /// Whether the origin is the same with and without the rules of RFC 4180.
    plain_origin: bool,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, method: None, origin: Arc::from(""), plain_origin: true }
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn move_to(&mut self, at: usize) {
        self.at = at.min(self.bytes.len());
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// The rest of this line without its end.
    pub(crate) fn line(&self) -> &'a [u8] {
        let rest = self.rest();
        let line = &rest[..rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())];
        line.strip_suffix(b"\r").unwrap_or(line)
    }

    /// Moves to the next line.
    pub(crate) fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
    }

    pub(crate) fn try_literal(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected.as_bytes());
        if found {
            self.at += expected.len();
        }
        found
    }

    /// A fault in a text that is cut off has the offset of the file's end, which marks a half-written record.
    pub(crate) fn literal(&mut self, expected: &'static str) -> Result<(), Fault> {
        if self.try_literal(expected) {
            return Ok(());
        }
        let cut = expected.as_bytes().starts_with(self.rest());
        Err(Fault::new(if cut { self.bytes.len() } else { self.at }, Problem::ExpectedText(expected)))
    }

    /// Separator between two fields of a line.
    pub(crate) fn comma(&mut self) -> Result<(), Fault> {
        if self.try_literal(",") {
            Ok(())
        } else {
            Err(Fault::expected(self.at, "a comma and another field"))
        }
    }

    pub(crate) fn end_of_line(&mut self) -> Result<(), Fault> {
        match self.rest() {
            [b'\n', ..] => self.at += 1,
            [b'\r', b'\n', ..] => self.at += 2,
            [b'\r'] => return Err(Fault::expected(self.bytes.len(), "the end of the line")),
            [b',', ..] => return Err(Fault::new(self.at, Problem::TooManyFields)),
            _ => return Err(Fault::expected(self.at, "the end of the line")),
        }
        Ok(())
    }

    pub(crate) fn at_end_of_line(&self) -> bool {
        matches!(self.rest(), [b'\n', ..] | [b'\r', b'\n', ..])
    }

    /// Decimal digits. Consumes them even when there are too many.
    pub(crate) fn number(&mut self) -> Result<u64, Fault> {
        let start = self.at;
        let mut value = 0_u64;
        while let Some(digit) = self.peek().map(|byte| byte.wrapping_sub(b'0')).filter(|digit| *digit < 10) {
            let next = value.checked_mul(10).and_then(|tens| tens.checked_add(digit.into()));
            value = next.ok_or_else(|| Fault::new(start, Problem::TooLarge))?;
            self.at += 1;
        }
        if self.at == start { Err(Fault::expected(start, "a number")) } else { Ok(value) }
    }

    /// A field of RFC 4180 without the following separator. Fails at the file's end when nothing ends it.
    pub(crate) fn field(&mut self) -> Result<Cow<'a, str>, Fault> {
        if self.peek() == Some(b'"') {
            return self.quoted_field();
        }
        let start = self.at;
        let rest = self.rest();
        let Some(length) = rest.iter().position(|byte| matches!(byte, b',' | b'\n' | b'"')) else {
            return Err(Fault::expected(self.bytes.len(), "the end of a field"));
        };
        if rest[length] == b'"' {
            return Err(Fault::expected(start, "quotes around a field with quotes"));
        }
        let carriage_return = rest[length] == b'\n' && rest[..length].ends_with(b"\r");
        let raw = &rest[..length - usize::from(carriage_return)];
        let text = str::from_utf8(raw).map_err(|_| Fault::new(start, Problem::NotUtf8))?;
        self.at += raw.len();
        Ok(Cow::Borrowed(text))
    }

    fn quoted_field(&mut self) -> Result<Cow<'a, str>, Fault> {
        let start = self.at;
        let content = self.rest().get(1..).unwrap_or_default();
        let mut length = 0;
        let mut doubled = false;
        loop {
            let Some(quote) = content[length..].iter().position(|byte| *byte == b'"') else {
                return Err(Fault::expected(self.bytes.len(), "the quotes that end the field"));
            };
            length += quote;
            if content.get(length + 1) != Some(&b'"') {
                break;
            }
            doubled = true;
            length += 2;
        }
        let text = str::from_utf8(&content[..length]).map_err(|_| Fault::new(start, Problem::NotUtf8))?;
        self.at += length + 2;
        Ok(if doubled { Cow::Owned(text.replace("\"\"", "\"")) } else { Cow::Borrowed(text) })
    }

    /// A whole field that [`FromStr`](std::str::FromStr) understands; a fault lies at its beginning.
    pub(crate) fn parsed_field<T>(
        &mut self,
        parse: impl FnOnce(&str) -> Result<T, Problem>,
    ) -> Result<T, Fault> {
        let start = self.at;
        let field = self.field()?;
        parse(&field).map_err(|problem| Fault { at: start, problem })
    }

    /// A whole field that is a number, with or without quotes around it.
    pub(crate) fn number_field(&mut self) -> Result<u64, Fault> {
        if self.peek() != Some(b'"') {
            return self.number();
        }
        self.parsed_field(|text| text.parse().map_err(|_| Problem::Expected("a number")))
    }

    /// A whole field that is a number, or empty.
    pub(crate) fn optional_number_field(&mut self) -> Result<Option<u64>, Fault> {
        if self.peek() == Some(b',') || self.at_end_of_line() {
            return Ok(None);
        }
        self.number_field().map(Some)
    }

    /// A whole field that is a method.
    pub(crate) fn method_field(&mut self) -> Result<Arc<MethodRef>, Fault> {
        let start = self.at;
        let field = self.field()?;
        // Compared as it stands in the file, quotes included.
        let found = &self.bytes[start..self.at];
        if let Some((raw, method)) = &self.method
            && *raw == found
        {
            return Ok(Arc::clone(method));
        }
        let method = Arc::new(field.parse::<MethodRef>().map_err(|error| Fault::new(start, error))?);
        self.method = Some((found, Arc::clone(&method)));
        Ok(method)
    }

    /// The rest of this line, which is a method.
    pub(crate) fn method_line(&mut self) -> Result<Arc<MethodRef>, Fault> {
        let line = self.line();
        let start = self.at;
        if start + line.len() == self.bytes.len() {
            return Err(Fault::expected(self.bytes.len(), "the end of the line"));
        }
        self.at += line.len();
        if let Some((raw, method)) = &self.method
            && *raw == line
        {
            return Ok(Arc::clone(method));
        }
        let text = str::from_utf8(line).map_err(|_| Fault::new(start, Problem::NotUtf8))?;
        let method = Arc::new(text.parse::<MethodRef>().map_err(|error| Fault::new(start, error))?);
        self.method = Some((line, Arc::clone(&method)));
        Ok(method)
    }

    /// The bytes of the last method as it stands in the file, and of the last origin, unless that needs
    /// quotes.
    pub(crate) fn known(&self) -> Option<(&'a [u8], &[u8])> {
        let (method, _) = self.method.as_ref().filter(|_| self.plain_origin)?;
        Some((*method, self.origin.as_bytes()))
    }

    /// Moves to where `rest` bytes are left, after a line with the last method and origin.
    pub(crate) fn accept_known(&mut self, rest: usize) -> Option<(Arc<MethodRef>, Arc<str>)> {
        let (_, method) = self.method.as_ref()?;
        self.at = self.bytes.len().checked_sub(rest)?;
        Some((Arc::clone(method), Arc::clone(&self.origin)))
    }

    /// The origin as a shared text: one allocation for all equal origins in a row.
    pub(crate) fn origin(&mut self, text: &str) -> Arc<str> {
        if *self.origin != *text {
            self.origin = Arc::from(text);
            self.plain_origin = !text.contains([',', '"', '\n', '\r']);
        }
        Arc::clone(&self.origin)
    }

    /// A JSON string, which never spans lines.
    pub(crate) fn quoted(&mut self) -> Result<String, Fault> {
        let start = self.at;
        let line = self.line();
        let mut escaped = false;
        let closing = line.iter().skip(1).position(|byte| {
            let closes = *byte == b'"' && !escaped;
            escaped = *byte == b'\\' && !escaped;
            closes
        });
        let expected = |at: usize| Fault::expected(at, "a text in quotes");
        match closing {
            Some(closing) if line[0] == b'"' => {
                let text = serde_json::from_slice(&line[..closing + 2]).map_err(|_| expected(start))?;
                self.at += closing + 2;
                Ok(text)
            }
            _ if start + line.len() == self.bytes.len() => Err(expected(self.bytes.len())),
            _ => Err(expected(start)),
        }
    }

    /// A double, up to a space, a comma, a closing parenthesis or the line's end.
    pub(crate) fn double(&mut self) -> Result<f64, Fault> {
        let line = self.line();
        let ends = |byte: &u8| matches!(byte, b' ' | b',' | b')');
        let length = line.iter().position(ends).unwrap_or(line.len());
        if self.at + length == self.bytes.len() {
            return Err(Fault::expected(self.bytes.len(), "the rest of a number"));
        }
        let text = str::from_utf8(&line[..length]).unwrap_or_default();
        let value = parse_double(text).map_err(|problem| Fault::new(self.at, problem))?;
        self.at += length;
        Ok(value)
    }
}

pub(crate) fn parse_double(text: &str) -> Result<f64, Problem> {
    text.parse().map_err(|_| Problem::Expected("a decimal number"))
}
