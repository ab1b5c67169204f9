//! Sequential comparison of two means: look after every window, and decide as soon as the evidence suffices.
//!
//! Pairs (x, y) of scaled times from shared windows estimate the ratio of means. Its variance accounts for
//! autocorrelation. An e-value for each direction (a normal mixture, Robbins 1970) stays valid for any number
//! of looks, unlike a p-value. The validity is asymptotic, so decisions need a minimum effective number of
//! pairs and of windows.

mod estimate;
mod evidence;
mod fleet;
mod pairs;
mod share;
mod windows;

pub(crate) use estimate::autocorrelation;
pub use estimate::{RatioEstimate, autocorrelation_of, autocorrelation_time};
pub use evidence::Evidence;
pub use fleet::{FleetEstimate, Member, Odd, odd_ones};
pub use share::{calls_for_share, ln_e_share_over};
pub use windows::{Decision, Look, Sequential, Settings, SettingsError};
