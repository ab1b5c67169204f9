//! What was measured of each method, by windows: every call that began in a turn counts, however long it took.

use spl_model::Bucket;
use std::collections::BTreeMap;

/// A method's calls in one window.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Turn {
    /// Number of the window, rising.
    pub window: u64,
    /// When the first call began, nanoseconds of the JVM's clock.
    pub began_ns: u64,
    /// Durations in nanoseconds by workload size, in the order in which the calls began.
    pub calls: BTreeMap<Bucket, Vec<u64>>,
    /// Whether a call that began in this turn had not ended when the window was closed: how long it takes is not known.
    pub censored: bool,
}

/// The turns of all methods.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    methods: Vec<Vec<Turn>>,
    /// What a call of an empty method reports, nanoseconds: so much of each duration is the probe's.
    pub probe_ns: f64,
}

impl History {
    /// Nothing yet, of so many methods.
    #[must_use]
    pub fn new(methods: usize) -> Self {
        Self { methods: vec![Vec::new(); methods], probe_ns: 0.0 }
    }

    /// Adds a turn; turns of a method come in the order of their windows. One without a call, or of no method, is nothing,
    /// unless a call of it is outstanding.
    pub fn add(&mut self, method: usize, turn: Turn) {
        if let Some(turns) = self.methods.get_mut(method)
            && (turn.censored || !turn.calls.is_empty())
        {
            turns.push(turn);
        }
    }

    /// The turns of a method, in the order of their windows.
    #[must_use]
    pub fn turns(&self, method: usize) -> &[Turn] {
        self.methods.get(method).map_or(&[], Vec::as_slice)
    }

    /// Calls of a method.
    #[must_use]
    pub fn calls(&self, method: usize) -> u64 {
        self.turns(method).iter().flat_map(|turn| turn.calls.values()).map(|calls| calls.len() as u64).sum()
    }

    /// The windows in which all these methods have a turn.
    pub(super) fn shared<'a>(&'a self, methods: &[usize]) -> Vec<Vec<&'a Turn>> {
        let Some((&first, others)) = methods.split_first() else { return Vec::new() };
        let mut rest: Vec<_> = others.iter().map(|&method| self.turns(method).iter().peekable()).collect();
        let mut shared = Vec::new();
        for turn in self.turns(first) {
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
