//! Patterns of names: `*` for characters within a part, `**` for any.

/// Whether `text` is `pattern` with some characters for each `*`. Where the parts of a name are divided by dots,
/// `*` stays within a part. `**` crosses dots; between dots, or at the start, it also stands for no part at all.
#[must_use]
pub fn matches_path(pattern: &str, text: &str) -> bool {
    if !pattern.contains("**") {
        let (pattern, text) = (pattern.split('.').collect::<Vec<_>>(), text.split('.').collect::<Vec<_>>());
        return pattern.len() == text.len()
            && pattern.iter().zip(text).all(|(pattern, part)| matches(pattern, part));
    }
    let literal = pattern.split('*').next().unwrap_or_default();
    // Most classes differ here already.
    text.starts_with(literal) && reaches_end(&tokens(pattern), &text.chars().collect::<Vec<_>>())
}

/// Whether `text` is `pattern` with some characters for each `*`.
#[must_use]
pub fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, others)) = pattern.split_once('*') else { return pattern == text };
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = others.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

enum Token {
    Char(char),
    /// `*`
    WithinPart,
    /// `**`
    Any,
    /// `**.` at the start of a part: any number of whole parts.
    Parts,
}

fn tokens(pattern: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = pattern;
    while let Some(first) = rest.chars().next() {
        let starts_part = rest.len() == pattern.len() || pattern[..pattern.len() - rest.len()].ends_with('.');
        let (token, length) = if starts_part && rest.starts_with("**.") {
            (Token::Parts, 3)
        } else if rest.starts_with("**") {
            (Token::Any, 2)
        } else if first == '*' {
            (Token::WithinPart, 1)
        } else {
            (Token::Char(first), first.len_utf8())
        };
        tokens.push(token);
        rest = &rest[length..];
    }
    tokens
}

/// Whether the tokens use up the whole text. The time is the product of both lengths, for hostile patterns too.
fn reaches_end(tokens: &[Token], text: &[char]) -> bool {
    // Positions of the text that the tokens so far reach.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    for token in tokens {
        let mut next = vec![false; text.len() + 1];
        let mut before = false;
        for at in 0..=text.len() {
            let last = at.checked_sub(1).map(|last| text[last]);
            next[at] = match token {
                Token::Char(wanted) => at > 0 && reached[at - 1] && last == Some(*wanted),
                Token::WithinPart => reached[at] || (at > 0 && next[at - 1] && last != Some('.')),
                Token::Any => reached[at] || before,
                Token::Parts => reached[at] || (before && last == Some('.')),
            };
            before |= reached[at];
        }
        reached = next;
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(matches: fn(&str, &str) -> bool, pattern: &str, yes: &[&str], no: &[&str]) {
        yes.iter().for_each(|text| assert!(matches(pattern, text), "{pattern} {text}"));
        no.iter().for_each(|text| assert!(!matches(pattern, text), "{pattern} {text}"));
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        check(matches, "get", &["get"], &["gett", "ge"]);
        check(matches, "check*", &["check", "checkName"], &["chec", "xcheck"]);
        check(matches, "*Name", &["Name", "checkName"], &["checkNames"]);
        check(matches, "a*b*a", &["aba", "axxbba"], &["aa", "ab", "aab"]);
        check(matches, "*", &["", "x"], &[]);
    }

    #[test]
    fn one_star_stays_within_a_part_and_two_do_not() {
        check(matches_path, "p.*.C", &["p.q.C", "p..C"], &["p.C", "p.q.r.C"]);
        check(matches_path, "p.**.C", &["p.C", "p.q.C", "p.q.r.C"], &["C", "px.C", "p.qC", "p.C.D"]);
        check(matches_path, "**.C", &["C", "p.C", "p.q.C"], &["pC", "p.xC"]);
        check(matches_path, "p.**", &["p.C", "p.q.C", "p.C.In"], &["C", "q.p.C", "p"]);
        check(matches_path, "p.C**", &["p.C", "p.Cx", "p.C.In"], &["p.D"]);
        check(matches_path, "**.*Dao", &["UserDao", "p.UserDao", "p.q.Dao"], &["p.Dao.In"]);
        check(matches_path, "**", &["C", "p.C"], &[]);
        check(matches_path, "p.**.q.**.C", &["p.q.C", "p.a.q.b.c.C"], &["p.C", "p.q.c"]);
        check(matches_path, "p.*x**y", &["p.axby", "p.ax.by"], &["p.a.xby"]);
    }

    #[test]
    fn hostile_patterns_take_no_long_time() {
        let (pattern, text) = ("**a".repeat(200), "a.".repeat(500));
        assert!(!matches_path(&pattern, &(text + "b")));
    }
}
