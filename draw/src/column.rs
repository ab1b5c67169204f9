//! Many boxes: one below the other, with lines at both sides.

use crate::drawing::{Drawing, Form, Line, Place, Point, Way};
use crate::graph::{Edge, Graph};
use crate::route::without_needless;

/// Distance of two boxes, pixels.
const GAP: i32 = 16;
/// Distance of the first line from the widest box, and of further lines from each other.
const LANE: i32 = 8;
/// Lanes at each side: one for each doubling of a line's length.
const LANES: i32 = 24;

/// The drawing of boxes in an order; time and size grow with their number and that of the edges.
///
/// Boxes that nothing goes down from come last if they are exits.
pub(crate) fn drawing(graph: &Graph, ways: &[Way], order: &[usize]) -> Drawing {
    let order = sorted(graph, ways, order);
    let widest = graph.sizes().iter().map(|size| size.width).max().unwrap_or(0);
    let mut places = vec![Place { x: 0, y: 0, width: 0, height: 0 }; order.len()];
    let mut rank = vec![0_usize; order.len()];
    let mut bottom = 0;
    for (number, &item) in order.iter().enumerate() {
        let size = graph.sizes()[item];
        let x = LANE * LANES + (widest - size.width) / 2;
        places[item] = Place { x, y: bottom, width: size.width, height: size.height };
        rank[item] = number;
        bottom += size.height + GAP;
    }
    let lines = graph.edges().iter().zip(ways).map(|(edge, way)| {
        let points = points(edge, *way, (rank[edge.from], rank[edge.to]), &places, widest);
        Line { points: without_needless(points), way: *way }
    });
    let lines = lines.collect();
    let width = widest + 2 * LANE * LANES;
    let height = (bottom - GAP).max(0);
    Drawing { width, height, places, lines, form: Form::Column, is_flipped: false }
}

fn sorted(graph: &Graph, ways: &[Way], order: &[usize]) -> Vec<usize> {
    let mut goes_on = vec![false; order.len()];
    for (edge, _) in graph.edges().iter().zip(ways).filter(|(_, way)| **way == Way::Down) {
        goes_on[edge.from] = true;
    }
    let is_last = |&&item: &&usize| item != 0 && !goes_on[item] && graph.sizes()[item].is_exit;
    // Boxes that no path leads to stand before the entry in the order of a search.
    let others = order.iter().filter(|item| **item != 0 && !is_last(item));
    let lasts = order.iter().filter(|item| is_last(item));
    order.iter().filter(|item| **item == 0).chain(others).chain(lasts).copied().collect()
}

fn points(edge: &Edge, way: Way, rank: (usize, usize), places: &[Place], widest: i32) -> Vec<Point> {
    let (from, to) = (&places[edge.from], &places[edge.to]);
    let point = |x, y| Point { x, y };
    let length = rank.0.abs_diff(rank.1);
    if way == Way::Down && length == 1 && !edge.is_second {
        let middle = LANE * LANES + widest / 2;
        return vec![point(middle, from.bottom()), point(middle, to.y)];
    }
    // Below 24: a graph has fewer than 2^24 boxes, or its lines share the last lane.
    let lane = LANE * (1 + i32::try_from(length.max(1).ilog2()).unwrap_or(0)).min(LANES - 1);
    let (leaves, arrives) = match way {
        Way::Down => (from.y + from.height * 7 / 10, to.y + to.height * 3 / 10),
        Way::Back => (from.y + from.height * 3 / 10, to.y + to.height * 7 / 10),
        Way::Own => (from.y + from.height * 6 / 10, to.y + to.height * 4 / 10),
    };
    if way == Way::Back {
        let x = LANE * LANES - lane;
        return vec![point(from.x, leaves), point(x, leaves), point(x, arrives), point(to.x, arrives)];
    }
    let x = LANE * LANES + widest + lane;
    vec![point(from.right(), leaves), point(x, leaves), point(x, arrives), point(to.right(), arrives)]
}
