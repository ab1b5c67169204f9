//! Pages of many runs: each run's metrics, methods and claims, the runs of a program side by side, and differences of two runs with the
//! spread of their repeats. [`pages`] is a function of [`Site`]; the pages link to each other by their names and to nothing else.

mod difference;
mod facts;
mod frame;
mod index;
mod program;
mod run;
mod site;
mod spread;
#[cfg(test)]
mod tests;
mod value;

pub use facts::{Bounds, Claimed, MOST_METHODS, MetricValue, RanMethod, Site, StoredRun};
#[cfg(test)]
pub(crate) use frame::{STYLE, STYLE_HASH};
pub use site::{is_page, pages};
