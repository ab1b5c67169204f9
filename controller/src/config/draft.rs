//! A configuration while it is read.

use spl_session::config::Config;

/// Set of features beyond the thesis (`profile`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Profile {
    /// No features: measurements are made as in 2015.
    Thesis,
    /// All features for correct verdicts and cheap probes, according to the other keys.
    Production,
}

/// A configuration that is being read: its values, and keys that only have a meaning together.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) config: Config,
    pub(super) scale_base: u64,
    pub(super) logarithmic: bool,
    pub(super) profile: Profile,
    pub(super) paired: bool,
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            config: Config::default(),
            scale_base: 2,
            logarithmic: true,
            profile: Profile::Production,
            paired: true,
        }
    }
}
