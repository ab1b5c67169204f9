//! The first page, and the definitions of metrics.

use super::facts::{Site, StoredRun};
use super::frame::{about, link, page, scrolling};
use crate::figure::{count, counted};
use maud::{Markup, html};

/// Runs by programs, and all runs. `programs` are the runs of each program.
pub(super) fn index(site: &Site, programs: &[Vec<&StoredRun>]) -> String {
    let content = html! {
        @if site.runs.is_empty() {
            p { "There is no run. " code { "spl store add" } " inserts runs, and " code { "--tag" } " chooses among them." }
        }
        section {
            h2 { "Programs" }
            ul.programs {
                @for (place, runs) in programs.iter().enumerate() {
                    @if let Some(newest) = runs.first() {
                        li { a href={ "program-" (place + 1) ".html" } { code { (newest.command) } } " · " (newest.kind) " · "
                            (counted(runs.len() as u64, "run", "runs")) ", the newest " (about(newest)) }
                    }
                }
            }
        }
        section {
            h2 { "Runs" }
            (scrolling("Runs", &html! { table {
                thead { tr { th { "Run" } th { "Kind" } th { "Circumstances" } th { "Program" } th { "Contents" } } }
                tbody { @for run in &site.runs { tr {
                    td { (link(run)) } td { (run.kind) } td { (about(run)) } td.wide { (run.command) } td { (contents(run)) }
                } } }
            } }))
            @if site.left > 0 { p.quiet { (count(site.left)) " more in the store: " code { "--last" } " takes more of them." } }
        }
    };
    page(site, "Runs", &content)
}

/// Contents of a run, in numbers.
pub(super) fn contents(run: &StoredRun) -> Markup {
    let failed = run.claims.iter().filter(|claim| claim.result == "fails").count();
    html! {
        @if !run.values.is_empty() { (counted(run.values.len() as u64, "value", "values")) }
        @if !run.claims.is_empty() {
            @if !run.values.is_empty() { ", " }
            (counted(run.claims.len() as u64, "result", "results"))
            @if failed > 0 { ", " span.bad { (counted(failed as u64, "failed", "failed")) } }
        }
    }
}

/// The definitions.
pub(super) fn definitions(site: &Site) -> String {
    let content = html! {
        dl { @for (name, text) in &site.definitions { dt id=(name) { code { (name) } } dd { (text) } } }
        p.quiet { "A value of 0/0 is N/A. Two numbers are bounds. ~ marks a value of a part: something did not count." }
    };
    page(site, "Metrics", &content)
}
