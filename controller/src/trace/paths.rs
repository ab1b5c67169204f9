//! Paths of whole calls, as text and as lines of JSON.

use crate::cli::Trace;
use crate::numbers::counted;
use serde::Serialize;
use spl_model::{Pattern, one_line};
use spl_trace::{MethodPaths, Methods, PathCount, Paths};
use std::io::{self, Write};

/// Longest path that is shown whole as text, in characters.
const SHOWN: usize = 400;

/// Whether a pattern names a method, or there is none.
fn is_wanted(patterns: &[Pattern], name: &str) -> bool {
    // A method as in a task file: p/C.f(I)V.
    let named = |pattern: &Pattern| {
        let (front, descriptor) = name.split_at(name.find('(').unwrap_or(name.len()));
        let Some((class, method)) = front.rsplit_once('.') else { return false };
        pattern.names(class, method, descriptor)
    };
    patterns.is_empty() || patterns.iter().any(named)
}

/// Whether each method is one of --methods, by their places.
///
/// # Errors
/// When a pattern is wrong, or no method has such a name; one line of text.
pub fn wanted(arguments: &Trace, methods: &Methods) -> Result<Vec<bool>, String> {
    let parsed = arguments.methods.iter().map(|text| Pattern::parse(text));
    let patterns: Vec<Pattern> =
        parsed.collect::<Result<_, _>>().map_err(|why| format!("--methods {why}"))?;
    let wanted: Vec<bool> = methods.all().iter().map(|method| is_wanted(&patterns, &method.name)).collect();
    if !wanted.contains(&true) && !wanted.is_empty() {
        return Err("no traced method has the name of --methods; look for a typing error".to_owned());
    }
    Ok(wanted)
}

/// A line of JSON for a path.
#[derive(Serialize)]
struct Line<'p> {
    method: &'p str,
    key: String,
    count: u64,
    bytecodes_least: u64,
    bytecodes_most: u64,
    path: String,
}

/// A line of JSON for a method: its sums.
#[derive(Serialize)]
struct Sums<'p> {
    method: &'p str,
    calls: u64,
    paths: usize,
    other: u64,
    partly: u64,
}

/// The methods that were called, those with most calls first.
fn called<'p, F: Fn(u32) -> bool>(
    paths: &'p Paths<F>,
    methods: &'p Methods,
) -> Vec<(&'p str, &'p MethodPaths)> {
    let names = methods.all().iter().map(|method| &*method.name);
    let mut all: Vec<_> = names.zip(paths.methods()).filter(|(_, of)| of.entries > 0).collect();
    all.sort_by_key(|(name, of)| (std::cmp::Reverse(of.entries), *name));
    all
}

/// Prints all paths, each on a line, and after those of a method its sums.
///
/// # Errors
/// When they cannot be printed.
pub fn json<F: Fn(u32) -> bool>(paths: &Paths<F>, methods: &Methods, out: &mut impl Write) -> io::Result<()> {
    for (method, of) in called(paths, methods) {
        let all = of.most();
        for one in &all {
            let PathCount { count, bytecodes: (bytecodes_least, bytecodes_most), .. } = *one;
            let (key, path) = (format!("{:032x}", of.key(*one)), of.text(*one));
            let line = Line { method, key, count, bytecodes_least, bytecodes_most, path };
            writeln!(out, "{}", serde_json::to_string(&line)?)?;
        }
        let MethodPaths { entries: calls, other, partly, .. } = *of;
        let sums = Sums { method, calls, paths: all.len(), other, partly };
        writeln!(out, "{}", serde_json::to_string(&sums)?)?;
    }
    Ok(())
}

/// Prints the most frequent paths of each method, a number of them at most.
///
/// # Errors
/// When they cannot be printed.
pub fn text<F: Fn(u32) -> bool>(
    paths: &Paths<F>,
    methods: &Methods,
    limit: usize,
    out: &mut impl Write,
) -> io::Result<()> {
    for (method, of) in called(paths, methods) {
        let all = of.most();
        let (calls, different) =
            (counted(of.entries, "call", "calls"), counted(all.len() as u64, "path", "paths"));
        writeln!(out, "{}: {calls}, {different}", one_line(method))?;
        for one in all.iter().take(limit) {
            let path = of.text(*one);
            let shown: String = path.chars().take(SHOWN).collect();
            let more = if shown.len() < path.len() { " …" } else { "" };
            writeln!(out, "{:>12}  {shown}{more}", one.count)?;
        }
        let hidden: u64 = all.iter().skip(limit).map(|one| one.count).sum();
        let rest = [
            (hidden, "of paths that --limit leaves out"),
            (of.other, "of other paths, for which there was no room"),
            (of.partly, "of which the trace has not all"),
        ];
        for (count, what) in rest.into_iter().filter(|(count, _)| *count > 0) {
            writeln!(out, "{count:>12}  {what}")?;
        }
    }
    Ok(())
}
