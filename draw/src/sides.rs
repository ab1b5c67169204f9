//! Where lines touch their boxes: in a row at the top and at the bottom, and in lanes at both sides for edges that go back.

use crate::drawing::Way;
use crate::graph::Graph;
use crate::proper::Proper;

/// Distance of the first lane from the box, and of the second kind's from the first, in pixels.
const LANE: i32 = 9;
const SECOND_LANE: i32 = 6;

/// The ends of all segments, and the room that boxes need.
#[derive(Debug)]
pub(crate) struct Sides {
    /// Of each item the room to the left and to the right of its middle.
    pub(crate) room: Vec<(i32, i32)>,
    /// Of each segment the distances of its upper and its lower end from the middles of the items.
    pub(crate) ends: Vec<(i32, i32)>,
    /// Distance of the lane of edges from a box to itself from the box.
    pub(crate) own: i32,
}

/// One side of a box, upper or lower: what is attached there.
struct Rim<'s> {
    /// Half of the box's width to the left and to the right.
    half: (i32, i32),
    is_top: bool,
    proper: &'s Proper,
    /// Its segments, each with the place of the other end: that of the item in its layer, and the distance from the
    /// item's middle as far as it is known.
    segments: Vec<Segment>,
}

/// The other end of a segment, and its number.
type Segment = ((usize, i32), usize);

impl Sides {
    /// The ends of segments, given the order of the layers.
    pub(crate) fn new(graph: &Graph, proper: &Proper, ways: &[Way], layers: &[Vec<usize>]) -> Self {
        let boxes = graph.sizes().len();
        let mut places = vec![0; proper.items.len()];
        for layer in layers {
            layer.iter().enumerate().for_each(|(place, &item)| places[item] = place);
        }
        let half = |item: usize| graph.sizes().get(item).map_or((0, 0), |size| halves(size.width));
        let mut room: Vec<(i32, i32)> = (0..proper.items.len()).map(half).collect();
        let mut ends = vec![(0, 0); proper.segments.len()];
        let rim = |item: usize, is_top| Rim { half: half(item), is_top, proper, segments: Vec::new() };
        let mut bottoms: Vec<Rim<'_>> = (0..boxes).map(|item| rim(item, false)).collect();
        for (number, segment) in proper.segments.iter().enumerate() {
            if let Some(bottom) = bottoms.get_mut(segment.upper) {
                bottom.segments.push(((places[segment.lower], 0), number));
            }
        }
        for (bottom, room) in bottoms.iter().zip(&mut room) {
            for (number, end) in bottom.ends(room) {
                ends[number].0 = end;
            }
        }
        // A line from a box to the one below and a line back do not cross if both ends of the latter are at the same side.
        let mut tops: Vec<Rim<'_>> = (0..boxes).map(|item| rim(item, true)).collect();
        for (number, segment) in proper.segments.iter().enumerate() {
            if let Some(top) = tops.get_mut(segment.lower) {
                top.segments.push(((places[segment.upper], ends[number].0), number));
            }
        }
        for (top, room) in tops.iter().zip(&mut room) {
            for (number, end) in top.ends(room) {
                ends[number].1 = end;
            }
        }
        for (edge, _) in graph.edges().iter().zip(ways).filter(|(_, way)| **way == Way::Own) {
            widen(&mut room[edge.from], half(edge.from).1 + LANE);
        }
        Self { room, ends, own: LANE }
    }
}

/// Both halves of a width, without a loss.
pub(crate) fn halves(width: i32) -> (i32, i32) {
    (width / 2, width - width / 2)
}

fn widen(room: &mut (i32, i32), to: i32) {
    if to < 0 {
        room.0 = room.0.max(-to);
    } else {
        room.1 = room.1.max(to);
    }
}

impl Rim<'_> {
    /// The ends of all segments; widens the room of the box by those at its sides.
    fn ends(&self, room: &mut (i32, i32)) -> Vec<(usize, i32)> {
        let mut found = Vec::new();
        let mut row: Vec<Vec<Segment>> = Vec::new();
        for second in [false, true] {
            let of = |is_back: bool| {
                let segment = |number: usize| &self.proper.segments[number];
                let is_of = move |(_, number): &&Segment| {
                    segment(*number).is_back == is_back && segment(*number).is_second == second
                };
                self.segments.iter().filter(is_of).copied().collect::<Vec<_>>()
            };
            let (down, back) = (of(false), of(true));
            match self.lane(&back, second).filter(|_| !back.is_empty()) {
                Some(end) => {
                    widen(room, end);
                    found.extend(back.iter().map(|(_, number)| (*number, end)));
                }
                None => row.push(back),
            }
            match self.is_top {
                true => row.push(down),
                false => row.extend(down.into_iter().map(|segment| vec![segment])),
            }
        }
        row.retain(|port| !port.is_empty());
        row.sort_by(|one, other| middle(one).total_cmp(&middle(other)));
        let count = row.len();
        for (at, port) in row.into_iter().enumerate() {
            found.extend(port.into_iter().map(|(_, number)| (number, self.part(at, count))));
        }
        found
    }

    /// The end of segments of edges that go back, in a lane at a side of the box; `None` if they would cross other lines
    /// at either side.
    fn lane(&self, back: &[Segment], second: bool) -> Option<i32> {
        let others = || self.segments.iter().filter(|(_, number)| !self.proper.segments[*number].is_back);
        let is_left = back.iter().any(|(place, _)| others().any(|(other, _)| other < place));
        let is_right = back.iter().any(|(place, _)| others().any(|(other, _)| other > place));
        let far = LANE + if second { SECOND_LANE } else { 0 };
        match (is_left, is_right) {
            (_, false) => Some(self.half.1 + far),
            (false, true) => Some(-self.half.0 - far),
            (true, true) => None,
        }
    }

    /// The distance of one of several points of the rim from the middle.
    fn part(&self, at: usize, count: usize) -> i32 {
        let width = i64::from(self.half.0 + self.half.1);
        let along = width * (at as i64 + 1) / (count as i64 + 1);
        // The distance lies within the width, which is an `i32`.
        i32::try_from(along).unwrap_or(0) - self.half.0
    }
}

/// The mean place of the other ends.
fn middle(port: &[Segment]) -> f64 {
    // The distance from an item's middle only decides between ends at the same item.
    let place = |((item, distance), _): &Segment| *item as f64 + f64::from(*distance) / 1e6;
    port.iter().map(place).sum::<f64>() / port.len() as f64
}
