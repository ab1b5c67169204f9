//! The gates of all methods: their openings, with start and taken samples.

use crate::MethodIx;
use std::collections::{BTreeMap, BTreeSet};

/// The gates of all methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Gates {
    pub(crate) open: BTreeMap<MethodIx, Opening>,
    /// Open gates that may have to close, because their state changed since the last check.
    pub(crate) unsettled: BTreeSet<MethodIx>,
    /// Method with which the account's next round begins: without rotation the last one might never be
    /// served.
    pub(crate) first: usize,
}

/// One opening of a gate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opening {
    pub(crate) every: u32,
    /// Number of samples after which the gate closes by itself.
    pub(crate) quota: Option<u64>,
    pub(crate) taken: u64,
    /// Picoseconds of CPU time that the account has reserved for the rest of the quota.
    pub(crate) reserved_ps: u128,
    /// First and last end of a sample, nanoseconds of the JVM's clock.
    pub(crate) ends_ns: Option<(u64, u64)>,
    /// Start of the opening, nanoseconds of the owner's clock.
    pub(crate) since_ns: u64,
    /// Whether the JVM needs the order again: a new turn begins, or the gate may have closed unseen.
    pub(crate) stale: bool,
    /// Whether samples were lost while it was open, perhaps of this method.
    pub(crate) doubted: bool,
}

impl Opening {
    pub(crate) fn is_spent(&self) -> bool {
        self.quota.is_some_and(|quota| self.taken >= quota)
    }
}

impl Gates {
    /// Whether the gate was opened and not closed since; it may have closed by itself.
    pub(crate) fn is_open(&self, method: MethodIx) -> bool {
        self.open.contains_key(&method)
    }

    /// Since when the gate is open, nanoseconds of the owner's clock; `None` when it is not.
    pub(crate) fn open_since_ns(&self, method: MethodIx) -> Option<u64> {
        self.open.get(&method).map(|opening| opening.since_ns)
    }

    /// Marks the gate for a new order: a new turn of the method begins.
    pub(crate) fn begin_turn(&mut self, method: MethodIx) {
        if let Some(opening) = self.open.get_mut(&method) {
            opening.stale = true;
            self.unsettled.insert(method);
        }
    }

    /// Marks gates with a quota for a new order. After losses in unknown methods such a gate may have closed
    /// although its samples did not arrive.
    pub(crate) fn distrust(&mut self) {
        for (&method, opening) in self.open.iter_mut().filter(|(_, opening)| opening.quota.is_some()) {
            opening.stale = true;
            opening.doubted = true;
            self.unsettled.insert(method);
        }
    }

    /// Counts a sample that ended at this time and has this cost. Gives the reservation for it.
    pub(crate) fn take(&mut self, method: MethodIx, end_ns: u64, cost_ps: u128) -> u128 {
        let Some(opening) = self.open.get_mut(&method) else { return 0 };
        opening.taken = opening.taken.saturating_add(1);
        if opening.is_spent() {
            self.unsettled.insert(method);
        }
        let (first, last) = opening.ends_ns.unwrap_or((end_ns, end_ns));
        opening.ends_ns = Some((first.min(end_ns), last.max(end_ns)));
        let paid = opening.reserved_ps.min(cost_ps);
        opening.reserved_ps -= paid;
        paid
    }
}
