//! The spread of a run's repeats.

use super::facts::{Bounds, Key, Site, StoredRun};
use std::collections::BTreeMap;

/// For each value of a run the least and the most of all its repeats, the run itself among them.
pub(super) struct Spread<'a> {
    /// Number of runs, at least one.
    pub(super) runs: usize,
    of: BTreeMap<Key<'a>, Bounds>,
}

impl<'a> Spread<'a> {
    pub(super) fn of(site: &'a Site, run: &StoredRun) -> Self {
        let repeats: Vec<&StoredRun> = site.runs.iter().filter(|other| run.is_repeat(other)).collect();
        let mut of: BTreeMap<Key<'a>, Bounds> = BTreeMap::new();
        for value in repeats.iter().flat_map(|run| &run.values) {
            let Some(bounds) = value.bounds else { continue };
            of.entry(value.identity())
                .and_modify(|all| {
                    all.least = all.least.min(bounds.least);
                    all.most = all.most.max(bounds.most);
                    all.is_count &= bounds.is_count;
                })
                .or_insert(bounds);
        }
        Self { runs: repeats.len(), of }
    }

    pub(super) fn get(&self, key: &Key<'_>) -> Option<Bounds> {
        self.of.get(key).copied()
    }
}

/// Whether two ranges have no number in common.
pub(super) fn apart(one: Bounds, other: Bounds) -> bool {
    one.least > other.most || other.least > one.most
}
