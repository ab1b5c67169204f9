//! The page and the order of its sections.

mod asserted;
mod assertion;
mod comparison;
mod instances;
mod method;
mod parts;
mod run;
mod summary;
mod why;

use crate::chart::compact::compacted;
use crate::chart::detail::FULL;
use crate::facts::Facts;
use crate::graph;
use maud::{DOCTYPE, PreEscaped, html};
use parts::Page;

pub(crate) const STYLE: &str = include_str!("style.css");
pub(crate) const SCRIPT: &str = include_str!("script.js");
pub(crate) const STYLE_HASH: &str = "'sha256-qQTx03eTLi0M8ukAX9TSRLBtoW+LDHHhae+/+gMKJVE='";
pub(crate) const SCRIPT_HASH: &str = "'sha256-xkYgl77NWfA0iWJ7nTCxq+WmWIcdBTQpAWwWDM4i9+w='";

/// Policy of the page: it may have its styles and run its scripts, by their hashes, and nothing else. A test has the right ones.
fn policy() -> String {
    format!(
        "default-src 'none'; base-uri 'none'; form-action 'none'; style-src {STYLE_HASH} {}; script-src {SCRIPT_HASH} {}",
        graph::STYLE_HASH,
        graph::SCRIPT_HASH
    )
}

/// The page.
#[must_use]
pub fn html(facts: &Facts) -> String {
    let page = Page::of(facts);
    let title = format!("{} – performance report", summary::subject(&facts.context));
    let has_graphs = facts.why.graphs.is_some();
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(policy());
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "spl " (facts.context.spl) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
                @if has_graphs { style { (PreEscaped(graph::STYLE)) } }
            }
            body {
                a.skip href=(if page.claims.is_empty() && page.assertions.is_empty() { "#methods" } else if page.claims.is_empty() { "#assertions" } else { "#results" }) { "Skip to the results" }
                (summary::header(&page))
                main {
                    (summary::summary(&page))
                    (summary::tools(&page))
                    (comparison::results(&page))
                    (assertion::section(&page))
                    (why::section(&page))
                    (instances::section(&page))
                    (method::section(&page))
                    (run::decisions(&page))
                    (run::settings(&page))
                    (run::glossary(&page))
                }
                footer { p { "Made by spl " (facts.context.spl) " from the files of the run; "
                    code { "spl report" } " makes it again." } }
                script { (PreEscaped(SCRIPT)) }
                @if has_graphs { script { (PreEscaped(graph::SCRIPT)) } }
            }
        }
    };
    let text = markup.into_string();
    let text = if page.detail == FULL { text } else { compacted(&text) };
    // Our own text has no misleading characters; names of a program may have some.
    spl_model::lines(&text)
}
