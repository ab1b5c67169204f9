//! Weaving: what the kinds of probes put between the instructions of a method, and the engine that puts it there.

mod blocks;
mod calls;
mod counted_paths;
mod cover;
mod durations;
mod engine;
mod handlers;
mod kinds;
mod lengths;
mod lock;
mod paths;
mod receivers;
mod roots;
pub(crate) mod slots;
pub(crate) mod subject;
mod times;
mod trace;
mod woven;

pub(crate) use self::engine::weave;
pub(crate) use self::kinds::Weave;
pub(crate) use self::subject::{Counted, Subject};
pub(crate) use self::woven::{Guarded, ProgramLocals, THROWABLE, Woven};
