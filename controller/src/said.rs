//! How the operator is told something: lines on standard error that begin with `spl:`, and words that several of them have.

use crate::colour::{self, highlight};
use spl_model::{Outcome, one_line};
use std::io::{self, Write as _};

/// Says something to the operator, each line after `spl:`, without what could end a line of ours, command the terminal or mislead who reads
/// it. All in one write: the program uses the same stream, and its
/// output must not come into the middle of a line of ours.
pub fn say(text: &str) {
    let coloured = colour::is_wanted();
    let line = |line: &str| {
        let line = format!("spl: {}", one_line(line));
        format!("{}\n", if coloured { highlight(line.trim_end()) } else { line.trim_end().to_owned() })
    };
    let lines = text.lines().map(line).collect::<String>();
    // Where nobody listens any more, the measurement goes on: its results are in files.
    let _ = io::stderr().write_all(lines.as_bytes());
}

/// Why a method cannot be measured, in words; `None` when it can, or when its class is not there yet.
pub fn unavailable(outcome: &Outcome) -> Option<String> {
    Some(match outcome {
        Outcome::Abstract => "it has no body; name a class that implements it".to_owned(),
        Outcome::Native => "it is native, there is no bytecode to measure".to_owned(),
        Outcome::NoSuchMethod { nearest } if nearest.is_empty() => "its class has no such method".to_owned(),
        Outcome::NoSuchMethod { nearest } => {
            format!("its class has no such method; did you mean {}?", nearest.join(" or "))
        }
        Outcome::Refused(refusal) => refusal.to_string(),
        Outcome::Instrumented(_) | Outcome::NotLoaded => return None,
    })
}
