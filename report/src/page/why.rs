//! Why claims fail, where that was looked for.

use super::parts::Page;
use crate::why::why;
use maud::{Markup, html};

/// The reasons of each claim that fails; nothing where nobody looked for them.
pub fn section(page: &Page<'_>) -> Markup {
    let Some(file) = &page.facts.why else { return html! {} };
    html! {
        section aria-labelledby="why" {
            h2 #why { "Why claims fail" }
            p.lead {
                "After the measurement, the instructions of bytecode were counted that these methods and the methods below them run, \
                 for a short time. Figures are of one call, on average. Instructions are not times: a cause that runs few of them is \
                 not found."
            }
            @for one in &file.claims {
                details open {
                    summary { code { (one.claim) } }
                    ul { @for line in why(one) { li { (line) } } }
                }
            }
        }
    }
}
