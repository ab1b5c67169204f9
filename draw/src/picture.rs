//! The text in the boxes and at the lines.

use crate::graph::{Edge, Graph, NoBox, Size};

/// Width of a character of the text in boxes, hundredths of a pixel: 0.602 of the size of common fonts of fixed width.
const CHARACTER: usize = 663;
/// Height of a line of text, pixels.
pub(crate) const LINE: i32 = 14;
/// Distance of the text from the border, pixels.
pub(crate) const MARGIN: i32 = 8;

/// A box with text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Its lines.
    pub text: Vec<String>,
    /// Text that is shown where a pointer rests on it; empty for none.
    pub title: String,
    /// Classes for the style.
    pub classes: String,
    /// Further attributes of its element, as name and value.
    pub attributes: Vec<(&'static str, String)>,
    /// Address that it leads to.
    pub link: Option<String>,
    /// Whether it has a double border.
    pub is_double: bool,
    /// Whether it belongs at the bottom and has round corners.
    pub is_exit: bool,
}

/// An edge with text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrow {
    /// The box that it begins in.
    pub from: usize,
    /// The box that it leads to.
    pub to: usize,
    /// Whether it is dashed.
    pub is_dashed: bool,
    /// Its label; left out where it has no room.
    pub label: String,
    /// Text that is shown where a pointer rests on it; empty for none.
    pub title: String,
    /// Further attributes of its element, as name and value.
    pub attributes: Vec<(&'static str, String)>,
    /// Thickness of its line, tenths of a pixel.
    pub thickness: u32,
}

/// A graph to be drawn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// Its boxes; the first is the entry.
    pub blocks: Vec<Block>,
    /// Its edges.
    pub arrows: Vec<Arrow>,
}

impl Picture {
    /// The graph with the sizes of its boxes.
    ///
    /// # Errors
    /// When an edge has an end without a box.
    pub fn graph(&self) -> Result<Graph, NoBox> {
        let edge = |arrow: &Arrow| Edge { from: arrow.from, to: arrow.to, is_second: arrow.is_dashed };
        Graph::new(self.blocks.iter().map(Block::size).collect(), self.arrows.iter().map(edge).collect())
    }
}

impl Block {
    fn size(&self) -> Size {
        let widest = self.text.iter().map(|line| width(line)).max().unwrap_or(0);
        let lines = i32::try_from(self.text.len()).unwrap_or(i32::MAX / LINE);
        Size {
            width: widest.saturating_add(2 * MARGIN),
            height: (lines * LINE).saturating_add(2 * MARGIN - 4),
            is_exit: self.is_exit,
        }
    }
}

/// Width of a text, pixels. Characters of East Asia count twice, as do others that may be wide.
pub(crate) fn width(text: &str) -> i32 {
    let columns: usize = text.chars().map(|c| if u32::from(c) < 0x1100 { 1 } else { 2 }).sum();
    i32::try_from((columns * CHARACTER).div_ceil(100)).unwrap_or(i32::MAX)
}
