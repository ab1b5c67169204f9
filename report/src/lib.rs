//! A run's records as one page of HTML that is complete in itself: without network or other files.
//!
//! [`html`] is a function of [`Facts`], which the controller reads from the files of a run. Everything that
//! comes from a program or from its operator, names of methods, labels of sizes, texts of assertions, is
//! escaped by the templates (maud) where it is put in; charts hold numbers and our own words only.
//!
//! The page is bounded for runs of any size: [`SHOWN`] comparisons and [`SHOWN_ASSERTIONS`] assertions have
//! charts, the rest one line of a table each. A chart draws some hundreds of points (`shape::thinned` keeps
//! the extremes).

#![forbid(unsafe_code)]
#![expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "figures are rounded for people and for pixels"
)]

mod chart;
mod doubt;
pub mod drill;
mod facts;
pub mod figure;
mod graph;
pub mod icicle;
mod judged;
mod measures;
mod names;
mod page;
mod reasons;
pub mod runs;
mod shape;
pub mod timeline;
mod why;
mod words;

pub use facts::{
    Call, Calls, Decisions, Facts, Reasons, SHOWN, SHOWN_ASSERTIONS, SHOWN_METHODS, Step, shown,
    shown_assertions, shown_methods,
};
pub use measures::measures;
pub use page::html;
pub use why::why;
