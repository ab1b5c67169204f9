//! Class bytes and a probe plan to new class bytes, or a typed refusal.
//!
//! The class file is cut, not re-encoded: everything but the code of an instrumented method and the end of the constant
//! pool is copied from the original.

#![forbid(unsafe_code)]

pub mod names;

mod inspect;
mod plan;

pub use inspect::{ClassInfo, MethodInfo};
pub use plan::{MethodKey, MethodReport, Plan, Probe, Rewritten, Sizes, Untouched};
