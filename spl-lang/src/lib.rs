//! Task files and SPL formulas: text to spanned syntax trees, with diagnostics.
#![forbid(unsafe_code)]

mod diagnostic;
mod sign;
mod tasks;

pub use diagnostic::{Diagnostic, Related, Severity, Span};
pub use sign::{Sign, UnknownSign};
pub use tasks::{Comparison, MeasuredMethod, RunMode, Tasks};
