//! Repair of wrong method descriptors.
//!
//! The usual mistakes are Java's own type names (`int`), dots in class names, and a missing `L`, `;` or
//! return type. Each is repaired where it stands; the result is offered only when it is a legal descriptor.

use spl_model::{Descriptor, FieldType};

/// Java's keywords for types and their letters (JVMS 4.3.2, 4.3.3).
const KEYWORDS: [(&str, char); 9] = [
    ("boolean", 'Z'),
    ("byte", 'B'),
    ("char", 'C'),
    ("short", 'S'),
    ("int", 'I'),
    ("long", 'J'),
    ("float", 'F'),
    ("double", 'D'),
    ("void", 'V'),
];

/// Classes that people write without their package.
const LANG: [&str; 14] = [
    "Boolean",
    "Byte",
    "CharSequence",
    "Character",
    "Class",
    "Comparable",
    "Double",
    "Float",
    "Integer",
    "Long",
    "Object",
    "Runnable",
    "Short",
    "String",
];

/// A legal descriptor near `wrong`, which starts with `(`.
pub(crate) fn repair(wrong: &str) -> Option<String> {
    let (parameters, result) = wrong.strip_prefix('(')?.split_once(')')?;
    let mut repaired = String::from("(");
    let mut rest = parameters.trim();
    while !rest.is_empty() {
        let (one, tail) = repair_one(rest)?;
        repaired.push_str(&one);
        rest = tail.trim_start_matches([',', ' ', '\t']);
    }
    repaired.push(')');
    match result.trim() {
        "V" | "void" => repaired.push('V'),
        result => {
            let (one, tail) = repair_one(result)?;
            repaired.push_str(&one);
            tail.trim().is_empty().then_some(())?;
        }
    }
    repaired.parse::<Descriptor>().ok().map(|descriptor| descriptor.to_string())
}

/// The first type of `text` as a field descriptor, repaired if need be, and what follows it.
fn repair_one(text: &str) -> Option<(String, &str)> {
    let end = text.find([',', ';', ' ', '\t']).unwrap_or(text.len());
    let word = &text[..end];
    let (mut java, mut brackets) = (word, String::new());
    while let Some(element) = java.strip_suffix("[]").or_else(|| java.strip_suffix("...")) {
        java = element;
        brackets.push('[');
    }
    if let Some((_, letter)) = KEYWORDS.iter().find(|(keyword, _)| *keyword == java) {
        return Some((format!("{brackets}{letter}"), &text[end..]));
    }
    let after_class = text[end..].strip_prefix(';').unwrap_or(&text[end..]);
    if LANG.contains(&java) {
        return Some((format!("{brackets}Ljava/lang/{java};"), after_class));
    }
    if let Some((_, tail)) = FieldType::take(text) {
        return Some((text[..text.len() - tail.len()].to_owned(), tail));
    }
    let leading = java.trim_start_matches('[');
    brackets.push_str(&java[..java.len() - leading.len()]);
    let class = leading.strip_prefix('L').unwrap_or(leading).replace('.', "/");
    class.contains('/').then(|| (format!("{brackets}L{class};"), after_class))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_mistakes_are_repaired() {
        let check = |wrong: &str, right: Option<&str>| {
            assert_eq!(repair(wrong).as_deref(), right, "{wrong}");
        };
        check("(int)I", Some("(I)I"));
        check("(int, long[])boolean", Some("(I[J)Z"));
        check("(int...)void", Some("([I)V"));
        check("(Ljava.lang.String;)V", Some("(Ljava/lang/String;)V"));
        check("(Ljava/lang/String)V", Some("(Ljava/lang/String;)V"));
        check("(java.lang.String)Ljava/lang/Object", Some("(Ljava/lang/String;)Ljava/lang/Object;"));
        check("(String;I)Object", Some("(Ljava/lang/String;I)Ljava/lang/Object;"));
        check("([Ljava.lang.String;I)V", Some("([Ljava/lang/String;I)V"));
        check("(I)", None);
        check("(Q)V", None);
        check("(I", None);
        check("(I)VV", None);
    }
}
