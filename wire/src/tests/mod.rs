//! Tests of the whole crate through its public items.

mod framing;
mod handshake;
mod messages;
mod proof;
mod samples;
