//! One line of code -> one statement, by nom's combinators over slices of the text.
//!
//! A slice of the text shows its place, so no parser keeps an offset. A recognisable error is noted in
//! [`Parser::problems`] and parsing goes on with a stand-in, so that one line can have several findings;
//! unrecognisable text ends the line's parsing with an error.

mod comparing;
mod formula;
mod literal;
mod metric;
mod readable;
mod relation;
mod target;

use crate::ast::{Formula, Node, Statement};
use crate::problem::{Problem, first_word};
use crate::source::Source;
use crate::{RunMode, sign};
use comparing::Comparing;
use nom::Parser as _;
use nom::character::complete::char;
use nom::combinator::cut;
use nom::sequence::preceded;
use std::cell::RefCell;

type Parsed<'a, T> = nom::IResult<&'a str, T, Problem<'a>>;

/// Words that cannot be given to a method by `let`.
const WORDS: [&str; 13] =
    ["all", "assert", "at", "for", "in", "inf", "let", "mean", "median", "size", "sizes", "some", "within"];

/// The parser of one line.
struct Parser<'s, 'a> {
    source: &'s Source<'a>,
    problems: RefCell<Vec<Problem<'a>>>,
}

/// Reads the code of one line, without white space around it, as a statement of the run mode.
pub(crate) fn statement<'a>(
    source: &Source<'a>,
    code: &'a str,
    mode: RunMode,
) -> Result<Node<Statement>, Vec<Problem<'a>>> {
    if let Some(problem) = misspelt_comment(code) {
        return Err(vec![problem]);
    }
    let parser = Parser { source, problems: RefCell::default() };
    let parsed = match mode {
        RunMode::Measurement => parser.target(code).map(|(rest, one)| (rest, Statement::Measure(one.value))),
        RunMode::Comparison if keyword("let", code).is_some() => parser.definition(code),
        RunMode::Comparison if keyword("assert", code).is_some() => parser.assertion(code),
        RunMode::Comparison => {
            parser.comparing(code).map(|(rest, one)| (rest, parser.alone(code, rest, one)))
        }
    };
    let mut problems = parser.problems.into_inner();
    let value = match parsed {
        Ok((rest, value)) => {
            let rest = rest.trim_start();
            if !rest.is_empty() && problems.is_empty() {
                problems.push(left_over(rest, &value));
            }
            Some(value)
        }
        Err(nom::Err::Error(problem) | nom::Err::Failure(problem)) => {
            problems.push(misspelt_keyword(code).unwrap_or(problem));
            None
        }
        // Only nom's streaming parsers ask for more input.
        Err(nom::Err::Incomplete(_)) => None,
    };
    match value {
        Some(value) if problems.is_empty() => Ok(Node { value, span: source.span(code) }),
        _ => Err(problems),
    }
}

/// Finding for a line that starts like a comment of another language.
fn misspelt_comment(code: &str) -> Option<Problem<'_>> {
    let sign = ["//", "/*", "--", ";", "<!--"].into_iter().find(|sign| code.starts_with(sign))?;
    let problem = Problem::new(&code[..sign.len()], format!("no statement starts with `{sign}`"));
    Some(problem.label("not a statement").help("a comment starts with `#`"))
}

/// Finding for an unreadable line that starts nearly like a statement's keyword.
fn misspelt_keyword(code: &str) -> Option<Problem<'_>> {
    let word = first_word(code);
    // A name of a method stands before a sign, not before a word or a title.
    let after = code[word.len()..].trim_start();
    (word.len() <= "assert".len() + 2 && after.starts_with(|c| is_word_char(c) || c == '"')).then_some(())?;
    let near = |keyword: &&str| (1..=keyword.len() / 3).contains(&strsim::damerau_levenshtein(word, keyword));
    let keyword = ["let", "assert"].into_iter().find(near)?;
    let problem = Problem::new(word, format!("no statement starts with `{word}`")).label("not a keyword");
    Some(problem.help(format!("did you mean `{keyword}`?")))
}

fn left_over<'a>(rest: &'a str, before: &Statement) -> Problem<'a> {
    let is_assertion = matches!(before, Statement::Assert { .. } | Statement::Metrics { title: Some(_), .. });
    let is_comparison = matches!(before, Statement::Compare(_) | Statement::Metrics { title: None, .. });
    let label = match before {
        Statement::Compare(_) | Statement::Metrics { title: None, .. } => "the comparison ends before this",
        Statement::Assert { .. } | Statement::Metrics { title: Some(_), .. } => {
            "the assertion ends before this"
        }
        Statement::Measure(_) | Statement::Let { .. } => "the method ends before this",
    };
    let help = match first_word(rest) {
        "and" if is_assertion => "write `&`",
        "or" if is_assertion => "write `|`",
        word if is_assertion && word.starts_with(')') => "no `(` stands before it",
        word if word.starts_with('#') => "a comment has white space before its `#`",
        "and" | "or" | "at" if is_comparison => CONNECTED,
        word if is_comparison && (word.starts_with(['&', '|']) || word.starts_with("=>")) => CONNECTED,
        word if is_comparison && word.starts_with(sign::is_sign_char) => {
            "one line holds one comparison of two methods"
        }
        word if (is_comparison || is_assertion) && word.starts_with(['±', '+']) => {
            "a tolerance is written `within 5%`"
        }
        word if (is_comparison || is_assertion) && word.starts_with('*') => {
            "a factor stands before its method, as in `2 * method`"
        }
        word if word.starts_with(';') => "a line ends without a sign",
        _ => "a comment starts with `#` after white space",
    };
    Problem::new(rest, "unexpected text after the end").label(label).help(help)
}

const CONNECTED: &str = "connectives and levels stand in assertions: `assert \"title\": a & b at 1%`";

/// White space; a line has no other than blanks, tabs and the like.
fn gap(input: &str) -> Parsed<'_, &str> {
    let end = input.len() - input.trim_start().len();
    Ok((&input[end..], &input[..end]))
}

/// The text after the keyword `word`, if `input` starts with it as a whole word.
fn keyword<'a>(word: &str, input: &'a str) -> Option<&'a str> {
    let rest = input.strip_prefix(word)?;
    (!rest.starts_with(is_word_char) && !rest.starts_with(['.', '/', '#', '(', '$'])).then_some(rest)
}

/// Whether `let` may give this name.
fn is_name(text: &str) -> bool {
    let starts_well = text.starts_with(|c: char| c.is_alphabetic() || c == '_');
    starts_well && text.chars().all(is_word_char) && !WORDS.contains(&text)
}

fn is_word_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Label of a caret where something is missing.
fn found(at: &str, otherwise: &'static str) -> &'static str {
    if at.is_empty() { "the line ends here" } else { otherwise }
}

impl<'a> Parser<'_, 'a> {
    /// Notes a finding after which parsing goes on.
    fn note(&self, problem: Problem<'a>) {
        self.problems.borrow_mut().push(problem);
    }

    /// The node between two positions of one line.
    fn node<T>(&self, from: &'a str, to: &'a str, value: T) -> Node<T> {
        let part = &from[..from.len() - to.len()];
        Node { value, span: self.source.span(part.trim_end()) }
    }

    /// The statement of a comparison that stands alone.
    fn alone(&self, from: &'a str, to: &'a str, one: Comparing) -> Statement {
        match one {
            Comparing::Times(relation) => Statement::Compare(Box::new(relation)),
            Comparing::Metrics(relation) => {
                Statement::Metrics { title: None, formula: self.node(from, to, Formula::Relation(relation)) }
            }
        }
    }

    /// `let name = target`
    fn definition(&self, input: &'a str) -> Parsed<'a, Statement> {
        let rest = keyword("let", input).unwrap_or(input).trim_start();
        let (name, after) = rest.split_at(rest.find(|c| !is_word_char(c)).unwrap_or(rest.len()));
        if !is_name(name) {
            let problem =
                Problem::new(first_word(rest), "expected a name").label(found(rest, "not a name")).help(
                    "a name has letters, digits and `_`, and is not a word of the language: `let fast = \
                    a/B.f()V`",
                );
            return Err(nom::Err::Failure(problem));
        }
        let name = self.node(rest, after, name.to_owned());
        let sign = |i| {
            let missing = |_| {
                Problem::new(first_word(i), "expected `=`")
                    .label(found(i, "not the sign"))
                    .help("a name is given by `let name = method`")
            };
            char('=')(i).map_err(|error: nom::Err<Problem<'_>>| error.map(missing))
        };
        let (rest, target) = cut(preceded((gap, sign, gap), |i| self.target(i))).parse(after)?;
        Ok((rest, Statement::Let { name, target }))
    }

    /// `assert "title": formula [at level]`
    fn assertion(&self, input: &'a str) -> Parsed<'a, Statement> {
        let rest = keyword("assert", input).unwrap_or(input).trim_start();
        let (rest, title) = self.title(rest)?;
        let colon = rest.trim_start();
        let Some(rest) = colon.strip_prefix(':') else {
            let problem = Problem::new(first_word(colon), "expected `:` after the title")
                .label(found(colon, "not a colon"))
                .help("an assertion is written `assert \"title\": formula`");
            return Err(nom::Err::Failure(problem));
        };
        let at_formula = rest;
        let (rest, formula) = preceded(gap, |i| self.formula(i)).parse(rest)?;
        let at = rest.trim_start();
        let (rest, level) = match keyword("at", at) {
            Some(percent) => self.level(percent).map(|(rest, level)| (rest, Some(level)))?,
            None => (at, None),
        };
        Ok((rest, self.asserted(at_formula, title, &formula, level)))
    }

    /// Text in quotation marks, in which `\` keeps the next character from having a meaning.
    fn title(&self, input: &'a str) -> Parsed<'a, Node<String>> {
        let help = "an assertion is written `assert \"title\": formula`";
        let Some(inner) = input.strip_prefix('"') else {
            let problem = Problem::new(first_word(input), "expected a title in quotation marks");
            return Err(nom::Err::Failure(problem.label(found(input, "not a title")).help(help)));
        };
        let mut title = String::new();
        let mut chars = inner.char_indices();
        while let Some((at, c)) = chars.next() {
            match c {
                '"' => {
                    let rest = &inner[at + 1..];
                    if title.trim().is_empty() {
                        let quoted = &input[..input.len() - rest.len()];
                        self.note(
                            Problem::new(quoted, "the title is empty").label("reports show it").help(help),
                        );
                    }
                    return Ok((rest, self.node(input, rest, title)));
                }
                '\\' => title.extend(chars.next().map(|(_, escaped)| escaped)),
                other => title.push(other),
            }
        }
        let problem = Problem::new(input, "the title has no end").label("no second quotation mark");
        Err(nom::Err::Failure(problem.help(help)))
    }
}
