//! A class that counted, as the agent describes it.

use spl_model::Refusal;

/// A class whose methods counted or set flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedClass {
    /// Its name, with slashes.
    pub name: String,
    /// Its class file, as it was before.
    pub bytes: Vec<u8>,
    /// Whether it counted from its first instruction on.
    pub from_start: bool,
    /// Its methods that were to count.
    pub methods: Vec<CountedMethod>,
}

/// A method that was to count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedMethod {
    /// Name.
    pub name: String,
    /// Descriptor.
    pub descriptor: String,
    /// Number of its first counter or flag.
    pub first: u32,
    /// Its number of counters or flags, or why it does not count.
    pub counters: Result<u32, Refusal>,
}

impl CountedMethod {
    /// The number after its last counter or flag.
    #[must_use]
    pub fn end(&self) -> u64 {
        u64::from(self.first) + self.counters.as_ref().map_or(0, |counters| u64::from(*counters))
    }
}
