//! Faults that tests inject, to see how an error of the agent's own affects the program. Release builds
//! contain none.

/// Panics if the environment variable `SPL_AGENT_PANIC` names this place.
#[cfg(debug_assertions)]
pub fn at(place: &str) {
    static ASKED_FOR: std::sync::OnceLock<Option<String>> = std::sync::OnceLock::new();
    let asked_for = ASKED_FOR.get_or_init(|| std::env::var("SPL_AGENT_PANIC").ok());
    #[expect(clippy::panic, reason = "it is what was asked for")]
    if asked_for.as_deref() == Some(place) {
        panic!("a test has asked for it");
    }
}

/// Does nothing in release builds.
#[cfg(not(debug_assertions))]
#[inline(always)]
pub fn at(_place: &str) {}
