//! The native agent: JVM TI callbacks, sample rings and threads.
//!
//! The entry point is `Agent_OnLoad` ([`agent`]). [`worker`] changes classes, [`connection`] talks with the
//! controller, and the probes of `java/` write into the memory that [`layout`] describes. Nothing here may
//! harm the JVM it is loaded into: every callback contains its panics, every failure leaves or restores the
//! original bytes, and nothing is printed.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::panic))]

mod agent;
mod arenas;
mod arrivals;
mod bypass;
mod connection;
mod counters;
mod counting;
mod drill;
mod fault;
mod gates;
mod hearing;
mod hook;
mod ids;
mod java;
mod jvm;
mod kinds;
mod late;
mod layout;
mod life;
mod memory;
mod metaspace;
mod natives;
mod objects;
mod options;
mod pauses;
mod receivers;
mod shared;
mod station;
mod stream;
mod sys;
mod waker;
mod warmth;
mod waves;
mod worker;

/// `Agent_OnLoad`, `Agent_OnAttach` and `Agent_OnUnload`, each with its panics contained.
mod entry {
    jvmti_bindings::export_agent!(crate::agent::SplAgent);
}
