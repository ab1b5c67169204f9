//! What is known of classes that were changed, and of the calls that ran while they were.

use crate::hook::Probed;
use crate::jvm::Running;
use crate::metaspace::Price;
use jni::objects::JClass;
use jni::refs::Weak;
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// What is known of a class that was changed.
pub(super) struct Changed {
    /// What another change costs.
    pub(super) price: Price,
    /// By what it is known that it has probes, if it has.
    pub(super) probed: Option<Probed>,
}

/// A class with probes, and what to compare.
pub(super) struct Watched {
    pub(super) class: Weak<JClass<'static>>,
    /// One of its methods that has a probe.
    pub(super) method: usize,
    /// A hash of its bytecode; `None` when the probe was gone at once.
    pub(super) code: Option<u64>,
    /// When it was as it should be, nanoseconds of the JVM's clock.
    pub(super) seen_ns: u64,
}

/// Calls that were running when their class was changed first.
#[derive(Default)]
pub(super) struct Calls {
    /// Names of the classes that were looked at.
    pub(super) known: HashSet<String>,
    pub(super) running: BTreeSet<Running>,
    /// When to look which of them still run.
    pub(super) look_at: Option<Instant>,
    pub(super) told: usize,
    /// Whether it was told that nothing is known.
    pub(super) unknown: bool,
}

impl Calls {
    /// How long until the next look, if one is to be made.
    pub(super) fn due(&self, now: Instant) -> Option<Duration> {
        self.look_at.map(|at| at.saturating_duration_since(now))
    }

    /// There is nobody to tell: no look is made any more.
    pub(super) fn forget(&mut self) {
        self.look_at = None;
        self.running.clear();
    }
}
