//! The page as a whole.

use super::facts::{DrillFacts, MOST_BLOCKS, MOST_DRAWN, Method};
use super::icicles;
use super::method;
use super::paths;
use super::polymorphic;
use super::times;
use crate::figure::{count, counted};
use crate::graph;
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(crate) const STYLE: &str = include_str!("drill.css");
pub(crate) const STYLE_HASH: &str = "'sha256-CilNMsGjvRdrWnYiEaqMqgmPG9M0fLy3ee0SSOHyHO0='";
/// Policy of the page: its styles and its script, by their hashes, and nothing else. A test has the right ones.
fn policy() -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src {STYLE_HASH} {}; script-src {} {}",
        graph::STYLE_HASH,
        graph::SCRIPT_HASH,
        paths::SCRIPT_HASH
    )
}
/// Lines of the table of methods, and of what did not count; the files have the others.
const MOST_LINES: usize = 1_000;
const MOST_LEFT: usize = 100;

/// The page of a drill, one file without network. Everything is readable without its script.
#[must_use]
pub fn page(facts: &DrillFacts) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "spl " (facts.spl) };
                title { "Drill of " (facts.command) }
                style { (PreEscaped(STYLE)) }
                style { (PreEscaped(graph::STYLE)) }
            }
            body {
                a.skip href="#methods" { "Skip to the methods" }
                header { h1 { "Drill of " (facts.command) } (taken(facts)) }
                main {
                    (exactness(facts))
                    @match &facts.times { Some(times) => (times::section(times)), None => (methods(facts)) }
                    (icicles::section(facts))
                    (polymorphic::section(facts))
                    (graphs(facts))
                    (left(facts))
                }
                footer { p { "Made by spl " (facts.spl) ". The tables are in the folder of the same name: "
                    @if facts.times.is_some() { code { "times.csv" } "." } @else {
                    code { "methods.csv" } ", " code { "blocks.csv" } ", " code { "edges.csv" } ", " code { "calls.csv" }
                    @if facts.sites.is_some() { ", " code { "arcs.csv" } ", " code { "receivers.csv" } } "."
                    } } }
                script { (PreEscaped(graph::SCRIPT)) }
                @if facts.drawn.iter().any(|one| one.paths.is_some()) { script { (PreEscaped(paths::SCRIPT)) } }
            }
        }
    };
    // Names of a program may have misleading characters.
    spl_model::lines(&markup.into_string())
}

/// The kind of counts, their scope, and their cost.
fn taken(facts: &DrillFacts) -> Markup {
    let (what, adds) = match (&facts.times, facts.is_cover) {
        (Some(_), _) => ("How long calls took", "probe"),
        (None, true) => ("Whether each block was run", "flag"),
        (None, false) => ("How often each block was run", "counter"),
    };
    html! {
        p { (what) ", in methods " code { (facts.scope) } ": "
            (counted(facts.counted as u64, "method", "methods")) " of " (counted(facts.classes as u64, "class", "classes"))
            ", process " (facts.pid) ", " (format!("{:.1}", facts.seconds)) " s from the beginning to the end." }
        @if facts.changed.0 > 0 {
            p { "Cost: " (counted(u64::from(facts.changed.0), "loaded class was", "loaded classes were")) " changed in "
                (format!("{:.0}", facts.changed.1)) " ms at the beginning; each " (adds) " adds to the time of its method." }
        } @else {
            p { "Cost: no loaded class had to be changed at the beginning; each " (adds) " adds to the time of its method." }
        }
        @if !facts.has_classes {
            p { b { "Missing:" } " the class files, as " code { "--no-classes" } " asked. "
                @if facts.times.is_some() { "Nothing on this page needs them." } @else {
                    "The graphs on this page are complete, but without bytecode, and " code { "spl export" } " cannot join the tables with the code."
                } }
        }
    }
}

fn exactness(facts: &DrillFacts) -> Markup {
    html! {
        section {
            h2 { "Exactness" }
            @if facts.doubts.is_empty() {
                p { b { @if facts.times.is_some() { "All calls that ended were timed." } @else { "All counts are exact." } } }
            } @else {
                p { b { @if facts.times.is_some() { "Times may be wrong:" } @else { "Counts may not be exact:" } } }
                ul { @for doubt in &facts.doubts { li { (doubt) } } }
            }
        }
    }
}

fn methods(facts: &DrillFacts) -> Markup {
    let called = if facts.is_cover { "counted" } else { "called" };
    html! {
        section id="methods" {
            h2 { "Methods" }
            @if facts.methods.is_empty() { p { "No method was " (called) "." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="Methods" {
                    table {
                        thead { tr { th { "Method" } th.n { "Calls" } th.n { "Bytecodes" } th.n { "Blocks run" } th { "Exact" } } }
                        tbody { @for method in facts.methods.iter().take(MOST_LINES) { (line(method, facts.is_cover)) } }
                    }
                }
                @if facts.methods.len() > MOST_LINES {
                    p.quiet { (count((facts.methods.len() - MOST_LINES) as u64)) " more: " code { "methods.csv" } " has all." }
                }
                @if facts.methods.len() > facts.drawn.len() {
                    p.quiet { "Graphs follow for " (counted(facts.drawn.len() as u64, "method", "methods"))
                        ": at most " (MOST_DRAWN) ", those with most bytecodes, of at most " (count(MOST_BLOCKS as u64))
                        " blocks. " code { "spl cfg --as svg" } " draws the others, without counts." }
                }
            }
        }
    }
}

fn line(method: &Method, is_cover: bool) -> Markup {
    let (least, most) = method.bytecodes;
    let (run, all) = method.blocks;
    html! {
        tr {
            td.wide { @if let Some(place) = method.drawn { a href={ "#m" (place) } { (method.name) } } @else { (method.name) } }
            td.n { @if is_cover { (if method.calls > 0 { "yes" } else { "never" }) } @else { (count(method.calls)) } }
            td.n { @if least < most { (count(least)) " to " } (count(most)) }
            td.n { (run) " of " (all) @if all > 0 { " (" (percent(run, all)) "%)" } }
            td { @if method.doubt.is_empty() { "yes" } @else { "no: " (method.doubt) } }
        }
    }
}

/// A share, not 100 while one is missing, and not 0 while one is there.
fn percent(run: usize, all: usize) -> usize {
    if run == 0 || run == all { run * 100 / all } else { (run * 100 / all).clamp(1, 99) }
}

fn graphs(facts: &DrillFacts) -> Markup {
    html! {
        @if !facts.drawn.is_empty() {
            section {
                h2 { "Graphs" }
                (graph::hatch())
                (graph::key("the largest of the method"))
                @for (place, one) in facts.drawn.iter().enumerate() { (method::section(place, one, facts.is_cover)) }
            }
        }
    }
}

fn left(facts: &DrillFacts) -> Markup {
    html! {
        @if !facts.left.is_empty() {
            section {
                h2 { @if facts.times.is_some() { "Not timed" } @else { "Not counted" } }
                details {
                    summary { (counted(facts.left.len() as u64, "class or method", "classes and methods")) }
                    ul { @for (name, why) in facts.left.iter().take(MOST_LEFT) { li { code { (name) } ": " (why) } } }
                    @if facts.left.len() > MOST_LEFT { p.quiet { (facts.left.len() - MOST_LEFT) " more: " code { "drill.json" } " has all." } }
                }
            }
        }
    }
}
