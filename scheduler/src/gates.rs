//! The gates of all methods: which are open, since when, and what each has taken.

use crate::MethodIx;
use std::collections::{BTreeMap, BTreeSet};

/// The gates of all methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Gates {
    pub(crate) open: BTreeMap<MethodIx, Opening>,
    /// Those of them that may have to close, by what became of them since this was looked at last.
    pub(crate) unsettled: BTreeSet<MethodIx>,
    /// With which method the account's next round begins, lest one is served last for ever.
    pub(crate) first: usize,
}

/// One opening of a gate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Opening {
    pub(crate) every: u32,
    /// Samples after which the gate closes by itself.
    pub(crate) quota: Option<u64>,
    pub(crate) taken: u64,
    /// What the account has set aside for the rest of the quota, picoseconds of CPU time.
    pub(crate) reserved_ps: u128,
    /// First and last end of a sample, nanoseconds of the JVM's clock.
    pub(crate) ends_ns: Option<(u64, u64)>,
    /// When it was opened, nanoseconds of the owner's clock.
    pub(crate) since_ns: u64,
    /// Whether the JVM has to be told again: a new turn begins, or the gate may be closed for all we know.
    pub(crate) stale: bool,
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

    /// A new turn of the method begins.
    pub(crate) fn begin_turn(&mut self, method: MethodIx) {
        if let Some(opening) = self.open.get_mut(&method) {
            opening.stale = true;
            self.unsettled.insert(method);
        }
    }

    /// Samples were lost, and nobody knows whose: a gate may have closed although its samples did not arrive.
    pub(crate) fn distrust(&mut self) {
        for (&method, opening) in self.open.iter_mut().filter(|(_, opening)| opening.quota.is_some()) {
            opening.stale = true;
            self.unsettled.insert(method);
        }
    }

    /// A sample arrived that ended at this time and costs so much. Gives what was set aside for it.
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
