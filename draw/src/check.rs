//! The rules that every drawing keeps.

use crate::drawing::{Drawing, Form, Place, Point, Way};
use crate::graph::Graph;
use std::fmt;

/// A broken rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A box or a line is missing.
    Missing,
    /// These two boxes overlap.
    Overlap(usize, usize),
    /// The line of this edge runs through this box.
    Through(usize, usize),
    /// The line of this edge does not begin and end at the borders of its boxes.
    Loose(usize),
    /// This edge goes up or stays at one height, and does not lead back.
    NotDown(usize),
    /// This box is not below the entry.
    AboveEntry(usize),
    /// This exit, which no edge goes down from, is above a box that does not belong there.
    ExitAbove(usize),
    /// A box or line lies outside of the drawing.
    Outside,
    /// An edge counts as one that leads back, but no path leads from its end to its beginning.
    NotBack(usize),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// The rules that a drawing breaks; none for one of [`draw`](crate::draw). The time grows with the product of lines and boxes.
///
/// A slanted piece of a line counts with its whole rectangle, so that the result also holds for curves.
#[must_use]
pub fn faults(graph: &Graph, drawing: &Drawing) -> Vec<Fault> {
    if drawing.is_flipped {
        return upright(&graph.turned(), &drawing.clone().turned());
    }
    upright(graph, drawing)
}

fn upright(graph: &Graph, drawing: &Drawing) -> Vec<Fault> {
    let (sizes, edges) = (graph.sizes(), graph.edges());
    if drawing.places.len() != sizes.len() || drawing.lines.len() != edges.len() {
        return vec![Fault::Missing];
    }
    let mut faults = boxes(drawing);
    faults.extend(outside(drawing));
    faults.extend(heights(graph, drawing));
    let by_y = Rows::new(&drawing.places);
    for (number, (edge, line)) in edges.iter().zip(&drawing.lines).enumerate() {
        let (from, to) = (&drawing.places[edge.from], &drawing.places[edge.to]);
        let ends = line.points.first().zip(line.points.last());
        if !ends.is_some_and(|(first, last)| touches(from, *first) && touches(to, *last)) {
            faults.push(Fault::Loose(number));
        }
        let falls = line.points.windows(2).all(|pair| pair[0].y <= pair[1].y);
        let is_down = match line.way {
            Way::Down => falls && from.y < to.y,
            Way::Own => edge.from == edge.to,
            Way::Back => true,
        };
        if !is_down {
            faults.push(Fault::NotDown(number));
        }
        for pair in line.points.windows(2) {
            faults
                .extend(by_y.hit(&drawing.places, pair[0], pair[1]).map(|item| Fault::Through(number, item)));
        }
    }
    faults.extend(not_back(graph, drawing));
    faults
}

/// Boxes that overlap, or whose sizes are not theirs.
fn boxes(drawing: &Drawing) -> Vec<Fault> {
    let mut sorted: Vec<usize> = (0..drawing.places.len()).collect();
    sorted.sort_by_key(|&item| drawing.places[item].y);
    let mut faults = Vec::new();
    for (at, &one) in sorted.iter().enumerate() {
        let place = &drawing.places[one];
        for &other in sorted[at + 1..].iter().take_while(|&&other| drawing.places[other].y < place.bottom()) {
            let second = &drawing.places[other];
            if place.x < second.right() && second.x < place.right() {
                faults.push(Fault::Overlap(one, other));
            }
        }
    }
    faults
}

fn outside(drawing: &Drawing) -> Option<Fault> {
    let is_inside = |x: i32, y: i32| (0..=drawing.width).contains(&x) && (0..=drawing.height).contains(&y);
    let boxes = drawing
        .places
        .iter()
        .all(|place| is_inside(place.x, place.y) && is_inside(place.right(), place.bottom()));
    let lines = drawing.lines.iter().flat_map(|line| &line.points).all(|point| is_inside(point.x, point.y));
    (!(boxes && lines)).then_some(Fault::Outside)
}

/// The entry is the only box at the top, and exits stand in the last layer, or behind all others in a column.
fn heights(graph: &Graph, drawing: &Drawing) -> Vec<Fault> {
    let Some(entry) = drawing.places.first() else { return Vec::new() };
    let mut faults: Vec<Fault> = (1..drawing.places.len())
        .filter(|&item| drawing.places[item].y < entry.bottom())
        .map(Fault::AboveEntry)
        .collect();
    let mut is_last = vec![true; drawing.places.len()];
    for (edge, _) in graph.edges().iter().zip(&drawing.lines).filter(|(_, line)| line.way == Way::Down) {
        is_last[edge.from] = false;
    }
    let is_end = |item: usize| item != 0 && is_last[item] && graph.sizes()[item].is_exit;
    let lowest = |is_of: &dyn Fn(usize) -> bool| {
        (0..drawing.places.len()).filter(|&item| is_of(item)).map(|item| drawing.places[item].y).max()
    };
    let bound = match drawing.form {
        Form::Layers => lowest(&|_| true),
        Form::Column => lowest(&|item| !is_end(item)),
    };
    let ends = (0..drawing.places.len()).filter(|&item| is_end(item));
    faults.extend(ends.filter(|&item| Some(drawing.places[item].y) < bound).map(Fault::ExitAbove));
    faults
}

/// An edge that claims to lead back, and does not. Edges that go down make no circle, as each ends below its beginning.
fn not_back(graph: &Graph, drawing: &Drawing) -> Option<Fault> {
    let count = graph.sizes().len();
    let mut below = vec![Vec::new(); count];
    for (edge, line) in graph.edges().iter().zip(&drawing.lines) {
        if line.way == Way::Down {
            below[edge.from].push(edge.to);
        }
    }
    let backs = graph.edges().iter().zip(&drawing.lines).enumerate();
    backs.filter(|(_, (edge, line))| line.way == Way::Back && edge.to != 0).find_map(|(number, (edge, _))| {
        let mut known = vec![false; count];
        let mut open = vec![edge.to];
        while let Some(item) = open.pop() {
            if !std::mem::replace(&mut known[item], true) {
                open.extend(&below[item]);
            }
        }
        (!known[edge.from]).then_some(Fault::NotBack(number))
    })
}

/// Whether a point lies on the border of a box.
fn touches(place: &Place, point: Point) -> bool {
    let (x, y) = (place.x..=place.right(), place.y..=place.bottom());
    let is_side = [place.x, place.right()].contains(&point.x) || [place.y, place.bottom()].contains(&point.y);
    x.contains(&point.x) && y.contains(&point.y) && is_side
}

/// Boxes by their upper borders.
struct Rows {
    sorted: Vec<(i32, usize)>,
    tallest: i32,
}

impl Rows {
    fn new(places: &[Place]) -> Self {
        let mut sorted: Vec<_> = places.iter().map(|place| place.y).zip(0..).collect();
        sorted.sort_unstable();
        Self { sorted, tallest: places.iter().map(|place| place.height).max().unwrap_or(0) }
    }

    /// The boxes whose inside the rectangle around a piece of a line meets.
    fn hit(&self, places: &[Place], one: Point, other: Point) -> impl Iterator<Item = usize> {
        let (left, right) = (one.x.min(other.x), one.x.max(other.x));
        let (top, bottom) = (one.y.min(other.y), one.y.max(other.y));
        let first = self.sorted.partition_point(|(y, _)| *y < top - self.tallest);
        let near = self.sorted[first..].iter().take_while(move |(y, _)| *y < bottom);
        near.map(|(_, item)| *item).filter(move |&item| {
            let place = &places[item];
            left < place.right() && right > place.x && top < place.bottom() && bottom > place.y
        })
    }
}
