//! Traces: what threads ran, exactly and in its order.
//!
//! A thread's [words](words) tell which segments it ran (`spl_graph::Segments`). [Files](file) have them in frames. A [replay](Replay)
//! makes activations, blocks and stacks of them again, with the class files that they were written for, and tells a [`Visit`] of each.
//! [Trees](Tree), [worst activations](Worst), [hot sequences](Hot) and [counts](Counts) are such visits.
#![forbid(unsafe_code)]

mod counts;
pub mod file;
mod hot;
mod methods;
mod replay;
mod split;
mod stack;
#[cfg(test)]
mod tests;
mod tree;
pub mod words;
mod worst;

pub use counts::Counts;
pub use hot::{Hot, Sequence};
pub use methods::{Methods, Ran, Traced};
pub use replay::{Fault, Left, Replay, Visit};
pub use split::{Framed, Split};
pub use stack::{Frame, Slot, Stack, Tag};
pub use tree::{Node, Tree};
pub use worst::{Most, Worst};
