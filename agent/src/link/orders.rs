//! What the controller orders of methods: their numbers, their probes, their gates.

use super::{Closing, DRAIN_EVERY, Link, MOST_CLOSINGS, Method};
use crate::ids::Ids;
use crate::kinds;
use crate::state::{Command, Target};
use crate::stream::Stream;
use spl_model::{Handle, Instrument, InstrumentId, Outcome, Refusal};
use spl_wire::ToController;
use std::collections::BTreeSet;

/// Methods that one controller may define: many more than can be instrumented, few enough to bound what they take.
const MAX_DEFINED: usize = 65_536;
/// Bytes of their names together.
const MAX_NAMES: usize = 16 << 20;

impl Link {
    /// A number names one method for good, and a method has one number: calls must not change their name.
    pub(super) fn define(&mut self, stream: &mut Stream, handle: Handle, instrument: Instrument) {
        let known = self.methods.contains_key(&handle) || self.defined.contains(&instrument.identity());
        let method = &instrument.method;
        let length = method.to_string().len() + kinds::processor(&instrument).map_or(0, str::len);
        if known || self.methods.len() >= MAX_DEFINED || self.names + length > MAX_NAMES {
            let text = format!(
                "{method} was not defined as number {handle}: one of both is in use, or there are too many"
            );
            return stream.put(&ToController::Warning { text });
        }
        self.names += length;
        self.defined.insert(instrument.identity());
        self.methods.insert(
            handle,
            Method {
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
            },
        );
    }

    pub(super) fn instrument(&mut self, stream: &mut Stream, handles: &[Handle]) {
        let mut targets = Vec::new();
        // Each once: a frame has room for many more repetitions than there are methods.
        for &handle in &handles.iter().collect::<BTreeSet<_>>() {
            let handle = *handle;
            let id = self.id_of(handle);
            let Some(method) = self.methods.get(&handle) else { continue };
            match id {
                Some(id) => {
                    targets.push(Target { id, instrument: method.instrument.clone() });
                }
                None => {
                    let outcome = Outcome::Refused(Refusal::NoGate(Ids::LIMIT));
                    stream.put(&ToController::Outcome { handle, class_loader: String::new(), outcome });
                }
            }
        }
        self.parts.state.command(Command::Instrument(targets));
    }

    /// The permanent id of a method, from its first use on.
    fn id_of(&mut self, handle: Handle) -> Option<InstrumentId> {
        let method = self.methods.get_mut(&handle)?;
        let id = self.ids.of(&method.instrument)?;
        method.id = Some(id);
        self.handles.insert(id, handle, kinds::constant_size(&method.instrument));
        Some(id)
    }

    pub(super) fn arm(&mut self, handle: Handle, every: u32, quota: u64) {
        let limit = self.parts.options.measurements;
        let Some(id) = self.id_of(handle) else { return };
        let Some(method) = self.methods.get_mut(&handle) else { return };
        let left = limit.saturating_sub(method.taken);
        let before = std::mem::replace(&mut method.left, if quota == 0 { left } else { left.min(quota) });
        self.may_come = self.may_come.saturating_sub(before).saturating_add(method.left);
        if method.left > 0 {
            (method.every, method.unbounded) = (every, quota == 0);
            method.opened.0 = true;
            self.open.insert(handle);
            self.pace.opens(self.may_come);
            self.parts.state.gates.open(id, every, method.left);
        }
    }

    /// Samples that are not to use up the limit; the gate is opened by the next [`ToAgent::Arm`].
    pub(super) fn discarded(&mut self, handle: Handle, count: u64) {
        if let Some(method) = self.methods.get_mut(&handle) {
            method.taken = method.taken.saturating_sub(count);
            method.limited = false;
        }
    }

    /// Closes a gate by the controller's order, who is told when the calls have ended that it let through since the last one.
    pub(super) fn disarm(&mut self, handle: Handle) {
        self.shut(handle);
        let Some(method) = self.methods.get_mut(&handle) else { return };
        let newest = method.id.map_or(0, |id| self.parts.state.gates.epoch(id));
        let (number, before) = method.closed;
        method.closed = (number + 1, newest);
        let closings = self.closing.entry(handle).or_default();
        closings.push_back(Closing { number: number + 1, openings: (before, newest) });
        if closings.len() > MOST_CLOSINGS {
            closings.pop_front();
        }
        self.look_pause = DRAIN_EVERY;
    }

    /// Closes a gate.
    pub(super) fn shut(&mut self, handle: Handle) {
        let Some(method) = self.methods.get_mut(&handle) else { return };
        self.may_come = self.may_come.saturating_sub(std::mem::take(&mut method.left));
        self.open.remove(&handle);
        if let Some(id) = method.id {
            self.parts.state.gates.close(id);
        }
    }
}
