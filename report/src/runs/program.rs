//! The runs of a program side by side.

use super::facts::{Key, MetricValue, Site, StoredRun};
use super::frame::{about, difference, link, page, scrolling};
use super::index::contents;
use super::value::{range, shown};
use super::{facts::Bounds, frame};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Runs that stand side by side, the newest.
pub(super) const MOST_COLUMNS: usize = 10;

/// A page: the runs with links, then for each space a table of runs by metrics.
pub(super) fn program(site: &Site, runs: &[&StoredRun], before: &BTreeMap<i64, i64>) -> String {
    let Some(newest) = runs.first() else { return String::new() };
    let side_by_side = &runs[..runs.len().min(MOST_COLUMNS)];
    let content = html! {
        section {
            h2 { "Runs" }
            ul { @for run in runs {
                li { (link(run)) " · " (about(run)) " · " (contents(run))
                    @if let Some(earlier) = before.get(&run.id).and_then(|id| runs.iter().find(|one| one.id == *id)) {
                        " · " a href=(difference(earlier, run)) { "difference to run " (earlier.id) }
                    }
                }
            } }
        }
        @for space in newest.spaces() { (table(site, space, side_by_side)) }
        (claims(side_by_side))
    };
    page(site, &format!("{} of {}", plural(&newest.kind), newest.command), &content)
}

fn plural(kind: &str) -> &'static str {
    if kind == "metrics" { "Metrics" } else { "Measurements" }
}

/// A line for each metric and key, a column for each run, and the range over them.
fn table(site: &Site, space: &str, runs: &[&StoredRun]) -> Markup {
    let of_runs: Vec<BTreeMap<Key<'_>, &MetricValue>> =
        runs.iter().map(|run| run.values.iter().map(|value| (value.identity(), value)).collect()).collect();
    let lines = runs.first().map(|run| run.values.iter().filter(|value| value.space == space));
    html! {
        section {
            h2 { "Space " (space) }
            (scrolling(&format!("Runs by metrics in {space}"), &html! { table.matrix {
                thead { tr { th { "Metric" } @for run in runs { th.n { (link(run)) } } th.n { "Range" } } }
                tbody { @for value in lines.into_iter().flatten() {
                    @let cells: Vec<_> = of_runs.iter().map(|of_run| of_run.get(&value.identity()).copied()).collect();
                    tr title=[site.definitions.get(&value.metric)] {
                        th scope="row" { (frame::metric(site, &value.metric, &value.title())) }
                        @for cell in &cells { td.n { @if let Some(value) = cell { (shown(value)) } } }
                        td.n { @if let Some(range_of) = over(&cells) { (range(range_of)) } }
                    }
                } }
            } }))
        }
    }
}

/// The range of the values of a line.
fn over(cells: &[Option<&MetricValue>]) -> Option<Bounds> {
    let all = cells.iter().filter_map(|cell| cell.and_then(|value| value.bounds));
    all.reduce(|one, other| Bounds {
        least: one.least.min(other.least),
        most: one.most.max(other.most),
        is_count: one.is_count && other.is_count,
    })
}

/// A line for each claim, a column for each run.
fn claims(runs: &[&StoredRun]) -> Markup {
    let mut texts: Vec<(&str, &str)> = Vec::new();
    for claim in runs.iter().flat_map(|run| &run.claims) {
        let one = (claim.text.as_str(), claim.about.as_deref().unwrap_or_default());
        if !texts.contains(&one) && texts.len() < 200 {
            texts.push(one);
        }
    }
    let result = |run: &StoredRun, one: &(&str, &str)| {
        let of = |claim: &&super::facts::Claimed| {
            (claim.text.as_str(), claim.about.as_deref().unwrap_or_default()) == *one
        };
        run.claims.iter().rfind(of).map(|claim| claim.result.clone())
    };
    html! {
        @if !texts.is_empty() { section {
            h2 { "Claims" }
            (scrolling("Claims by runs", &html! { table.matrix {
                thead { tr { th { "Claim" } @for run in runs { th { (link(run)) } } } }
                tbody { @for one in &texts { tr {
                    th scope="row" { (one.0) @if !one.1.is_empty() { " · " (one.1) } }
                    @for run in runs { @match result(run, one) {
                        Some(result) => { td class=[(result == "fails").then_some("bad")] { (result) } }
                        None => { td {} }
                    } }
                } } }
            } }))
        } }
    }
}
