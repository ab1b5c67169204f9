//! Parts of served pages alone: the policy, the page that lets a browser in, and pages that say why there is nothing else.

use super::facts::Site;
use super::frame::{STYLE, STYLE_HASH, page};
use maud::{DOCTYPE, PreEscaped, html};

pub(crate) const DOOR: &str = include_str!("door.js");
pub(crate) const DOOR_HASH: &str = "'sha256-+Dhqyr/IjQ2wFoGo0RlUx/W7bSLaGqcXiSK3pk2Pnr8='";
pub(crate) const EDITOR: &str = include_str!("editor.js");
pub(crate) const EDITOR_HASH: &str = "'sha256-vupCZ3U6b1OLEkVzi2VzpdZ/DQDm28pf1GDhAuppq6I='";

/// The policy of all served pages (`Content-Security-Policy`).
#[must_use]
pub fn policy() -> String {
    format!(
        "default-src 'none'; style-src {STYLE_HASH}; script-src {DOOR_HASH} {EDITOR_HASH}; connect-src 'self'; form-action 'self'; \
         frame-ancestors 'none'; base-uri 'none'"
    )
}

/// The page that exchanges the token of the address for a cookie. It has nothing of the store.
#[must_use]
pub fn door() -> String {
    let markup = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "spl" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { "Runs of a store" }
                    p #said role="status" {
                        "Open the address that " code { "spl pages --serve" } " has printed, with all that stands behind its #, "
                        "in a browser with JavaScript."
                    }
                }
                script { (PreEscaped(DOOR)) }
            }
        }
    };
    markup.into_string()
}

/// A page that says in one line why there is no other one, with the remedy.
#[must_use]
pub fn refusal(site: &Site, title: &str, why: &str) -> String {
    page(site, title, &html! { p { (why) } })
}
