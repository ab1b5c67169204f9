//! The difference of two runs. Each value stands next to the spread of its run's repeats.

use super::facts::{Bounds, Key, MetricValue, RanMethod, Site, StoredRun};
use super::frame::{about, link, metric, page, scrolling};
use super::spread::{Spread, apart};
use super::value::{number, range, shown};
use crate::figure::{counted, quotient};
use maud::{Markup, html};
use std::collections::BTreeMap;

/// Methods of the table of differences.
const MOST_METHODS: usize = 20;

/// A value that differs.
struct Differing<'a> {
    values: [&'a MetricValue; 2],
    spreads: [Option<Bounds>; 2],
    mark: Mark,
}

/// Weight of a difference.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// The ranges of the repeats have no number in common.
    Outside,
    /// The ranges of the repeats have a number in common.
    Inside,
    /// A side has one run only.
    Unknown,
}

impl Mark {
    fn text(self) -> (Option<&'static str>, &'static str) {
        match self {
            Self::Outside => (Some("outside"), "◆ outside"),
            Self::Inside => (None, "inside"),
            Self::Unknown => (None, "unknown"),
        }
    }
}

/// The page of a difference.
pub(super) fn page_of(site: &Site, earlier: &StoredRun, later: &StoredRun) -> String {
    let spreads = [Spread::of(site, earlier), Spread::of(site, later)];
    let content = html! {
        table.pair {
            @for (run, spread) in [earlier, later].into_iter().zip(&spreads) { tr {
                th scope="row" { (link(run)) } td { code { (run.command) } } td { (about(run)) }
                td { @if spread.runs > 1 { (counted(spread.runs as u64, "run", "runs")) " with this command and these tags" }
                    @else { "no repeats: runs with the same command and the same tags" } }
            } }
        }
        p.quiet { "A difference is ◆ outside where the ranges of both runs' repeats have no number in common, inside where they have one, \
            and unknown where a run has no repeats." }
        @for space in later.spaces() { (values(site, space, [earlier, later], &spreads)) }
        (methods(earlier, later))
        (claims(earlier, later))
    };
    page(site, &format!("Run {} and run {}", earlier.id, later.id), &content)
}

fn values(site: &Site, space: &str, runs: [&StoredRun; 2], spreads: &[Spread<'_>; 2]) -> Markup {
    // The smaller number of runs of both sides.
    let repeats = spreads[0].runs.min(spreads[1].runs);
    let before: BTreeMap<Key<'_>, &MetricValue> =
        runs[0].values.iter().map(|value| (value.identity(), value)).collect();
    let pairs = runs[1].values.iter().filter(|value| value.space == space);
    let pairs: Vec<_> = pairs.filter_map(|value| Some([*before.get(&value.identity())?, value])).collect();
    let differing: Vec<Differing<'_>> = pairs
        .iter()
        .filter(|pair| pair[0].bounds != pair[1].bounds)
        .map(|pair| {
            let spreads = [0, 1].map(|side| spreads[side].get(&pair[side].identity()));
            Differing { values: *pair, spreads, mark: mark(spreads, repeats) }
        })
        .collect();
    let equal = pairs.len() - differing.len();
    html! {
        section {
            h2 { "Space " (space) }
            p { (counted(differing.len() as u64, "value differs", "values differ")) ", "
                (counted(equal as u64, "is equal", "are equal")) "." }
            @if !differing.is_empty() { (scrolling(&format!("Differences in {space}"), &html! { table.matrix {
                thead { tr { th { "Metric" } th.n { "Run " (runs[0].id) } th.n { "Run " (runs[1].id) }
                    th.n { "Difference" } th.n { "Ratio" }
                    th.n { "Repeats of " (runs[0].id) } th.n { "Repeats of " (runs[1].id) } th { "Mark" } } }
                tbody { @for one in &differing { (line(site, one)) } }
            } })) }
        }
    }
}

fn mark(spreads: [Option<Bounds>; 2], repeats: usize) -> Mark {
    match spreads {
        [Some(one), Some(other)] if repeats > 1 && apart(one, other) => Mark::Outside,
        _ if repeats > 1 => Mark::Inside,
        _ => Mark::Unknown,
    }
}

fn line(site: &Site, one: &Differing<'_>) -> Markup {
    let [earlier, later] = one.values;
    let exact =
        |value: &MetricValue| value.bounds.filter(|bounds| bounds.least.total_cmp(&bounds.most).is_eq());
    let both = exact(earlier).zip(exact(later));
    let (class, text) = one.mark.text();
    html! {
        tr class=[class] {
            th scope="row" { (metric(site, &later.metric, &later.title())) }
            td.n { (shown(earlier)) } td.n { (shown(later)) }
            td.n { @if let Some((earlier, later)) = both {
                @let difference = later.least - earlier.least;
                (if difference > 0.0 { "+" } else { "" }) (number(difference, earlier.is_count && later.is_count))
            } }
            td.n { @if let Some((earlier, later)) = both.filter(|(earlier, _)| earlier.least != 0.0) {
                (quotient(later.least / earlier.least))
            } }
            @for spread in one.spreads { td.n { @if let Some(spread) = spread { (range(spread)) } } }
            td { (text) }
        }
    }
}

/// The methods whose bytecodes differ most.
fn methods(earlier: &StoredRun, later: &StoredRun) -> Markup {
    fn named(run: &StoredRun) -> BTreeMap<(&str, &str), &RanMethod> {
        run.methods.iter().map(|method| ((method.class.as_str(), method.name.as_str()), method)).collect()
    }
    let [before, after] = [named(earlier), named(later)];
    let mut names: Vec<(&str, &str)> = before.keys().chain(after.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let bytecodes = |of: &BTreeMap<(&str, &str), &RanMethod>, name: &(&str, &str)| {
        of.get(name).map(|method| method.bytecodes[1])
    };
    let mut all: Vec<_> =
        names.iter().map(|name| (name, bytecodes(&before, name), bytecodes(&after, name))).collect();
    let size =
        |one: &(&(&str, &str), Option<u64>, Option<u64>)| one.1.unwrap_or(0).abs_diff(one.2.unwrap_or(0));
    all.retain(|one| size(one) > 0);
    all.sort_by_key(|one| std::cmp::Reverse(size(one)));
    let shown = |bytecodes: Option<u64>| {
        bytecodes.map_or_else(|| "not among the first".to_owned(), crate::figure::count)
    };
    html! {
        @if !all.is_empty() { section {
            h2 { "Methods" }
            p.quiet { "Bytecodes in the method itself, of the methods that differ most, at most " (MOST_METHODS) "." }
            (scrolling("Methods that differ", &html! { table.matrix {
                thead { tr { th { "Class" } th { "Method" } th.n { "Run " (earlier.id) } th.n { "Run " (later.id) } } }
                tbody { @for (name, before, after) in all.iter().take(MOST_METHODS) { tr {
                    td.wide { (name.0.replace('/', ".")) } td.wide { (name.1) } td.n { (shown(*before)) } td.n { (shown(*after)) }
                } } }
            } }))
        } }
    }
}

/// The claims with another result.
fn claims(earlier: &StoredRun, later: &StoredRun) -> Markup {
    let other = |claim: &super::facts::Claimed| {
        earlier.claims.iter().rfind(|one| one.text == claim.text && one.about == claim.about)
    };
    let changed: Vec<_> = later
        .claims
        .iter()
        .filter_map(|claim| Some((other(claim)?, claim)))
        .filter(|(one, two)| one.result != two.result)
        .collect();
    html! {
        @if !later.claims.is_empty() { section {
            h2 { "Claims" }
            @if changed.is_empty() { p { "No claim of both runs has another result." } }
            @else { table {
                thead { tr { th { "Claim" } th { "Run " (earlier.id) } th { "Run " (later.id) } } }
                tbody { @for (before, after) in &changed { tr {
                    td.wide { (after.text) @if let Some(about) = &after.about { " · " (about) } }
                    td { (before.result) } td { (after.result) }
                } } }
            } }
        } }
    }
}
