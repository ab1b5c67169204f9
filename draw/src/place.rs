//! Where the items of each layer stand from left to right: as near to their neighbours as the order and the room allow.
//!
//! Each layer is a problem of isotonic regression: the wanted places of its items are known, and the distances between
//! them must not become smaller than their room. Pooling of adjacent violators (Ayer and others 1955) has the exact
//! answer. Sweeps go down and up, as those of the order. No layer becomes wider than the widest one has to be.

use crate::proper::Proper;
use crate::sides::Sides;

/// Least distances, in pixels: between two boxes, between a line and a box, between two lines.
const BOXES: i32 = 16;
const BOX_AND_LINE: i32 = 9;
const LINES: i32 = 8;
/// Sweeps, each once down or up.
const SWEEPS: usize = 14;
/// Weight that says how much more a line between two layers without a box at either end should be straight; with a box at one end.
const LONG: f64 = 10.0;
const HALF_LONG: f64 = 2.0;

/// A line from an item to a neighbour: the neighbour, how far it lies to the right if the line is straight, and its weight.
type Pull = (usize, f64, f64);

/// The middles of all items, pixels from the left, and the width of all of them together.
pub(crate) fn middles(proper: &Proper, sides: &Sides, layers: &[Vec<usize>]) -> (Vec<i32>, i32) {
    let count = proper.items.len();
    let (mut above, mut below) = (vec![Vec::new(); count], vec![Vec::new(); count]);
    for (segment, &(upper, lower)) in proper.segments.iter().zip(&sides.ends) {
        let is_line = |item: usize| proper.items[item].group.is_some();
        let weight = match (is_line(segment.upper), is_line(segment.lower)) {
            (true, true) => LONG,
            (false, false) => 1.0,
            _ => HALF_LONG,
        };
        above[segment.lower].push((segment.upper, f64::from(upper - lower), weight));
        below[segment.upper].push((segment.lower, f64::from(lower - upper), weight));
    }
    let rows: Vec<Row> = layers.iter().map(|layer| Row::new(layer, proper, sides)).collect();
    let width = rows.iter().map(|row| row.width).max().unwrap_or(0);
    let mut middles = vec![0.0; count];
    for row in &rows {
        let free = f64::from(width - row.width) / 2.0;
        row.put(&mut middles, |at| (free + f64::from(row.least[at]), 1.0), width);
    }
    for sweep in 0..SWEEPS {
        let is_last = sweep + 2 >= SWEEPS;
        let pulled = |middles: &mut Vec<f64>, row: &Row| {
            let (use_above, use_below) = (is_last || sweep % 2 == 0, is_last || sweep % 2 == 1);
            let pulls = |item: usize| {
                let above: &[Pull] = if use_above { &above[item] } else { &[] };
                let below: &[Pull] = if use_below { &below[item] } else { &[] };
                above.iter().chain(below)
            };
            let places: Vec<(f64, f64)> =
                row.items.iter().map(|&item| wanted(pulls(item), middles, middles[item])).collect();
            row.put(middles, |at| places[at], width);
        };
        if sweep % 2 == 0 {
            rows.iter().for_each(|row| pulled(&mut middles, row));
        } else {
            rows.iter().rev().for_each(|row| pulled(&mut middles, row));
        }
    }
    (middles.into_iter().map(|middle| middle as i32).collect(), width)
}

/// The place with the least sum of squares, and its weight.
fn wanted<'p>(pulls: impl Iterator<Item = &'p Pull>, middles: &[f64], old: f64) -> (f64, f64) {
    let (mut sum, mut weights) = (0.0, 0.0);
    for &(item, distance, weight) in pulls {
        sum += (middles[item] + distance) * weight;
        weights += weight;
    }
    // Items without a pull stay where they are, unless others need the place.
    if weights > 0.0 { (sum / weights, weights) } else { (old, 0.01) }
}

/// The items of a layer.
struct Row {
    items: Vec<usize>,
    /// The middle of each item, if all stand as far to the left as they can.
    least: Vec<i32>,
    /// Width of all of them.
    width: i32,
}

impl Row {
    fn new(layer: &[usize], proper: &Proper, sides: &Sides) -> Self {
        let mut row = Self { items: layer.to_vec(), least: Vec::with_capacity(layer.len()), width: 0 };
        let is_line = |item: usize| proper.items[item].group.is_some();
        let mut before = None;
        for &item in layer {
            let (left, right) = sides.room[item];
            let apart = before.map_or(0, |before| match (is_line(before), is_line(item)) {
                (false, false) => BOXES,
                (true, true) => LINES,
                _ => BOX_AND_LINE,
            });
            row.least.push(row.width.saturating_add(apart + left));
            row.width = row.width.saturating_add(apart + left + right);
            before = Some(item);
        }
        row
    }

    /// Gives the items the places that are nearest to the wanted ones, each by its weight, within the width.
    fn put(&self, middles: &mut [f64], wanted: impl Fn(usize) -> (f64, f64), width: i32) {
        // Places as distances from the least ones must not fall from left to right.
        let mut pools: Vec<(f64, f64, usize)> = Vec::with_capacity(self.items.len());
        for (at, least) in self.least.iter().enumerate() {
            let (place, weight) = wanted(at);
            let mut pool = (place - f64::from(*least), weight, 1);
            while let Some(last) = pools.pop_if(|last| last.0 > pool.0) {
                let weight = last.1 + pool.1;
                pool = ((last.0 * last.1 + pool.0 * pool.1) / weight, weight, last.2 + pool.2);
            }
            pools.push(pool);
        }
        let free = f64::from(width - self.width);
        let distances = pools.iter().flat_map(|pool| std::iter::repeat_n(pool.0, pool.2));
        for ((item, least), distance) in self.items.iter().zip(&self.least).zip(distances) {
            // Whole pixels keep the distances, which are whole too.
            middles[*item] = f64::from(*least) + distance.round().clamp(0.0, free);
        }
    }
}
