//! Where paths begin and end, and what the code that follows them does.

/// Where paths are cut, apart from edges that lead back and edges to handlers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cuts {
    /// Whether paths end at each call, and others begin behind it.
    pub calls: bool,
    /// Whether paths end where a loop is entered, too. Otherwise the first turn belongs to the path that came to the loop.
    pub loop_heads: bool,
    /// Number of paths above which a method is cut where ways meet, too. One with more edges than that may keep more.
    pub most: u32,
    /// Whether the register has the sum of the path at each instruction, for [`Paths::prefix`](crate::Paths::prefix). Otherwise there is no code where a
    /// path is known by its end alone.
    pub keeps: bool,
}

/// Where a path begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Begin {
    /// At the entry of the method.
    Entry,
    /// At this block, which begins a handler: after an exception, or on an edge to it.
    Handler(usize),
    /// At this block, a loop's head, behind a cut: an edge that leads back, or all edges to it.
    Loop(usize),
    /// At this block, behind a cut where ways meet.
    Merge(usize),
    /// Behind the call at this offset.
    Call(u32),
}

/// Where a path ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum End {
    /// With the return of this block.
    Return(usize),
    /// With the `athrow` of this block.
    Throw(usize),
    /// On this edge to the head of a loop.
    Loop(usize),
    /// On this edge to a block that begins a handler.
    Handler(usize),
    /// On this edge, where ways meet and are cut.
    Merge(usize),
    /// At the call at this offset.
    Call(u32),
}

impl End {
    /// The edge that it is on.
    #[must_use]
    pub fn edge(self) -> Option<usize> {
        match self {
            Self::Loop(edge) | Self::Handler(edge) | Self::Merge(edge) => Some(edge),
            Self::Return(_) | Self::Throw(_) | Self::Call(_) => None,
        }
    }
}

/// A path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Where it begins.
    pub begin: Begin,
    /// Its blocks, in their order; none twice. With cuts at calls the first may be the rest of a block, and the last its beginning.
    pub blocks: Vec<usize>,
    /// The edges between them.
    pub edges: Vec<usize>,
    /// Where it ends.
    pub end: End,
}

/// The actions of the code at a place, the end before the change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Step {
    /// A path ends here.
    pub end: Option<Ended>,
    /// Change of the register.
    pub register: Option<Register>,
}

/// Number of a path that ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// This one.
    Known(u32),
    /// The register and this, with the overflow of 32 bits.
    Sum(i32),
}

/// Change of the register, with the overflow of 32 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Register {
    /// This is its new value.
    Set(i32),
    /// This is added to it.
    Add(i32),
}
