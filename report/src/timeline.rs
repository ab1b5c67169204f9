//! The page of a traced program's slowest calls: a table of them, and each over time, a box for what it called.

mod drawing;
mod facts;
mod page;
#[cfg(test)]
mod tests;

pub use facts::{MOST_CALLS, TimedBox, TimedCall, TimedGroup, TimelineFacts};
pub use page::page;
