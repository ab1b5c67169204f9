//! The page of a drill: what was counted, the methods, and the graphs of the methods that ran most.

mod facts;
mod icicles;
mod method;
mod page;
mod paths;
mod polymorphic;
#[cfg(test)]
mod tests;
mod times;

pub use crate::graph::{
    BlockCounts, Code, Counted, CountedPath, CountedPaths, Instruction, Link, Source, SourceLine, Unit,
};
pub use facts::{
    Answered, DEEPEST, DrillFacts, MOST_BLOCKS, MOST_CALLS, MOST_DRAWN, MOST_SITES, Method, Site, Sites,
    TimedMethod, Times, Tree, TreeCall,
};
pub use page::page;
pub(crate) use page::{STYLE, STYLE_HASH};
pub use paths::MOST_PATHS;
#[cfg(test)]
pub(crate) use paths::{SCRIPT, SCRIPT_HASH};
