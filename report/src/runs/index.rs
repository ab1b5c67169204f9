//! The first page, and the definitions of metrics.

use super::facts::{Contents, Site, StoredRun};
use super::frame::{about, link, of_program, page, scrolling};
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
                @for runs in programs {
                    @if let Some(newest) = runs.first() {
                        li { a href=(of_program(runs)) { code { (newest.command) } } " · " (newest.kind) " · "
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
    let Contents { values, results, failed } = run.contents();
    html! {
        @if values > 0 { (counted(values, "value", "values")) }
        @if results > 0 {
            @if values > 0 { ", " }
            (counted(results, "result", "results"))
            @if failed > 0 { ", " span.bad { (counted(failed, "failed", "failed")) } }
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
