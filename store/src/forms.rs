//! Answers as text, CSV and JSON.

use crate::query::{Answer, Cell};
use serde_json::{Value, json as document};
use spl_graph::forms::field;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Name and version of the JSON document.
pub const SCHEMA: &str = "spl.query/1";
/// Columns of a terminal that one column of a table takes at most.
const MOST_WIDTH: usize = 80;

/// A table for people: numbers to the right, texts to the left; long texts are cut.
#[must_use]
pub fn text(answer: &Answer) -> String {
    let shown = |cell: &Cell| cell.shown(MOST_WIDTH);
    let heads: Vec<String> =
        answer.columns.iter().map(|head| cut(&spl_model::one_line(head), MOST_WIDTH)).collect();
    let rows: Vec<Vec<String>> = answer.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
    let is_number = |column: usize| answer.is_numeric(column);
    let columns: Vec<(usize, bool)> = (0..heads.len())
        .map(|column| {
            let cells = std::iter::once(&heads).chain(&rows).filter_map(|row| row.get(column));
            (cells.map(|cell| cell.width()).max().unwrap_or(0), is_number(column))
        })
        .collect();
    let mut out = String::new();
    for row in std::iter::once(&heads).chain(&rows) {
        let mut line = String::new();
        for (cell, (width, is_number)) in row.iter().zip(&columns) {
            let space = " ".repeat(width.saturating_sub(cell.width()));
            line += &if *is_number { format!("{space}{cell}  ") } else { format!("{cell}{space}  ") };
        }
        out += line.trim_end();
        out.push('\n');
    }
    out
}

impl Cell {
    /// The value as tables for people have it: numbers with at most six digits after the point, and texts in one line, cut when
    /// they are wider than this number of columns.
    #[must_use]
    pub fn shown(&self, most_width: usize) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Whole(count) => count.to_string(),
            Self::Real(value) => rounded(*value),
            Self::Text(text) | Self::Bytes(text) => cut(&spl_model::one_line(text), most_width),
        }
    }
}

impl Answer {
    /// Whether a column has numbers, and no texts.
    #[must_use]
    pub fn is_numeric(&self, column: usize) -> bool {
        let cells = || self.rows.iter().filter_map(|row| row.get(column));
        cells().any(|cell| matches!(cell, Cell::Whole(_) | Cell::Real(_)))
            && !cells().any(|cell| matches!(cell, Cell::Text(_) | Cell::Bytes(_)))
    }
}

/// One table (RFC 4180) with all digits; an empty field has no value, or an empty text.
#[must_use]
pub fn csv(answer: &Answer) -> String {
    let line = |fields: Vec<String>| fields.join(",") + "\n";
    let mut out = line(answer.columns.iter().map(|head| field(head)).collect());
    for row in &answer.rows {
        let shown = |cell: &Cell| match cell {
            Cell::Null => String::new(),
            Cell::Whole(count) => count.to_string(),
            Cell::Real(value) => value.to_string(),
            Cell::Text(text) | Cell::Bytes(text) => field(text),
        };
        out += &line(row.iter().map(shown).collect());
    }
    out
}

/// One document (`docs/schema/query-1.json`). Numbers that JSON does not have are null.
#[must_use]
pub fn json(answer: &Answer) -> Value {
    let shown = |cell: &Cell| match cell {
        Cell::Null => Value::Null,
        Cell::Whole(count) => Value::from(*count),
        Cell::Real(value) => Value::from(*value),
        Cell::Text(text) | Cell::Bytes(text) => Value::from(text.as_str()),
    };
    let rows: Vec<Vec<Value>> = answer.rows.iter().map(|row| row.iter().map(shown).collect()).collect();
    document!({ "schema": SCHEMA, "columns": answer.columns, "rows": rows })
}

/// At most six digits after the point, and no zeros at the end.
fn rounded(value: f64) -> String {
    let text = format!("{value:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if value != 0.0 && value.abs() < 1e-4 || value.abs() >= 1e15 {
        format!("{value:e}")
    } else {
        text.to_owned()
    }
}

fn cut(text: &str, most_width: usize) -> String {
    if text.width() <= most_width {
        return text.to_owned();
    }
    let (mut out, mut width) = (String::new(), 0);
    for one in text.chars() {
        width += one.width().unwrap_or(0);
        if width + 1 > most_width {
            break;
        }
        out.push(one);
    }
    out + "…"
}
