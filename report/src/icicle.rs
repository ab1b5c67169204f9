//! The name of a method in a box of an icicle drawing.

use maud::{Markup, html};

/// Narrowest box with a name, pixels.
const NAMED: f64 = 30.0;
/// Width of a character, and distance of a name from the border.
const CHARACTER: f64 = 6.7;
const MARGIN: f64 = 5.0;

/// The [short](short()) name of a method, as far as a box of this width, in pixels, has room for it.
#[must_use]
pub fn name(method: &str, wide: f64) -> Markup {
    html! {
        @if wide >= NAMED { text x=(MARGIN) y="15" { (cut(short(method), wide)) } }
    }
}

/// Class and name of a method, without package and types.
#[must_use]
pub fn short(method: &str) -> &str {
    let name = method.split_once('(').map_or(method, |(name, _)| name);
    name.rsplit('/').next().unwrap_or(name)
}

fn cut(name: &str, wide: f64) -> String {
    let room = ((wide - 2.0 * MARGIN) / CHARACTER) as usize;
    if name.chars().count() <= room {
        return name.to_owned();
    }
    let kept: String = name.chars().take(room.saturating_sub(1)).collect();
    format!("{kept}…")
}
