//! Values of attributes, for all documents of XML.

/// A value of an attribute (XML 1.0, section 2.3). Characters that XML cannot hold at all are shown as
/// U+FFFD.
///
/// ```
/// assert_eq!(spl_graph::forms::attribute("a<b>\u{1} & \"c\""), "a&lt;b&gt;\u{fffd} &amp; &quot;c&quot;");
/// ```
#[must_use]
pub fn attribute(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            _ if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            _ => out.push(c),
        }
    }
    out
}
