//! The page as a whole.

use super::drawing::{drawing, figures};
use super::facts::{MOST_CALLS, TimedBox, TimedCall, TimelineFacts};
use crate::drill::{STYLE, STYLE_HASH};
use crate::figure::{count, counted, time};
use crate::graph;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// Lines of a call's table: the boxes that took longest.
const MOST_LINES: usize = 100;

/// The page, one file without network and without a script.
#[must_use]
pub fn page(facts: &TimelineFacts) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy"
                    content={ "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " (STYLE_HASH) " " (graph::STYLE_HASH) };
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "spl " (facts.spl) };
                title { "Slowest calls in " (facts.folder) }
                style { (PreEscaped(STYLE)) }
                style { (PreEscaped(graph::STYLE)) }
            }
            body {
                a.skip href="#calls" { "Skip to the calls" }
                header { h1 { "Slowest calls in " (facts.folder) } (summary(facts)) }
                main {
                    (doubts(facts))
                    (table(facts))
                    @for call in facts.calls.iter().filter(|call| !call.boxes.is_empty()) { (section(call)) }
                }
                footer { p { "Made by spl " (facts.spl) " from a trace; " code { "spl trace timeline" } " makes it again." } }
            }
        }
    };
    // Names of a program may have misleading characters.
    spl_model::lines(&markup.into_string())
}

fn summary(facts: &TimelineFacts) -> Markup {
    let (all, unknown) = facts.all;
    html! {
        p { (counted(all, "call is", "calls are")) " in the trace; the slowest come first."
            @if unknown > 0 { " Of " (count(unknown)) " it is not known how long they took: what bounds their time is shown." } }
        p.quiet { "Times are those of the program while it was traced: the tracer takes its part of each, of short calls most. "
            "Methods without calls and branches have no end of their own: their time, also that of waiting for a lock, is their caller's." }
    }
}

fn doubts(facts: &TimelineFacts) -> Markup {
    html! {
        @if !facts.doubts.is_empty() {
            section { h2 { "What is missing" } ul { @for doubt in &facts.doubts { li { (doubt) } } } }
        }
    }
}

/// A call's duration in words.
fn took(call: &TimedCall) -> String {
    let at_least = time(call.took.0 as f64);
    match call.took {
        (least, Some(most)) if least == most => at_least,
        (0, Some(most)) => format!("at most {}", time(most as f64)),
        (_, Some(most)) => format!("{at_least} to {}", time(most as f64)),
        (0, None) => "not known".to_owned(),
        (_, None) => format!("at least {at_least}"),
    }
}

/// The link to a call's drawing.
fn anchor(call: &TimedCall) -> String {
    format!("t{}c{}", call.thread, call.number)
}

fn table(facts: &TimelineFacts) -> Markup {
    html! {
        section id="calls" {
            h2 { "Calls" }
            @if facts.calls.is_empty() { p { "No call is in the trace." } } @else {
                div.scroll tabindex="0" role="region" aria-label="Calls" {
                    table {
                        thead { tr { th.n { "Call" } th.n { "Thread" } th { "Method" } th.n { "Begins at" } th.n { "Took" } th.n { "Calls within" } th.n { "Bytecodes" } th { "Ended" } } }
                        tbody { @for call in &facts.calls { (line(call)) } }
                    }
                }
            }
            @if facts.calls.len() > MOST_CALLS { p.quiet { "The first " (MOST_CALLS) " are drawn." } }
        }
    }
}

fn line(call: &TimedCall) -> Markup {
    let partly = if call.is_whole { "" } else { "≥ " };
    html! {
        tr {
            td.n { @if call.boxes.is_empty() { (call.number) } @else { a href={ "#" (anchor(call)) } { (call.number) } } }
            td.n { (call.thread) }
            td.wide { (call.method) }
            td.n { @match call.begin { Some(begin) => (time(begin as f64)), None => "not known" } }
            td.n { (took(call)) }
            td.n { (partly) (count(call.within)) }
            td.n { (partly) (count(call.bytecodes)) }
            td { (call.ended) }
        }
    }
}

fn section(call: &TimedCall) -> Markup {
    let narrow: u64 = call.groups.iter().map(|group| group.count).sum();
    html! {
        section.method id=(anchor(call)) {
            h3 { "Call " (call.number) " of thread " (call.thread) ": " (call.method) }
            p { (took(call)) ", " (call.ended) "." }
            div.scroll.icicles tabindex="0" role="region" aria-label={ "Call " (call.number) " over time" } { (drawing(call)) }
            p.quiet {
                @if narrow > 0 { (counted(narrow, "call is", "calls are")) " narrower than a pixel, and drawn together at half the height. " }
                @if call.left_out > 0 { (counted(call.left_out, "call is", "calls are")) " left out: too deep, or without room. " }
                @if call.unknown > 0 { "Of " (counted(call.unknown, "call", "calls")) " it is not known when they began. " }
            }
            details {
                summary { "Table of the widest boxes" }
                (boxes(call))
            }
        }
    }
}

fn boxes(call: &TimedCall) -> Markup {
    let mut widest: Vec<&TimedBox> = call.boxes.iter().collect();
    widest.sort_by_key(|one| std::cmp::Reverse(one.took));
    widest.truncate(MOST_LINES);
    widest.sort_by_key(|one| (one.begin, one.level));
    html! {
        div.scroll tabindex="0" role="region" aria-label={ "Widest boxes of call " (call.number) } {
            table {
                thead { tr { th.n { "Depth" } th { "Method" } th.n { "Begins after" } th { "Time" } } }
                tbody { @for one in widest { tr {
                    td.n { (one.level + 1) }
                    td.wide { (one.method) }
                    td.n { (time(one.begin as f64)) }
                    td { (figures(one)) }
                } } }
            }
        }
    }
}
