//! Controller and agent messages: bytes to values and back.
//!
//! A connection begins with an [`Opening`]: the version exchange of [`handshake`](Greeting), whose bytes
//! never change, and the proofs of the token, if there is one ([`Nonces`]). Frames follow. A frame is a `u32`
//! little-endian length of the rest, a `u32` little-endian frame number that counts from 0 in each direction,
//! and one message in the [postcard](https://postcard.jamesmunns.com) encoding. The frame number turns a lost
//! or repeated frame into an error; without it the measurement would be wrong.
//!
//! Nothing here does I/O: an [`Encoder`] appends to a buffer, and a [`Decoder`] takes the bytes that were
//! read.
//!
//! ```
//! use spl_wire::{Decoder, Encoder, ToAgent};
//! let mut bytes = Vec::new();
//! Encoder::default().encode(&ToAgent::Ping { id: 7 }, &mut bytes)?;
//!
//! let mut decoder = Decoder::default();
//! decoder.push(&bytes);
//! assert_eq!(decoder.next::<ToAgent>()?, Some(ToAgent::Ping { id: 7 }));
//! assert_eq!(decoder.next::<ToAgent>()?, None);
//! # Ok::<(), spl_wire::WireError>(())
//! ```
#![forbid(unsafe_code)]

mod codec;
mod events;
mod handshake;
mod load;
mod message;
mod opening;
mod proof;
mod sample;
mod survey;

pub use codec::{Decoder, Encoder, MAX_FRAME_BYTES, WireError, clip};
pub use events::{
    EVENT_NAMES, EventCounts, EventPlace, Events, HEAP_BINS, HeapClass, LIFETIMES, Lifetimes, Listening,
    OfClass, OfPlace, RUNNABLE,
};
/// Most bytes of a class file in one message.
pub const CLASS_PART: usize = 512 * 1024;

pub use handshake::{Answer, Greeting, HandshakeError, MAX_VERSION_BYTES, PROTOCOL, Reply};
pub use load::{LEAVE, LoadAnswer, leave_of, leave_request};
pub use message::{
    ByeReason, Change, CountedMethod, Drilled, MAX_INSTANCE_BYTES, Readings, ToAgent, ToController,
};
pub use opening::{Opening, OpeningError, Step};
pub use proof::{
    AGENT_PROOF_BYTES, AgentProof, CONTROLLER_PROOF_BYTES, ControllerProof, NONCE_BYTES, Nonce, Nonces,
    Proof, Side, Token, digest,
};
pub use sample::{Label, Labels, MAX_SAMPLES, SampleFault, WireSample, WireSize};
pub use survey::{LoadedClass, LoadedMethod, MAX_CLASSES_BYTES, MAX_PATH_BYTES, Wanted, dotted};

#[cfg(test)]
mod tests;
