//! Instruments of methods, and their numbers.

use crate::{FieldType, MethodRef};
use serde::{Deserialize, Serialize};

/// A method and the kind of probe in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Instrument {
    /// The method, in every class of that name.
    pub method: MethodRef,
    /// The kind of probe.
    pub kind: ProbeKind,
}

/// The readings of a probe.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ProbeKind {
    /// Start and end of each call, with its workload size.
    Times(Sizing),
}

impl Instrument {
    /// The key of an instrument. Two instruments with the same key differ only in details such as the
    /// workload size.
    #[must_use]
    pub fn identity(&self) -> (MethodRef, &'static str) {
        (self.method.clone(), self.kind.name())
    }
}

impl ProbeKind {
    /// The names of all kinds that this release knows.
    pub const NAMES: [&str; 1] = ["times"];

    /// The name that agent and controller agree on.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Times(_) => Self::NAMES[0],
        }
    }
}

/// The way to compute the workload size of a call (thesis 3.2.2).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Sizing {
    /// Sizes are not computed.
    None,
    /// The size in bytes of each reference argument's own object.
    Shallow,
    /// The size in bytes of all objects reachable from each reference argument.
    Deep,
    /// Numbers count by their value; texts, arrays and collections by their length.
    Length,
    /// The size processor of this class name gets the object that the method is called on and all arguments.
    Processor(String),
}

impl Sizing {
    /// The workload size of a method whose calls all have the same size, so that its probes need not compute
    /// it. Without reference arguments that is the width of the arguments; without arguments it is 0.
    #[must_use]
    pub fn constant(&self, method: &MethodRef) -> Option<u64> {
        let parameters = method.descriptor().parameters();
        let is_constant = match self {
            Self::None | Self::Processor(_) => false,
            Self::Shallow | Self::Deep => !parameters.iter().any(FieldType::is_reference),
            // Numbers count by their values.
            Self::Length => parameters.is_empty(),
        };
        is_constant.then(|| parameters.iter().map(FieldType::primitive_bytes).sum())
    }
}

/// The number of an instrument on one connection between controller and agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Handle(pub u32);

impl Handle {
    /// As an index into the list of a controller's methods, which it numbers from 0.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// The permanent number of an instrument in one JVM, used for its gate and in its bytecode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstrumentId(pub u32);

impl InstrumentId {
    /// The number as an index into a table of all instruments.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_that_never_change_are_known() {
        let size = |method: &str, sizing: Sizing| sizing.constant(&method.parse().unwrap());
        assert_eq!(size("C.f(IJ)V", Sizing::Shallow), Some(12));
        assert_eq!(size("C.f(IJ)V", Sizing::Deep), Some(12));
        assert_eq!(size("C.f(I[J)V", Sizing::Deep), None);
        assert_eq!(size("C.f(I)V", Sizing::Length), None);
        assert_eq!(size("C.f()V", Sizing::Length), Some(0));
        assert_eq!(size("C.f()V", Sizing::None), None);
        assert_eq!(size("C.f()V", Sizing::Processor("p.P".to_owned())), None);
    }

    #[test]
    fn each_kind_has_a_name_of_its_own() {
        assert_eq!(ProbeKind::Times(Sizing::None).name(), "times");
        let names: std::collections::BTreeSet<_> = ProbeKind::NAMES.into();
        assert_eq!(names.len(), ProbeKind::NAMES.len());
    }
}
