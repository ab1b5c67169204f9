//! Traces: what threads ran, exactly and in its order.
//!
//! A thread's [words](words) tell which segments it ran (`spl_graph::Segments`). [Files](file) have them in frames, and a [stream] those of all threads. A [replay](Replay)
//! makes activations, blocks and stacks of them again, with the class files that they were written for, and tells a [`Visit`] of each.
//! [Trees](Tree), [paths](Paths), [worst activations](Worst), [hot sequences](Hot), [counts](Counts)
//! and [times](Timings) are such visits.
#![forbid(unsafe_code)]

mod callees;
mod counts;
mod dispatch;
pub mod file;
mod forest;
mod forms;
mod hot;
mod jbinstrace;
mod methods;
mod paths;
mod replay;
mod sites;
mod slowest;
mod split;
mod stack;
pub mod stream;
#[cfg(test)]
mod tests;
mod timeline;
mod timings;
mod tree;
pub mod words;
mod worst;

pub use callees::{Callee, Callees};
pub use counts::Counts;
pub use dispatch::{Chosen, Dispatch};
pub use forest::Forest;
pub use forms::Detail;
pub use hot::{Hot, Sequence};
pub use jbinstrace::Numbered;
pub use methods::{Methods, Ran, Traced};
pub use paths::{MethodPaths, PathCount, Paths};
pub use replay::{Fault, Left, Merge, Replay, Visit};
pub use sites::{Site, Sites};
pub use slowest::Slowest;
pub use split::{Framed, Split};
pub use stack::{Frame, Slot, Stack, Tag};
pub use timeline::{Drawn, Merged, Shown, Timeline};
pub use timings::{Call, Timing, Timings, Told};
pub use tree::{Node, Tree};
pub use worst::{Most, Worst};
