//! The station: which methods this session's controller has defined, what is in them, and which of their gates are open.
//!
//! This file sends no message and reads no ring: the connection gives the orders and reports their outcome.

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

/// Methods that one controller may define: many more than can be instrumented, few enough to bound what they take.
const MAX_DEFINED: usize = 65_536;
/// Bytes of their names together.
const MAX_NAMES: usize = 16 << 20;
/// What one controller has ordered, but for the permanent numbers, which are those of the JVM.
#[derive(Debug)]
pub struct Station {
    gates: &'static Gates,
    ids: Ids,
    methods: BTreeMap<Handle, Method>,
    /// What the instruments of `methods` are known by.
    defined: HashSet<(MethodRef, &'static str)>,
    /// Bytes of their names.
    names: usize,
    numbers: Numbers,
    /// Methods whose gate is open.
    open: BTreeSet<Handle>,
    /// Samples that may be taken until all of them have closed.
    may_come: u64,
    closings: Closings,
}

#[derive(Debug)]
struct Method {
    instrument: Instrument,
    id: Option<InstrumentId>,
    /// Samples that may still be taken until the gate closes; 0 when it is closed.
    left: u64,
    /// Whether the controller wants as many as come.
    unbounded: bool,
    /// Samples taken in this session.
    taken: u64,
    /// Whether the controller was told that the agent's own limit is reached.
    limited: bool,
    /// One call in this number is taken.
    every: u32,
    /// How often the controller has closed its gate, and the newest opening that it closed.
    closed: (u64, u32),
    /// Whether its gate was opened since probes were looked for last, and what was taken then.
    opened: (bool, u64),
    /// Of a method whose calls the JVM may replace by an intrinsic; and what was taken when that was looked at last.
    bypass: Option<(Bypass, u64)>,
}

impl Station {
    /// Nothing is defined.
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

    /// Forgets what a session's controller has defined. Ids stay, because they are in the bytecode.
    pub fn forget(&mut self) {
        self.methods.clear();
        self.defined.clear();
        self.names = 0;
        self.numbers = Numbers::default();
        (self.open, self.may_come) = (BTreeSet::new(), 0);
    }

    /// Forgets which calls an earlier session's controller waited for.
    pub fn forget_closings(&mut self) {
        self.closings.forget();
    }

    /// Whether nothing is defined.
    pub fn is_empty(&self) -> bool {
        self.methods.is_empty()
    }

    /// Whether a method has a permanent id.
    pub fn has_numbers(&self) -> bool {
        !self.numbers.is_empty()
    }

    /// A number names one method for good, and a method has one number: calls must not change their name.
    ///
    /// # Errors
    /// When one of both is in use, or there are too many; a line for the operator.
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

    /// The instruments of these handles with their ids, and the handles for which there is no id any more.
    pub fn targets(&mut self, handles: &[Handle]) -> (Vec<Target>, Vec<Handle>) {
        let (mut targets, mut without) = (Vec::new(), Vec::new());
        // Each once: a frame has room for many more repetitions than there are methods.
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

    /// The permanent id of a method, from its first use on.
    fn id_of(&mut self, handle: Handle) -> Option<InstrumentId> {
        let method = self.methods.get_mut(&handle)?;
        let id = self.ids.of(&method.instrument)?;
        method.id = Some(id);
        self.numbers.insert(id, Named { handle, size: kinds::constant_size(&method.instrument) });
        Some(id)
    }

    /// The permanent id of a method that has one.
    pub fn id(&self, handle: Handle) -> Option<InstrumentId> {
        self.methods.get(&handle)?.id
    }

    /// The handle of an id in this session.
    pub fn handle(&self, id: InstrumentId) -> Option<Handle> {
        Some(self.numbers.get(id)?.handle)
    }

    /// Opens a gate for one call in `every` and at most `quota` samples, 0 being as many as `limit` leaves in this session. Says
    /// whether it is open.
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

    /// Samples that are not to use up the limit; the gate is opened by the next [`arm`](Self::arm).
    pub fn discarded(&mut self, handle: Handle, count: u64) {
        if let Some(method) = self.methods.get_mut(&handle) {
            method.taken = method.taken.saturating_sub(count);
            method.limited = false;
        }
    }

    /// Closes a gate by the controller's order, who is told when the calls have ended that it let through since the last one.
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

    /// Whether one is open for as many calls as come.
    pub fn is_unbounded(&self) -> bool {
        self.open.iter().any(|handle| self.methods.get(handle).is_some_and(|method| method.unbounded))
    }

    /// Samples that may be taken until all gates have closed.
    pub fn may_come(&self) -> u64 {
        self.may_come
    }

    /// Counts a sample of a method; `None` when this session has not asked for it.
    pub fn count(&mut self, id: InstrumentId) -> Option<Named> {
        self.numbers.count(id)
    }

    /// Books what was counted, and closes the gates of methods that have had enough.
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

    /// Methods that have reached the agent's own limit of samples, each once.
    pub fn newly_limited(&mut self, limit: u64) -> Vec<Handle> {
        let reached = |method: &Method| method.taken >= limit && !method.limited;
        let new = self.methods.iter_mut().filter(|(_, method)| reached(method));
        new.map(|(handle, method)| {
            method.limited = true;
            *handle
        })
        .collect()
    }

    /// How long to wait before the next look for calls behind closed gates, twice as long each time; `None` when none is awaited.
    pub fn look_pause(&mut self) -> Option<Duration> {
        self.closings.look_pause()
    }

    /// Closings that are over: no call runs any more that was let through before them. `running` gives the openings of a method whose
    /// calls run.
    pub fn take_idle(&mut self, running: impl Fn(InstrumentId) -> BTreeSet<u32>) -> Vec<(Handle, u64)> {
        let methods = &self.methods;
        self.closings.take_idle(|handle| {
            let id = methods.get(&handle).and_then(|method| method.id);
            id.map(&running).unwrap_or_default()
        })
    }

    /// Counts the calls of a method from now on whose probes the JVM may bypass.
    pub fn expect_bypass(&mut self, handle: Handle, outcome: &Outcome) {
        let Some(method) = self.methods.get_mut(&handle) else { return };
        if matches!(outcome, Outcome::Instrumented(facts) if facts.intrinsic) && method.bypass.is_none() {
            method.bypass = Some((Bypass::default(), method.taken));
        }
    }

    /// Methods whose probes are bypassed, as it seems, when this long has passed since the last look.
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

    /// Methods whose gates were open since the last time and of which no call was seen.
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
