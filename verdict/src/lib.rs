//! A comparison and its samples to a verdict with reasons.
