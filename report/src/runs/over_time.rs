//! Metrics of a run over time, as small charts.

use super::facts::{Moment, OverTime, Site, StoredRun};
use super::frame::metric;
use super::value::number;
use crate::figure::digits;
use maud::{Markup, PreEscaped, html};
use std::fmt::Write;

/// Most charts of a run: the metrics that change most.
const MOST_CHARTS: usize = 12;
/// Most intervals of a chart; neighbours are joined.
const MOST_MOMENTS: usize = 48;
/// Spaces that hold all others, or the classes of libraries.
const WIDE: [&str; 2] = ["whole", "lib"];
/// Size of a chart.
const SIZE: [f64; 2] = [240.0, 56.0];

impl OverTime {
    /// With as many intervals as a chart shows. One that stands for several has their range.
    #[must_use]
    pub fn thinned(self) -> Self {
        let (by, change) = (self.moments.len().div_ceil(MOST_MOMENTS).max(1), change(&self.moments));
        Self { moments: self.moments.chunks(by).filter_map(Moment::of).collect(), change, ..self }
    }

    /// The least and the greatest value.
    fn range(&self) -> Option<[f64; 2]> {
        self.moments.iter().filter_map(|moment| moment.bounds).reduce(joined)
    }
}

/// The change of the middles of bounds, as a share of the greatest.
fn change(moments: &[Moment]) -> f64 {
    let middles =
        || moments.iter().filter_map(|moment| moment.bounds).map(|[least, most]| f64::midpoint(least, most));
    let most = middles().fold(0.0, f64::max);
    if most > 0.0 { 1.0 - middles().fold(most, f64::min) / most } else { 0.0 }
}

impl Moment {
    /// The range of several.
    fn of(some: &[Self]) -> Option<Self> {
        let (first, last) = (some.first()?, some.last()?);
        let bounds = some.iter().filter_map(|moment| moment.bounds).reduce(joined);
        Some(Self { time_s: [first.time_s[0], last.time_s[1]], bounds })
    }
}

fn joined(one: [f64; 2], other: [f64; 2]) -> [f64; 2] {
    [one[0].min(other[0]), one[1].max(other[1])]
}

/// The charts of a run; nothing without metrics over time.
pub(super) fn charts(site: &Site, run: &StoredRun) -> Markup {
    let is_narrow = |one: &&OverTime| !WIDE.contains(&one.space.as_str());
    let has_narrow = run.over_time.iter().any(|one| is_narrow(&one));
    let mut all: Vec<(usize, &OverTime)> = run
        .over_time
        .iter()
        .filter(|one| !has_narrow || is_narrow(one))
        .filter(|one| one.change > 0.0)
        .enumerate()
        .collect();
    let left = all.len().saturating_sub(MOST_CHARTS);
    all.sort_by(|(_, one), (_, other)| other.change.total_cmp(&one.change));
    all.truncate(MOST_CHARTS);
    all.sort_by_key(|(place, _)| *place);
    html! {
        @if !all.is_empty() { section {
            h2 { "Over time" }
            p.quiet { "A line has the value of each interval, from 0 at the bottom; where it is not known exactly, a band has its bounds. "
                @if left > 0 { (left) " more change less. " }
                code { "SELECT * FROM series WHERE run = " (run.id) } " has all numbers." }
            div.charts { @for (_, one) in &all { (chart(site, one)) } }
        } }
    }
}

fn chart(site: &Site, one: &OverTime) -> Markup {
    let [least, most] = one.range().unwrap_or_default();
    let range = format!("{} to {}", number(least, one.is_count), number(most, one.is_count));
    let [begin, end] = one.time_s();
    let seconds = format!("{} s to {} s", digits(begin), digits(end));
    let title = one.title();
    html! {
        figure {
            figcaption { (metric(site, &one.metric, &title)) " · " (one.space) br; span.quiet { (range) ", " (seconds) } }
            (PreEscaped(format!("<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{range}, {seconds}\">", SIZE[0], SIZE[1])))
            (PreEscaped(drawn(one, most)))
            (PreEscaped("</svg>"))
        }
    }
}

/// The band and the line.
fn drawn(one: &OverTime, highest: f64) -> String {
    let [begin, end] = one.time_s();
    let (wide, high) = ((end - begin).max(1e-9), highest.max(1e-9));
    let across = |at: f64| ((at - begin) / wide * SIZE[0]).round();
    // A line at the top or the bottom is seen as a whole.
    let down = |value: f64| (SIZE[1] - 2.0 - value / high * (SIZE[1] - 4.0)).round();
    let (mut band, mut line, mut is_down) = (String::new(), String::new(), false);
    for moment in &one.moments {
        let Some([least, most]) = moment.bounds else {
            is_down = false;
            continue;
        };
        let [from, to] = moment.time_s.map(across);
        let middle = down(f64::midpoint(least, most));
        // A `String` takes everything.
        let _ = match is_down {
            true => write!(line, "V{middle}H{to}"),
            false => write!(line, "M{from} {middle}H{to}"),
        };
        is_down = true;
        if down(least) > down(most) {
            let _ = write!(band, "M{from} {}V{}H{to}V{}z", down(least), down(most), down(least));
        }
    }
    let band = if band.is_empty() { band } else { format!("<path class=\"band\" d=\"{band}\"/>") };
    format!("{band}<path class=\"line\" d=\"{line}\"/>")
}
