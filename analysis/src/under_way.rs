//! Methods in which a thread may have been when the JVM ended: it may have been at any instruction.

use spl_export::{Activations, Sites};
use std::collections::{BTreeMap, BTreeSet};

/// The activations that were under way at the end, as far as counts bound them.
#[derive(Clone, Debug, Default)]
pub struct UnderWay {
    /// Threads that may have been within counted methods.
    threads: u64,
    /// For each method in which a thread may have been, the activations that did not return.
    methods: BTreeMap<String, u64>,
}

impl UnderWay {
    /// A thread that is within a method has come there from outside by activations that did not return. An exception may have ended these
    /// as well. Without arcs each method may have been called from outside.
    #[must_use]
    pub fn of(sites: Option<&Sites>, activations: &BTreeMap<String, Activations>) -> Self {
        let entries = sites.map(Sites::entries).unwrap_or_default();
        let from_outside = |(name, all): &(&String, &Activations)| {
            let entered = entries.get(name.as_str()).copied().unwrap_or(0);
            all.calls.saturating_sub(entered).min(all.unreturned)
        };
        let mut threads = 0_u64;
        let mut found: BTreeSet<&str> = BTreeSet::new();
        let mut rest: Vec<&str> = Vec::new();
        for one in activations.iter().filter(|one| from_outside(one) > 0) {
            threads = threads.saturating_add(from_outside(&one));
            found.insert(one.0);
            rest.push(one.0);
        }
        let unreturned = |name: &str| activations.get(name).map_or(0, |all| all.unreturned);
        while let Some(caller) = rest.pop() {
            let called = sites.and_then(|sites| sites.of(caller)).into_iter().flat_map(BTreeMap::values);
            for one in called.flat_map(|site| &site.entered).filter(|one| unreturned(&one.method) > 0) {
                if found.insert(&one.method) {
                    rest.push(&one.method);
                }
            }
        }
        let methods = found.into_iter().map(|name| (name.to_owned(), unreturned(name))).collect();
        Self { threads, methods }
    }

    /// Activations of a method, which is named as in a task file, in which a thread may have been at the end. Those that wait for a call
    /// are not among them: where they are is known.
    #[must_use]
    pub fn in_method(&self, name: &str) -> u64 {
        self.methods.get(name).map_or(0, |unreturned| self.threads.min(*unreturned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Methods with their calls and the unreturned ones, and the calls from one to another.
    fn under_way(methods: &[(&str, u64, u64)], calls: &[(&str, &str, u64)]) -> UnderWay {
        let mut arcs = "method,at,answer,entered,receiver,calls\n".to_owned();
        for (at, (from, to, number)) in calls.iter().enumerate() {
            arcs.push_str(&format!("{from},{at},entered,{to},,{number}\n"));
        }
        let sites = Sites::read(arcs.as_bytes(), b"method,at,changes,threads\n").unwrap();
        let activations = methods
            .iter()
            .map(|(name, calls, unreturned)| {
                ((*name).to_owned(), Activations { calls: *calls, unreturned: *unreturned })
            })
            .collect();
        UnderWay::of(Some(&sites), &activations)
    }

    #[test]
    fn a_thread_is_where_activations_from_outside_lead() {
        // `run` was called from outside twice, and one of its activations is there; so is one that it called.
        let calls = [("run", "work", 9), ("work", "quick", 90), ("main", "fails", 5)];
        let methods = [("run", 2, 1), ("work", 9, 1), ("quick", 90, 0), ("main", 1, 0), ("fails", 5, 5)];
        let found = under_way(&methods, &calls);
        assert_eq!((found.in_method("run"), found.in_method("work"), found.in_method("quick")), (1, 1, 0));
        assert_eq!(found.in_method("fails"), 0, "its caller has returned, so exceptions ended all five");
    }

    #[test]
    fn each_thread_is_in_one_activation() {
        let found =
            under_way(&[("run", 2, 2), ("down", 50, 50)], &[("run", "down", 2), ("down", "down", 48)]);
        assert_eq!(found.in_method("down"), 2, "all others wait for a call");
        assert_eq!(under_way(&[("run", 2, 0)], &[]).in_method("run"), 0);
    }
}
