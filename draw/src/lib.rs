//! A graph of boxes as a drawing: places for the boxes, lines for the edges, and both as SVG.
//!
//! The layout goes by layers (Sugiyama, Tagawa and Toda 1981): edges that lead back are found, every box gets a layer, an
//! order in it and a place, and lines follow. It has no randomness and no clock, so the same graph gives the same bytes.
//! Above [`MOST_LAYERED`] boxes it is one column. `docs/decisions/0035-drawing.md` has the reasons.

#![forbid(unsafe_code)]

mod check;
mod column;
mod drawing;
mod graph;
mod labels;
mod layers;
mod layout;
mod order;
mod path;
mod picture;
mod place;
mod proper;
mod route;
mod sides;
pub mod svg;
#[cfg(test)]
mod tests;
mod ways;

pub use check::{Fault, faults};
pub use drawing::{Drawing, Form, Line, Place, Point, Way};
pub use graph::{Edge, Graph, LARGEST, NoBox, Size};
pub use layout::{MOST_LAYERED, draw};
pub use path::path;
pub use picture::{Arrow, Block, Picture};
