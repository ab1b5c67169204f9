//! Counts as colours and thickness, on a scale of logarithms.

use super::facts::Counted;
use crate::figure::count;
use spl_draw::{Arrow, Block, Picture};

/// Steps of the scale, besides the one for blocks that never ran.
const STEPS: f64 = 7.0;
/// Thickness of a line that was never taken, of one that was taken once, and what is added for the largest count, in
/// tenths of a pixel.
const NEVER: u32 = 8;
const ONCE: u32 = 12;
const MORE: f64 = 38.0;

/// The step of a count: 0 for never, 1 to 7 by its logarithm.
pub(super) fn step(count: u64, largest: u64) -> u32 {
    if count == 0 {
        return 0;
    }
    let share = share(count, largest);
    // Below 7, so that the largest count has the last step.
    1 + (share * STEPS).min(STEPS - 1.0) as u32
}

/// Logarithm of a count, as a share of that of the largest.
fn share(count: u64, largest: u64) -> f64 {
    if largest <= 1 { 1.0 } else { ((count as f64).ln() / (largest as f64).ln()).clamp(0.0, 1.0) }
}

fn thickness(count: Option<u64>, largest: u64) -> u32 {
    match count {
        None => ONCE,
        Some(0) => NEVER,
        Some(count) => ONCE + (share(count, largest) * MORE) as u32,
    }
}

/// The largest count of the method's blocks.
pub(super) fn largest(method: &Counted) -> u64 {
    method.blocks.iter().map(|block| block.count).max().unwrap_or(0)
}

/// The words for the count of a block.
pub(super) fn runs(of: u64, is_cover: bool) -> String {
    match (of, is_cover) {
        (0, _) => "never run".to_owned(),
        (_, true) => "run".to_owned(),
        (1, false) => "1 run".to_owned(),
        (_, false) => format!("{} runs", count(of)),
    }
}

/// The graph with counts: numbers in the boxes and at the lines, colours, thickness, and what the script needs.
///
/// `id` begins the names of the blocks' elements.
pub(super) fn picture(method: &Counted, id: &str, is_cover: bool) -> Picture {
    let largest = largest(method);
    let block = |(number, (block, counts)): (usize, (&Block, &super::BlockCounts))| {
        let mut block = block.clone();
        let runs = runs(counts.count, is_cover);
        let is_kept = number == 0 || block.is_exit;
        block.attributes = vec![
            ("id", format!("{id}b{number}")),
            ("data-n", counts.count.to_string()),
            ("data-keep", u8::from(is_kept).to_string()),
        ];
        block.classes = format!("{} h{}", block.classes, step(counts.count, largest)).trim().to_owned();
        block.title = format!("{runs}; {}", block.title);
        block.text.insert(1.min(block.text.len()), runs);
        block
    };
    let arrow = |(arrow, of): (&Arrow, &Option<u64>)| {
        let mut arrow = arrow.clone();
        let counted = of.map_or_else(|| "not counted".to_owned(), count);
        arrow.title = format!("{}; {counted}", arrow.title);
        arrow.label = match of {
            Some(0) | None => String::new(),
            Some(_) if is_cover => String::new(),
            Some(of) => count(*of),
        };
        arrow.thickness = thickness(*of, largest);
        let number = of.map_or_else(String::new, |of| of.to_string());
        arrow.attributes = vec![("data-n", number), ("data-t", format!("{} {}", arrow.from, arrow.to))];
        arrow
    };
    Picture {
        blocks: method.picture.blocks.iter().zip(&method.blocks).enumerate().map(block).collect(),
        arrows: method.picture.arrows.iter().zip(&method.edges).map(arrow).collect(),
    }
}
