//! Charts of the evaluation: figures as JSON to SVG.
//!
//! The same figures give the same bytes, so that a committed chart changes only with what it shows.
#![forbid(unsafe_code)]

mod draw;
mod figure;

pub use draw::{PlotError, svg};
pub use figure::{Axis, Chart, Kind, Line};
