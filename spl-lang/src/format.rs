//! The standard form of a task file.

use crate::source::{Line, Source};
use crate::{Diagnostic, RunMode, file, names, parse};
use std::fmt::Write;

/// Formats a file: each statement in its standard form, comments kept, no white space around lines, and at
/// most one blank line between other lines.
///
/// ```
/// use spl_lang::{RunMode, format};
/// let text = "\n\na/B.f()V<=( 1,2.50 )a/B.g()V   # why\n\n\n#end";
/// let formatted = "a/B.f()V <= (1, 2.5) a/B.g()V  # why\n\n#end\n";
/// assert_eq!(format(text, RunMode::Comparison).unwrap(), formatted);
/// ```
///
/// # Errors
/// All findings of the file, in the order of their places, if a line is unreadable. A file without
/// statements, or with undefined names, can be formatted.
pub fn format(text: &str, mode: RunMode) -> Result<String, Vec<Diagnostic>> {
    let source = Source::new(text);
    let mut formatted = String::with_capacity(text.len());
    let mut blank = false;
    for line in source.lines() {
        if line.code.is_empty() && line.comment.is_none() {
            blank = !formatted.is_empty();
            continue;
        }
        let Some(line) = format_line(&source, line, mode) else {
            return Err(names::in_order(file::read(&source, text, mode).errors));
        };
        if blank {
            formatted.push('\n');
            blank = false;
        }
        formatted.push_str(&line);
        formatted.push('\n');
    }
    Ok(formatted)
}

/// The formatted line; `None` for an unreadable one.
fn format_line(source: &Source<'_>, line: Line<'_>, mode: RunMode) -> Option<String> {
    let mut formatted = String::new();
    if !line.code.is_empty() {
        formatted = parse::statement(source, line.code, mode).ok()?.to_string();
    }
    if let Some(comment) = line.comment {
        let gap = if formatted.is_empty() { "" } else { "  " };
        // Writing to a String does not fail.
        _ = write!(formatted, "{gap}{comment}");
    }
    Some(formatted)
}
