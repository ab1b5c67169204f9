//! Dynamic metrics: what a program is, from the counts of a finished drill.
//!
//! The counts of blocks, with the class files and what calls entered, are added up for each space of classes and methods
//! ([`Collect`]). Every metric of the table ([`metrics`]) is a function of such sums. Each value says whether it is exact, lies between
//! bounds, or is about a part, with the reasons. The language of [`sj`] says which events are recorded or counted.
//!
//! Nothing here reads files: `spl-export` has the drill's, and gives a class after the other.
#![forbid(unsafe_code)]

mod amount;
mod bins;
mod choice;
mod chosen;
mod collect;
mod count;
mod evaluate;
mod filter;
mod flow;
mod forms;
mod group;
mod heap;
mod heard;
mod hot;
mod lifetimes;
mod made;
mod metric;
pub mod metrics;
mod of_drill;
mod reasons;
mod series;
pub mod sj;
mod space;
mod tally;
mod under_way;

pub use amount::{Amount, Bounds, Figure};
pub use bins::Bin;
pub use choice::{Choice, meant};
pub use collect::{Collect, Collected};
pub use evaluate::{Exactness, InSpace, Measured, Value, Values};
pub use filter::{Filter, Rule};
pub use forms::{
    SCHEMA, csv, dot, explained, hierarchy, json, needed, series_csv, series_json, series_text, text, xml,
};
pub use heap::{InHeap, MOST_CLASSES as MOST_HEAP_CLASSES};
pub use heard::{Heard, RUNNABLE, Waits};
pub use hot::Cutoff;
pub use lifetimes::Lifetimes;
pub use metric::{Has, Kind, Metric, Need, Settings, Unit};
pub use of_drill::OfDrill;
pub use series::{OfMetric, OfSpace, Point, Series, Span};
pub use space::{Library, Space};
