//! How often verdicts are wrong: by simulation of latencies as programs have them, and with methods of a real JVM whose true
//! ratio is known.
#![forbid(unsafe_code)]

pub mod latencies;
mod random;
pub mod ratios;
pub mod simulation;

pub use random::Random;
