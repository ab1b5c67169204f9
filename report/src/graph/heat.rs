//! Counts as colours and thickness, on a scale of logarithms.

use super::facts::{BlockCounts, Counted, Unit};
use crate::figure::{count, digits};
use spl_draw::{Arrow, Block, Picture};

/// Steps of the scale, besides the one for blocks that never ran.
const STEPS: f64 = 7.0;
/// Thickness of a line that was never taken, of one that was taken once, and what is added for the largest count, in
/// tenths of a pixel.
const NEVER: u32 = 8;
const ONCE: u32 = 12;
const MORE: f64 = 38.0;
/// Calls of a root to which the scale belongs: what runs in one of a hundred calls has its first step.
const CALLS: f64 = 100.0;

/// A count on the scale.
fn on_scale(counted: u64, unit: Unit) -> f64 {
    match unit {
        Unit::Counts | Unit::Flags => counted as f64,
        Unit::PerCall(calls) => CALLS * counted as f64 / calls,
    }
}

/// The step of a figure: 0 for never, 1 to 7 by its logarithm.
pub(crate) fn step(of: f64, largest: f64) -> u32 {
    if of <= 0.0 {
        return 0;
    }
    let share = share(of, largest);
    // Below 7, so that the largest count has the last step.
    1 + (share * STEPS).min(STEPS - 1.0) as u32
}

/// Logarithm of a figure, as a share of that of the largest.
fn share(of: f64, largest: f64) -> f64 {
    if largest <= 1.0 { 1.0 } else { (of.ln() / largest.ln()).clamp(0.0, 1.0) }
}

fn thickness(of: Option<f64>, largest: f64) -> u32 {
    match of {
        None => ONCE,
        Some(of) if of <= 0.0 => NEVER,
        Some(of) => ONCE + (share(of, largest) * MORE) as u32,
    }
}

/// The largest figure of the blocks of a method, on the scale.
pub(crate) fn largest(method: &Counted) -> f64 {
    method.blocks.iter().map(|block| on_scale(block.count, method.unit)).fold(0.0, f64::max)
}

/// A count in the unit of the page, without words.
pub(crate) fn figures(of: u64, unit: Unit) -> String {
    match unit {
        Unit::Counts | Unit::Flags => count(of),
        Unit::PerCall(calls) => digits(of as f64 / calls),
    }
}

/// The words for the count of a block.
pub(crate) fn runs(of: u64, unit: Unit) -> String {
    match (of, unit) {
        (0, _) => "never run".to_owned(),
        (_, Unit::Flags) => "run".to_owned(),
        (1, Unit::Counts) => "1 run".to_owned(),
        (_, Unit::Counts) => format!("{} runs", count(of)),
        (_, Unit::PerCall(_)) => match &*figures(of, unit) {
            "1" => "once a call".to_owned(),
            figure => format!("{figure} times a call"),
        },
    }
}

/// The graph with counts: numbers in the boxes and at the lines, colours, thickness, and what the script needs.
///
/// `id` begins the names of the blocks' elements; `largest` is the end of the scale.
pub(crate) fn picture(method: &Counted, id: &str, largest: f64) -> Picture {
    let unit = method.unit;
    let block = |(number, (block, counts)): (usize, (&Block, &BlockCounts))| {
        let mut block = block.clone();
        let is_marked = method.marked.contains(&number);
        let runs = runs(counts.count, unit);
        let is_kept = number == 0 || block.is_exit || is_marked;
        block.attributes = vec![
            ("id", format!("{id}b{number}")),
            ("data-n", counts.count.to_string()),
            ("data-keep", u8::from(is_kept).to_string()),
        ];
        // Without the script a block leads to its instructions, or to its line in the table.
        let place = if method.code.has(number) { "c" } else { "r" };
        block.link = Some(format!("#{id}{place}{number}"));
        let step = step(on_scale(counts.count, unit), largest);
        let mark = if is_marked { " cause" } else { "" };
        block.classes = format!("{} h{step}{mark}", block.classes).trim().to_owned();
        block.title = format!("{}{runs}; {}", if is_marked { "the cause; " } else { "" }, block.title);
        block.text.insert(1.min(block.text.len()), runs);
        if is_marked {
            block.text.insert(0, "the cause:".to_owned());
        }
        block
    };
    let arrow = |(arrow, of): (&Arrow, &Option<u64>)| {
        let mut arrow = arrow.clone();
        let counted = of.map_or_else(|| "not counted".to_owned(), |of| figures(of, unit));
        arrow.title = format!("{}; {counted}", arrow.title);
        arrow.label = match of {
            Some(0) | None => String::new(),
            Some(_) if unit == Unit::Flags => String::new(),
            Some(of) => figures(*of, unit),
        };
        arrow.thickness = thickness(of.map(|of| on_scale(of, unit)), largest);
        let number = of.map_or_else(String::new, |of| of.to_string());
        arrow.attributes = vec![("data-n", number), ("data-t", format!("{} {}", arrow.from, arrow.to))];
        arrow
    };
    Picture {
        blocks: method.picture.blocks.iter().zip(&method.blocks).enumerate().map(block).collect(),
        arrows: method.picture.arrows.iter().zip(&method.edges).map(arrow).collect(),
    }
}
