//! Class bytes and a probe plan to new class bytes, or a typed refusal.
