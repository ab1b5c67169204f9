//! Findings about a specification file, with their places.

use spl_lang::{Diagnostic, Related, Severity, Span};

/// Characters of a wrong name that are compared with the right ones.
const COMPARED: usize = 64;
/// Most findings that are kept. A hostile file may have a finding for each word.
const KEPT: usize = 100;
/// Names that are proposed at most.
const PROPOSED: usize = 3;

/// The findings about a text, in their order.
pub struct Findings<'t> {
    text: &'t str,
    line_starts: Vec<usize>,
    all: Vec<Diagnostic>,
}

impl<'t> Findings<'t> {
    /// None yet.
    pub fn new(text: &'t str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self { text, line_starts: std::iter::once(0).chain(starts).collect(), all: Vec::new() }
    }

    /// Adds an error; `help` may be empty.
    pub fn error(&mut self, span: Span, message: String, label: &str, help: String) {
        self.add(Severity::Error, span, message, label, help);
    }

    /// Adds a warning; `help` may be empty.
    pub fn warning(&mut self, span: Span, message: String, help: String) {
        self.add(Severity::Warning, span, message, "", help);
    }

    /// Adds a place to the last finding.
    pub fn related(&mut self, span: Span, label: &str) {
        let line = self.place(span.start).0;
        if let Some(last) = self.all.last_mut() {
            last.related.push(Related { span, line, label: label.to_owned() });
        }
    }

    /// All findings, in the order of the text.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.all.sort_by_key(|one| one.span.start);
        self.all
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    fn add(&mut self, severity: Severity, span: Span, message: String, label: &str, help: String) {
        if self.all.len() == KEPT {
            return;
        }
        let (line, column) = self.place(span.start);
        let help = Some(help).filter(|help| !help.is_empty());
        let (label, related) = (label.to_owned(), Vec::new());
        self.all.push(Diagnostic { severity, message, span, line, column, label, help, related });
    }

    /// Line and column of a byte, counted from 1.
    fn place(&self, at: usize) -> (usize, usize) {
        let line = self.line_starts.partition_point(|start| *start <= at).max(1);
        let start = self.line_starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..at).unwrap_or("");
        (line, before.chars().filter(|c| *c != '\u{feff}').count() + 1)
    }
}

/// A proposal of the names that are nearest to a wrong one, or to a pattern that matches none.
pub fn nearest<'n>(wrong: &str, names: impl Iterator<Item = &'n str>) -> String {
    let wanted: String =
        wrong.chars().filter(|c| *c != '*').take(COMPARED).collect::<String>().to_lowercase();
    let mut rated: Vec<(usize, &str)> = names
        .map(|name| {
            let lower = name.to_lowercase();
            let contains = !wanted.is_empty() && lower.contains(&wanted);
            // A part of a name is nearer than a misspelt one with as many changes.
            let distance = strsim::damerau_levenshtein(&wanted, &lower);
            (if contains { distance.min(1) } else { distance }, name)
        })
        .collect();
    rated.sort_unstable();
    rated.dedup();
    let Some(best) = rated.first().map(|(distance, _)| *distance) else { return String::new() };
    // Names without a likeness help nobody.
    if best > wanted.chars().count().div_ceil(2).max(2) {
        return String::new();
    }
    let near: Vec<String> = rated
        .iter()
        .take_while(|(distance, _)| *distance <= best + 1)
        .take(PROPOSED)
        .map(|(_, name)| format!("`{name}`"))
        .collect();
    format!("did you mean {}?", listed(&near, "or"))
}

/// Words in a row, as in "a, b and c".
pub fn listed(words: &[impl AsRef<str>], joint: &str) -> String {
    let words: Vec<&str> = words.iter().map(AsRef::as_ref).collect();
    match words.split_last() {
        None => String::new(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} {joint} {last}", others.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_proposed_and_others_are_not() {
        let names = ["MethodEntry", "MethodEntry2", "MethodExit", "Block", "ObjectAlloc", "AllocSample"];
        let said = |wrong: &str| nearest(wrong, names.into_iter());
        assert_eq!(said("MethodEntr"), "did you mean `MethodEntry` or `MethodEntry2`?");
        assert_eq!(said("Alloc"), "did you mean `AllocSample` or `ObjectAlloc`?");
        assert_eq!(said("blok*"), "did you mean `Block`?");
        assert_eq!(said("Quux"), "");
        assert_eq!(listed(&["a", "b", "c"], "and"), "a, b and c");
    }
}
