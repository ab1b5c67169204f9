//! The words of a Rust file: its tokens without comments, literals and what only tests are built with.

/// A token that matters for paths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    /// `::`
    Colons,
    Sign(char),
}

impl Token {
    pub fn word(&self) -> Option<&str> {
        if let Self::Word(word) = self { Some(word) } else { None }
    }

    pub fn is(&self, sign: char) -> bool {
        *self == Self::Sign(sign)
    }
}

/// The tokens of a file, without those of items that stand behind a `cfg` of tests.
pub fn tokens(text: &str) -> Vec<Token> {
    without_tests(&all_tokens(text))
}

fn all_tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let used = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            comment(rest)
        } else if let Some(used) = literal(rest) {
            used
        } else if first.is_alphanumeric() || first == '_' {
            let used = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(Token::Word(rest[..used].to_owned()));
            used
        } else if rest.starts_with("::") {
            tokens.push(Token::Colons);
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(Token::Sign(first));
            }
            first.len_utf8()
        };
        rest = &rest[used..];
    }
    tokens
}

/// The length of a comment in `/* */`, which may have others in it.
fn comment(text: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < text.len() {
        match &text.as_bytes()[at..] {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// The length of the string, character or lifetime that the text begins with.
fn literal(text: &str) -> Option<usize> {
    let prefix = ["br", "cr", "b", "c", "r", ""].into_iter().find(|prefix| {
        let behind = text.strip_prefix(prefix).unwrap_or_default();
        behind.starts_with('"') || (prefix.ends_with('r') && behind.trim_start_matches('#').starts_with('"'))
    });
    if let Some(prefix) = prefix {
        let behind = &text[prefix.len()..];
        let hashes = behind.len() - behind.trim_start_matches('#').len();
        let from = prefix.len() + hashes + 1;
        if prefix.ends_with('r') {
            let end = format!("\"{}", "#".repeat(hashes));
            return Some(text[from..].find(&end).map_or(text.len(), |at| from + at + end.len()));
        }
        return Some(closed(text, from, '"'));
    }
    let behind = text.strip_prefix('b').unwrap_or(text).strip_prefix('\'')?;
    let mut chars = behind.chars();
    let is_lifetime =
        chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.next() != Some('\'');
    let quote = text.len() - behind.len();
    Some(if is_lifetime { quote } else { closed(text, quote, '\'') })
}

/// Where a literal that began before `from` is closed.
fn closed(text: &str, from: usize, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text[from..].char_indices() {
        if c == quote && !escaped {
            return from + at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

fn without_tests(tokens: &[Token]) -> Vec<Token> {
    let mut kept = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let Some(end) = attribute(tokens, at) else {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        };
        let words = tokens[at..end].iter().filter_map(Token::word).collect::<Vec<_>>();
        let of_tests = words.first() == Some(&"cfg") && words.contains(&"test") && !words.contains(&"not");
        at = if of_tests { item(tokens, end) } else { end };
    }
    kept
}

/// Where the attribute that begins here ends.
fn attribute(tokens: &[Token], at: usize) -> Option<usize> {
    let inner = usize::from(tokens.get(at + 1).is_some_and(|token| token.is('!')));
    let begins = tokens[at].is('#') && tokens.get(at + 1 + inner).is_some_and(|token| token.is('['));
    begins.then(|| group(tokens, at + 1 + inner))
}

/// Where the group in brackets that begins here ends.
pub fn group(tokens: &[Token], at: usize) -> usize {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(at) {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return index + 1;
        }
    }
    tokens.len()
}

/// Where the item, the match arm or the variant that begins here ends.
fn item(tokens: &[Token], mut at: usize) -> usize {
    while let Some(end) = tokens.get(at).and_then(|_| attribute(tokens, at)) {
        at = end;
    }
    let keywords =
        ["pub", "mod", "use", "fn", "impl", "struct", "enum", "trait", "const", "static", "type", "unsafe"];
    let is_item = tokens.get(at).and_then(Token::word).is_some_and(|word| keywords.contains(&word));
    while let Some(token) = tokens.get(at) {
        match token {
            Token::Sign('{') => return group(tokens, at),
            Token::Sign('(' | '[') => at = group(tokens, at),
            Token::Sign(';') => return at + 1,
            Token::Sign(',') if !is_item => return at + 1,
            Token::Sign('}') => return at,
            _ => at += 1,
        }
    }
    at
}
