//! State of the scheduler for one JVM: measured methods, probes, gates, costs and clock.

use crate::budget::Meters;
use crate::gates::Gates;
use crate::law::Law;
use crate::probes::Probes;
use crate::roster::Roster;
use crate::windows::Rotation;
use crate::{Budget, JvmIx, Paired, Settings};

/// One JVM.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Station {
    pub(crate) ix: JvmIx,
    pub(crate) roster: Roster,
    pub(crate) law: Law,
    pub(crate) probes: Probes,
    pub(crate) meters: Meters,
    pub(crate) gates: Gates,
    /// The windows of each group of methods; empty under the thesis's policy.
    pub(crate) rotations: Vec<Rotation>,
    /// Difference of the JVM's clock from the owner's, nanoseconds.
    pub(crate) clock_offset_ns: i128,
    /// Time of the last sample's arrival by the owner's clock, or of the start; `None` before the start.
    pub(crate) last_receipt_ns: Option<u64>,
    /// Calls that begin earlier by the JVM's clock are discarded: the program was not warm. `u64::MAX` while it warms up.
    pub(crate) warm_from_ns: u64,
    /// Time at which methods without a place last began to listen.
    pub(crate) listening_since_ns: Option<u64>,
    /// Limit of the measuring cost in its program.
    pub(crate) budget: Option<Budget>,
}

impl Station {
    /// A JVM in which nothing is measured yet.
    pub(crate) fn new(ix: JvmIx, roster: Roster, settings: &Settings) -> Self {
        Self {
            ix,
            rotations: if settings.windows().is_some() { Rotation::of_units(&roster) } else { Vec::new() },
            law: match settings.windows() {
                Some(windows) if windows.owner_decides => {
                    Law::of_windows(settings.initial_optimal, roster.unfinished())
                }
                _ => Law::new(settings.initial_optimal, roster.unfinished()),
            },
            probes: Probes::new(roster.len()),
            meters: Meters::new(roster.len(), if settings.owner_decides() { Paired::FIRST_CALLS } else { 1 }),
            gates: Gates::default(),
            clock_offset_ns: 0,
            last_receipt_ns: None,
            warm_from_ns: 0,
            listening_since_ns: None,
            budget: settings.budget,
            roster,
        }
    }

    /// Whether the program warms up.
    pub(crate) fn is_cold(&self) -> bool {
        self.warm_from_ns == u64::MAX
    }

    /// A time of the owner's clock by the JVM's, nanoseconds.
    pub(crate) fn jvm_ns(&self, now_ns: u64) -> u64 {
        let jvm_ns = (i128::from(now_ns) + self.clock_offset_ns).clamp(0, i128::from(u64::MAX));
        u64::try_from(jvm_ns).unwrap_or(u64::MAX)
    }
}
