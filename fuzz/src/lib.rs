//! Damaged and hostile inputs for all code that reads bytes: the wire protocol, record files, task files,
//! class files.
//!
//! Each file of `tests/` is one target with one test. It runs the inputs of its corpus unchanged, then
//! mutates them for a fixed number of rounds. The same seed gives the same inputs, so a run can be repeated:
//!
//! ```text
//! SPL_FUZZ_ITERATIONS=5000000 SPL_FUZZ_SEED=7 cargo test --release -p spl-fuzz --test wire
//! ```
//!
//! An input fails when the target panics on it, allocates more than [`MAX_HEAP_BYTES`] or takes longer than
//! [`MAX_TIME`]. The input is then saved, and the message names the file. Put into `corpus/TARGET`, it is
//! tried in every later run.
//!
//! A coverage-guided fuzzer needs a special compiler. Here a target reports the result of an input instead
//! (its *outcome*, a hash). Inputs with a new outcome are mutated further.
#![forbid(unsafe_code)]

mod campaign;
mod corpus;
mod mutate;
mod rng;

pub use campaign::{Campaign, MAX_HEAP_BYTES, MAX_TIME};
pub use corpus::corpus;
pub use rng::Rng;

use std::hash::{DefaultHasher, Hash, Hasher};

/// The hash of a value, as an outcome of a target.
#[must_use]
pub fn outcome(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
