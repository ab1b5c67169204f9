//! A row of the view.

use crate::colour::Tone;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Number of columns from which on rows have all figures.
pub const WIDE: usize = 70;

/// A row: texts in their tones.
pub type Row = Vec<(Tone, String)>;

/// The row cut to at most this number of columns.
pub fn cut(row: Row, columns: usize) -> Row {
    let wide: usize = row.iter().map(|(_, text)| text.width()).sum();
    if wide <= columns {
        return row;
    }
    let mut left = columns - 1;
    let mut short: Row = Vec::new();
    for (tone, text) in row {
        let fits = |c: &char| {
            let width = c.width().unwrap_or(0);
            let fits = width <= left;
            left = if fits { left - width } else { 0 };
            fits
        };
        short.push((tone, text.chars().take_while(fits).collect()));
    }
    short.push((Tone::Plain, "…".to_owned()));
    short
}
