//! A method's code as a graph: basic blocks, edges, exception handlers, loops, calls, allocations, and what is counted of each block.
//!
//! The graph is a function of the class file alone, so that everybody who has the same bytes has the same graph, with the same
//! numbers. It borrows from these bytes. Code that breaks the format gives a [`NoGraph`], never a panic, and
//! the time and memory that a method takes are bounded also for code that no compiler writes.
//!
//! *Blocks* begin where [`block_heads`](spl_classfile::heads::block_heads) says: at the first instruction, at targets of branches
//! and handlers, behind a branch, a return or an `athrow`. A call ends no block, and neither does the border of a handler's range:
//! which handlers cover which part of a block, its [`Stretch`]es say.
//!
//! ```no_run
//! use spl_classfile::class::ClassFile;
//! use spl_graph::{Graph, forms};
//! # fn show(bytes: &[u8]) -> Result<(), Box<dyn std::error::Error>> {
//! let class = ClassFile::read(bytes)?;
//! for method in class.methods.iter().filter(|method| method.code.is_some()) {
//!     print!("{}", forms::text(&Graph::of(&class, method)?));
//! }
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

mod block;
mod counters;
mod cover;
mod cuts;
mod dominators;
mod edge;
mod flags;
pub mod forms;
mod graph;
mod lines;
mod listing;
mod loops;
mod metrics;
mod no_graph;
mod numbered;
mod often;
mod path_counts;
mod paths;
mod search;
mod segments;
mod sites;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod throwing;
mod tree;

pub use block::{Block, Exit};
pub use counters::{Counters, Counts, Place};
pub use cover::{Handler, Stretch};
pub use edge::{Edge, EdgeKind};
pub use flags::{Covered, Flags};
pub use graph::Graph;
pub use lines::Lines;
pub use listing::{Listed, listing};
pub use loops::Loop;
pub use metrics::{EXTRA_NAMES, Metrics, NAMES};
pub use no_graph::NoGraph;
pub use numbered::{NumberedArray, NumberedCall};
pub use path_counts::{MOST_PATHS, PathCounters, PathCounts};
pub use paths::{Begin, Cuts, End, Ended, Path, Paths, Register, Step};
pub use segments::{MOST_SEGMENTS, Next, Segment, SegmentEnd, SegmentStep, Segments};
pub use sites::{Allocation, Call, CallKind, Elements};
