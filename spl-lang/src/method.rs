//! Methods as the class file names them: their extent in a line, and their errors.

use crate::descriptor;
use crate::problem::Problem;
use spl_model::{MethodError, MethodRef};
use std::str::FromStr;

/// Characters that end a method outside its parentheses; a single `:` does as well.
fn ends_method(c: char) -> bool {
    c.is_whitespace() || matches!(c, ',' | '(' | ')' | '<' | '>' | '=' | '&' | '|' | '!' | '"')
}

/// End of the word at the start of `rest`.
fn word_end(rest: &str) -> usize {
    let mut from = 0;
    loop {
        match rest[from..].find(|c| ends_method(c) || c == ':') {
            None => return rest.len(),
            Some(at) if rest[from + at..].starts_with("::") => from += at + 2,
            Some(at) => return from + at,
        }
    }
}

/// The part of `input` that looks like a method, right or wrong; empty when it starts with something else.
pub(crate) fn scan(input: &str) -> &str {
    let mut end = 0;
    loop {
        end += word_end(&input[end..]);
        match special_name(&input[end..]) {
            Some(length) if input[..end].ends_with(['.', '#', ':']) => end += length,
            _ => break,
        }
    }
    // White space before the parenthesis is an error of its own, reported once the extent is known.
    let gap = input[end..].len() - input[end..].trim_start().len();
    if end == 0 || !input[end + gap..].starts_with('(') {
        return &input[..end];
    }
    match input[end + gap..].find(')') {
        Some(close) => {
            let result = end + gap + close + 1;
            &input[..result + word_end(&input[result..])]
        }
        None => &input[..end + gap + crate::problem::first_word(&input[end + gap..]).len()],
    }
}

/// Length of a name in angle brackets at the start of `rest`: `<init>`, or a misspelling of it.
fn special_name(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix('<')?;
    let length = inner.find(|c: char| !c.is_alphanumeric()).filter(|at| *at > 0)?;
    inner[length..].starts_with('>').then_some(length + 2)
}

/// Reads a method that [`scan`] found.
pub(crate) fn read(text: &str) -> Result<MethodRef, Problem<'_>> {
    if let Some(at) = text.find(char::is_whitespace) {
        return Err(white_space(text, at));
    }
    MethodRef::from_str(text).map_err(|error| explain(text, &error))
}

fn white_space(text: &str, at: usize) -> Problem<'_> {
    let problem = Problem::new(&text[at..], "white space inside a method").label("the method ends here");
    let joined: String = text.split_whitespace().collect();
    match joined.parse::<MethodRef>() {
        Ok(method) => problem.help(format!("write it without white space: `{method}`")),
        Err(_) => match repaired(text) {
            Some(method) => problem.help(did_you_mean(&method)),
            None => problem.help(
                "write it without white space, as in `java/lang/Integer.compareTo(Ljava/lang/Integer;)I`",
            ),
        },
    }
}

/// Both ways to complete a class and a method's name: as Java names the method, and as the class file does.
fn with_descriptor(text: &str) -> String {
    let Some((class, name)) =
        text.rsplit_once('.').filter(|(class, name)| !class.is_empty() && !name.is_empty())
    else {
        return format!("write them after the name, as in `{text}(I)V`: one int, and no result");
    };
    let (java, file) = (class.replace('/', "."), class.replace('.', "/"));
    let java_name = if name == "<init>" { "new" } else { name };
    format!(
        "to name it as Java does, write `{java}#{java_name}`; with types, as in `{file}.{name}(I)V`: one int, and no result"
    )
}

fn did_you_mean(method: &MethodRef) -> String {
    format!("did you mean `{method}`?")
}

/// Turns the model's refusal into a place, a reason and a proposal.
fn explain<'a>(text: &'a str, error: &MethodError) -> Problem<'a> {
    let paren = text.find('(').unwrap_or(text.len());
    let (path, parameters) = text.split_at(paren);
    let dot = path.rfind('.').unwrap_or(path.len());
    let problem = match error {
        MethodError::NoDescriptor => Problem::new(text, "the method has no descriptor")
            .label("parameter and return types are missing after this")
            .help(with_descriptor(text)),
        MethodError::NoName => Problem::new(path, "the method has no name")
            .label("no `.` between class and method")
            .help("a dot separates the method from its class: `java/lang/Integer.compareTo(Ljava/lang/Integer;)I`"),
        MethodError::BadClass(class) => {
            let reason = if class.contains('.') {
                "packages are separated by `/`, inner classes by `$`"
            } else {
                "a part of this name is empty or has characters that no class name has"
            };
            let problem = Problem::new(&text[..dot], "illegal class name").label(reason);
            match text.get(dot + 1..).filter(|_| class.contains('.')) {
                Some(name) => problem.help(format!("to name it as Java does, write `{class}#{name}`")),
                None => problem,
            }
        }
        MethodError::BadName(_) => Problem::new(&path[(dot + 1).min(path.len())..], "illegal method name")
            .label("constructors are called `<init>`, other names have no angle brackets"),
        MethodError::BadDescriptor { at } => bad_descriptor(parameters, *at),
        MethodError::TooManyParameters => {
            Problem::new(parameters, "too many parameters").label("more than 255 slots (JVMS 4.3.3)")
        }
    };
    match repaired(text) {
        Some(method) => problem.help(did_you_mean(&method)),
        None => problem,
    }
}

fn bad_descriptor(text: &str, at: usize) -> Problem<'_> {
    let at = if text.is_char_boundary(at) { at } else { 0 };
    let here = &text[at..];
    if here.is_empty() && text.ends_with(')') {
        return Problem::new(here, "the return type is missing").label("expected after the parenthesis").help(
            "write `V` when the method returns nothing, else the type: `I` for int, `Ljava/lang/String;` for String",
        );
    }
    if !text.contains(')') {
        return Problem::new(text, "the descriptor has no `)`").label("never closed");
    }
    let end =
        here.find([';', ')', ',']).map_or(here.len(), |end| end + usize::from(here[end..].starts_with(';')));
    let here = if end == 0 { here } else { &here[..end] };
    Problem::new(here, "illegal descriptor").label("not a type in the form of class files").help(
        "types are Z boolean, B byte, C char, S short, I int, J long, F float, D double, `Lpkg/Class;`, \
         `[` before the element type of an array, and V for no result",
    )
}

/// A legal method near `text`.
fn repaired(text: &str) -> Option<MethodRef> {
    let paren = text.find('(')?;
    let (path, wrong) = text.split_at(paren);
    let path = path.trim_end();
    let split = path.rfind('.').or_else(|| path.rfind('/'))?;
    let class = path[..split].replace('.', "/");
    let name = &path[split + 1..];
    let name = if name.starts_with('<') { nearest_special(name)? } else { name };
    let descriptor = descriptor::repair(wrong)?;
    // A constructor returns nothing; anything else there is a slip.
    let descriptor = match descriptor.split_once(')') {
        Some((parameters, _)) if name.starts_with('<') => format!("{parameters})V"),
        _ => descriptor,
    };
    MethodRef::new(&class, name, &descriptor).ok().filter(|method| method.to_string() != text)
}

fn nearest_special(name: &str) -> Option<&'static str> {
    let near = |candidate: &&str| strsim::damerau_levenshtein(name, candidate) <= 2;
    ["<init>", "<clinit>"].into_iter().find(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_ends_where_its_descriptor_ends() {
        let check = |input: &str, expected: &str| assert_eq!(scan(input), expected);
        check("a/B.f()V<=a/B.g()V", "a/B.f()V");
        check("a/B.<init>()V<a/B.g()V", "a/B.<init>()V");
        check("a/B.<int>()V > x", "a/B.<int>()V");
        check("a/B.f(I[JLx/Y;)Lx/Y;,p.Q", "a/B.f(I[JLx/Y;)Lx/Y;");
        check("a/B.f <= a/B.g", "a/B.f");
        check("a/B.f(int, long)void = x", "a/B.f(int, long)void");
        check("a/B.f (I)V < x", "a/B.f (I)V");
        check("a/B.f(I < x", "a/B.f(I");
        check("a.<b", "a.");
        check("a.B::f <= x", "a.B::f");
        check("a.B::<init> <= x", "a.B::<init>");
        check("a.B#f(int): long <= x", "a.B#f(int)");
        check("<= x", "");
        check("(1, 2) x", "");
        check("", "");
    }

    #[test]
    fn wrong_methods_are_explained() {
        let check = |text: &str, at: &str, message: &str, help: &str| {
            let problem = read(text).unwrap_err();
            assert_eq!((problem.at, problem.message.as_str()), (at, message), "{text}");
            let got = problem.help.unwrap_or_default();
            assert!(got.contains(help) && got.is_empty() == help.is_empty(), "{text}: {got}");
        };
        check("a/B.f", "a/B.f", "the method has no descriptor", "`a/B.f(I)V`");
        check("a/B.f", "a/B.f", "the method has no descriptor", "write `a.B#f`;");
        check(
            "p.a.B.f",
            "p.a.B.f",
            "the method has no descriptor",
            "`p.a.B#f`; with types, as in `p/a/B.f(I)V`",
        );
        check("a.B.<init>", "a.B.<init>", "the method has no descriptor", "write `a.B#new`;");
        check("a/B/f(I)V", "a/B/f", "the method has no name", "did you mean `a/B.f(I)V`?");
        check("f(I)V", "f", "the method has no name", "java/lang/Integer.compareTo(");
        check("a.B.f(I)V", "a.B", "illegal class name", "did you mean `a/B.f(I)V`?");
        check("a//B.f(I)V", "a//B", "illegal class name", "");
        check("a/B.<int>(I)V", "<int>", "illegal method name", "did you mean `a/B.<init>(I)V`?");
        check("a/B.f(int)V", "int", "illegal descriptor", "did you mean `a/B.f(I)V`?");
        check("a/B.f(I)", "", "the return type is missing", "write `V`");
        check("a/B.f(Lx.Y;)V", "Lx.Y;", "illegal descriptor", "did you mean `a/B.f(Lx/Y;)V`?");
        check("a/B.f(I", "(I", "the descriptor has no `)`", "");
        check("a/B.f(Q)V", "Q", "illegal descriptor", "Z boolean");
        check("a/B.f (I)V", " (I)V", "white space inside a method", "`a/B.f(I)V`");
        check(
            "a/B.f(int, long)void",
            " long)void",
            "white space inside a method",
            "did you mean `a/B.f(IJ)V`?",
        );
        let many = format!("a/B.f({})V", "J".repeat(128));
        check(&many, &many[5..], "too many parameters", "");
    }
}
