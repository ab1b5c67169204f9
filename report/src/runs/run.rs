//! A run: its values by space, its classes with their methods, and its claims.

use super::facts::{Key, MOST_METHODS, MetricValue, RanMethod, Site, StoredRun};
use super::frame::{about, difference, link, metric, page, scrolling};
use super::over_time::charts;
use super::value::shown;
use crate::figure::{count, digits};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// The page of a run; `earlier` is the run before it, with which it is compared.
pub(super) fn run(site: &Site, run: &StoredRun, earlier: Option<&StoredRun>) -> String {
    let content = html! {
        p { code { (run.command) } " · " (about(run)) }
        p.quiet { "Read from " code { (run.folder) } "."
            @if let Some(earlier) = earlier {
                " " a href=(difference(earlier, run)) { "Difference" } " to the run before it, " (link(earlier)) "."
            }
        }
        (values(site, run))
        (charts(site, run))
        (classes(run))
        (claims(run))
    };
    page(
        site,
        &format!("Run {}: {}", run.id, if run.kind == "metrics" { "metrics" } else { "measurement" }),
        &content,
    )
}

/// A line for each metric and key, a column for each space.
fn values(site: &Site, run: &StoredRun) -> Markup {
    let spaces = run.spaces();
    let of: BTreeMap<Key<'_>, &MetricValue> =
        run.values.iter().map(|value| (value.identity(), value)).collect();
    let mut lines: Vec<&MetricValue> = Vec::new();
    for value in &run.values {
        let (_, name, options, key) = value.identity();
        let first = spaces.iter().find(|space| of.contains_key(&(**space, name, options, key)));
        if first == Some(&value.space.as_str()) {
            lines.push(value);
        }
    }
    html! {
        @if !lines.is_empty() { section {
            h2 { "Metrics" }
            @if !run.methods.is_empty() {
                p.quiet { "Instructions and calls stand in " a href="#classes" { "classes and methods" } ", as far as the store has them." }
            }
            (scrolling("Metrics", &html! { table.matrix {
                thead { tr { th { "Metric" } @for space in &spaces { th.n { (space) } } } }
                tbody { @for value in &lines {
                    @let (_, name, options, key) = value.identity();
                    tr {
                        th scope="row" { (metric(site, &value.metric, &value.title())) }
                        @for space in &spaces { td.n { @if let Some(value) = of.get(&(*space, name, options, key)) { (shown(value)) } } }
                    }
                } }
            } }))
        } }
    }
}

/// The classes with most bytecodes; each opens to its methods.
fn classes(run: &StoredRun) -> Markup {
    let mut of: Vec<(&str, u64, Vec<&RanMethod>)> = Vec::new();
    for method in run.methods.iter().take(MOST_METHODS) {
        match of.iter_mut().find(|(class, ..)| *class == method.class) {
            Some((_, all, methods)) => {
                *all = all.saturating_add(method.bytecodes[1]);
                methods.push(method);
            }
            None => of.push((&method.class, method.bytecodes[1], vec![method])),
        }
    }
    of.sort_by_key(|(_, bytecodes, _)| std::cmp::Reverse(*bytecodes));
    html! {
        @if !of.is_empty() { section #classes {
            h2 { "Classes and methods" }
            p.quiet { "The methods with most bytecodes in themselves, at most " (MOST_METHODS) ", by class." }
            @for (place, (class, bytecodes, methods)) in of.iter().enumerate() {
                details open[place == 0] {
                    summary { code { (class.replace('/', ".")) } " · " (count(*bytecodes)) " bytecodes" }
                    table {
                        thead { tr { th { "Method" } th.n { "Calls" } th.n { "Bytecodes" } th.n { "Blocks run" } } }
                        tbody { @for method in methods { tr {
                            td.wide { (method.name) } td.n { (count(method.calls)) }
                            td.n { @if method.bytecodes[0] < method.bytecodes[1] { (count(method.bytecodes[0])) " to " }
                                (count(method.bytecodes[1])) }
                            td.n { (method.blocks[0]) " of " (method.blocks[1]) }
                        } } }
                    }
                }
            }
        } }
    }
}

/// Claims of a page.
const MOST_CLAIMS: usize = 200;

fn claims(run: &StoredRun) -> Markup {
    html! {
        @if !run.claims.is_empty() { section {
            h2 { "Claims" }
            (scrolling("Claims", &html! { table {
                thead { tr { th { "Claim" } th { "Sizes or instance" } th { "Result" } th { "Basis" } th.n { "Ratio" } } }
                tbody { @for claim in run.claims.iter().take(MOST_CLAIMS) { tr {
                    td.wide { (claim.text) } td { (claim.about.as_deref().unwrap_or_default()) }
                    td class=[(claim.result == "fails").then_some("bad")] { (claim.result) }
                    td { (claim.basis.as_deref().unwrap_or_default()) }
                    td.n { @if let Some([ratio, low, high]) = claim.ratio { (digits(ratio)) " (" (digits(low)) " to " (digits(high)) ")" } }
                } } }
            } }))
            @if run.claims.len() > MOST_CLAIMS { p.quiet { (run.claims.len() - MOST_CLAIMS) " more: " code { "spl query" } " has them." } }
        } }
    }
}
