//! Sequential comparison of two means: look after every window, decide as soon as the evidence suffices.
//!
//! Pairs (x, y) of scaled times from shared windows estimate the ratio of means. Its variance accounts for
//! autocorrelation; an e-value for each direction (a normal mixture, Robbins 1970) stays valid however often one
//! looks, which a p-value does not. The validity is asymptotic, so nothing is decided below a minimum effective
//! number of pairs and of windows.

mod estimate;
mod evidence;
mod pairs;
mod share;
mod windows;

pub(crate) use estimate::autocorrelation;
pub use estimate::{RatioEstimate, autocorrelation_of, autocorrelation_time};
pub use evidence::Evidence;
pub use share::{calls_for_share, ln_e_share_over};
pub use windows::{Decision, Look, Sequential, Settings, SettingsError};
