//! The page of a drill: what was counted, the methods, and the graphs of the methods that ran most.

mod facts;
mod heat;
mod method;
mod page;
#[cfg(test)]
mod tests;

pub use facts::{BlockCounts, Counted, DrillFacts, Link, MOST_BLOCKS, MOST_DRAWN, Method};
pub use page::page;
