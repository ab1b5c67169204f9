//! Places for the labels of lines: next to the line, where neither a box nor another label is.

use crate::drawing::{Drawing, Line, Place, Point};
use std::collections::HashMap;

/// Side of the squares by which neighbours are found, pixels.
const SQUARE: i32 = 64;
/// Parts of the way along a piece of a line where a label is tried, in tenths.
const ALONG: [i32; 5] = [3, 5, 7, 2, 8];
/// Pieces of a line, from its beginning, where a label is tried.
const PIECES: usize = 6;
/// Height of a label, pixels.
pub(crate) const HEIGHT: i32 = 11;

/// Occupied places, by squares.
#[derive(Default)]
struct Occupied(HashMap<(i32, i32), Vec<Place>>);

/// Places for labels of these widths, for each line; `None` for a label of no width and for one without room.
pub(crate) fn places(drawing: &Drawing, widths: &[i32]) -> Vec<Option<Place>> {
    let mut occupied = Occupied::default();
    drawing.places.iter().for_each(|place| occupied.add(*place));
    let found = drawing.lines.iter().zip(widths).map(|(line, &width)| {
        let free = |place: &Place| {
            let is_inside = place.x >= 0 && place.right() <= drawing.width;
            is_inside && place.y >= 0 && place.bottom() <= drawing.height && occupied.is_free(place)
        };
        let found = (width > 0).then(|| candidates(line, width).find(free)).flatten();
        found.inspect(|place| occupied.add(*place))
    });
    found.collect()
}

fn candidates(line: &Line, width: i32) -> impl Iterator<Item = Place> {
    let pieces = line.points.windows(2).take(PIECES);
    pieces.flat_map(move |piece| {
        ALONG.into_iter().flat_map(move |part| {
            let at = between(piece[0], piece[1], part);
            let y = at.y - HEIGHT / 2;
            [at.x + 3, at.x - 3 - width].map(|x| Place { x, y, width, height: HEIGHT })
        })
    })
}

fn between(one: Point, other: Point, part: i32) -> Point {
    Point { x: one.x + (other.x - one.x) / 10 * part, y: one.y + (other.y - one.y) * part / 10 }
}

impl Occupied {
    fn squares(place: &Place) -> impl Iterator<Item = (i32, i32)> {
        let columns = place.x.div_euclid(SQUARE)..=place.right().div_euclid(SQUARE);
        let rows = place.y.div_euclid(SQUARE)..=place.bottom().div_euclid(SQUARE);
        columns.flat_map(move |column| rows.clone().map(move |row| (column, row)))
    }

    fn add(&mut self, place: Place) {
        for square in Self::squares(&place) {
            self.0.entry(square).or_default().push(place);
        }
    }

    fn is_free(&self, place: &Place) -> bool {
        let overlaps = |other: &Place| {
            place.x < other.right()
                && other.x < place.right()
                && place.y < other.bottom()
                && other.y < place.bottom()
        };
        !Self::squares(place).any(|square| self.0.get(&square).is_some_and(|all| all.iter().any(overlaps)))
    }
}
