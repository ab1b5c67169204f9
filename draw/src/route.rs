//! Lines for all edges, when the places of the items are known.
//!
//! A line is upright where it passes a layer, and slanted only between layers, where there are no boxes.

use crate::drawing::{Drawing, Form, Line, Place, Point, Way};
use crate::graph::Graph;
use crate::proper::Proper;
use crate::sides::{Sides, halves};

/// Height between two layers, pixels.
const GAP: i32 = 32;

/// Upper and lower border of each layer.
type Borders = Vec<(i32, i32)>;

/// The drawing of a graph in layers.
pub(crate) fn drawing(
    graph: &Graph,
    ways: &[Way],
    proper: &Proper,
    sides: &Sides,
    (middles, width): (&[i32], i32),
) -> Drawing {
    let borders = borders(graph, proper);
    let place = |(item, size): (usize, &crate::graph::Size)| Place {
        x: middles[item] - halves(size.width).0,
        y: borders[proper.items[item].layer].0,
        width: size.width,
        height: size.height,
    };
    let places: Vec<Place> = graph.sizes().iter().enumerate().map(place).collect();
    let routes = Routes { proper, sides, middles, places: &places, borders: &borders };
    let lines = graph.edges().iter().zip(ways).enumerate().map(|(number, (edge, way))| {
        let points = match way {
            Way::Down => routes.down(edge.from, &proper.chains[number]),
            Way::Back => routes.back(edge.from, edge.to, &proper.chains[number]),
            Way::Own => own(&places[edge.from], sides.own),
        };
        Line { points: without_needless(points), way: *way }
    });
    let lines = lines.collect();
    let height = borders.last().map_or(0, |last| last.1);
    Drawing { width, height, places, lines, form: Form::Layers, is_flipped: false }
}

fn borders(graph: &Graph, proper: &Proper) -> Borders {
    let mut heights = vec![0; proper.layers];
    for (size, item) in graph.sizes().iter().zip(&proper.items) {
        heights[item.layer] = heights[item.layer].max(size.height);
    }
    let mut top = 0;
    let border = |height: i32| {
        let border = (top, top + height);
        top += height + GAP;
        border
    };
    heights.into_iter().map(border).collect()
}

struct Routes<'r> {
    proper: &'r Proper,
    sides: &'r Sides,
    middles: &'r [i32],
    places: &'r [Place],
    borders: &'r [(i32, i32)],
}

impl Routes<'_> {
    /// From the lower border of a box to the upper one of another.
    fn down(&self, from: usize, chain: &[usize]) -> Vec<Point> {
        let bottom = self.places[from].bottom();
        let mut points = Vec::with_capacity(2 + 2 * chain.len());
        for (at, &number) in chain.iter().enumerate() {
            let (upper, lower) = self.ends(number);
            if at == 0 {
                points.push(Point { y: bottom, ..upper });
            }
            points.extend([upper, lower]);
        }
        points
    }

    /// From one side of a box up to one side of another; at either end perhaps between the other lines of the box.
    fn back(&self, from: usize, to: usize, chain: &[usize]) -> Vec<Point> {
        let mut points = Vec::with_capacity(4 + 2 * chain.len());
        let (start, end) = (&self.places[from], &self.places[to]);
        // The line leaves in the upper part, as it goes up, and arrives in the lower part.
        let (leaves, arrives) = (start.y + start.height * 3 / 10, end.y + end.height * 7 / 10);
        for (at, &number) in chain.iter().rev().enumerate() {
            let (upper, lower) = self.ends(number);
            if at == 0 && is_beyond(start, lower.x) {
                points.extend([Point { x: side(start, lower.x), y: leaves }, Point { y: leaves, ..lower }]);
            }
            points.extend([lower, upper]);
        }
        let last = points.last().copied();
        if let Some(last) = last.filter(|last| !is_beyond(end, last.x)) {
            points.push(Point { y: end.bottom(), ..last });
        } else if let Some(last) = last {
            points.extend([Point { y: arrives, ..last }, Point { x: side(end, last.x), y: arrives }]);
        }
        points
    }

    /// The ends of a segment, at the borders of its layers.
    fn ends(&self, number: usize) -> (Point, Point) {
        let segment = &self.proper.segments[number];
        let (upper, lower) = self.sides.ends[number];
        let border = |item: usize| self.borders[self.proper.items[item].layer];
        (
            Point { x: self.middles[segment.upper] + upper, y: border(segment.upper).1 },
            Point { x: self.middles[segment.lower] + lower, y: border(segment.lower).0 },
        )
    }
}

/// Whether a line lies at a side of a box.
fn is_beyond(place: &Place, line: i32) -> bool {
    line < place.x || line > place.right()
}

/// The border of a box that looks to a line.
fn side(place: &Place, line: i32) -> i32 {
    if line < place.x { place.x } else { place.right() }
}

/// A line at the right side of a box.
fn own(place: &Place, far: i32) -> Vec<Point> {
    let (right, low, high) =
        (place.right(), place.y + place.height * 6 / 10, place.y + place.height * 4 / 10);
    let point = |x, y| Point { x, y };
    vec![point(right, low), point(right + far, low), point(right + far, high), point(right, high)]
}

/// The points without those between two others on a straight line.
pub(crate) fn without_needless(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if kept.last() == Some(&point) {
            continue;
        }
        if let [.., one, other] = kept[..] {
            let (x, y) = (i64::from(other.x - one.x), i64::from(other.y - one.y));
            let (further_x, further_y) = (i64::from(point.x - other.x), i64::from(point.y - other.y));
            if x * further_y == y * further_x && x * further_x + y * further_y > 0 {
                kept.pop();
            }
        }
        kept.push(point);
    }
    kept
}
