//! The manual's grammar as data, and sentences made from it.

use spl_lang::RunMode;
use std::collections::{BTreeMap, BTreeSet};

/// A production's right side.
#[derive(Clone, Debug)]
pub enum Expr {
    Sequence(Vec<Expr>),
    Choice(Vec<Expr>),
    Optional(Box<Expr>),
    Repeated(Box<Expr>),
    Literal(String),
    Production(String),
    InWords,
}

/// Productions by name.
pub type Grammar = BTreeMap<String, Expr>;

/// Reads `name = … ;` productions.
pub fn read(text: &str) -> Grammar {
    let mut tokens = Tokens { rest: text };
    let mut grammar = Grammar::new();
    while let Some(name) = tokens.next() {
        assert_eq!(tokens.next().as_deref(), Some("="), "after {name}");
        let expr = choice(&mut tokens);
        assert_eq!(tokens.next().as_deref(), Some(";"), "after {name}");
        assert!(grammar.insert(name.clone(), expr).is_none(), "{name} is defined twice");
    }
    grammar
}

struct Tokens<'a> {
    rest: &'a str,
}

impl Tokens<'_> {
    fn peek(&mut self) -> Option<String> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        let length = match first {
            '"' | '?' => self.rest[1..].find(first).map_or(self.rest.len(), |end| end + 2),
            c if c.is_alphabetic() => {
                self.rest.find(|c: char| !c.is_alphabetic() && c != '-').unwrap_or(self.rest.len())
            }
            _ => first.len_utf8(),
        };
        Some(self.rest[..length].to_owned())
    }

    fn next(&mut self) -> Option<String> {
        let token = self.peek()?;
        self.rest = &self.rest[token.len()..];
        Some(token)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek().as_deref() == Some(token);
        if found {
            self.next();
        }
        found
    }
}

fn choice(tokens: &mut Tokens<'_>) -> Expr {
    let mut all = vec![sequence(tokens)];
    while tokens.take("|") {
        all.push(sequence(tokens));
    }
    if all.len() == 1 { all.remove(0) } else { Expr::Choice(all) }
}

fn sequence(tokens: &mut Tokens<'_>) -> Expr {
    let mut all = vec![one(tokens)];
    while tokens.take(",") {
        all.push(one(tokens));
    }
    if all.len() == 1 { all.remove(0) } else { Expr::Sequence(all) }
}

fn one(tokens: &mut Tokens<'_>) -> Expr {
    let token = tokens.next().expect("a part of a production");
    let enclosed = |tokens: &mut Tokens<'_>, close: &str| {
        let inner = choice(tokens);
        assert!(tokens.take(close), "{close} expected before {}", tokens.rest);
        Box::new(inner)
    };
    match token.as_str() {
        "[" => Expr::Optional(enclosed(tokens, "]")),
        "{" => Expr::Repeated(enclosed(tokens, "}")),
        "(" => *enclosed(tokens, ")"),
        literal if literal.starts_with('"') => Expr::Literal(literal.trim_matches('"').to_owned()),
        words if words.starts_with('?') => Expr::InWords,
        name => Expr::Production(name.to_owned()),
    }
}

/// All productions in `expr`.
pub fn named(expr: &Expr, into: &mut BTreeSet<String>) {
    match expr {
        Expr::Sequence(all) | Expr::Choice(all) => all.iter().for_each(|one| named(one, into)),
        Expr::Optional(inner) | Expr::Repeated(inner) => named(inner, into),
        Expr::Production(name) => {
            into.insert(name.clone());
        }
        Expr::Literal(_) | Expr::InWords => {}
    }
}

/// Makes sentences, the same ones from the same seed.
pub struct Maker<'a> {
    pub grammar: &'a Grammar,
    pub mode: RunMode,
    /// The state of an xorshift generator (Marsaglia 2003), not 0.
    pub random: u64,
    /// Which of the comparisons a formula has, in the order of the grammar.
    pub comparison: usize,
    /// The productions that were used.
    pub used: BTreeSet<String>,
}

/// Depth of productions at which the first choice is taken and nothing repeats.
const DEEP: usize = 14;

impl Maker<'_> {
    fn below(&mut self, bound: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        // The lowest bits of neighbours depend on each other (xorshift64*, Vigna 2016).
        (self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 32) % bound
    }

    /// A sentence of the production `name`.
    pub fn make(&mut self, name: &str, depth: usize) -> String {
        self.used.insert(name.to_owned());
        let lexical = name.chars().all(|c| c.is_uppercase());
        let grammar = self.grammar;
        let expr = grammar.get(name).unwrap_or_else(|| panic!("{name} is not defined"));
        match (name, expr) {
            ("NUMBER", _) => {
                let numbers = ["1", "2.5", "0.25", "3e2", "7e-1", "10", "99", "1e1", "0", "1e400"];
                numbers[self.below(numbers.len() as u64) as usize].to_owned()
            }
            // Each run mode has statements of its own.
            ("statement", Expr::Choice(all)) => {
                let (own, other) = all.split_at(all.len() - 1);
                let all = if self.mode == RunMode::Measurement { other } else { own };
                let one = self.below(all.len() as u64) as usize;
                self.expand(&all[one], false, depth)
            }
            // The first choice more often, or formulas would grow without end and no comparison would be
            // right.
            // A formula is about times or about metrics, as its assertion says.
            ("assertion", expr) => {
                self.comparison = usize::from(self.below(4) == 0);
                let text = self.expand(expr, lexical, depth);
                self.comparison = 0;
                text
            }
            ("negation", Expr::Choice(all)) => {
                let any = self.below(3 * all.len() as u64) as usize;
                let other = 1 - self.comparison;
                let rarely = any == other && self.below(4) == 0;
                let known = depth > DEEP || any >= all.len() || any == other && !rarely;
                self.expand(&all[if known { self.comparison } else { any }], lexical, depth)
            }
            // An interval has the most parts.
            ("sizes", Expr::Choice(all)) if self.below(3) > 0 => {
                self.expand(&all[all.len() - 1], lexical, depth)
            }
            ("side" | "GLOB", Expr::Choice(all)) if self.below(3) > 0 => self.expand(&all[0], lexical, depth),
            (_, Expr::InWords) => self.leaf(name),
            (_, expr) => self.expand(expr, lexical, depth),
        }
    }

    fn expand(&mut self, expr: &Expr, lexical: bool, depth: usize) -> String {
        let deep = depth > DEEP;
        match expr {
            Expr::Sequence(all) => {
                let parts: Vec<String> = all.iter().map(|one| self.expand(one, lexical, depth)).collect();
                join(&parts, lexical)
            }
            Expr::Choice(all) => {
                let chosen = if deep { 0 } else { self.below(all.len() as u64) as usize };
                self.expand(&all[chosen], lexical, depth)
            }
            Expr::Optional(inner) if !deep && self.below(4) == 0 => self.expand(inner, lexical, depth),
            Expr::Repeated(inner) if !deep => {
                let count = [0, 0, 0, 0, 1, 2][self.below(6) as usize];
                let parts: Vec<String> = (0..count).map(|_| self.expand(inner, lexical, depth)).collect();
                join(&parts, lexical)
            }
            Expr::Optional(_) | Expr::Repeated(_) => String::new(),
            Expr::Literal(text) => text.clone(),
            Expr::Production(name) => self.make(name, depth + 1),
            Expr::InWords => "\n".to_owned(),
        }
    }

    fn leaf(&mut self, name: &str) -> String {
        let any = |maker: &mut Self, all: &[&str]| all[maker.below(all.len() as u64) as usize].to_owned();
        match name {
            "WORD" => any(self, &["a", "Bč", "c_1", "D$e", "_x", "Long"]),
            "PART" => any(self, &["a", "Bč", "c_1", "D$e", "of-impl", "get%1"]),
            "NAME" => match self.below(6) {
                0 => format!("n{}", self.below(100)),
                _ => any(self, &["f", "g", "h"]),
            },
            "DIGITS" => any(self, &["1", "7", "90", "64", "0", "99999999999"]),
            "TITLE" => any(self, &["\"t\"", "\"a # b: \\\" \\\\\"", "\"č\""]),
            "PATTERN" => any(self, &["a.B", "a.**", "a.B#f*", "a/B.f(I[J)V", "f", "Main"]),
            "KEY" => any(self, &["1", "3+", "5-8"]),
            "COMMENT" => any(self, &["#", "# why", "#why # not \""]),
            other => panic!("no example of {other}, which the manual defines in words"),
        }
    }
}

/// Parts of a production in capitals stand side by side, others apart.
fn join(parts: &[String], lexical: bool) -> String {
    if lexical {
        return parts.concat();
    }
    parts.iter().filter(|part| !part.is_empty()).map(String::as_str).collect::<Vec<_>>().join(" ")
}
