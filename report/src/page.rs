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
use maud::{DOCTYPE, PreEscaped, html};
use parts::Page;

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");
/// Policy of the page: it may have this style and run this script, by their hashes, and nothing else. A
/// change of either needs a new hash (`openssl dgst -sha256 -binary report/src/style.css | base64`); `make
/// browser` detects an old one.
const POLICY: &str = "default-src 'none'; base-uri 'none'; form-action 'none'; \
    style-src 'sha256-+gaDr1fhodj08maChx1WmLAMLVYzvdrGWGcztDgAAn8='; \
    script-src 'sha256-xkYgl77NWfA0iWJ7nTCxq+WmWIcdBTQpAWwWDM4i9+w='";

/// The page.
#[must_use]
pub fn html(facts: &Facts) -> String {
    let page = Page::of(facts);
    let title = format!("{} – performance report", summary::subject(&facts.context));
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta name="generator" content={ "spl " (facts.context.spl) };
                title { (title) }
                style { (PreEscaped(STYLE)) }
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
            }
        }
    };
    let text = markup.into_string();
    let text = if page.detail == FULL { text } else { compacted(&text) };
    // Our own text has no misleading characters; names of a program may have some.
    spl_model::lines(&text)
}
