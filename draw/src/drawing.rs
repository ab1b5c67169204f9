//! A graph with places.

/// A point, in pixels from the upper left corner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Point {
    /// Pixels to the right.
    pub x: i32,
    /// Pixels down.
    pub y: i32,
}

impl Point {
    /// The point on the other side of the diagonal.
    #[must_use]
    pub fn turned(self) -> Self {
        Self { x: self.y, y: self.x }
    }
}

/// The place of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Left border.
    pub x: i32,
    /// Upper border.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

impl Place {
    /// Right border.
    #[must_use]
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// Lower border.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }
}

/// How an edge lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The line goes down.
    Down,
    /// The line goes up at the side, to a box that leads to where it begins, or to the entry.
    Back,
    /// The line leads from a box to itself.
    Own,
}

/// The line of an edge: straight pieces from the box that it begins in to the box that it leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its ends and bends, in its direction.
    pub points: Vec<Point>,
    /// How it lies.
    pub way: Way,
}

/// The method by which a graph was drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// In layers.
    Layers,
    /// One box below the other, as there are too many for layers.
    Column,
}

/// A drawn graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// Width, pixels.
    pub width: i32,
    /// Height, pixels.
    pub height: i32,
    /// A place for each box.
    pub places: Vec<Place>,
    /// A line for each edge.
    pub lines: Vec<Line>,
    /// The method by which it was drawn.
    pub form: Form,
    /// Whether it goes from left to right instead of down.
    pub is_flipped: bool,
}

impl Drawing {
    /// The same drawing with each point on the other side of the diagonal.
    #[must_use]
    pub fn turned(self) -> Self {
        let turn = |place: Place| Place { x: place.y, y: place.x, width: place.height, height: place.width };
        let line = |line: Line| Line { points: line.points.into_iter().map(Point::turned).collect(), ..line };
        Self {
            width: self.height,
            height: self.width,
            places: self.places.into_iter().map(turn).collect(),
            lines: self.lines.into_iter().map(line).collect(),
            form: self.form,
            is_flipped: !self.is_flipped,
        }
    }
}
