//! The run: the scheduler's decisions, the configuration, and the meaning of words.

use super::parts::{Page, scrolling};
use crate::chart::decisions as chart;
use crate::figure::count;
use crate::words::Badge;
use maud::{Markup, html};
use std::collections::BTreeSet;

/// The scheduler's decisions over time.
pub fn decisions(page: &Page<'_>) -> Markup {
    let decisions = &page.facts.decisions;
    if decisions.steps.is_empty() {
        return html! {};
    }
    let unit = if page.facts.context.paired { "groups of methods" } else { "methods" };
    html! {
        section aria-labelledby="scheduling" {
            h2 #scheduling { "Scheduling" }
            p.lead { "How many " (unit) " were measured at once: as many as the load of the program allowed." }
            div.charts.single { (chart::chart(decisions, unit)) }
            details {
                summary { "What was decided how often" }
                (scrolling("Decisions", html! { table {
                    thead { tr { th { "Decision" } th.n { "Times" } th { "What it is" } } }
                    tbody { @for (action, times) in &decisions.actions {
                        tr { td { (action) } td.n { (count(*times)) } td { (meaning(action)) } }
                    } }
                } }))
                p.note { code { "decisions.jsonl" } " has each of them with its time and reason." }
            }
        }
    }
}

fn meaning(action: &str) -> &'static str {
    match action {
        "measure" => "a method's turn begins",
        "rest" => "its turn is over until the next window",
        "listen" => "not called while others wait: its calls are awaited",
        "suspend" => "too much is measured at once: a method waits again",
        "finish" => "nothing more is wanted of a method",
        "instrument" => "classes are changed: probes go in",
        "restore" => "classes are changed back: probes come out",
        "instrument-and-restore" => "classes are changed: some probes go in, some come out",
        "open-gate" => "calls of a method are taken from now on",
        "close-gate" => "calls of a method are passed over from now on",
        "sample-every" => "only some of the calls are taken, to stay within the budget",
        "closed-gate-costs" => {
            "a method is called so often that it costs more than the budget while its gate is closed"
        }
        "close-window" => "the calls of a window are paired",
        "evaluate" => "a comparison is decided",
        "judge" => "an assertion is decided",
        "end" => "the measurement ends",
        _ => "",
    }
}

/// The configuration of the run.
pub fn settings(page: &Page<'_>) -> Markup {
    let settings = &page.facts.context.settings;
    let sections: BTreeSet<&str> = settings.iter().map(|setting| setting.section.as_str()).collect();
    let changed = settings.iter().filter(|setting| setting.value != setting.default).count();
    html! {
        section aria-labelledby="configuration" {
            h2 #configuration { "Configuration" }
            details {
                summary { (count(settings.len() as u64)) " keys, " (count(changed as u64)) " of them changed" }
                p.note { "The effect and the unit of each key stand in " code { "docs/configuration.md" } " \
                    of spl." }
                (scrolling("Configuration", html! { table {
                    thead { tr { th { "Key" } th { "Value" } th { "Default" } } }
                    @for section in sections { tbody {
                        tr.group { th colspan="3" scope="rowgroup" { "[" (section) "]" } }
                        @for setting in settings.iter().filter(|setting| setting.section == section) {
                            @let is_changed = setting.value != setting.default;
                            tr.changed[is_changed] {
                                th scope="row" { (setting.key) }
                                td { (setting.value) @if is_changed { " " small.mark { "changed" } } }
                                td { (setting.default) }
                            }
                        }
                    } }
                } }))
            }
        }
    }
}

/// Meaning of the page's words.
pub fn glossary(page: &Page<'_>) -> Markup {
    html! {
        section aria-labelledby="words" {
            h2 #words { "What the words mean" }
            dl.words {
                @for badge in Badge::ALL {
                    div { dt { (super::parts::badge(badge)) } dd { (badge.meaning()) } }
                }
                div { dt { "Ratio" } dd { "The average time of one method divided by that of the other." } }
                div { dt { "Interval" } dd { "Where the true ratio lies, in 95 of 100 measurements like this one. A wide one means that the ratio is known only roughly." } }
                div { dt { "p-value" } dd { "Probability that chance alone gives a result at least as \
                    clear, if the truth is just at the limit. Small: hardly chance. The usual way to find it is Welch's t-test, which allows for each method's own spread." } }
                div { dt { "Sizes" } dd { "Amount of data that a call worked on, by its arguments. "
                    @if page.facts.context.scale.is_some() { "Only calls of similar sizes are compared." }
                    @else { "With argument-size set, only calls of similar sizes are compared. In this run sizes were not looked at: calls with much and with little to do are compared alike." }
                } }
                div { dt { "Discarded" } dd { "Not counted: warm-up, or, with discard-disturbed = 1, a call that a garbage collection or a change of classes overlapped." } }
                div { dt { "Std. deviation" } dd { "Typical distance of single calls from their average." } }
                div { dt { "Probe" } dd { "The code that is put into a method to take the time of its calls, and is taken out again." } }
                div { dt { "Gate" } dd { "A switch in each probe: while it is open, times are taken; while it is closed, the call goes on almost as if there were no probe." } }
                div { dt { "Window" } dd { "A short time in which both sides of a comparison take turns, so that both see the same load." } }
                div { dt { "Warm-up" } dd { "The time until the JVM has compiled a method; calls in it are slow and do not count." } }
                div { dt { "Doubt" } dd { "Something in the measurements that makes the ratio less certain. It is serious when it may make the verdict itself wrong." } }
                div { dt { "Reliability" } dd { "Degree to which these measurements can be trusted. Good: \
                    there is a proof or a refutation, and no doubt touches it. Fair: doubts make the ratio less certain, or nothing was proved or refuted. Poor: a doubt is serious, or there are doubts and the limit is within a tenth of the interval." } }
            }
        }
    }
}
