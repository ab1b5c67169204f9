//! A call over time: a row for each depth, a box for each call, as wide as the time that it took.

use super::facts::{TimedBox, TimedCall, TimedGroup};
use crate::figure::{counted, tick, time};
use crate::graph::step;
use crate::icicle;
use maud::{Markup, html};

/// Width of the drawing, and height of a box with its distance, pixels.
const WIDTH: f64 = 1200.0;
const HIGH: f64 = 22.0;
/// Height of the scale.
const SCALE: f64 = 18.0;
/// Distance between boxes, and the narrowest one, pixels.
const GAP: f64 = 0.5;
/// Parts of the scale.
const PARTS: u32 = 4;

/// The drawing of a call that has boxes.
pub(super) fn drawing(call: &TimedCall) -> Markup {
    let all = call.boxes.iter().map(|one| one.begin.saturating_add(one.took)).max().unwrap_or(0).max(1);
    let scale = WIDTH / all as f64;
    let levels = call.boxes.iter().map(|one| one.level).chain(call.groups.iter().map(|one| one.level)).max();
    let high = SCALE + f64::from(levels.unwrap_or(0) + 1) * HIGH;
    let most = call.boxes.iter().filter_map(|one| one.own).max().unwrap_or(0) as f64;
    html! {
        svg width=(WIDTH) height=(high) viewBox={ "0 0 " (WIDTH) " " (high) } role="group" aria-label={ "Call " (call.number) " over time" } {
            @for part in 0..=PARTS {
                @let at = f64::from(part) / f64::from(PARTS);
                text x=(format!("{:.0}", at * WIDTH)) y="12" text-anchor=(anchor(part)) { (tick(all as f64 * at)) }
            }
            @for one in &call.groups { (group(one, scale)) }
            @for one in &call.boxes { (cell(one, scale, most)) }
        }
    }
}

fn anchor(part: u32) -> &'static str {
    match part {
        0 => "start",
        PARTS => "end",
        _ => "middle",
    }
}

fn at(begin: u64, level: u32, scale: f64) -> String {
    format!("translate({:.1} {:.0})", begin as f64 * scale, SCALE + f64::from(level) * HIGH)
}

fn cell(one: &TimedBox, scale: f64, most: f64) -> Markup {
    let wide = one.took as f64 * scale;
    // The colour is that of the own time; without one the box is plain.
    let heat = one.own.map_or_else(String::new, |own| format!(" h{}", step(own as f64, most).max(1)));
    html! {
        g class={ "b" (heat) } transform=(at(one.begin, one.level, scale)) {
            title { (one.method) ": " (figures(one)) }
            rect width=(format!("{:.1}", (wide - GAP).max(GAP))) height=(HIGH - 1.0) rx="1" {}
            (icicle::name(&one.method, wide))
        }
    }
}

fn group(one: &TimedGroup, scale: f64) -> Markup {
    let wide = one.span.1.saturating_sub(one.span.0) as f64 * scale;
    html! {
        g class="b" transform=(at(one.span.0, one.level, scale)) {
            title { (counted(one.count, "call", "calls")) " narrower than a pixel" }
            rect width=(format!("{:.1}", wide.max(GAP))) height=(HIGH / 2.0) {}
        }
    }
}

/// The figures of a call in words.
pub(super) fn figures(one: &TimedBox) -> String {
    let took = time(one.took as f64);
    let own = match one.own {
        Some(own) => format!("{} of its own", time(own as f64)),
        None => "its own time is not known".to_owned(),
    };
    let end = match (one.has_end, one.is_thrown) {
        (false, _) => "; at least, since its end is not known",
        (true, true) => "; an exception left it",
        (true, false) => "",
    };
    format!("{took}, {own}{end}")
}
