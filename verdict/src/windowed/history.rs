//! Measured calls of each method, by windows: every call that began in a turn counts, however long it took.

use spl_model::Bucket;
use std::collections::BTreeMap;

/// A method's calls in one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// The JVM, as numbered by [`History::instance`]; 0 where only one is measured.
    pub instance: usize,
    /// Number of the window, rising, and different in each JVM.
    pub window: u64,
    /// Start of the first call, nanoseconds of the JVM's clock.
    pub began_ns: u64,
    /// Durations in nanoseconds by workload size, in the order in which the calls began.
    pub calls: BTreeMap<Bucket, Vec<u64>>,
    /// The workload size of each of these calls; empty for a bucket whose calls have no size.
    pub sizes: BTreeMap<Bucket, Vec<u64>>,
    /// True if a call that began in this turn had not ended when the window was closed: its duration is
    /// unknown.
    pub censored: bool,
}

/// The turns of all methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The turns of each method, for each instance that has any.
    instances: BTreeMap<usize, Vec<Vec<Kept>>>,
    /// Number of methods.
    methods: usize,
    /// Names of the instances, by their numbers.
    names: Vec<String>,
    /// Nanoseconds of each duration that are the probe's own, by the names of instances.
    probes: BTreeMap<String, f64>,
}

/// A turn with its calls by strata.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Kept {
    pub(super) window: u64,
    pub(super) began_ns: u64,
    pub(super) strata: BTreeMap<Stratum, Calls>,
    pub(super) censored: bool,
}

/// Calls of nearly the same workload size.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stratum {
    pub(super) bucket: Bucket,
    /// The lower end of the sizes within the bucket; `None` for the whole bucket.
    pub(super) from: Option<u64>,
}

/// The calls of a stratum in a turn.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Calls {
    pub(super) times: Vec<u64>,
    /// The sum of the calls' sizes.
    pub(super) sizes: f64,
}

impl History {
    /// An empty history of this number of methods.
    #[must_use]
    pub fn new(methods: usize) -> Self {
        Self { methods, ..Self::default() }
    }

    /// The number of the instance with this name, which is new with its first call.
    pub fn instance(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    /// Names of the instances, by their numbers.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }

    /// The name of an instance; empty where only one is measured.
    pub(super) fn name(&self, instance: usize) -> &str {
        self.names.get(instance).map_or("", String::as_str)
    }

    /// Sets the time that a call of an empty method reports in an instance, nanoseconds.
    pub fn probe_takes(&mut self, instance: &str, ns: f64) {
        self.probes.insert(instance.to_owned(), ns);
    }

    /// The time that a call of an empty method reports in these instances: the longest, nanoseconds. Where it is not known
    /// of an instance, it is like the longest of the others.
    pub(super) fn probe_ns(&self, instances: &[usize]) -> f64 {
        let longest = |probes: &mut dyn Iterator<Item = &f64>| probes.copied().reduce(f64::max);
        let known = instances.iter().map(|&id| self.probes.get(self.name(id))).collect::<Option<Vec<_>>>();
        let of_these = known.and_then(|known| longest(&mut known.into_iter()));
        of_these.or_else(|| longest(&mut self.probes.values())).unwrap_or(0.0)
    }

    /// The instances that have turns of any method.
    pub(super) fn instances(&self) -> impl Iterator<Item = usize> {
        self.instances.keys().copied()
    }

    /// Adds a turn. A turn without a call, or of an unknown method, is dropped, unless a call of it is outstanding. A later part of a known turn completes
    /// it: its calls are added, and the turn is censored according to the latest part.
    pub fn add(&mut self, method: usize, turn: Turn) {
        if method >= self.methods {
            return;
        }
        let methods = self.methods;
        let of_instance = self.instances.entry(turn.instance).or_insert_with(|| vec![Vec::new(); methods]);
        let turns = &mut of_instance[method];
        let known = turns.binary_search_by_key(&turn.window, |kept| kept.window);
        if known.is_err() && !turn.censored && turn.calls.is_empty() {
            return;
        }
        let Turn { window, began_ns, calls, sizes, censored, .. } = turn;
        let at = known.unwrap_or_else(|at| {
            turns.insert(at, Kept { window, began_ns, strata: BTreeMap::new(), censored });
            at
        });
        let kept = &mut turns[at];
        kept.censored = censored;
        for (bucket, times) in calls {
            let sizes = sizes.get(&bucket).map_or(&[][..], Vec::as_slice);
            let mut strata: BTreeMap<Option<u64>, Calls> = BTreeMap::new();
            for (index, time) in times.into_iter().enumerate() {
                let size = sizes.get(index);
                let of_stratum = strata.entry(size.map(|&size| lower_end(size))).or_default();
                of_stratum.times.push(time);
                of_stratum.sizes += size.map_or(0.0, |&size| size as f64);
            }
            for (from, calls) in strata {
                let of_stratum = kept.strata.entry(Stratum { bucket: bucket.clone(), from }).or_default();
                of_stratum.times.extend(calls.times);
                of_stratum.sizes += calls.sizes;
            }
        }
    }

    /// The turns of a method in an instance, in the order of their windows.
    pub(super) fn turns(&self, instance: usize, method: usize) -> &[Kept] {
        self.instances.get(&instance).and_then(|methods| methods.get(method)).map_or(&[], Vec::as_slice)
    }

    /// Number of calls of a method.
    #[must_use]
    pub fn calls(&self, method: usize) -> u64 {
        self.instances()
            .flat_map(|instance| self.turns(instance, method))
            .flat_map(|turn| turn.strata.values())
            .map(|calls| calls.times.len() as u64)
            .sum()
    }

    /// The windows of an instance in which all these methods have a turn.
    pub(super) fn shared<'a>(&'a self, instance: usize, methods: &[usize]) -> Vec<Vec<&'a Kept>> {
        let Some((&first, others)) = methods.split_first() else { return Vec::new() };
        let mut rest: Vec<_> =
            others.iter().map(|&method| self.turns(instance, method).iter().peekable()).collect();
        let mut shared = Vec::new();
        for turn in self.turns(instance, first) {
            let mut all = vec![turn];
            for turns in &mut rest {
                while turns.next_if(|other| other.window < turn.window).is_some() {}
                all.extend(turns.peek().filter(|other| other.window == turn.window).copied());
            }
            if all.len() == methods.len() {
                shared.push(all);
            }
        }
        shared
    }
}

/// The lower end of the sizes that count as equal to this one: at most an eighth apart; small sizes count
/// alone.
fn lower_end(size: u64) -> u64 {
    const DIGITS: u32 = 4;
    let beyond = (u64::BITS - size.leading_zeros()).saturating_sub(DIGITS);
    size >> beyond << beyond
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_a_stratum_are_an_eighth_apart_at_most() {
        for size in (0..4096).chain([u64::MAX - 1, 1 << 40, (1 << 40) + 12_345]) {
            let low = lower_end(size);
            assert!(low <= size && (size - low) as f64 <= low as f64 / 8.0, "{size} from {low}");
        }
        assert_eq!([lower_end(15), lower_end(17), lower_end(950)], [15, 16, 896]);
    }

    #[test]
    fn a_call_that_ends_late_completes_its_turn() {
        let mut history = History::new(1);
        let turn = |window, times: &[u64], censored| Turn {
            window,
            calls: BTreeMap::from([(Bucket::All, times.to_vec())]),
            censored,
            ..Turn::default()
        };
        history.add(0, turn(1, &[5], true));
        history.add(0, turn(2, &[6], false));
        assert!(history.turns(0, 0)[0].censored);
        history.add(0, turn(1, &[900], false));
        assert_eq!((history.calls(0), history.turns(0, 0).len()), (3, 2));
        assert!(!history.turns(0, 0)[0].censored);
    }

    #[test]
    fn windows_of_instances_stay_apart() {
        let mut history = History::new(2);
        let names = ["a", "b", "a"].map(|name| history.instance(name));
        assert_eq!(names, [0, 1, 0]);
        for (instance, window, method) in [(0, 1, 0), (1, 1, 1), (0, 2, 0), (0, 2, 1)] {
            let calls = BTreeMap::from([(Bucket::All, vec![5])]);
            history.add(method, Turn { instance, window, calls, ..Turn::default() });
        }
        // Each instance has a window 1, and none of these has calls of both methods.
        assert_eq!([0, 1].map(|instance| history.shared(instance, &[0, 1]).len()), [1, 0]);
        assert_eq!([0, 1].map(|method| history.calls(method)), [2, 2]);
    }
}
