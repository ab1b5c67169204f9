//! The page of a drill: what was counted, the methods, and the graphs of the methods that ran most.

mod facts;
mod icicles;
mod method;
mod page;
mod paths;
#[cfg(test)]
mod tests;

pub use crate::graph::{BlockCounts, Counted, CountedPath, CountedPaths, Link, Unit};
pub use facts::{DEEPEST, DrillFacts, MOST_BLOCKS, MOST_CALLS, MOST_DRAWN, Method, Tree, TreeCall};
pub use page::page;
#[cfg(test)]
pub(crate) use page::{STYLE, STYLE_HASH};
pub use paths::MOST_PATHS;
#[cfg(test)]
pub(crate) use paths::{SCRIPT, SCRIPT_HASH};
