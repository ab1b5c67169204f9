//! A text as lines with code and the way from a byte to its line and column.

use crate::Span;
use nom::Offset;

/// Character that some editors put before the text to mark it as UTF-8.
const BYTE_ORDER_MARK: char = '\u{feff}';

/// A text and where its lines start.
pub(crate) struct Source<'a> {
    text: &'a str,
    line_starts: Vec<usize>,
}

/// One line without its end, divided into code and comment. Both parts are slices of the text.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a> {
    /// The code without white space around it; may be empty.
    pub(crate) code: &'a str,
    /// The comment from its `#` on, without white space after it.
    pub(crate) comment: Option<&'a str>,
}

impl<'a> Source<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, line_starts: std::iter::once(0).chain(starts).collect() }
    }

    /// The lines in order.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Line<'a>> + use<'a> {
        let text = self.text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(self.text);
        text.split('\n').map(|line| Line::cut(line.strip_suffix('\r').unwrap_or(line)))
    }

    /// The bytes that a slice of this text covers.
    pub(crate) fn span(&self, part: &str) -> Span {
        let start = self.text.offset(part);
        Span { start, end: start + part.len() }
    }

    /// Line and column, both counted from 1, of a byte at the start of a character. Columns count characters.
    pub(crate) fn place(&self, at: usize) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= at).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or("");
        (line, before.chars().filter(|c| *c != BYTE_ORDER_MARK).count() + 1)
    }
}

/// A line without its comment and the white space around it.
#[must_use]
pub fn without_comment(line: &str) -> &str {
    Line::cut(line).code
}

impl<'a> Line<'a> {
    /// A `#` opens a comment at the start of the line or after white space: inside a word it separates a
    /// class from its method, and inside quotation marks it is part of a title.
    fn cut(line: &'a str) -> Self {
        let (mut quoted, mut escaped, mut after_space) = (false, false, true);
        for (at, c) in line.char_indices() {
            if c == '#' && !quoted && after_space {
                return Self { code: line[..at].trim(), comment: Some(line[at..].trim_end()) };
            }
            quoted ^= c == '"' && !escaped;
            escaped = quoted && c == '\\' && !escaped;
            after_space = c.is_whitespace();
        }
        Self { code: line.trim(), comment: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_open_at_line_start_or_after_white_space() {
        let check = |line: &str, code: &str, comment: Option<&str>| {
            let cut = Line::cut(line);
            assert_eq!((cut.code, cut.comment), (code, comment), "{line:?}");
        };
        check("", "", None);
        check("# all", "", Some("# all"));
        check("#", "", Some("#"));
        check("  a.B#c \t# rest # more ", "a.B#c", Some("# rest # more"));
        check("\"one # title\": a # rest", "\"one # title\": a", Some("# rest"));
        check(r#""a \" # b" # c"#, r#""a \" # b""#, Some("# c"));
        check(r#""a \\" # b"#, r#""a \\""#, Some("# b"));
        check("a\u{a0}# b", "a", Some("# b"));
    }

    #[test]
    fn places_count_characters_and_lines() {
        let source = Source::new("\u{feff}ab\r\nčd\n");
        let lines: Vec<&str> = source.lines().map(|line| line.code).collect();
        assert_eq!(lines, ["ab", "čd", ""]);
        let check =
            |part: &str, place: (usize, usize)| assert_eq!(source.place(source.span(part).start), place);
        check(lines[0], (1, 1));
        check(&lines[0][1..], (1, 2));
        check(&lines[1][2..], (2, 2));
        check(lines[2], (3, 1));
    }
}
