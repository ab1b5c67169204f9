//! Claims and methods in the words of the task file, shortened where there is little room.

use spl_lang::{Assertion, Comparison};
use spl_model::MethodRef;
use spl_session::setup::Setup;
use std::collections::BTreeMap;

/// A comparison as in its line; in the usual form where the line is unknown. One of a set has its place in it.
pub fn written_claim(setup: &Setup, comparison: &Comparison) -> String {
    let line = setup.line(comparison.line);
    let words = if line.is_empty() { setup.program.tasks.line_of(comparison) } else { line.to_owned() };
    comparison.member.iter().fold(words, |words, member| format!("{words} {member}"))
}

/// An assertion as in its line. One of a set has its place in it.
pub fn written_assertion(setup: &Setup, assertion: &Assertion) -> String {
    let words = setup.quote(assertion.span).to_owned();
    assertion.member.iter().fold(words, |words, member| format!("{words} {member}"))
}

/// A method as in the line that names it first.
pub fn method_as_written(setup: &Setup, index: usize) -> String {
    let Some(task) = setup.program.tasks.methods.get(index) else { return "?".to_owned() };
    named_in(setup.line(task.line), &task.method).unwrap_or_else(|| task.method.to_string())
}

/// All methods as the lines have them that name them first. Methods that a line means together have their full names.
pub fn methods_as_written(setup: &Setup) -> Vec<String> {
    let written: Vec<String> =
        (0..setup.program.tasks.methods.len()).map(|index| method_as_written(setup, index)).collect();
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in &written {
        *times.entry(name).or_default() += 1;
    }
    let is_own = |name: &String| times.get(name.as_str()) == Some(&1);
    let full = |index: usize| setup.program.tasks.methods[index].method.to_string();
    written
        .iter()
        .enumerate()
        .map(|(index, name)| if is_own(name) { name.clone() } else { full(index) })
        .collect()
}

/// The name of a method in a line: with the parts before the simple name of its class, and after its own
/// name.
fn named_in(line: &str, method: &MethodRef) -> Option<String> {
    let class = method.class().rsplit(['/', '.']).next()?;
    let name = if method.name() == "<init>" { "new" } else { method.name() };
    let forms = [format!("{class}#{name}"), format!("{class}.{}", method.name())];
    let of_form = |form: &String| {
        line.match_indices(form.as_str()).find_map(|(at, _)| {
            let end = at + form.len();
            let is_whole = !line[end..].starts_with(is_word);
            is_whole.then(|| {
                let start = line[..at]
                    .rfind(|c| !(is_word(c) || matches!(c, '.' | '/')))
                    .map_or(0, |before| before + line[before..].chars().next().map_or(1, char::len_utf8));
                format!("{}{}", &line[start..end], signature(&line[end..]))
            })
        })
    };
    // A set has several methods.
    forms.iter().find_map(of_form).filter(|name| !name.contains('*'))
}

/// Parameters in parentheses, and the result of a descriptor behind them.
fn signature(rest: &str) -> &str {
    let Some(close) = rest.find(')').filter(|_| rest.starts_with('(')) else { return "" };
    let ends = |c: char| c.is_whitespace() || matches!(c, ')' | ',');
    let result = rest[close + 1..].find(ends).unwrap_or(rest.len() - close - 1);
    &rest[..close + 1 + result]
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

/// A claim in at most `room` characters: without packages where that is enough, else without its middle.
pub fn fitted(claim: &str, room: usize) -> String {
    let length = |text: &str| text.chars().count();
    if length(claim) <= room {
        return claim.to_owned();
    }
    let short = without_packages(claim);
    if length(&short) <= room {
        return short;
    }
    let kept = room.saturating_sub(1);
    let (head, tail) = (kept.div_ceil(2), kept / 2);
    let all: Vec<char> = short.chars().collect();
    all[..head].iter().chain(&['…']).chain(&all[all.len() - tail..]).collect()
}

/// The text with classes without their packages: `a.b.C#d` and `a/b/C.d` become `C#d` and `C.d`. Numbers and
/// titles stay.
pub fn without_packages(text: &str) -> String {
    let mut short = String::new();
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..]
            .find(|c| !(is_word(c) || matches!(c, '.' | '/')))
            .map_or(rest.len(), |length| start + length);
        let (before, word) = (&rest[..start], &rest[start..end]);
        short.push_str(before);
        // A package of Java's form ends at the last dot before a class, whose name begins with a capital.
        let dot = word.rfind('.').map_or(0, |dot| dot + 1);
        let is_class = rest[end..].starts_with('#') || word[dot..].starts_with(char::is_uppercase);
        let cut = word.rfind('/').map_or(if is_class { dot } else { 0 }, |slash| slash + 1);
        short.push_str(&word[cut..]);
        rest = &rest[end..];
    }
    short + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_is_called_what_the_line_calls_it() {
        let check = |line: &str, method: &str, expected: Option<&str>| {
            let method: MethodRef = method.parse().unwrap();
            assert_eq!(named_in(line, &method).as_deref(), expected, "{line}");
        };
        let one = "acme/Known.one(J)J";
        check("2 * acme.Known#one <= acme.Known#oneB", one, Some("acme.Known#one"));
        check("acme.Known#oneB(long) <= acme.Known#one(long)", one, Some("acme.Known#one(long)"));
        check(
            "acme.Known#over(int, long) < 5 ms",
            "acme/Known.over(IJ)V",
            Some("acme.Known#over(int, long)"),
        );
        check("acme/Known.one(J)J <= (1, 2) acme/Known.two(J)J", one, Some(one));
        check(
            "p99(acme.Known$Inner#new) < 5 ms",
            "acme/Known$Inner.<init>(J)V",
            Some("acme.Known$Inner#new"),
        );
        check("median(acme/Known.one(J)J) < 5 ms", one, Some(one));
        check("p99(acme.Known#one(long)) < 5 ms", one, Some("acme.Known#one(long)"));
        check("acme.Kn*#one < 5 ms", one, None);
        check("acme.Known#one(**) < 5 ms", one, None);
    }

    #[test]
    fn packages_go_first_and_then_the_middle() {
        let claim = "acme.app.Known#one(long) <= 1.5 * acme.app.Known#two(long)";
        assert_eq!(fitted(claim, 80), claim);
        assert_eq!(fitted(claim, 50), "Known#one(long) <= 1.5 * Known#two(long)");
        assert_eq!(fitted(claim, 20), "Known#one(…two(long)");
        assert_eq!(without_packages("p.C#f(java.util.List, int)"), "C#f(List, int)");
        let old = "java/util/List.get(I)Ljava/lang/Object; <= a/B.c()V";
        assert_eq!(fitted(old, 40), "List.get(I)Object; <= B.c()V");
        assert_eq!(
            without_packages("quick, by 2.5 ms: p99(a.B#c) < 1.5 ms"),
            "quick, by 2.5 ms: p99(B#c) < 1.5 ms"
        );
    }
}
