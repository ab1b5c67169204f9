//! From a graph to its drawing.

use crate::column;
use crate::drawing::Drawing;
use crate::graph::Graph;
use crate::layers::layers;
use crate::order::{MOST_WORK, order};
use crate::place::middles;
use crate::proper::{Joins, Proper};
use crate::route;
use crate::sides::Sides;
use crate::ways::ways;

/// Most boxes that are drawn in layers.
pub const MOST_LAYERED: usize = 2_000;
/// Most places in layers, those of passing lines included; a graph with more is drawn as a column.
const MOST_ITEMS: usize = 60_000;

/// The drawing of a graph: from above, or `flipped` from left to right. The same graph has the same drawing each time.
///
/// No two boxes overlap, and no line runs through a box. All edges go down except the ones that lead back; the entry is at
/// the top, and exits without an edge down are at the bottom. [`faults`](crate::faults) checks it.
///
/// ```
/// use spl_draw::{Edge, Graph, Size, draw, faults};
/// let size = |is_exit| Size { width: 80, height: 30, is_exit };
/// let edge = |from, to| Edge { from, to, is_second: false };
/// // A loop: the second box leads to the third and back to the first.
/// let graph = Graph::new(vec![size(false), size(false), size(true)], vec![edge(0, 1), edge(1, 0), edge(1, 2)])?;
/// let drawing = draw(&graph, false);
/// assert!(drawing.places[0].y < drawing.places[1].y && drawing.places[1].y < drawing.places[2].y);
/// assert_eq!(faults(&graph, &drawing), []);
/// # Ok::<(), spl_draw::NoBox>(())
/// ```
#[must_use]
pub fn draw(graph: &Graph, flipped: bool) -> Drawing {
    if flipped { upright(&graph.turned()).turned() } else { upright(graph) }
}

fn upright(graph: &Graph) -> Drawing {
    let (ways, sorted) = ways(graph);
    if graph.sizes().len() > MOST_LAYERED {
        return column::drawing(graph, &ways, &sorted);
    }
    let layer_of = layers(graph, &ways, &sorted);
    let mut left = MOST_WORK;
    let mut best: Option<(u64, i64, Drawing)> = None;
    for joins in Joins::ALL {
        let Some(proper) = Proper::new(graph, &ways, &layer_of, joins, MOST_ITEMS) else { break };
        let order = order(&proper, left);
        left = order.left;
        let sides = Sides::new(graph, &proper, &ways, &order.layers);
        let (middles, width) = middles(&proper, &sides, &order.layers);
        let drawing = route::drawing(graph, &ways, &proper, &sides, (&middles, width));
        let area = i64::from(drawing.width) * i64::from(drawing.height);
        if best.as_ref().is_none_or(|best| (order.crossings, area) < (best.0, best.1)) {
            best = Some((order.crossings, area, drawing));
        }
        if order.crossings == 0 || left == 0 {
            break;
        }
    }
    match best {
        Some((_, _, drawing)) => drawing,
        None => column::drawing(graph, &ways, &sorted),
    }
}
