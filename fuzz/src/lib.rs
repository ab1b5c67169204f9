//! Damaged and hostile inputs for all that reads bytes: the wire protocol, record files, task files, class files.
//!
//! Each file of `tests/` is one target with one test: it runs the inputs of its corpus as they are, then mutates them
//! for a fixed number of rounds. The same seed makes the same inputs, so that a run can be repeated:
//!
//! ```text
//! SPL_FUZZ_ITERATIONS=5000000 SPL_FUZZ_SEED=7 cargo test --release -p spl-fuzz --test wire
//! ```
//!
//! An input fails when the target panics on it, allocates more than [`MAX_HEAP_BYTES`] or takes longer than
//! [`MAX_TIME`]. It is then saved, and the message says where; put into `corpus/TARGET` it is tried in every later run.
//!
//! Instead of the coverage that a fuzzer needs a special compiler for, a target says what became of an input (its
//! *outcome*, a hash); inputs with an outcome not seen before are mutated further.
#![forbid(unsafe_code)]

mod campaign;
mod corpus;
mod mutate;
mod rng;

pub use campaign::{Campaign, MAX_HEAP_BYTES, MAX_TIME};
pub use corpus::corpus;
pub use rng::Rng;

use std::hash::{DefaultHasher, Hash, Hasher};

/// What a target may hash into its outcome.
#[must_use]
pub fn outcome(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}
