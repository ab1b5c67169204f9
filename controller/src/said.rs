//! Messages to the operator: lines on standard error that begin with `spl:`.

use crate::colour::{self, highlight};
use spl_model::one_line;
use std::io::{self, Write as _};

/// Prints a message to the operator, each line after `spl:`, without characters that could end a line of
/// ours, control the terminal or mislead the reader. It is a single write: the program uses the same stream,
/// and its output must not come into the middle of a line of ours.
pub fn say(text: &str) {
    let coloured = colour::is_wanted();
    let line = |line: &str| {
        let line = format!("spl: {}", one_line(line));
        format!("{}\n", if coloured { highlight(line.trim_end()) } else { line.trim_end().to_owned() })
    };
    let lines = text.lines().map(line).collect::<String>();
    // If nobody reads the stream any more, the measurement goes on: its results are in files.
    let _ = io::stderr().write_all(lines.as_bytes());
}
