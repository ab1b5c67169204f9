//! Parts of all pages: head, policy, style, and the way back.

use super::facts::{Site, StoredRun};
use maud::{DOCTYPE, Markup, PreEscaped, html};

pub(crate) const STYLE: &str = include_str!("runs.css");
pub(crate) const STYLE_HASH: &str = "'sha256-FyDoES+ULPLWEO5hsWxy6A5a+/VP40oB2xbeqyL3jHs='";

/// Name of the page for queries, which is served only.
pub(super) const QUERY: &str = "query.html";

/// Marks that each page has: the generator, and the end of the last line. They stay the same in later versions.
pub(super) const MARKS: [&str; 2] = [
    "<meta name=\"generator\" content=\"spl ",
    " from its store; <code>spl pages</code> makes it again.</p></footer></body></html>",
];

/// A page with its text. Names of a program may have misleading characters.
pub(super) fn page(site: &Site, title: &str, content: &Markup) -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                // Served pages have a policy in the head of the answer, which allows their forms.
                @if !site.is_served {
                    meta http-equiv="Content-Security-Policy"
                        content={ "default-src 'none'; base-uri 'none'; form-action 'none'; style-src " (STYLE_HASH) };
                }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "spl " (site.spl) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#main" { "Skip to the content" }
                header {
                    nav aria-label="Pages" {
                        a href="index.html" { "All runs" } " · " a href="metrics.html" { "Metrics" }
                        @if site.is_served { " · " a href=(QUERY) { "Query" } }
                    }
                    h1 { (title) }
                }
                main #main { (content) }
                @if site.is_served { footer { p { "Served by spl " (site.spl) ": each page is as the store is now." } } }
                @else { footer { p { "Made by spl " (site.spl) " from its store; " code { "spl pages" } " makes it again." } } }
            }
        }
    };
    spl_model::lines(&markup.into_string())
}

/// A part of the page that scrolls by itself where it is too wide, by keyboard too.
pub(super) fn scrolling(label: &str, content: &Markup) -> Markup {
    html! { div.scroll tabindex="0" role="region" aria-label=(label) { (content) } }
}

/// A link to a run.
pub(super) fn link(run: &StoredRun) -> Markup {
    html! { a href={ "run-" (run.id) ".html" } { "run " (run.id) } }
}

/// Name of the page of a program, by its first run of these; they are the newest first.
pub(super) fn of_program(runs: &[&StoredRun]) -> String {
    format!("program-{}.html", runs.last().map_or(0, |first| first.id))
}

/// Name of the page of a difference.
pub(super) fn difference(earlier: &StoredRun, later: &StoredRun) -> String {
    format!("difference-{}-{}.html", earlier.id, later.id)
}

/// Tags and circumstances of a run, in one line.
pub(super) fn about(run: &StoredRun) -> Markup {
    html! {
        @if let Some(began) = &run.began { time { (began) } " UTC" } @else { "time unknown" }
        @if let Some(jdk) = &run.jdk { " · Java " (jdk) }
        @for tag in &run.tags { " " span.tag { (tag) } }
    }
}

/// The name of a metric, which leads to its definition.
pub(super) fn metric(site: &Site, metric: &str, title: &str) -> Markup {
    html! {
        @if site.definitions.contains_key(metric) { a href={ "metrics.html#" (metric) } { (title) } } @else { (title) }
    }
}
