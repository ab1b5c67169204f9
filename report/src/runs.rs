//! Pages of many runs: each run's metrics, methods and claims, the runs of a program side by side, and differences of two runs with the
//! spread of their repeats. [`pages`] is a function of [`Site`]; the pages link to each other by their names and to nothing else. Served
//! pages ([`page`]) are the same, with one for queries ([`asked`]) and one that lets a browser in ([`door`]).

mod difference;
mod facts;
mod frame;
mod index;
mod over_time;
mod program;
mod query;
mod run;
mod served;
mod site;
mod spread;
#[cfg(test)]
mod tests;
mod value;

pub use facts::{
    Bounds, Claimed, Contents, MOST_METHODS, MetricValue, Moment, OverTime, RanMethod, Site, StoredRun,
};
#[cfg(test)]
pub(crate) use frame::{STYLE, STYLE_HASH};
pub use query::{Asking, Outcome, Table, asked};
#[cfg(test)]
pub(crate) use served::{DOOR, DOOR_HASH, EDITOR, EDITOR_HASH};
pub use served::{door, policy, refusal};
pub use site::{is_page, needed, page, pages};
