//! State of changed classes, of the calls that ran during the change, and of listening.

use crate::hook::Probed;
use crate::jvm::{Running, Taken};
use crate::metaspace::Price;
use jni::objects::JClass;
use jni::refs::Weak;
use std::collections::{BTreeSet, HashSet};
use std::time::{Duration, Instant};

/// Outcome of a change of one class.
pub(super) struct Changed {
    /// Price of the next change.
    pub(super) price: Price,
    /// How to recognise that the class has probes, if it has.
    pub(super) probed: Option<Probed>,
}

/// A class with probes, and its expected bytecode.
pub(super) struct Watched {
    pub(super) class: Weak<JClass<'static>>,
    /// A method of the class that has a probe.
    pub(super) method: usize,
    /// A hash of the method's bytecode; `None` if the probe was gone at once.
    pub(super) code: Option<u64>,
    /// Last time at which the probes were in place, in nanoseconds of the JVM's clock.
    pub(super) seen_ns: u64,
}

/// Calls that were running when their class was first changed.
#[derive(Default)]
pub(super) struct Calls {
    /// Names of the classes whose running calls were looked up.
    pub(super) known: HashSet<String>,
    pub(super) running: BTreeSet<Running>,
    /// Time of the next look at these calls.
    pub(super) look_at: Option<Instant>,
    pub(super) told: usize,
    /// Whether the operator was warned that running calls are unknown.
    pub(super) unknown: bool,
}

impl Calls {
    /// Time until the next look, if one is due.
    pub(super) fn due(&self, now: Instant) -> Option<Duration> {
        self.look_at.map(|at| at.saturating_duration_since(now))
    }

    /// Cancels the look: no controller is there to be informed.
    pub(super) fn forget(&mut self) {
        self.look_at = None;
        self.running.clear();
    }
}

/// Listening that is under way.
#[derive(Debug)]
pub(super) struct Heard {
    pub(super) taken: Taken,
    pub(super) look_every: Duration,
    pub(super) next_look: Instant,
    pub(super) next_report: Instant,
    /// Collections at the last look at the memory.
    pub(super) collections: u64,
    /// Whether there were too many threads for a look.
    pub(super) is_overrun: bool,
}

impl Heard {
    /// Time until something is due.
    pub(super) fn due(&self, now: Instant) -> Duration {
        self.next_look.min(self.next_report).saturating_duration_since(now)
    }
}
