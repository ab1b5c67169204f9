//! Text to the tree of a specification file. Each error is reported, with its place.

use super::findings::{Findings, nearest};
use super::tree::{Declaration, Setting, Tree};
use spl_lang::ast::Node;
use spl_lang::{Diagnostic, Span};

/// The words for yes and for no.
const WANTED: [&str; 3] = ["true", "on", "yes"];
const UNWANTED: [&str; 3] = ["false", "off", "no"];
/// The words that begin a declaration.
const EVENT: &str = "event";
const DEFAULT: &str = "default";

/// Reads a file:
///
/// ```text
/// file    := ('default' block | 'event' PATTERN block)*
/// block   := '{' (PATTERN ':' BOOL ';')* '}'
/// BOOL    := true | on | yes | false | off | no
/// ```
///
/// A pattern is a word in which `*` stands for any letters, digits and `_`. Comments are `# …`, `// …` and `/* … */`.
///
/// # Errors
/// All mistakes of the text.
pub fn parse(text: &str) -> Result<Tree, Vec<Diagnostic>> {
    let mut findings = Findings::new(text);
    let tokens = tokens(text, &mut findings);
    let mut parser = Parser { tokens: &tokens, end: text.len(), at: 0, findings };
    let tree = parser.file();
    match parser.findings.is_empty() {
        true => Ok(tree),
        false => Err(parser.findings.into_sorted()),
    }
}

/// A word, or one of `{ } : ;`.
#[derive(Clone, Copy)]
struct Token<'t> {
    text: &'t str,
    start: usize,
}

impl Token<'_> {
    fn span(&self) -> Span {
        Span { start: self.start, end: self.start + self.text.len() }
    }

    fn is_word(&self) -> bool {
        !matches!(self.text, "{" | "}" | ":" | ";")
    }
}

fn tokens<'t>(text: &'t str, findings: &mut Findings<'_>) -> Vec<Token<'t>> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = if first.is_whitespace() || first == '\u{feff}' {
            first.len_utf8()
        } else if let Some(comment) = rest.strip_prefix("/*") {
            match comment.find("*/") {
                Some(end) => end + 4,
                None => {
                    let span = Span { start: at, end: at + 2 };
                    let help = "end it with `*/`".to_owned();
                    findings.error(span, "a comment does not end".to_owned(), "it begins here", help);
                    rest.len()
                }
            }
        } else if first == '#' || rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else {
            let length = if matches!(first, '{' | '}' | ':' | ';') { 1 } else { word(rest) };
            tokens.push(Token { text: &rest[..length], start: at });
            length
        };
        at += length;
    }
    tokens
}

/// The length of the word that a text begins with.
fn word(rest: &str) -> usize {
    let ends = |(at, c): (usize, char)| {
        let comment = ["//", "/*"].iter().any(|begin| rest[at..].starts_with(begin));
        c.is_whitespace() || matches!(c, '{' | '}' | ':' | ';' | '#') || comment
    };
    rest.char_indices().find(|&one| ends(one)).map_or(rest.len(), |(at, _)| at)
}

struct Parser<'p, 't> {
    tokens: &'p [Token<'t>],
    /// The length of the text.
    end: usize,
    at: usize,
    findings: Findings<'t>,
}

impl<'t> Parser<'_, 't> {
    fn file(&mut self) -> Tree {
        let mut tree = Tree::default();
        while let Some(token) = self.next() {
            let events = match token.text {
                DEFAULT => None,
                EVENT => match self.peek().filter(Token::is_word) {
                    Some(pattern) => {
                        self.at += 1;
                        Some(node(pattern))
                    }
                    None => {
                        self.expected(
                            "the name of an event, or a pattern of names",
                            "as in `event Method* {`",
                        );
                        // The block says what is meant.
                        Some(Node { value: String::new(), span: token.span() })
                    }
                },
                _ => {
                    let near = nearest(token.text, [EVENT, DEFAULT].into_iter());
                    let help = if near.is_empty() { "as in `event Method* {`".to_owned() } else { near };
                    let message = "expected `event` or `default`".to_owned();
                    self.findings.error(token.span(), message, "", help);
                    self.skip_declaration();
                    continue;
                }
            };
            let settings = self.block();
            tree.declarations.push(Declaration { events, settings });
        }
        tree
    }

    fn block(&mut self) -> Vec<Setting> {
        let mut settings = Vec::new();
        let Some(open) = self.peek().filter(|token| token.text == "{") else {
            self.expected("`{`", "as in `event Method* { recorded: yes; }`");
            self.skip_declaration();
            return settings;
        };
        self.at += 1;
        loop {
            match self.peek() {
                Some(token) if token.text == "}" => {
                    self.at += 1;
                    return settings;
                }
                Some(token) if !self.begins_declaration() => {
                    if token.is_word() {
                        settings.extend(self.setting());
                    } else {
                        self.expected("the name of a field, or `}`", "as in `recorded: yes;`");
                        self.at += 1;
                    }
                }
                Some(_) | None => {
                    self.expected("`}`", "");
                    self.findings.related(open.span(), "the block begins here");
                    return settings;
                }
            }
        }
    }

    /// `PATTERN ':' BOOL ';'`; after a mistake the next one is looked for.
    fn setting(&mut self) -> Option<Setting> {
        let fields = node(self.next()?);
        if self.peek().is_none_or(|token| token.text != ":") {
            self.expected("`:`", "as in `recorded: yes;`");
            self.skip_setting();
            return None;
        }
        self.at += 1;
        let Some(value) = self.peek().filter(Token::is_word) else {
            self.expected("`yes` or `no`", "as in `recorded: yes;`");
            self.skip_setting();
            return None;
        };
        self.at += 1;
        let is_wanted = WANTED.contains(&value.text);
        if !is_wanted && !UNWANTED.contains(&value.text) {
            let near = nearest(value.text, WANTED.into_iter().chain(UNWANTED));
            let words = "the words are yes, on, true, no, off and false";
            let help = if near.is_empty() { words.to_owned() } else { format!("{near} {words}") };
            let message = format!("`{}` is neither yes nor no", short(value.text));
            self.findings.error(value.span(), message, "", help);
        }
        if self.peek().is_some_and(|token| token.text == ";") {
            self.at += 1;
        } else {
            self.expected("`;`", "each setting ends with `;`");
            // The next word may begin the next setting.
            if self.peek().is_some_and(|token| matches!(token.text, ":" | "{")) {
                self.skip_setting();
            }
        }
        Some(Setting { fields, is_wanted })
    }

    /// Whether a declaration begins here, so that a block before it has no end.
    fn begins_declaration(&self) -> bool {
        let ahead = |offset: usize| self.tokens.get(self.at + offset);
        let opens = |offset: usize| ahead(offset).is_some_and(|token| token.text == "{");
        match self.peek().map(|token| token.text) {
            Some(EVENT) => ahead(1).is_some_and(Token::is_word) && opens(2),
            Some(DEFAULT) => opens(1),
            Some(_) | None => false,
        }
    }

    fn expected(&mut self, what: &str, help: &str) {
        let (span, message) = match self.peek() {
            Some(token) => (token.span(), format!("expected {what}, and not `{}`", short(token.text))),
            None => (Span { start: self.end, end: self.end }, format!("expected {what}, and the file ends")),
        };
        self.findings.error(span, message, "", help.to_owned());
    }

    fn skip_setting(&mut self) {
        while let Some(token) = self.peek() {
            if token.text == "}" || self.begins_declaration() {
                return;
            }
            self.at += 1;
            if token.text == ";" {
                return;
            }
        }
    }

    fn skip_declaration(&mut self) {
        while let Some(token) = self.peek() {
            if self.begins_declaration() {
                return;
            }
            self.at += 1;
            if token.text == "}" {
                return;
            }
        }
    }

    fn peek(&self) -> Option<Token<'t>> {
        self.tokens.get(self.at).copied()
    }

    fn next(&mut self) -> Option<Token<'t>> {
        let token = self.peek();
        self.at += 1;
        token
    }
}

fn node(token: Token<'_>) -> Node<String> {
    Node { value: token.text.to_owned(), span: token.span() }
}

/// The beginning of a word, for a message.
pub(super) fn short(word: &str) -> String {
    spl_model::one_line(&word.chars().take(40).collect::<String>())
}
