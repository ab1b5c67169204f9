//! Tests of the whole crate through its public items.

mod framing;
mod handshake;
mod messages;
mod opening;
mod proof;
mod samples;
