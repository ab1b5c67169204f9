//! A graph of boxes, to be drawn.

use std::error::Error;
use std::fmt;

/// Largest width or height of a box; a larger one is drawn as this one.
pub const LARGEST: i32 = 10_000;

/// The size of a box, and whether it is an end of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size {
    /// Width, pixels.
    pub width: i32,
    /// Height, pixels.
    pub height: i32,
    /// Whether it belongs at the bottom, as a block that returns.
    pub is_exit: bool,
}

/// A directed edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The box that it begins in.
    pub from: usize,
    /// The box that it leads to.
    pub to: usize,
    /// Whether it is of the second kind, whose lines do not join those of the first, as exceptions.
    pub is_second: bool,
}

/// Boxes and edges. The first box is the entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graph {
    sizes: Vec<Size>,
    edges: Vec<Edge>,
}

/// An edge that begins or ends at a box that the graph does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoBox {
    /// Place of the edge among the edges.
    pub edge: usize,
}

impl fmt::Display for NoBox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "edge {} has an end without a box", self.edge)
    }
}

impl Error for NoBox {}

impl Graph {
    /// A graph of these boxes and edges. Sizes are brought between 1 and [`LARGEST`].
    ///
    /// # Errors
    /// When an edge has an end without a box.
    pub fn new(sizes: Vec<Size>, edges: Vec<Edge>) -> Result<Self, NoBox> {
        let is_outside = |edge: &Edge| edge.from.max(edge.to) >= sizes.len();
        if let Some(edge) = edges.iter().position(is_outside) {
            return Err(NoBox { edge });
        }
        let bounded = |size: Size| Size {
            width: size.width.clamp(1, LARGEST),
            height: size.height.clamp(1, LARGEST),
            ..size
        };
        Ok(Self { sizes: sizes.into_iter().map(bounded).collect(), edges })
    }

    /// Its boxes.
    #[must_use]
    pub fn sizes(&self) -> &[Size] {
        &self.sizes
    }

    /// Its edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The graph for a drawing from left to right: each box on its side.
    #[must_use]
    pub fn turned(&self) -> Self {
        let turn = |size: &Size| Size { width: size.height, height: size.width, ..*size };
        Self { sizes: self.sizes.iter().map(turn).collect(), edges: self.edges.clone() }
    }
}
