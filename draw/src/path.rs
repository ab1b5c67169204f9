//! Lines as paths of SVG.

use crate::drawing::{Line, Point};
use std::fmt::Write;

/// Radius of the corners of a curved line, pixels.
const CORNER: i32 = 6;

/// The path of a line from its end to its beginning, straight or curved.
///
/// The path is written backwards so that the dashes of lines that join lie on each other.
#[must_use]
pub fn path(line: &Line, is_curved: bool, is_flipped: bool) -> String {
    let points: Vec<Point> = line.points.iter().rev().copied().collect();
    let mut out = String::new();
    let Some(first) = points.first() else { return out };
    // A `String` takes everything.
    let _ = write!(out, "M{} {}", first.x, first.y);
    for at in 1..points.len() {
        let (from, to) = (points[at - 1], points[at]);
        let is_slanted = from.x != to.x && from.y != to.y;
        let corner = points.get(at + 1).filter(|next| is_curved && is_corner(from, to, **next));
        let _ = match (corner, is_slanted && is_curved) {
            (Some(&next), _) => {
                let (before, behind) = (near(to, from), near(to, next));
                write!(out, "L{} {}Q{} {} {} {}", before.x, before.y, to.x, to.y, behind.x, behind.y)
            }
            (None, true) if is_flipped => {
                let middle = from.x.midpoint(to.x);
                write!(out, "C{middle} {} {middle} {} {} {}", from.y, to.y, to.x, to.y)
            }
            (None, true) => {
                let middle = from.y.midpoint(to.y);
                write!(out, "C{} {middle} {} {middle} {} {}", from.x, to.x, to.x, to.y)
            }
            (None, false) => write!(out, "L{} {}", to.x, to.y),
        };
    }
    out
}

/// Whether a line turns from level to upright here, or the other way.
fn is_corner(before: Point, at: Point, behind: Point) -> bool {
    (before.y == at.y && at.x == behind.x) || (before.x == at.x && at.y == behind.y)
}

/// The point at a corner's distance from a point on the way to another.
fn near(from: Point, to: Point) -> Point {
    let step = |one: i32, other: i32| one + ((other - one) / 2).clamp(-CORNER, CORNER);
    Point { x: step(from.x, to.x), y: step(from.y, to.y) }
}
