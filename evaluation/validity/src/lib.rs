//! Rates of wrong verdicts: by simulation of latencies as programs have them, and with methods of a real JVM
//! whose true ratio is known.
#![forbid(unsafe_code)]

pub mod bodies;
pub mod catalogue;
pub mod claims;
pub mod fleets;
pub mod interval;
pub mod judged;
pub mod known;
pub mod latencies;
pub mod marginal;
pub mod processes;
mod random;
pub mod ratios;
pub mod recording;
pub mod simulation;
pub mod truths;
pub mod wrong;

pub use random::Random;
