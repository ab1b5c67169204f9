//! One line of code -> one statement, by nom's combinators over slices of the text.
//!
//! A slice says where it stands, so no parser keeps an offset. What is recognisable but wrong is noted in
//! [`Parser::problems`] and parsing goes on with a stand-in, so that one line can have several findings; what is
//! not recognisable ends the line's parsing with an error.

use crate::ast::{Node, Relation, Statement, Target};
use crate::method;
use crate::problem::{Problem, first_word};
use crate::sign;
use crate::source::Source;
use crate::{RunMode, Sign};
use nom::Parser as _;
use nom::character::complete::{char, space0};
use nom::combinator::{cut, opt};
use nom::sequence::{delimited, preceded};
use std::cell::RefCell;

pub(crate) type Parsed<'a, T> = nom::IResult<&'a str, T, Problem<'a>>;

/// The parser of one line.
pub(crate) struct Parser<'s, 'a> {
    pub(crate) source: &'s Source<'a>,
    pub(crate) problems: RefCell<Vec<Problem<'a>>>,
}

/// Reads the code of one line, without white space around it, as a statement of the run mode.
pub(crate) fn statement<'a>(
    source: &Source<'a>,
    code: &'a str,
    mode: RunMode,
) -> Result<Node<Statement>, Vec<Problem<'a>>> {
    let parser = Parser { source, problems: RefCell::default() };
    let parsed = match mode {
        RunMode::Comparison => {
            parser.relation(code).map(|(rest, one)| (rest, Statement::Compare(Box::new(one))))
        }
        RunMode::Measurement => parser.target(code).map(|(rest, one)| (rest, Statement::Measure(one.value))),
    };
    let mut problems = parser.problems.into_inner();
    let value = match parsed {
        Ok((rest, value)) => {
            let rest = rest.trim_start();
            if !rest.is_empty() && problems.is_empty() {
                problems.push(left_over(rest, mode));
            }
            Some(value)
        }
        Err(nom::Err::Error(problem) | nom::Err::Failure(problem)) => {
            problems.push(problem);
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

fn left_over(rest: &str, mode: RunMode) -> Problem<'_> {
    let problem = Problem::new(rest, "unexpected text after the end");
    let problem = match mode {
        RunMode::Comparison => problem.label("the comparison ends before this"),
        RunMode::Measurement => problem.label("the method ends before this"),
    };
    if rest.starts_with(sign::is_sign_char) {
        problem.help("one line holds one comparison of two methods")
    } else {
        problem.help("a comment starts with `#` after white space")
    }
}

impl<'a> Parser<'_, 'a> {
    /// Notes a finding that parsing can go on from.
    pub(crate) fn note(&self, problem: Problem<'a>) {
        self.problems.borrow_mut().push(problem);
    }

    /// What was read between two positions of one line.
    pub(crate) fn node<T>(&self, from: &'a str, to: &'a str, value: T) -> Node<T> {
        let part = &from[..from.len() - to.len()];
        Node { value, span: self.source.span(part.trim_end()) }
    }

    /// `target sign [(a, b)] target`
    fn relation(&self, input: &'a str) -> Parsed<'a, Relation> {
        let (rest, left) = self.target(input)?;
        let (rest, sign) = preceded(space0, |i| self.sign(i)).parse(rest)?;
        let (rest, factors) = preceded(space0, opt(|i| self.factors(i))).parse(rest)?;
        let (rest, right) = preceded(space0, |i| self.target(i)).parse(rest)?;
        Ok((rest, Relation { left, sign, factors, right }))
    }

    /// `method [, processor]`
    fn target(&self, input: &'a str) -> Parsed<'a, Node<Target>> {
        let (rest, method) = self.method(input)?;
        let (rest, processor) =
            opt(preceded((space0, char(','), space0), |i| self.processor(i))).parse(rest)?;
        Ok((rest, self.node(input, rest, Target { method, processor })))
    }

    fn method(&self, input: &'a str) -> Parsed<'a, Node<spl_model::MethodRef>> {
        let text = method::scan(input);
        if text.is_empty() {
            return Err(nom::Err::Error(
                Problem::new(first_word(input), "expected a method")
                    .label(if input.is_empty() { "the line ends here" } else { "not a method" })
                    .help("a method is written as `java/lang/Integer.compareTo(Ljava/lang/Integer;)I`"),
            ));
        }
        let rest = &input[text.len()..];
        match method::read(text) {
            Ok(method) => Ok((rest, self.node(input, rest, method))),
            Err(problem) => {
                self.note(problem);
                Ok((rest, self.node(input, rest, method::stand_in())))
            }
        }
    }

    /// A class name with dots, after the comma.
    fn processor(&self, input: &'a str) -> Parsed<'a, Node<String>> {
        let ends = |c: char| c.is_whitespace() || sign::is_sign_char(c) || matches!(c, ',' | '(' | ')');
        let (name, rest) = input.split_at(input.find(ends).unwrap_or(input.len()));
        if name.is_empty() {
            self.note(
                Problem::new(first_word(input), "expected a size processor after the comma")
                    .label("not a class name")
                    .help("a processor is named with dots: `, pkg.Processor`"),
            );
        } else if name.contains('/') {
            let dotted = name.replace('/', ".");
            self.note(
                Problem::new(name, "a size processor is named with dots")
                    .label("slashes separate the packages of methods only")
                    .help(format!("write `{dotted}`")),
            );
        } else if name.split('.').any(str::is_empty) || name.contains([';', '[', ':', '#']) {
            self.note(
                Problem::new(name, "illegal class name")
                    .label("a part of this name is empty or has characters that no class name has"),
            );
        }
        Ok((rest, self.node(input, rest, name.to_owned())))
    }

    fn sign(&self, input: &'a str) -> Parsed<'a, Node<Sign>> {
        let (sign, rest, misspelt) = sign::take(input).map_err(nom::Err::Error)?;
        misspelt.into_iter().for_each(|problem| self.note(problem));
        Ok((rest, self.node(input, rest, sign)))
    }

    /// `(a, b)`, which multiply the left and the right side's times.
    fn factors(&self, input: &'a str) -> Parsed<'a, Node<(f64, f64)>> {
        let (rest, _) = char('(')(input)?;
        let pair =
            (|i| self.factor(i), delimited(space0, char(','), space0), |i| self.factor(i), space0, char(')'));
        let (rest, (left, _, right, ..)) = cut(pair).parse(rest).map_err(|error| error.map(unpaired))?;
        Ok((rest, self.node(input, rest, (left, right))))
    }

    /// A finite, positive decimal number. Nothing can be said about times that are multiplied by 0 or less.
    fn factor(&self, input: &'a str) -> Parsed<'a, f64> {
        let (_, input) = input.split_at(input.len() - input.trim_start().len());
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | '(' | ')' | '*');
        let (text, rest) = input.split_at(input.find(ends).unwrap_or(input.len()));
        let problem = match text.parse::<f64>() {
            Ok(number) if number.is_finite() && number > 0.0 => return Ok((rest, number)),
            Ok(number) if number.is_finite() => {
                Problem::new(text, "a factor must be greater than 0").label("multiplies measured times")
            }
            Ok(_) => {
                Problem::new(text, "a factor must be a finite number").label("multiplies measured times")
            }
            Err(_) if text.is_empty() => return Err(nom::Err::Error(Problem::new(first_word(rest), ""))),
            Err(_) => Problem::new(text, "not a number").label("expected a decimal number such as `1.5`"),
        };
        self.note(problem);
        Ok((rest, 1.0))
    }
}

fn unpaired(problem: Problem<'_>) -> Problem<'_> {
    Problem::new(problem.at, "expected two factors in parentheses")
        .label(if problem.at.is_empty() { "the line ends here" } else { "not as expected" })
        .help("write `(a, b)`: a multiplies the times of the left method, b those of the right one")
}
