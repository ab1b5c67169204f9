//! Bytecode and source next to a graph.

use super::facts::{Counted, Instruction, Source, SourceLine, Unit};
use super::heat::{figures, runs};
use crate::figure::counted;
use maud::{Markup, html};

/// The instructions of a method by blocks, each with its count; nothing where they are not known.
pub(crate) fn bytecode(id: &str, method: &Counted) -> Markup {
    let (listed, all) = (&method.code.listed, method.code.all);
    if listed.is_empty() {
        return html! {};
    }
    html! {
        details.code {
            summary { "Bytecode (" (counted(all as u64, "instruction", "instructions")) ")" }
            div.scroll tabindex="0" role="region" aria-label={ "Bytecode of " (method.name) } {
                @for part in listed.chunk_by(|one, next| one.block == next.block) { (block(id, method, part)) }
            }
            @if all > listed.len() {
                p.quiet { "The last " (counted((all - listed.len()) as u64, "instruction is", "instructions are"))
                    " left out; " code { "javap -c" } " has all." }
            }
        }
    }
}

fn block(id: &str, method: &Counted, part: &[Instruction]) -> Markup {
    let number = part.first().map_or(0, |one| one.block);
    let found = method.blocks.get(number);
    let mut line = None;
    html! {
        div.part id={ (id) "c" (number) } data-b=(number) {
            p { a href={ "#" (id) "b" (number) } { "Block " (number) }
                @if let Some(found) = found { ": " (runs(found.count, method.unit)) } }
            pre {
                @for one in part {
                    @let is_new = std::mem::replace(&mut line, one.line) != one.line;
                    i { (beginning(one, is_new)) } (one.text)
                    @for (place, (case, target)) in one.targets.iter().enumerate() {
                        @if place > 0 { "," }
                        " " @if !case.is_empty() { (case) ": " }
                        a href={ "#" (id) "c" (target) } { "block " (target) }
                    }
                    @if one.more_targets > 0 { ", and " (one.more_targets) " more" }
                    "\n"
                }
            }
        }
    }
}

/// Line and offset, as columns.
fn beginning(one: &Instruction, is_new: bool) -> String {
    let line = one.line.filter(|_| is_new).map_or_else(String::new, |line| format!("line {line}"));
    format!("{line:<10}{:>5}  ", one.at)
}

/// The source of a method with the counts of its lines; nothing where no source was asked for.
pub(crate) fn source(id: &str, method: &Counted) -> Markup {
    let Some(source) = &method.source else { return html! {} };
    html! {
        @match &source.parts {
            Err(why) => p.quiet { "No source: " (why) "." },
            Ok(parts) => details.code.source open {
                summary { "Source: " (source.file) }
                div.scroll tabindex="0" role="region" aria-label={ "Source of " (method.name) } {
                    table {
                        thead { tr { th.n { "Line" } th.n { "Runs" } th { "Source" } } }
                        @for part in parts { tbody { @for one in part { (line(id, one, method.unit)) } } }
                    }
                }
                (rest(source))
            },
        }
    }
}

fn rest(source: &Source) -> Markup {
    html! {
        p.quiet { "A line has the largest count of its blocks."
            @if source.left_out > 0 {
                " " (counted(source.left_out as u64, "line of the method is", "lines of the method are")) " left out."
            } }
    }
}

fn line(id: &str, one: &SourceLine, unit: Unit) -> Markup {
    let blocks: Vec<String> = one.blocks.iter().map(ToString::to_string).collect();
    let class = match one.count {
        None => "around",
        Some(0) => "never",
        Some(_) => "ran",
    };
    let count = one.count.map(|count| {
        if count == 0 || unit == Unit::Flags { runs(count, unit) } else { figures(count, unit) }
    });
    html! {
        tr class=(class) data-b=[(!blocks.is_empty()).then(|| blocks.join(" "))] {
            td.n { @match one.blocks.first() {
                Some(block) => a href={ "#" (id) "r" (block) } { (one.number) },
                None => (one.number),
            } }
            td.n { (count.unwrap_or_default()) }
            td { code { (one.text) } }
        }
    }
}
