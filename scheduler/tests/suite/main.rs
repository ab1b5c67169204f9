//! The scheduler seen from outside: events and times in, decisions out.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test is about some of the values")]
#![expect(
    clippy::unwrap_used,
    reason = "a test ends where its premises fail; clippy knows only functions marked as tests"
)]

mod asserting;
mod bench;
mod budget;
mod filling;
mod finishing;
mod golden;
mod golden_rules;
mod hostile;
mod jvms;
mod lacking;
mod life;
mod listening;
mod listening_crowd;
mod paired;
mod probing;
mod selection;
mod simulated;
mod turns;
