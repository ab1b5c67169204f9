//! From class bytes and a probe plan to new class bytes, or a typed refusal.
//!
//! The class file is spliced, not re-encoded: everything except the code of an instrumented method and the
//! end of the constant pool is copied from the original.

#![forbid(unsafe_code)]

pub mod names;

mod budget;
mod check;
mod constants;
mod count;
mod emit;
mod flow;
mod frame_writer;
mod inspect;
mod layout;
mod method;
mod nearest;
mod new_code;
mod plan;
mod region;
mod rewrite;
mod sites;
mod stack_maps;
mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod weave;

pub use count::{CountedClass, CountedMethod, Counting, count};
pub use inspect::{ClassInfo, MethodInfo, inspect};
pub use plan::{MethodKey, MethodReport, Plan, Probe, Rewritten, Untouched};
pub use rewrite::{instrument, verify};
pub use sites::{call_sites_of, lock_at, static_calls, static_calls_of};
pub use spl_model::Refusal;
