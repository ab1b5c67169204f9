//! Class bytes and a probe plan to new class bytes, or a typed refusal.
//!
//! The class file is cut, not re-encoded: everything but the code of an instrumented method and the end of the constant
//! pool is copied from the original.

#![forbid(unsafe_code)]

pub mod names;

mod budget;
mod check;
mod class;
mod code;
mod emit;
mod flow;
mod frames;
mod insn;
mod inspect;
mod layout;
mod method;
mod mutf8;
mod nearest;
mod opcode;
mod plan;
mod pool;
mod reader;
mod region;
mod rewrite;
mod signature;
mod sites;
mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod weave;

pub use inspect::{ClassInfo, MethodInfo, inspect};
pub use plan::{MethodKey, MethodReport, Plan, Probe, Rewritten, Sizes, Untouched};
pub use rewrite::{instrument, verify};
pub use sites::{call_sites_of, static_calls, static_calls_of};
pub use spl_model::Refusal;
