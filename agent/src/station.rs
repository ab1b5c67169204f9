//! The station: the methods that this session's controller has defined, their instruments, and which of their
//! gates are open.
//!
//! This file sends no message and reads no ring. The connection passes on the orders and reports their
//! outcome.

mod closings;
mod numbers;

pub use numbers::Named;

use crate::bypass::Bypass;
use crate::gates::Gates;
use crate::ids::Ids;
use crate::kinds;
use crate::shared::Target;
use closings::Closings;
use numbers::Numbers;
use spl_model::{Handle, Instrument, InstrumentId, MethodRef, Outcome};
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

/// Most methods that one controller may define: many more than can be instrumented, few enough to bound the
/// memory.
const MAX_DEFINED: usize = 65_536;
/// Most bytes of the names of all defined methods together.
const MAX_NAMES: usize = 16 << 20;
/// The orders of one controller, and the permanent ids, which belong to the JVM.
#[derive(Debug)]
pub struct Station {
    gates: &'static Gates,
    ids: Ids,
    methods: BTreeMap<Handle, Method>,
    /// Identities of the instruments of `methods`.
    defined: HashSet<(MethodRef, &'static str)>,
    /// Bytes of the names of all defined methods.
    names: usize,
    numbers: Numbers,
    /// Handles of the methods with an open gate.
    open: BTreeSet<Handle>,
    /// Samples that may be taken until all open gates have closed.
    may_come: u64,
    closings: Closings,
}

#[derive(Debug)]
struct Method {
    instrument: Instrument,
    id: Option<InstrumentId>,
    /// Samples that may still be taken until the gate closes; 0 for a closed gate.
    left: u64,
    /// Whether the controller has set no quota.
    unbounded: bool,
    /// Samples taken in this session.
    taken: u64,
    /// Whether the controller was informed that the agent's own limit is reached.
    limited: bool,
    /// One call in this number is sampled.
    every: u32,
    /// Number of closings by the controller, and the newest opening that it closed.
    closed: (u64, u32),
    /// Whether its gate was open since the last look for probes, and the samples taken by then.
    opened: (bool, u64),
    /// For a method whose calls the JVM may replace by an intrinsic; with the samples taken at the last look.
    bypass: Option<(Bypass, u64)>,
}

impl Station {
    /// A station without methods.
    pub fn new(gates: &'static Gates) -> Self {
        Self {
            gates,
            ids: Ids::default(),
            methods: BTreeMap::new(),
            defined: HashSet::new(),
            names: 0,
            numbers: Numbers::default(),
            open: BTreeSet::new(),
            may_come: 0,
            closings: Closings::default(),
        }
    }

    /// Forgets the methods that a session's controller has defined. Ids stay, because they are in the
    /// bytecode.
    pub fn forget(&mut self) {
        self.methods.clear();
        self.defined.clear();
        self.names = 0;
        self.numbers = Numbers::default();
        (self.open, self.may_come) = (BTreeSet::new(), 0);
    }

    /// Forgets the closings of an earlier session's controller.
    pub fn forget_closings(&mut self) {
        self.closings.forget();
    }

    /// Whether no method is defined.
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }

    /// Whether a method has got a permanent id in this session.
    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// Defines a method. A handle names one method for good, and a method has one handle, so that calls never
    /// change their name.
    ///
    /// # Errors
    /// When the handle or the method is in use, or there are too many; a line for the operator.
    pub fn define(&mut self, handle: Handle, instrument: Instrument) -> Result<(), String> {
        let known = self.methods.contains_key(&handle) || self.defined.contains(&instrument.identity());
        let method = &instrument.method;
        let length = method.to_string().len() + kinds::processor(&instrument).map_or(0, str::len);
        if known || self.methods.len() >= MAX_DEFINED || self.names + length > MAX_NAMES {
            return Err(format!(
                "{method} was not defined as number {handle}: one of both is in use, or there are too many"
            ));
        }
        self.names += length;
        self.defined.insert(instrument.identity());
        self.methods.insert(handle, Method::new(instrument));
        Ok(())
    }

    /// The instruments of these handles with their ids, and the handles for which no id is left.
    pub fn targets(&mut self, handles: &[Handle]) -> (Vec<Target>, Vec<Handle>) {
        let (mut targets, mut without) = (Vec::new(), Vec::new());
        // Each handle once: a frame has room for many more repetitions than there are methods.
        for &handle in &handles.iter().collect::<BTreeSet<_>>() {
            let handle = *handle;
            let id = self.id_of(handle);
            let Some(method) = self.methods.get(&handle) else { continue };
            match id {
                Some(id) => targets.push(Target { id, instrument: method.instrument.clone() }),
                None => without.push(handle),
            }
        }
        (targets, without)
    }

    /// The permanent id of a method, assigned at its first use.
    fn id_of(&mut self, handle: Handle) -> Option<InstrumentId> {
        let method = self.methods.get_mut(&handle)?;
        let id = self.ids.of(&method.instrument)?;
        method.id = Some(id);
        self.numbers.insert(id, Named { handle, size: kinds::constant_size(&method.instrument) });
        Some(id)
    }

    /// The permanent id of a method, if it has one.
    pub fn id(&self, handle: Handle) -> Option<InstrumentId> {
        self.methods.get(&handle)?.id
    }

    /// The handle of an id in this session.
    pub fn handle(&self, id: InstrumentId) -> Option<Handle> {
        Some(self.numbers.get(id)?.handle)
    }

    /// Opens a gate for one call in `every` and at most `quota` samples; quota 0 means the number that
    /// `limit` leaves in this session. Returns whether the gate is open.
    pub fn arm(&mut self, handle: Handle, every: u32, quota: u64, limit: u64) -> bool {
        let Some(id) = self.id_of(handle) else { return false };
        let Some(method) = self.methods.get_mut(&handle) else { return false };
        let left = limit.saturating_sub(method.taken);
        let before = method.left;
        method.left = if quota == 0 { left } else { left.min(quota) };
        self.may_come = self.may_come.saturating_sub(before).saturating_add(method.left);
        if method.left == 0 {
            return false;
        }
        (method.every, method.unbounded) = (every, quota == 0);
        method.opened.0 = true;
        self.open.insert(handle);
        self.gates.open(id, every, method.left);
        true
    }

    /// Returns discarded samples to the method's limit. The gate opens again at the next [`arm`](Self::arm).
    pub fn discarded(&mut self, handle: Handle, count: u64) {
        if let Some(method) = self.methods.get_mut(&handle) {
            method.taken = method.taken.saturating_sub(count);
            method.limited = false;
        }
    }

    /// Closes a gate by order of the controller, which is informed when all calls admitted since the last
    /// closing have ended.
    pub fn disarm(&mut self, handle: Handle) {
        self.shut(handle);
        let Some(method) = self.methods.get_mut(&handle) else { return };
        let newest = method.id.map_or(0, |id| self.gates.epoch(id));
        let (number, before) = method.closed;
        method.closed = (number + 1, newest);
        self.closings.add(handle, number + 1, (before, newest));
    }

    /// Closes a gate.
    pub fn shut(&mut self, handle: Handle) {
        let Some(method) = self.methods.get_mut(&handle) else { return };
        self.may_come = self.may_come.saturating_sub(method.left);
        method.left = 0;
        self.open.remove(&handle);
        if let Some(id) = method.id {
            self.gates.close(id);
        }
    }

    /// Closes all gates.
    pub fn shut_all(&mut self) {
        self.gates.close_all();
        self.methods.values_mut().for_each(|method| method.left = 0);
        (self.open, self.may_come) = (BTreeSet::new(), 0);
    }

    /// Whether a gate is open.
    pub fn is_open(&self) -> bool {
        !self.open.is_empty()
    }

    /// Whether a gate without a quota is open.
    pub fn is_unbounded(&self) -> bool {
        self.open.iter().any(|handle| self.methods.get(handle).is_some_and(|method| method.unbounded))
    }

    /// Samples that may be taken until all gates have closed.
    pub fn may_come(&self) -> u64 {
        self.may_come
    }

    /// Counts a sample of a method; `None` if this session did not ask for it.
    pub fn count(&mut self, id: InstrumentId) -> Option<Named> {
        self.numbers.count(id)
    }

    /// Books the counted samples, and closes the gates of methods that have reached their quota.
    pub fn book(&mut self) {
        while let Some((id, handle, taken)) = self.numbers.next_counted() {
            let Some(method) = self.methods.get_mut(&handle) else { continue };
            method.taken += taken;
            if method.left > 0 {
                self.may_come = self.may_come.saturating_sub(method.left.min(taken));
                method.left = method.left.saturating_sub(taken);
                if method.left == 0 {
                    self.open.remove(&handle);
                    self.gates.close(id);
                }
            }
        }
    }

    /// Methods that have reached the agent's own limit of samples, each reported once.
    pub fn newly_limited(&mut self, limit: u64) -> Vec<Handle> {
        let reached = |method: &Method| method.taken >= limit && !method.limited;
        let new = self.methods.iter_mut().filter(|(_, method)| reached(method));
        new.map(|(handle, method)| {
            method.limited = true;
            *handle
        })
        .collect()
    }

    /// Time to wait before the next look for calls behind closed gates, doubled each time; `None` if no
    /// closing is pending.
    pub fn look_pause(&mut self) -> Option<Duration> {
        self.closings.look_pause()
    }

    /// Takes the closings that are complete: no call that passed the gate before still runs. `running`
    /// returns the openings of a method with calls that run.
    pub fn take_idle(&mut self, running: impl Fn(InstrumentId) -> BTreeSet<u32>) -> Vec<(Handle, u64)> {
        let methods = &self.methods;
        self.closings.take_idle(|handle| {
            let id = methods.get(&handle).and_then(|method| method.id);
            id.map(&running).unwrap_or_default()
        })
    }

    /// Starts counting the calls of a method if the JVM may bypass its probes.
    pub fn expect_bypass(&mut self, handle: Handle, outcome: &Outcome) {
        let Some(method) = self.methods.get_mut(&handle) else { return };
        if matches!(outcome, Outcome::Instrumented(facts) if facts.intrinsic) && method.bypass.is_none() {
            method.bypass = Some((Bypass::default(), method.taken));
        }
    }

    /// Methods whose probes seem to be bypassed; `passed` is the time since the last look.
    pub fn newly_bypassed(&mut self, passed: Duration) -> Vec<&MethodRef> {
        let mut found = Vec::new();
        for Method { instrument, left, taken, every, bypass, .. } in self.methods.values_mut() {
            let Some((bypass, before)) = bypass else { continue };
            let calls = taken.saturating_sub(*before) * u64::from(*every);
            *before = *taken;
            if *left > 0 && bypass.look(calls, passed) {
                found.push(&instrument.method);
            }
        }
        found
    }

    /// Methods whose gates were open since the last time and that recorded no call.
    pub fn take_unseen(&mut self) -> Vec<InstrumentId> {
        let mut unseen = Vec::new();
        for (handle, method) in &mut self.methods {
            let (opened, before) = method.opened;
            method.opened = (self.open.contains(handle), method.taken);
            if opened && before == method.taken {
                unseen.extend(method.id);
            }
        }
        unseen
    }
}

impl Method {
    fn new(instrument: Instrument) -> Self {
        Self {
            instrument,
            id: None,
            left: 0,
            unbounded: false,
            taken: 0,
            limited: false,
            every: 1,
            closed: (0, 0),
            opened: (false, 0),
            bypass: None,
        }
    }
}

#[cfg(test)]
mod tests;
