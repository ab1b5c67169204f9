//! One measured call.

use crate::Size;
use serde::{Deserialize, Serialize};

/// One measured call of one method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sample {
    start_ns: u64,
    end_ns: u64,
    /// Measured activations of the same method below this one in its thread; `None` if unknown.
    pub depth: Option<u32>,
    /// `java.lang.Thread` id.
    pub thread: u64,
    /// Workload size.
    pub size: Size,
    /// The call's kind of end and its disturbances.
    pub flags: SampleFlags,
    /// Number of the sampling window in which the call began, from 1 in each group of compared methods.
    /// `None` outside paired sampling, and for a call without an open window.
    pub window: Option<u64>,
}

impl Sample {
    /// A sample from the JVM's monotonic clock, in nanoseconds.
    ///
    /// # Errors
    /// When the end lies before the start. That is a clock anomaly; the caller drops and counts it.
    pub fn new(start_ns: u64, end_ns: u64) -> Result<Self, SampleError> {
        if end_ns < start_ns {
            return Err(SampleError { start_ns, end_ns });
        }
        Ok(Self {
            start_ns,
            end_ns,
            depth: None,
            thread: 0,
            size: Size::Unchecked,
            flags: SampleFlags::default(),
            window: None,
        })
    }

    /// Start of the call, nanoseconds of the JVM's monotonic clock.
    #[must_use]
    pub fn start_ns(&self) -> u64 {
        self.start_ns
    }

    /// End of the call, nanoseconds of the JVM's monotonic clock.
    #[must_use]
    pub fn end_ns(&self) -> u64 {
        self.end_ns
    }

    /// Duration of the call.
    #[must_use]
    pub fn duration_ns(&self) -> u64 {
        self.end_ns - self.start_ns
    }
}

/// Properties of a call besides its times, as a bit set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct SampleFlags(pub u16);

impl SampleFlags {
    /// The call ended by an exception.
    pub const THREW: Self = Self(1);
    /// The call began after probes were put into its class, while its method was being compiled again. That
    /// lasts until one second after the last compilation. The method was compiled before the change. The
    /// agent sets the flag for at most 5,000 samples and 5 seconds after a change.
    pub const WARM_UP: Self = Self(1 << 1);
    /// A pause for garbage collection overlapped the call.
    pub const GC: Self = Self(1 << 2);
    /// One of the agent's own changes of classes overlapped the call.
    pub const RETRANSFORM: Self = Self(1 << 3);
    /// The size computation stopped at its visit limit.
    pub const SIZE_TRUNCATED: Self = Self(1 << 4);
    /// The controller does not count the call: it was made during the warm-up, or was disturbed.
    pub const DISCARDED: Self = Self(1 << 5);

    /// Whether every bit of `other` is set.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The union of both sets.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A sample that ends before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the call ends at {end_ns} ns, before its start at {start_ns} ns")]
pub struct SampleError {
    start_ns: u64,
    end_ns: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sample_never_ends_before_it_starts() {
        assert_eq!(Sample::new(5, 9).unwrap().duration_ns(), 4);
        assert_eq!(Sample::new(5, 5).unwrap().duration_ns(), 0);
        assert!(Sample::new(6, 5).is_err());
    }

    #[test]
    fn flags_are_a_set() {
        let both = SampleFlags::THREW.with(SampleFlags::GC);
        assert!(both.contains(SampleFlags::GC) && both.contains(SampleFlags::THREW));
        assert!(!both.contains(SampleFlags::WARM_UP));
    }
}
