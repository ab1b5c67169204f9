//! Methods as Java names them: `java.util.ArrayList#get(int)`, `java.util.ArrayList::get`.

use super::{Parsed, Parser, found, gap, is_word_char};
use crate::ast::{MethodPattern, TypePattern};
use crate::method;
use crate::problem::{Problem, first_word};
use nom::Parser as _;
use nom::branch::alt;
use nom::bytes::complete::{tag, take_while1};
use nom::character::complete::char;
use nom::combinator::{opt, value};
use nom::multi::{many0_count, separated_list0};
use nom::sequence::{delimited, preceded};

const FORM: &str =
    "a method is named as in Java by `java.util.ArrayList#get(int)`, a constructor by `pkg.Class#new(int)`";

impl<'a> Parser<'_, 'a> {
    /// `class (# | ::) name [(types)] [: type]`
    pub(super) fn readable(&self, input: &'a str) -> Parsed<'a, MethodPattern> {
        let wrong = |problem: Problem<'a>| Problem { help: Some(FORM.to_owned()), ..problem };
        let mut head =
            (take_while1(|c| is_part_char(c) || matches!(c, '.' | '/')), alt((tag("#"), tag("::"))), name);
        let (rest, (class, _, name)) = head.parse(input).map_err(|error| error.map(wrong))?;
        self.check_class(class);
        let types = separated_list0((gap, char(','), gap), type_pattern);
        let (rest, parameters) = match rest.trim_start().strip_prefix('(') {
            Some(inside) => {
                let (rest, mut types) = preceded(gap, types).parse(inside).map_err(nom_failure)?;
                let mut rest = rest.trim_start();
                let more =
                    if types.is_empty() { Some(rest) } else { rest.strip_prefix(',').map(str::trim_start) };
                if let Some(after) = more.and_then(|more| more.strip_prefix("**")) {
                    types.push(TypePattern::any_number());
                    rest = after.trim_start();
                }
                let Some(after) = rest.strip_prefix(')') else {
                    let problem =
                        Problem::new(first_word(rest), "expected `,` or `)` after a parameter type")
                            .label(found(rest, "not as expected"))
                            .help("parameters are types without names, as in `(int, String[])`");
                    return Err(nom::Err::Failure(problem));
                };
                (after, Some(types))
            }
            None => (rest, None),
        };
        let colon = rest.trim_start().strip_prefix(':').filter(|after| !after.starts_with(':'));
        let (rest, result) = match colon {
            Some(after) => preceded(gap, type_pattern).parse(after).map(|(rest, one)| (rest, Some(one)))?,
            None => (rest, None),
        };
        let name = if name == "new" { "<init>" } else { name };
        Ok((
            rest,
            MethodPattern {
                annotation: None,
                class: class.to_owned(),
                name: name.to_owned(),
                parameters,
                result,
            },
        ))
    }

    /// `@annotation [pattern]`
    pub(super) fn marked(&self, input: &'a str) -> Parsed<'a, MethodPattern> {
        let after = input.strip_prefix('@').unwrap_or(input);
        let end = after.find(|c| !is_word_char(c) && !matches!(c, '.' | '$')).unwrap_or(after.len());
        let (annotation, rest) = after.split_at(end);
        if annotation.split('.').any(|part| part.is_empty() || part.starts_with(|c: char| c.is_ascii_digit()))
        {
            let problem = Problem::new(first_word(input), "expected the name of an annotation after `@`");
            let help = "`@com.example.Timed` means all methods with this annotation, \
                        `@com.example.Timed com.shop.**#*` those of a package";
            return Err(nom::Err::Failure(problem.label(found(after, "not a class name")).help(help)));
        }
        let next = method::scan(rest.trim_start());
        if rest.starts_with(char::is_whitespace) && (next.contains('#') || next.contains("::")) {
            let (rest, pattern) = self.readable(rest.trim_start())?;
            return Ok((rest, MethodPattern { annotation: Some(annotation.to_owned()), ..pattern }));
        }
        Ok((rest, MethodPattern::marked(annotation.to_owned())))
    }

    fn check_class(&self, class: &'a str) {
        if class.contains('/') {
            let dotted = class.replace('/', ".");
            let problem = Problem::new(class, "packages are separated by dots before `#` and `::`");
            self.note(
                problem.label("slashes belong to the class file's form").help(format!("write `{dotted}`")),
            );
        } else if class.split('.').any(str::is_empty) {
            self.note(
                Problem::new(class, "illegal class name").label("a part of this name is empty").help(FORM),
            );
        }
    }
}

fn nom_failure(error: nom::Err<Problem<'_>>) -> nom::Err<Problem<'_>> {
    match error {
        nom::Err::Error(problem) | nom::Err::Failure(problem) => nom::Err::Failure(problem),
        nom::Err::Incomplete(needed) => nom::Err::Incomplete(needed),
    }
}

/// Characters of a name: all that separate nothing here or in a class file, and `*`.
fn is_part_char(c: char) -> bool {
    !(c.is_whitespace()
        || c.is_control()
        || matches!(
            c,
            '.' | ';' | '[' | '/' | ',' | '(' | ')' | '<' | '>' | '=' | '&' | '|' | '!' | ':' | '#' | '"'
        ))
}

/// A method's name, with or without `*`, or `<init>`.
fn name(input: &str) -> Parsed<'_, &str> {
    alt((tag("<init>"), tag("<clinit>"), take_while1(is_part_char))).parse(input).map_err(
        |_: nom::Err<Problem<'_>>| {
            let problem = Problem::new(first_word(input), "expected a method's name");
            nom::Err::Failure(problem.label(found(input, "not a name")).help(FORM))
        },
    )
}

/// A type as Java writes it. Type arguments are erased, and `...` is an array.
fn type_pattern(input: &str) -> Parsed<'_, TypePattern> {
    let mut name = String::new();
    let mut rest = input;
    loop {
        let end = rest.find(|c| !is_word_char(c) && c != '$').unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            // Only the start is recoverable: an empty parameter list has no type.
            let problem = Problem::new(first_word(rest), "expected a type")
                .label(found(rest, "not a type"))
                .help("types are written as in Java: `int`, `String[]`, `java.util.Map.Entry`");
            let wrap = if name.is_empty() { nom::Err::Error } else { nom::Err::Failure };
            return Err(wrap(problem));
        }
        name.push_str(&rest[..end]);
        rest = &rest[end..];
        rest = after_arguments(rest).unwrap_or(rest);
        match rest.strip_prefix('.') {
            Some(after) if !after.starts_with('.') => {
                name.push('.');
                rest = after;
            }
            _ => break,
        }
    }
    let brackets = value((), delimited((gap, char('[')), gap, char(']')));
    let (rest, dimensions) = many0_count(brackets).parse(rest)?;
    let (rest, variable) = opt(preceded(gap, tag("..."))).parse(rest)?;
    Ok((rest, TypePattern { name, dimensions: dimensions + usize::from(variable.is_some()) }))
}

/// The text after type arguments at the start of `input`; `None` without them, as before the sign `<`.
fn after_arguments(input: &str) -> Option<&str> {
    let mut depth = 0_usize;
    for (at, c) in input.char_indices() {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ if is_word_char(c)
                || c.is_whitespace()
                || matches!(c, '.' | ',' | '?' | '&' | '[' | ']' | '$') => {}
            _ => return None,
        }
        if depth == 0 {
            return Some(&input[at + 1..]);
        }
    }
    None
}
