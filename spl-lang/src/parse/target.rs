//! Methods and their size processors.

use super::{Parsed, Parser, WORDS, found, gap, is_name};
use crate::ast::{MethodTerm, Node, Target};
use crate::method;
use crate::problem::{Problem, first_word};
use crate::sign;
use nom::Parser as _;
use nom::sequence::preceded;

impl<'a> Parser<'_, 'a> {
    /// `method [, processor]`
    pub(super) fn target(&self, input: &'a str) -> Parsed<'a, Node<Target>> {
        let (rest, method) = self.method(input)?;
        let (rest, processor) = match rest.trim_start().strip_prefix(',') {
            Some(after) => preceded(gap, |i| self.processor(i)).map(Some).parse(after)?,
            None => (rest, None),
        };
        Ok((rest, self.node(input, rest, Target { method, processor })))
    }

    fn method(&self, input: &'a str) -> Parsed<'a, Node<MethodTerm>> {
        if input.starts_with('@') {
            let (rest, pattern) = self.marked(input)?;
            return Ok((rest, self.node(input, rest, MethodTerm::Pattern(pattern))));
        }
        let text = method::scan(input);
        if text.is_empty() || WORDS.contains(&text) {
            return Err(nom::Err::Error(
                Problem::new(first_word(input), "expected a method")
                    .label(found(input, "not a method"))
                    .help("a method is written as `java/lang/Integer.compareTo(Ljava/lang/Integer;)I`"),
            ));
        }
        if text.contains('#') || text.contains("::") {
            let (rest, pattern) = self.readable(input)?;
            return Ok((rest, self.node(input, rest, MethodTerm::Pattern(pattern))));
        }
        let rest = &input[text.len()..];
        let term = if is_name(text) {
            MethodTerm::Name(text.to_owned())
        } else {
            match method::read(text) {
                Ok(method) => MethodTerm::Exact(method),
                Err(problem) => {
                    self.note(problem);
                    // A stand-in: the tree will be discarded.
                    MethodTerm::Name(text.to_owned())
                }
            }
        };
        Ok((rest, self.node(input, rest, term)))
    }

    /// A class name with dots, after the comma.
    fn processor(&self, input: &'a str) -> Parsed<'a, Node<String>> {
        let ends =
            |c: char| c.is_whitespace() || sign::is_sign_char(c) || matches!(c, ',' | '(' | ')' | '&' | '|');
        let (name, rest) = input.split_at(input.find(ends).unwrap_or(input.len()));
        if name.is_empty() {
            self.note(
                Problem::new(first_word(input), "expected a size processor after the comma")
                    .label(found(input, "not a class name"))
                    .help("a processor is named with dots: `, pkg.Processor`"),
            );
        } else if name.contains('/') {
            let dotted = name.replace('/', ".");
            self.note(
                Problem::new(name, "a size processor is named with dots")
                    .label("slashes separate the packages of methods only")
                    .help(format!("write `{dotted}`")),
            );
        } else if name.split('.').any(str::is_empty) || name.contains([';', '[', ':', '#', '*', '"']) {
            self.note(
                Problem::new(name, "illegal class name")
                    .label("a part of this name is empty or has characters that no class name has"),
            );
        }
        Ok((rest, self.node(input, rest, name.to_owned())))
    }
}
