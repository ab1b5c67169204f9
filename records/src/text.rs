//! Writing single values so that they are read back exactly.

use std::fmt::{self, Write};

/// A field of RFC 4180. Quotes enclose a text that needs them there. They also enclose a text that would be
/// misread at the beginning of a file: `#` as the human-readable form, U+FEFF as a byte order mark.
pub(crate) fn write_field(out: &mut impl Write, text: &str) -> fmt::Result {
    if !text.contains([',', '"', '\n', '\r']) && !text.starts_with(['#', '\u{feff}']) {
        return out.write_str(text);
    }
    out.write_char('"')?;
    for (index, part) in text.split('"').enumerate() {
        out.write_str(if index > 0 { "\"\"" } else { "" })?;
        out.write_str(part)?;
    }
    out.write_char('"')
}

/// A JSON string: always one line, for any text.
pub(crate) fn write_quoted(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_str(&spl_model::plain_json(&serde_json::to_string(text).map_err(|_| fmt::Error)?))
}

/// The shortest decimal that reads back as the same double, with an exponent where it would have many zeros.
pub(crate) struct Double(pub(crate) f64);

impl fmt::Display for Double {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value) = *self;
        if value == 0.0 || !value.is_finite() || (1e-5..1e16).contains(&value.abs()) {
            write!(f, "{value}")
        } else {
            write!(f, "{value:e}")
        }
    }
}
