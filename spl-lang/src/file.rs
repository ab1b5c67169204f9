//! A whole file, line by line: the findings of each line, and those of several lines together.

use crate::ast::{MethodTerm, Node, Statement};
use crate::parse;
use crate::problem::Problem;
use crate::source::{Line, Source};
use crate::{Diagnostic, RunMode, Severity, sign};

/// Most lines that are joined to one comparison: two methods, their return types, sign and factors.
const MAX_SPREAD: usize = 6;

/// Most further lines that a finding about many lines shows.
const MAX_RELATED: usize = 3;

/// The readable statements of a file, and its errors.
pub(crate) struct Reading<'a> {
    pub(crate) statements: Vec<Node<Statement>>,
    pub(crate) errors: Vec<Diagnostic>,
    /// Names that were defined on unreadable lines.
    pub(crate) broken_names: Vec<&'a str>,
}

/// Reads every line, even after errors.
pub(crate) fn read<'a>(source: &Source<'a>, text: &'a str, mode: RunMode) -> Reading<'a> {
    let lines: Vec<Line<'_>> = source.lines().collect();
    let mut statements = Vec::with_capacity(lines.iter().filter(|line| !line.code.is_empty()).count());
    let mut problems = Vec::new();
    let mut misplaced = Vec::new();
    let mut broken_names = Vec::new();
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
        broken_names.extend(defined_name(line.code));
        let elsewhere = parse::statement(source, line.code, other(mode));
        let breaks_off = findings.iter().any(|finding| finding.at.is_empty());
        let spread = if breaks_off { spread(&lines[at - 1..], mode) } else { None };
        if let Some((joined, count)) = spread {
            problems.push(broken(source, text, &lines[at - 1..at - 1 + count], &joined));
            at += count - 1;
        } else if let Ok(statement) = elsewhere
            && !is_lone_name(&statement.value)
        {
            misplaced.push((line.code, statement.value));
        } else {
            problems.extend(findings);
        }
    }
    problems.extend(wrong_mode(&misplaced, mode));
    if statements.is_empty() && problems.is_empty() {
        problems.push(empty(text, mode));
    }
    let errors = problems.into_iter().map(|problem| problem.at(source, Severity::Error)).collect();
    Reading { statements, errors, broken_names }
}

impl RunMode {
    /// The run mode of more lines of a task file; comparison if both modes have equally many.
    ///
    /// ```
    /// use spl_lang::RunMode;
    /// assert_eq!(RunMode::of("# lists\njava.util.ArrayList#get(int)\n"), RunMode::Measurement);
    /// assert_eq!(RunMode::of("a/B.f()V < a/B.g()V\na/B.f()\n"), RunMode::Comparison);
    /// ```
    #[must_use]
    pub fn of(text: &str) -> Self {
        let source = Source::new(text);
        let code: Vec<&str> = source.lines().map(|line| line.code).filter(|code| !code.is_empty()).collect();
        let count = |mode| {
            let read = code.iter().filter_map(|code| parse::statement(&source, code, mode).ok());
            read.filter(|statement| !is_lone_name(&statement.value)).count()
        };
        if count(Self::Measurement) > count(Self::Comparison) { Self::Measurement } else { Self::Comparison }
    }
}

/// Whether the statement is a single word, which is a method only by mistake in measurement mode.
fn is_lone_name(statement: &Statement) -> bool {
    matches!(statement, Statement::Measure(target) if matches!(target.method.value, MethodTerm::Name(_)))
}

/// The name after `let`.
fn defined_name(code: &str) -> Option<&str> {
    code.strip_prefix("let")?.trim_start().split(|c: char| c.is_whitespace() || c == '=').next()
}

fn other(mode: RunMode) -> RunMode {
    match mode {
        RunMode::Comparison => RunMode::Measurement,
        RunMode::Measurement => RunMode::Comparison,
    }
}

/// The statement that the first of `lines` form together, and the number of these lines, if a statement was
/// broken into several lines. The first line lacks something at its end.
fn spread(lines: &[Line<'_>], mode: RunMode) -> Option<(Statement, usize)> {
    let mut joined = lines.first()?.code.to_owned();
    for (count, line) in lines.iter().enumerate().take(MAX_SPREAD).skip(1) {
        if line.code.is_empty() {
            return None;
        }
        // A return type on a line of its own belongs right after the parenthesis.
        let glued = joined.ends_with(')') && line.code.starts_with(|c: char| "VZBCSIJFDL[".contains(c));
        if !glued {
            joined.push(' ');
        }
        joined.push_str(line.code);
        // A joined statement needs a sign: long lists of methods in the wrong mode are thus not parsed
        // repeatedly.
        let has_sign =
            mode == RunMode::Measurement || joined.replace("<init>", "").contains(sign::is_sign_char);
        if has_sign && let Ok(statement) = parse::statement(&Source::new(&joined), &joined, mode) {
            return Some((statement.value, count + 1));
        }
    }
    None
}

fn broken<'a>(source: &Source<'a>, text: &'a str, lines: &[Line<'a>], joined: &Statement) -> Problem<'a> {
    let start = lines.first().map_or(0, |line| source.span(line.code).start);
    let end = lines.last().map_or(0, |line| source.span(line.code).end);
    let message = match joined {
        Statement::Compare(_) => "a comparison stands on one line",
        Statement::Assert { .. } | Statement::Metrics { title: Some(_), .. } => {
            "an assertion stands on one line"
        }
        Statement::Metrics { title: None, .. } => "a comparison stands on one line",
        Statement::Let { .. } => "a definition stands on one line",
        Statement::Measure(_) => "a method stands on one line",
    };
    Problem::new(text.get(start..end).unwrap_or(text), message)
        .label(format!("spread over {} lines", lines.len()))
        .help(format!("write `{joined}`"))
}

/// One finding for all lines of the other run mode: in the wrong mode every line has it.
fn wrong_mode<'a>(misplaced: &[(&'a str, Statement)], mode: RunMode) -> Option<Problem<'a>> {
    let (first, statement) = misplaced.first()?;
    let what = match statement {
        Statement::Measure(_) => "a method without a comparison",
        Statement::Compare(_) => "a comparison",
        Statement::Let { .. } => "a definition",
        Statement::Assert { .. } => "an assertion",
        Statement::Metrics { .. } => "a claim about metrics",
    };
    let (label, help) = match mode {
        RunMode::Comparison => (
            "compared with nothing",
            "set `run-mode = measurement` to measure methods alone, or add a sign and a second method",
        ),
        RunMode::Measurement => (
            "belongs to comparisons",
            "set `run-mode = comparison` to decide comparisons, or write each method on a line of its own",
        ),
    };
    let problem =
        Problem::new(first, format!("{what} in a file for `run-mode = {mode}`")).label(label).help(help);
    let others = misplaced.iter().skip(1).take(MAX_RELATED);
    Some(others.fold(problem, |problem, (line, _)| problem.related(line, "and here")))
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
