//! A whole file, line by line: every line's findings, and what several lines say together.

use crate::ast::{Node, Statement};
use crate::parse;
use crate::problem::Problem;
use crate::source::{Line, Source};
use crate::{Diagnostic, RunMode, Severity};

/// More lines than any comparison was ever spread over: two methods, their return types, sign and factors.
const MAX_SPREAD: usize = 6;

/// What could be read of a file.
pub(crate) struct Reading {
    pub(crate) statements: Vec<Node<Statement>>,
    pub(crate) errors: Vec<Diagnostic>,
}

/// Reads every line, also after errors.
pub(crate) fn read(source: &Source<'_>, text: &str, mode: RunMode) -> Reading {
    let lines: Vec<Line<'_>> = source.lines().collect();
    let mut statements = Vec::new();
    let mut problems = Vec::new();
    let mut misplaced = Vec::new();
    let mut at = 0;
    while let Some(line) = lines.get(at) {
        at += 1;
        if line.code.is_empty() {
            continue;
        }
        let findings = match parse::statement(source, line.code, mode) {
            Ok(statement) => {
                statements.push(statement);
                continue;
            }
            Err(findings) => findings,
        };
        if let Some((joined, count)) = spread(&lines[at - 1..], mode) {
            problems.push(broken(source, text, &lines[at - 1..at - 1 + count], &joined));
            at += count - 1;
        } else if parse::statement(source, line.code, other(mode)).is_ok() {
            misplaced.push(line.code);
        } else {
            problems.extend(findings);
        }
    }
    problems.extend(wrong_mode(&misplaced, mode));
    if statements.is_empty() && problems.is_empty() {
        problems.push(empty(text, mode));
    }
    let errors = problems.into_iter().map(|problem| problem.at(source, Severity::Error)).collect();
    Reading { statements, errors }
}

fn other(mode: RunMode) -> RunMode {
    match mode {
        RunMode::Comparison => RunMode::Measurement,
        RunMode::Measurement => RunMode::Comparison,
    }
}

/// Whether the first few of `lines` are one comparison that was broken into several lines: its text, and their number.
fn spread(lines: &[Line<'_>], mode: RunMode) -> Option<(String, usize)> {
    let mut joined = lines.first()?.code.to_owned();
    for (count, line) in lines.iter().enumerate().take(MAX_SPREAD).skip(1) {
        // A return type on a line of its own belongs right after the parenthesis.
        let glued = joined.ends_with(')') && !line.code.starts_with(crate::sign::is_sign_char);
        if !glued {
            joined.push(' ');
        }
        joined.push_str(line.code);
        if line.code.is_empty() {
            return None;
        }
        if let Ok(statement) = parse::statement(&Source::new(&joined), &joined, mode) {
            return Some((statement.to_string(), count + 1));
        }
    }
    None
}

fn broken<'a>(source: &Source<'a>, text: &'a str, lines: &[Line<'a>], joined: &str) -> Problem<'a> {
    let start = lines.first().map_or(0, |line| source.span(line.code).start);
    let end = lines.last().map_or(0, |line| source.span(line.code).end);
    Problem::new(text.get(start..end).unwrap_or(text), "a comparison stands on one line")
        .label(format!("spread over {} lines", lines.len()))
        .help(format!("write `{joined}`"))
}

/// One finding for all lines of the other run mode: whoever has the wrong mode has it on every line.
fn wrong_mode<'a>(misplaced: &[&'a str], mode: RunMode) -> Option<Problem<'a>> {
    let first = misplaced.first()?;
    let (message, label, help) = match mode {
        RunMode::Comparison => (
            "a method without a comparison in a file for `run-mode = comparison`",
            "compared with nothing",
            "set `run-mode = measurement` to measure methods alone, or add a sign and a second method",
        ),
        RunMode::Measurement => (
            "a comparison in a file for `run-mode = measurement`",
            "compares two methods",
            "set `run-mode = comparison` to decide comparisons, or write each method on a line of its own",
        ),
    };
    let problem = Problem::new(first, message).label(label).help(help);
    Some(misplaced[1..].iter().fold(problem, |problem, line| problem.related(line, "and here")))
}

fn empty(text: &str, mode: RunMode) -> Problem<'_> {
    let help = match mode {
        RunMode::Comparison => {
            "write one comparison a line: `pkg/Class.left(I)V <= (1, 2) pkg/Class.right(I)V`"
        }
        RunMode::Measurement => {
            "write one method a line: `java/lang/Integer.compareTo(Ljava/lang/Integer;)I`"
        }
    };
    Problem::new(&text[..0], "the file has no task").label("nothing but blank lines and comments").help(help)
}
