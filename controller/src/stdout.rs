//! Standard output of the commands that answer a question there.

use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Prints lines, without characters that could control or mislead a terminal.
///
/// # Errors
/// When they cannot be printed; one line of text. A reader that stops early (`spl methods … | head`) is not
/// an error.
pub fn print(text: &str) -> Result<(), String> {
    print_as_it_is(&spl_model::lines(text))
}

/// Prints a JSON document.
///
/// # Errors
/// As [`print`].
pub fn print_json(document: &impl Serialize) -> Result<(), String> {
    let text = serde_json::to_string_pretty(document).map_err(|e| e.to_string())?;
    print_as_it_is(&(spl_model::plain_json(&text) + "\n"))
}

/// Prints a text with all its characters.
///
/// # Errors
/// As [`print`].
pub fn print_as_it_is(text: &str) -> Result<(), String> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(format!("cannot print: {error}")),
        _ => Ok(()),
    }
}
