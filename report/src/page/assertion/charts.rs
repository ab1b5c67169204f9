//! The calls behind a comparison of an assertion, as charts with the limit and the percentile.

use super::super::asserted::Shown;
use super::super::comparison::scaled_name;
use super::super::parts::{Page, dots, sizes};
use crate::chart::{Ink, distribution, series};
use crate::doubt::{self, Doubt, Footing};
use crate::facts::Call;
use crate::figure::{digits, p_equation, percent, time};
use crate::judged::Chosen;
use crate::words::{asks, operand, statistic};
use maud::{Markup, html};
use spl_records::AssertionRecord;
use spl_records::context::{Operand, Relating};
use spl_verdict::{Judged, Part};

/// Factor beyond the longest or the shortest call above which a limit is not drawn: the calls would no longer
/// be visible.
const FAR: f64 = 30.0;
/// Share by which figures of the same calls may differ through rounding.
const SAME: f64 = 1e-6;

/// One side with its calls.
struct Side<'a> {
    ink: Ink,
    operand: Operand,
    /// The side's figure, multiplied by its constant, nanoseconds.
    figure_ns: f64,
    /// Number of calls behind the figure.
    n: u64,
    /// The calls of these sizes, discarded or not, in their order.
    calls: Vec<&'a Call>,
}

impl Side<'_> {
    /// The judged times that count, without the constant.
    fn times_ns(&self) -> Vec<u64> {
        let kept = self.calls.iter().filter(|call| !call.is_discarded());
        kept.take(usize::try_from(self.n).unwrap_or(usize::MAX)).map(|call| call.took_ns).collect()
    }
}

/// Result of a comparison, and its claim.
pub fn found(page: &Page<'_>, relation: &Relating, judged: &Judged) -> String {
    let left = operand(&relation.left, &page.names);
    let left = left.strip_prefix("the ").map_or_else(|| left.clone(), |rest| format!("The {rest}"));
    let right = match &relation.right {
        Some(right) if right.factor == 1.0 => {
            format!("{}, which is {}", operand(right, &page.names), time(judged.right_ns))
        }
        Some(right) => format!(
            "{}: {} × {} = {}",
            operand(right, &page.names),
            digits(right.factor),
            time(judged.right_ns / right.factor),
            time(judged.right_ns)
        ),
        None => time(judged.right_ns),
    };
    let within =
        relation.within.map_or_else(String::new, |within| format!(", give or take {}", percent(within)));
    format!("{left} is {}; asserted is {} {right}{within}", time(judged.left_ns), asks(relation.sign))
}

/// Charts and text of a comparison.
pub fn of_part(page: &Page<'_>, shown: &Shown<'_>, record: &AssertionRecord, part: &Part) -> Markup {
    let (Ok(judged), Some(relation)) = (&part.judged, shown.relation(part)) else { return html! {} };
    let text = record.relations.get(part.relation).map_or("?", String::as_str);
    let sides = sides(page, relation, judged, part);
    let doubts = doubts(page, &sides, judged);
    html! {
        article.result {
            h3 { code { (text) } " " (sizes(page, &part.bucket)) }
            p { (found(page, relation, judged)) ": " (p_equation(judged.evidence.p_true)) " for it, "
                (p_equation(judged.evidence.p_false)) " against it." }
            @if !doubts.is_empty() {
                ul.doubts { @for doubt in &doubts { li { b { (doubt.seen) } ". " (doubt.meaning) } } }
            }
            (charts(page, relation, judged, &sides))
        }
    }
}

fn sides<'a>(page: &'a Page<'_>, relation: &Relating, judged: &Judged, part: &Part) -> Vec<Side<'a>> {
    let chosen = Chosen::of(&page.facts.context);
    let side = |ink, operand: Operand, figure_ns, n| {
        let all = page.facts.calls(operand.method).calls.iter();
        Side {
            ink,
            operand,
            figure_ns,
            n,
            calls: all.filter(|call| chosen.is_of(call, &part.bucket)).collect(),
        }
    };
    let left = side(Ink::Left, relation.left, judged.left_ns, judged.n_left);
    let right = relation.right.zip(judged.n_right);
    let right = right.map(|(operand, n)| side(Ink::Right, operand, judged.right_ns, n));
    std::iter::once(left).chain(right).collect()
}

/// Doubts about the calls of a verdict.
fn doubts(page: &Page<'_>, sides: &[Side<'_>], judged: &Judged) -> Vec<Doubt> {
    let median = |side: &Side<'_>| {
        let mut ascending = side.times_ns();
        ascending.sort_unstable();
        ascending.get(ascending.len() / 2).map_or(0.0, |&ns| ns as f64 * side.operand.factor)
    };
    let of = |side: &Side<'_>| {
        let times = side.times_ns();
        let other_ns = if side.ink == Ink::Left { judged.right_ns } else { judged.left_ns };
        // Two averages are compared by both medians.
        let other = sides.iter().find(|other| other.ink != side.ink && other.operand.share.is_none());
        let against = other.map_or(other_ns, median);
        // Only an average is moved by rare long calls.
        let is_moved =
            side.operand.share.is_none() && (median(side) < against) != (side.figure_ns < other_ns);
        // A comparison with a bound has no turns.
        let in_turns = page.facts.context.paired && sides.len() > 1;
        let by_windows = Chosen::of(&page.facts.context) == Chosen::Windows;
        let footing = Footing { medians_agree: !is_moved, room: 1.0, widths: 1.0, in_turns, by_windows };
        doubt::of_times(&times, page.names.get(side.operand.method), footing)
    };
    sides.iter().flat_map(of).collect()
}

fn charts(page: &Page<'_>, relation: &Relating, judged: &Judged, sides: &[Side<'_>]) -> Markup {
    let times: Vec<Vec<u64>> = sides.iter().map(Side::times_ns).collect();
    if times.iter().any(Vec::is_empty) {
        return html! { p.note { "There are no charts: the measurement files have no calls of these sizes." } };
    }
    let scaled = |side: &Side<'_>, times: &[u64]| {
        let mut ascending_ns: Vec<f64> = times.iter().map(|&ns| ns as f64 * side.operand.factor).collect();
        ascending_ns.sort_by(f64::total_cmp);
        distribution::Side {
            ink: side.ink,
            name: scaled_name(page, side.operand.method, side.operand.factor),
            factor: side.operand.factor,
            ascending_ns,
            figure_ns: side.figure_ns,
        }
    };
    let drawn: Vec<distribution::Side> =
        sides.iter().zip(&times).map(|(side, times)| scaled(side, times)).collect();
    let ends =
        drawn.iter().flat_map(|side| side.ascending_ns.first().into_iter().chain(side.ascending_ns.last()));
    let (least, most) = ends.fold((f64::INFINITY, 0.0_f64), |(low, high), &ns| (low.min(ns), high.max(ns)));
    let bound_ns = relation.bound_ns;
    let near = bound_ns.filter(|bound| (least.max(1.0) / FAR..=most.max(1.0) * FAR).contains(bound));
    let mut shares: Vec<f64> = sides.iter().filter_map(|side| side.operand.share).collect();
    shares.dedup();
    let mut figures: Vec<String> =
        sides.iter().map(|side| format!("the {}", statistic(side.operand.share))).collect();
    figures.dedup();
    let look = distribution::Look {
        figures: format!("{}, which the verdict looks at", figures.join(" and ")),
        shares,
        bound_ns: near,
        detail: page.detail,
        ..distribution::Look::default()
    };
    let first_ns = sides.iter().flat_map(|side| &side.calls).map(|call| call.start_ns).min().unwrap_or(0);
    let over_time: Vec<series::Side> =
        sides.iter().zip(&drawn).map(|(side, drawn)| dots(drawn, &side.calls, first_ns)).collect();
    let by_windows = Chosen::of(&page.facts.context) == Chosen::Windows;
    let is_exact = drawn.iter().zip(sides).all(|(drawn, side)| {
        let figure = match side.operand.share {
            // Windows leave out the probe's own time.
            None if by_windows => side.figure_ns,
            None => drawn.ascending_ns.iter().sum::<f64>() / drawn.ascending_ns.len() as f64,
            // Percentiles of the same calls can be estimated in several ways, so only the number of calls is
            // compared.
            Some(_) => side.figure_ns,
        };
        drawn.ascending_ns.len() as u64 == side.n && (figure / side.figure_ns - 1.0).abs() < SAME
    });
    html! {
        p.note {
            @if drawn.iter().any(|side| side.factor != 1.0) { "In the charts times are multiplied by the constants of the assertion. " }
            @if let Some(bound) = bound_ns.filter(|_| near.is_none()) {
                "The limit of " (time(bound)) " is too far from the calls to be drawn: "
                (if bound > judged.left_ns { "all of them are far below it. " } else { "all of them are far above it. " })
            }
            @if !is_exact { "The charts show calls of these sizes that count, not exactly the calls that \
                the verdict rests on." }
        }
        div.charts {
            @for chart in distribution::charts(&drawn, &look) { (chart) }
            (series::calls(&over_time, near, page.detail))
        }
    }
}
