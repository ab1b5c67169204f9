//! The facts of the page. Times are nanoseconds.

/// Calls that are drawn; more of them have a line of the table.
pub const MOST_CALLS: usize = 20;

/// The slowest calls of a trace.
#[derive(Clone, Debug, Default)]
pub struct TimelineFacts {
    /// This program's version.
    pub spl: String,
    /// The folder of the drill.
    pub folder: String,
    /// All calls, and those of which it is not known how long they took.
    pub all: (u64, u64),
    /// Why the trace is not all that ran.
    pub doubts: Vec<String>,
    /// The slowest ones first.
    pub calls: Vec<TimedCall>,
}

/// A call.
#[derive(Clone, Debug, Default)]
pub struct TimedCall {
    /// Its number among those of its thread, from 1.
    pub number: u64,
    /// The thread.
    pub thread: u64,
    /// The method.
    pub method: String,
    /// When it began, after the first clock of the trace.
    pub begin: Option<u64>,
    /// Its duration, at least and at most; the same if it is known.
    pub took: (u64, Option<u64>),
    /// Calls within it.
    pub within: u64,
    /// Instructions that it ran, with all that it called.
    pub bytecodes: u64,
    /// Whether these two are all.
    pub is_whole: bool,
    /// How it ended, in a word.
    pub ended: &'static str,
    /// Itself and the calls within it; empty if it is not drawn.
    pub boxes: Vec<TimedBox>,
    /// Calls next to each other that are narrower than a pixel.
    pub groups: Vec<TimedGroup>,
    /// Calls that are too deep, or for which there was no room.
    pub left_out: u64,
    /// Calls of which it is not known when they began.
    pub unknown: u64,
}

/// A call within a call, or this one.
#[derive(Clone, Debug, Default)]
pub struct TimedBox {
    /// Calls below it.
    pub level: u32,
    /// The method.
    pub method: String,
    /// When it began, after the call.
    pub begin: u64,
    /// Its duration, up to the last clock within it if the end is not known.
    pub took: u64,
    /// Whether the end is known.
    pub has_end: bool,
    /// Its own time, if that is known.
    pub own: Option<u64>,
    /// Whether an exception left it.
    pub is_thrown: bool,
}

/// Narrow calls.
#[derive(Clone, Copy, Debug, Default)]
pub struct TimedGroup {
    /// Calls below them.
    pub level: u32,
    /// When the first began and the last ended, after the call's beginning.
    pub span: (u64, u64),
    /// Their number.
    pub count: u64,
}
