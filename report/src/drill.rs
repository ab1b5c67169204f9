//! The page of a drill: what was counted, the methods, and the graphs of the methods that ran most.

mod facts;
mod icicles;
mod method;
mod page;
#[cfg(test)]
mod tests;

pub use crate::graph::{BlockCounts, Code, Counted, Instruction, Link, Source, SourceLine, Unit};
pub use facts::{DEEPEST, DrillFacts, MOST_BLOCKS, MOST_CALLS, MOST_DRAWN, Method, Tree, TreeCall};
pub use page::page;
#[cfg(test)]
pub(crate) use page::{STYLE, STYLE_HASH};
