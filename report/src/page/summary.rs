//! The top of the page: the measured program, the results, and the advice.

use super::parts::{Page, Shown, badge};
use crate::doubt::{Reliability, Weight};
use crate::facts::Calls;
use crate::figure::{count, counted, percent, time};
use crate::words::{Badge, advice};
use maud::{Markup, html};
use spl_records::Context;
use std::collections::BTreeMap;

/// Most pieces of advice; more would not help at once.
const ADVICE: usize = 8;
/// Number of claims up to which the page has no search.
const FEW: usize = 3;
/// Most claims that one piece of advice names.
const LINKS: usize = 3;

/// Subject of the run.
pub fn subject(context: &Context) -> String {
    context.tasks_file.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or("SPL").to_owned()
}

/// The head of the page.
pub fn header(page: &Page<'_>) -> Markup {
    let context = &page.facts.context;
    html! {
        header {
            div {
                p.kicker { "Performance report" }
                h1 { (subject(context)) }
                @for program in &context.programs {
                    p.command { code { (program.command) } " · Java " (program.java) }
                }
                p.when {
                    time data-unix-ms=(context.began_unix_ms) { (utc(context.began_unix_ms)) }
                    @if let Some(end) = &context.end { " · measured for " (time(end.lasted_ns as f64)) }
                    @else { " · the run did not come to its end" }
                }
            }
            button #theme type="button" title="Light, dark, or as the system has it" { "Theme: system" }
        }
    }
}

/// Date and time in UTC, for readers without a script. Civil from days: Hinnant, “chrono-Compatible Low-Level
/// Date Algorithms”.
fn utc(unix_ms: u64) -> String {
    let (days, seconds) = (unix_ms / 86_400_000, unix_ms / 1000 % 86_400);
    let days = days + 719_468;
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02} {:02}:{:02} UTC", seconds / 3600, seconds / 60 % 60)
}

/// Counts of verdicts, problems, and advice.
pub fn summary(page: &Page<'_>) -> Markup {
    let context = &page.facts.context;
    let comparisons = page.claims.iter().map(Shown::badge);
    let mut counts: BTreeMap<Badge, u64> = BTreeMap::new();
    let mut reliable: BTreeMap<Badge, BTreeMap<Reliability, u64>> = BTreeMap::new();
    for shown in page.claims.iter().filter(|shown| shown.in_full) {
        if let Some(reliability) = shown.reliability() {
            *reliable.entry(shown.badge()).or_default().entry(reliability).or_default() += 1;
        }
    }
    for badge in comparisons.chain(page.assertions.iter().map(|shown| shown.badge())) {
        *counts.entry(badge).or_default() += 1;
    }
    let all: u64 = counts.values().sum();
    let of = |badges: &[Badge]| badges.iter().filter_map(|badge| counts.get(badge)).sum::<u64>();
    let (holds, fails) = (of(&[Badge::Proved, Badge::NotRefuted]), of(&[Badge::Refuted, Badge::NotProved]));
    html! {
        section.summary aria-labelledby="summary" {
            h2 #summary { (headline(all, holds, fails)) }
            ul.counts {
                @for badge_of in Badge::ALL.into_iter().filter(|badge| counts.contains_key(badge)) {
                    li { (number(page, badge_of, counts[&badge_of])) (badge(badge_of)) span.meaning {
                        (badge_of.meaning())
                        @if let Some(reliable) = reliable.get(&badge_of) { " " b { (reliabilities(reliable)) } }
                    } }
                }
            }
            @for problem in context.end.iter().flat_map(|end| &end.problems) {
                p.problem { b { "Something went wrong: " } (problem) }
            }
            @for change in &context.changes {
                p.note { time data-unix-ms=(change.at_unix_ms) { (utc(change.at_unix_ms)) } ": " (change.text) }
            }
            (what_to_do(page))
            p.note {
                "All of this is of " (counted(context.programs.len() as u64, "run of a JVM", "runs of JVMs"))
                ": intervals and p-values do not say how far another run, with other data or compiled otherwise, would differ."
            }
            (cost(page))
        }
    }
}

/// Number of claims with this badge: a link to the first of them, by which the script shows only these.
fn number(page: &Page<'_>, badge: Badge, number: u64) -> Markup {
    let comparison = page.claims.iter().filter(|shown| shown.in_full).find(|shown| shown.badge() == badge);
    let assertion = page.assertions.iter().find(|shown| shown.badge() == badge);
    let first = match (comparison, assertion) {
        (Some(shown), _) => format!("#c{}", shown.number),
        (None, Some(shown)) => format!("#a{}", shown.number),
        (None, None) => "#comparisons".to_owned(),
    };
    html! { a.number href=(first) data-filter=(badge.class()) { (count(number)) } }
}

/// Search and filters for many claims; they need the script.
pub fn tools(page: &Page<'_>) -> Markup {
    if page.claims.len() + page.assertions.len() <= FEW {
        return html! {};
    }
    html! {
        div #tools role="search" hidden {
            input #find type="search" placeholder="Find a claim or a method" aria-label="Find a claim or a method";
            output #found for="find" {}
            button #all type="button" hidden { "Show all" }
            button #open type="button" { "Open all" }
        }
    }
}

/// Numbers of comparisons with charts, by reliability.
fn reliabilities(counts: &BTreeMap<Reliability, u64>) -> String {
    let each =
        counts.iter().map(|(reliability, number)| format!("{} {}", count(*number), reliability.word()));
    format!("Reliability of the comparisons with charts: {}.", each.collect::<Vec<_>>().join(", "))
}

fn headline(all: u64, holds: u64, fails: u64) -> String {
    let undecided = all - holds - fails;
    let open = |alone: bool| match undecided {
        0 => String::new(),
        one if alone => format!(
            "{} of {} claims {}",
            count(one),
            count(all),
            if one == 1 { "is undecided" } else { "are undecided" }
        ),
        one => format!(", {} {} undecided", count(one), if one == 1 { "is" } else { "are" }),
    };
    if all == 0 {
        "Methods were measured; nothing was claimed".to_owned()
    } else if holds == all {
        format!("{} of {} claims hold", count(all), count(all))
    } else if fails == 0 {
        format!("{}, none fails", open(true))
    } else {
        format!(
            "{} of {} claims {}{}",
            count(fails),
            count(all),
            if fails == 1 { "fails" } else { "fail" },
            open(false)
        )
    }
}

/// Advice about one or more claims.
struct Item {
    /// The most serious badge of the claims.
    badge: Badge,
    /// Places of the claims in the page, and their texts.
    claims: Vec<(String, String)>,
    text: String,
}

/// Advice: first about failing claims, then about undecided ones, then about ones that hold with doubtful
/// measurements. The same advice about several claims is given once.
fn items(page: &Page<'_>) -> Vec<Item> {
    let context = &page.facts.context;
    let mut items: Vec<Item> = Vec::new();
    let mut add = |badge: Badge, claim: (String, String), text: String| match items
        .iter_mut()
        .find(|item| item.badge == badge && item.text == text)
    {
        Some(item) => item.claims.push(claim),
        None => items.push(Item { badge, claims: vec![claim], text }),
    };
    for shown in &page.claims {
        let claim = page.claim(shown);
        let gravest = shown.results.iter().min_by_key(|looked| Badge::of(looked.evaluation));
        let text = match gravest {
            Some(looked) => {
                let advice = match &looked.evaluation.verdict {
                    Err(why) => Some(page.why_not(why, &[shown.asked.left, shown.asked.right])),
                    Ok(_) => advice(&claim, looked.evaluation, context),
                };
                let texts = [advice, doubtful(shown)];
                Some(texts.into_iter().flatten().collect::<Vec<_>>().join(" "))
                    .filter(|text| !text.is_empty())
            }
            None => Some("This claim has no result: the run did not come to its end.".to_owned()),
        };
        if let Some(text) = text {
            add(shown.badge(), (format!("#c{}", shown.number), claim.formula()), text);
        }
    }
    for shown in &page.assertions {
        if let Some(text) = shown.advice(page) {
            add(shown.badge(), (format!("#a{}", shown.number), shown.asserting.title.clone()), text);
        }
    }
    items.sort_by_key(|item| item.badge);
    items
}

fn what_to_do(page: &Page<'_>) -> Markup {
    let items = items(page);
    let more: usize = items.iter().skip(ADVICE).map(|item| item.claims.len()).sum();
    html! {
        h3 { "What to do" }
        @if items.is_empty() {
            p { (if page.claims.is_empty() && page.assertions.is_empty() {
                "Nothing was claimed, so that there is nothing to do: the table of methods has what was measured."
            } else {
                "Nothing: every claim holds, by measurements without serious doubts."
            }) }
        } @else {
            ol.todo {
                @for item in items.iter().take(ADVICE) {
                    li {
                        @for (index, (place, claim)) in item.claims.iter().take(LINKS).enumerate() {
                            @if index > 0 { ", " } a href=(place) { (claim) }
                        }
                        @if item.claims.len() > LINKS { " and " (counted((item.claims.len() - LINKS) as u64, "other", "others")) }
                        ": " (item.text)
                    }
                }
            }
            @if more > 0 { p { "And " (counted(more as u64, "more claim asks", "more claims ask")) " for a look, in the lists below." } }
        }
    }
}

/// Advice about a verdict with doubtful measurements: it may be correct, but somebody has to check.
fn doubtful(shown: &Shown<'_>) -> Option<String> {
    let poor = shown.results.iter().find(|looked| looked.reliability() == Some(Reliability::Poor))?;
    let of = |weight| poor.doubts.iter().find(|doubt| doubt.weight == weight);
    let doubt = of(Weight::Serious).or_else(|| of(Weight::Open))?;
    let what = match Badge::of(poor.evaluation) {
        Badge::Proved => "This claim is proved, but its reliability is poor",
        Badge::Refuted | Badge::NotProved | Badge::Undecided | Badge::NotEvaluated | Badge::NotRefuted => {
            "Its reliability is poor"
        }
    };
    Some(format!("{what}. {}. {}", doubt.seen, doubt.meaning))
}

/// Cost of measuring in the program, as far as it is known.
fn cost(page: &Page<'_>) -> Markup {
    let context = &page.facts.context;
    let calls: u64 = page.facts.methods.iter().map(Calls::measured).sum();
    let probes_ns =
        page.facts.methods.iter().enumerate().filter_map(|(method, _)| super::method::cost_ns(page, method));
    let end = context.end.as_ref();
    // The budget's cost includes passed-over calls and workload sizes.
    let probes_ns = match end.and_then(|end| end.probes_ns) {
        Some(counted) => counted as f64,
        None => probes_ns.sum(),
    };
    html! {
        h3 { "What measuring cost" }
        p {
            (counted(calls, "call was measured", "calls were measured"))
            @if probes_ns > 0.0 {
                ", which took the program about " (time(probes_ns)) " of CPU time"
                @if let Some(cpu) = end.and_then(|end| end.cpu_ns).filter(|cpu| *cpu > 0) {
                    ", " (percent(probes_ns / cpu as f64)) " of the " (time(cpu as f64)) " that it used meanwhile"
                }
            }
            "."
            @if let Some(sizes) = end.and_then(|end| end.sizes_ns).filter(|sizes| *sizes > 0) {
                " Finding workload sizes was " (time(sizes as f64)) " of it: argument-size = nocheck saves that."
            } @else if end.and_then(|end| end.sizes_ns).is_none() && page.facts.context.scale.is_some() {
                " The cost of finding workload sizes is not included: without a limit on the cost \
                 (overhead-budget) it is not known."
            }
            @if let Some(agent) = end.and_then(|end| end.agent_ns).filter(|agent| *agent > 0) {
                " The agent's own thread, which takes the measurements out of the program, took " (time(agent as f64))
                @if let Some(cpu) = end.and_then(|end| end.cpu_ns).filter(|cpu| *cpu > 0) {
                    ", " (percent(agent as f64 / cpu as f64))
                }
                "."
            }
            @if let Some(budget) = context.budget {
                " The limit was " (percent(budget)) " for both together"
                @if context.paired { ", but for what the thread spends on looking for calls" }
                "."
            }
            @if let Some(end) = end.filter(|end| end.changes > 0) {
                " Putting probes in and out took " (counted(end.changes, "change", "changes")) " of classes, which lasted "
                (time(end.changes_ns as f64)) " together"
                @if end.lasted_ns > 0 { ", " (percent(end.changes_ns as f64 / end.lasted_ns as f64)) " of the time of the measurement" }
                ". That is time of the clock, not CPU time: the program goes on meanwhile except for the pauses in which the JVM replaces the code. "
                "The limit does not cover it, nor that changed code runs slower until the JVM has compiled it again: how much that cost is not known."
            }
            @if let Some((kept, limit)) = end.and_then(|end| Some((end.metaspace_kept?, end.metaspace_limit?))) {
                " Changes of classes keep at most " (megabytes(kept)) " of this JVM's metaspace until it ends, of " (megabytes(limit))
                " that they may keep (metaspace-limit)."
            }
            @if let Some(end) = end {
                @if end.lost > 0 { " " (counted(end.lost, "measurement was lost", "measurements were lost")) " on the way." }
                @else { " No measurement was lost." }
            }
        }
    }
}

/// Bytes as megabytes.
fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    #[test]
    fn dates_are_civil() {
        assert_eq!(super::utc(0), "1970-01-01 00:00 UTC");
        assert_eq!(super::utc(951_827_696_000), "2000-02-29 12:34 UTC");
        assert_eq!(super::utc(1_767_225_599_000), "2025-12-31 23:59 UTC");
    }
}
